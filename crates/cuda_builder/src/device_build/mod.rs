//! The device build: cargo compiles the kernel crate and its dependencies for the GPU, up to the
//! point where a linker would run. What that linker would have been given is recorded, and linked
//! by this process afterwards.

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

/// How much the compiler optimises and checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Optimised, no debug assertions.
    Release,
    /// A little optimised (unoptimised device code needs more stack than a GPU thread has), with
    /// debug assertions.
    Debug,
}

/// What every device build of one invocation shares.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub toolchain: &'a DeviceToolchain,
    pub profile: Profile,
    /// rustc's `debuginfo`: `line-directives-only`, or `full`.
    pub debug_info: &'static str,
    /// Path prefixes to replace in all crates, so that no path of this machine reaches the PTX.
    pub remapped_paths: &'a [(PathBuf, String)],
    /// The builder's own directory; the recorder lies in it.
    pub directory: &'a Path,
}
