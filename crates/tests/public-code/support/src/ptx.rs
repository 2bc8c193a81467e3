//! Compilation of the test crates to PTX.

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::lint::LintReport;
use cuda_builder::{CudaBuilder, DeviceToolchain, NvvmArch, Ptxas};

/// Compiles the crate in this folder to PTX, checks that it contains all kernels and that NVIDIA's
/// assembler accepts it, and returns the lint's findings. Returns `None` if no device toolchain is
/// expected.
///
/// # Panics
/// If any step fails.
#[must_use]
pub fn check_ptx(crate_path: &Path) -> Option<LintReport> {
    if std::env::var_os("FERROVOX_NO_DEVICE_TOOLCHAIN").is_some_and(|value| value == "1") {
        eprintln!("skipped: FERROVOX_NO_DEVICE_TOOLCHAIN is set");
        return None;
    }
    if let Err(error) = DeviceToolchain::find() {
        panic!("{error}\n(To run the tests without one, set FERROVOX_NO_DEVICE_TOOLCHAIN=1.)");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../..");
    // share one `core` across the repository
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let output = CudaBuilder::new(crate_path)
        .arch(NvvmArch::Compute70)
        .target_directory(target.join("cuda-builder"))
        .build_with_report()
        .unwrap_or_else(|error| panic!("{error}"));
    let ptx = fs::read_to_string(&output.ptx).unwrap_or_else(|error| panic!("{error}"));
    let kernels = kernel_names(&crate_path.join("src"));
    assert!(
        !kernels.is_empty(),
        "no kernels in {}",
        crate_path.display()
    );
    for kernel in kernels {
        // entry points of a generic kernel begin with its name
        let there = ptx.contains(&format!(".entry {kernel}("))
            || ptx.contains(&format!(".entry {kernel}_"));
        assert!(there, "no kernel {kernel} in {}", output.ptx.display());
    }
    Ptxas::find(&[root.join("target/tools")])
        .expect("no ptxas: run `cargo xtask setup`, or set FERROVOX_PTXAS")
        .resources_cached(
            &output.ptx,
            NvvmArch::Compute70,
            &output.ptx.with_extension("json"),
            2,
        )
        .unwrap_or_else(|error| panic!("{error}"));
    Some(output.lint)
}

/// Returns the names of the kernels in a folder's sources.
fn kernel_names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the sources' folder");
    let texts =
        files.map(|file| fs::read_to_string(file.expect("a file").path()).expect("its text"));
    let names = |text: String| -> Vec<String> {
        let kernels = text.split("#[kernel").skip(1);
        let name = |after: &str| {
            let after = after.split_once("fn ")?.1;
            Some(after.split(['(', '<']).next()?.to_owned())
        };
        kernels.filter_map(name).collect()
    };
    texts.flat_map(names).collect()
}
