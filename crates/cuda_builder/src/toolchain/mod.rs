//! The device compiler: a rustc with the source of its own `core`, its cargo, and LLVM's tools.

mod discover;
mod hint;
mod verify;

use std::path::{Path, PathBuf};

pub(crate) use discover::home_directory;
pub use verify::{LlvmTools, RustcVersion};

use crate::{CudaBuilderError, Result};

/// Oldest rustc that is accepted. The device build has been tried with 1.96; much older ones lack
/// what it asks of them.
pub(crate) const OLDEST_RUSTC: (u32, u32) = (1, 94);

/// A complete device toolchain.
///
/// Looked for in this order, the first complete one wins:
/// 1. what the environment names: `FERROVOX_DEVICE_RUSTC` (with `FERROVOX_DEVICE_CARGO`, else the
///    cargo beside it, and `FERROVOX_LLVM_BIN`, else wherever LLVM's tools are found);
/// 2. Debian's packages: `/usr/bin/rustc`, `/usr/bin/cargo`, `/usr/lib/llvm-NN/bin`;
/// 3. rustup's toolchains that have the components `rust-src` and `llvm-tools`, nightly ones first.
///
/// Complete means: the source of `core` of exactly this rustc is there, and LLVM's tools are at
/// least as new as its LLVM.
#[derive(Clone, Debug)]
pub struct DeviceToolchain {
    /// The compiler, by absolute path.
    pub rustc: PathBuf,
    /// Its cargo.
    pub cargo: PathBuf,
    /// What `rustc -vV` says.
    pub version: RustcVersion,
    /// `rustc --print sysroot`.
    pub sysroot: PathBuf,
    /// LLVM's tools.
    pub llvm: LlvmTools,
}

impl DeviceToolchain {
    /// Finds a device toolchain, or says what was looked at and what to install.
    ///
    /// # Errors
    /// [`CudaBuilderError::ToolchainNotFound`], whose message is complete instructions.
    pub fn find() -> Result<Self> {
        let mut looked_at = Vec::new();
        for candidate in discover::candidates(&mut looked_at) {
            match verify::verify(&candidate) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => looked_at.push(format!("{}: {reason}", candidate.rustc.display())),
            }
            if candidate.named_by_environment {
                // A wrong name must not silently fall back on another compiler.
                break;
            }
        }
        Err(CudaBuilderError::ToolchainNotFound(hint::not_found(
            &looked_at,
        )))
    }

    /// Directory of the library sources, `…/library`.
    pub fn library_source(&self) -> PathBuf {
        library_source(&self.sysroot)
    }
}

fn library_source(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust/library")
}
