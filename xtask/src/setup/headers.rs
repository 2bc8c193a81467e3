//! `cuda_occupancy.h`, from NVIDIA's Python wheel, with which a test compares the occupancy
//! calculator. Proprietary: it is installed as a tool and never copied into the repository. Nothing
//! else needs it.

use std::path::PathBuf;

use anyhow::Result;

use super::State;
use super::assembler::{check_pip, pip_install};
use crate::paths;

/// The header of this version supports compute capabilities 3.0 to 12.1.
pub const VERSION: &str = "13.5.37";
const PACKAGE: &str = "nvidia-cuda-runtime";

/// Returns the installation directory. Separate from the assembler's, because pip replaces files of
/// NVIDIA's other packages.
fn folder() -> PathBuf {
    paths::tools().join("headers")
}

pub fn state() -> State {
    let header = folder().join("nvidia/cu13/include/cuda_occupancy.h");
    if header.is_file() {
        State::Present(header.display().to_string())
    } else {
        State::Missing(format!(
            "without it a test of the occupancy calculator is skipped; to install it: python3 -m pip install --no-deps --target {} {PACKAGE}=={VERSION}",
            folder().display()
        ))
    }
}

pub fn install() -> Result<()> {
    check_pip()?;
    pip_install(&folder(), &format!("{PACKAGE}=={VERSION}"))
}
