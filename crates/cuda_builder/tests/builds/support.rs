//! What the tests that need a device toolchain share.

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, DeviceToolchain, Ptxas};

/// Whether the test can run. Without a device toolchain it fails, with what to install, unless
/// `FERROVOX_NO_DEVICE_TOOLCHAIN=1` says that there is meant to be none.
pub fn has_toolchain() -> bool {
    if std::env::var_os("FERROVOX_NO_DEVICE_TOOLCHAIN").is_some_and(|value| value == "1") {
        eprintln!("skipped: FERROVOX_NO_DEVICE_TOOLCHAIN is set");
        return false;
    }
    if let Err(error) = DeviceToolchain::find() {
        panic!("{error}\n(To run the tests without one, set FERROVOX_NO_DEVICE_TOOLCHAIN=1.)");
    }
    true
}

/// NVIDIA's assembler, as `cargo xtask setup` installs it.
pub fn ptxas() -> Ptxas {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    Ptxas::find(&[tools]).expect("no ptxas: run `cargo xtask setup`, or set FERROVOX_PTXAS")
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// A copy of all fixtures, in a directory of its own, so that tests leave nothing in the
/// repository.
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

/// A builder for a crate, whose device builds share one `core`, that of `cargo xtask ptx`.
pub fn builder(crate_path: &Path) -> CudaBuilder {
    CudaBuilder::new(crate_path)
        .target_directory(Path::new(env!("CARGO_TARGET_TMPDIR")).join("../cuda-builder"))
}

/// The body of one kernel or function.
pub fn body<'a>(ptx: &'a str, name: &str) -> &'a str {
    let start = [format!(".entry {name}("), format!(".func {name}(")]
        .iter()
        .find_map(|head| ptx.find(head.as_str()));
    let text = &ptx[start.unwrap_or_else(|| panic!("no {name} in\n{ptx}"))..];
    &text[..text.find("\n}").unwrap_or(text.len())]
}
