//! The device toolchain: a rustc with the source of its `core`, its cargo, and LLVM's tools.

mod discover;
mod hint;
mod verify;

use std::path::{Path, PathBuf};

pub(crate) use discover::home_directory;
pub use verify::{LlvmTools, RustcVersion};

use crate::{CudaBuilderError, Result};

/// Minimum version of rustc. The device build is tested with 1.96; much older versions lack
/// required features.
pub(crate) const MIN_RUSTC: (u32, u32) = (1, 94);

/// A complete device toolchain.
///
/// Searched in this order; the first complete one is used:
/// 1. toolchain given by environment variables: `FERROVOX_DEVICE_RUSTC` (with
///    `FERROVOX_DEVICE_CARGO`, by default the cargo next to it, and `FERROVOX_LLVM_BIN`, by default
///    searched);
/// 2. Debian packages: `/usr/bin/rustc`, `/usr/bin/cargo`, `/usr/lib/llvm-NN/bin`;
/// 3. rustup toolchains with the components `rust-src` and `llvm-tools`, nightly ones first.
///
/// A toolchain is complete if it contains the source of `core` of exactly this rustc, and LLVM's
/// tools are at least as new as rustc's LLVM.
#[derive(Clone, Debug)]
pub struct DeviceToolchain {
    /// Absolute path of the compiler.
    pub rustc: PathBuf,
    /// Path of its cargo.
    pub cargo: PathBuf,
    /// Output of `rustc -vV`.
    pub version: RustcVersion,
    /// Output of `rustc --print sysroot`.
    pub sysroot: PathBuf,
    /// LLVM's tools.
    pub llvm: LlvmTools,
}

impl DeviceToolchain {
    /// Finds a device toolchain.
    ///
    /// # Errors
    /// [`CudaBuilderError::ToolchainNotFound`], whose message lists the searched locations and
    /// installation instructions.
    pub fn find() -> Result<Self> {
        let mut searched = Vec::new();
        for candidate in discover::candidates(&mut searched) {
            match verify::verify(&candidate) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => searched.push(format!("{}: {reason}", candidate.rustc.display())),
            }
            if candidate.named_by_environment {
                // an invalid explicit path must not silently select another compiler
                break;
            }
        }
        Err(CudaBuilderError::ToolchainNotFound(hint::not_found(
            &searched,
        )))
    }

    /// Returns the directory of the library sources, `…/library`.
    pub fn library_source(&self) -> PathBuf {
        library_source(&self.sysroot)
    }
}

fn library_source(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust/library")
}
