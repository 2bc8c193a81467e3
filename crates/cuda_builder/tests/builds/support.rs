//! Shared functions of tests that need a device toolchain.

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, DeviceToolchain, Ptxas};

/// Returns `true` if the test can run. Without a device toolchain it panics with installation
/// instructions, unless `FERROVOX_NO_DEVICE_TOOLCHAIN=1` is set.
pub fn has_toolchain() -> bool {
    if std::env::var_os("FERROVOX_NO_DEVICE_TOOLCHAIN").is_some_and(|value| value == "1") {
        test_cases::report_skip(format_args!("FERROVOX_NO_DEVICE_TOOLCHAIN is set"));
        return false;
    }
    if let Err(error) = DeviceToolchain::find() {
        panic!("{error}\n(To run the tests without one, set FERROVOX_NO_DEVICE_TOOLCHAIN=1.)");
    }
    true
}

/// Returns NVIDIA's assembler as installed by `cargo xtask setup`.
pub fn ptxas() -> Ptxas {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    Ptxas::find(&[tools]).expect("no ptxas: run `cargo xtask setup`, or set FERROVOX_PTXAS")
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Copies all fixtures to a directory, so that tests leave no files in the repository.
pub fn copy_fixtures(to: &Path) {
    copy(&fixture(""), to);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if entry.path().is_dir() && name != "target" {
            copy(&entry.path(), &to.join(name));
        } else if entry.path().is_file() && name != "Cargo.lock" {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// Returns a builder for a crate; device builds share the `core` of `cargo xtask ptx`.
pub fn builder(crate_path: &Path) -> CudaBuilder {
    CudaBuilder::new(crate_path)
        .target_directory(Path::new(env!("CARGO_TARGET_TMPDIR")).join("../cuda-builder"))
}

/// Returns the body of a kernel or function.
pub fn body<'a>(ptx: &'a str, name: &str) -> &'a str {
    let start = [format!(".entry {name}("), format!(".func {name}(")]
        .iter()
        .find_map(|head| ptx.find(head.as_str()));
    let text = &ptx[start.unwrap_or_else(|| panic!("no {name} in\n{ptx}"))..];
    &text[..text.find("\n}").unwrap_or(text.len())]
}
