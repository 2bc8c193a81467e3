//! `cuda_occupancy.h`, from NVIDIA's Python wheel: what the occupancy calculator is held to.
//! Proprietary, so it is installed as a tool and never copied into the repository. Nothing but that
//! test needs it.

use std::path::PathBuf;

use anyhow::Result;

use super::State;
use super::assembler::{has_pip, pip_install};
use crate::paths;

/// The header of this version knows compute capabilities 3.0 to 12.1.
pub const VERSION: &str = "13.5.37";
const PACKAGE: &str = "nvidia-cuda-runtime";

/// Where it is installed: a folder of its own, since pip replaces what another of NVIDIA's packages
/// has put beside it.
fn folder() -> PathBuf {
    paths::tools().join("headers")
}

pub fn state() -> State {
    let header = folder().join("nvidia/cu13/include/cuda_occupancy.h");
    if header.is_file() {
        State::Present(header.display().to_string())
    } else {
        State::Missing(format!(
            "Without it a test of the occupancy calculator is skipped. To install it: python3 -m pip install --no-deps --target {} {PACKAGE}=={VERSION}",
            folder().display()
        ))
    }
}

pub fn install() -> Result<()> {
    has_pip()?;
    pip_install(&folder(), &format!("{PACKAGE}=={VERSION}"))
}
