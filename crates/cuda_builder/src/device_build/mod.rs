//! Device build: cargo compiles the kernel crate and its dependencies for the GPU, up to the link
//! step. The inputs of the linker are recorded, and linked by this process afterwards.

mod cargo;
mod kernels;
mod record;
mod script;
mod source_names;
mod sysroot;

pub(crate) use kernels::KernelBuild;
pub(crate) use record::LinkInputs;
pub(crate) use sysroot::ensure_sysroot;

use std::path::{Path, PathBuf};

use crate::DeviceToolchain;

/// Optimization and checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Optimized, without debug assertions.
    Release,
    /// Slightly optimized (unoptimized device code needs more stack than a GPU thread has), with
    /// debug assertions.
    Debug,
}

/// Settings common to all device builds of one invocation.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub toolchain: &'a DeviceToolchain,
    pub profile: Profile,
    /// Value of rustc's `debuginfo` option: `line-directives-only` or `full`.
    pub debug_info: &'static str,
    /// Path prefixes to replace in all crates, so that the PTX contains no paths of this machine.
    pub remapped_paths: &'a [(PathBuf, String)],
    /// Directory of the builder, which contains the recorder.
    pub directory: &'a Path,
}
