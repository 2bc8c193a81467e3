//! Device build of a kernel crate.

use std::fs;
use std::path::{Path, PathBuf};

use super::Settings;
use super::cargo::{command, run};
use super::record::{LinkInputs, install_recorder};
use super::source_names::set_source_names;
use crate::error::IoContext;
use crate::{CudaBuilderError, NvvmArch, Result};

/// Inputs of the build of one kernel crate, in addition to the common settings.
pub(crate) struct KernelBuild<'a> {
    pub settings: Settings<'a>,
    /// Sysroot with `core` for the GPU.
    pub sysroot: &'a Path,
    /// Directory of the kernel crate.
    pub crate_path: &'a Path,
    /// Root of its workspace.
    pub workspace: &'a Path,
    /// Directory of registry sources.
    pub registry: &'a Path,
    pub arch: NvvmArch,
    /// Cargo's target directory, kept between builds.
    pub target_directory: &'a Path,
    /// Additional arguments for cargo.
    pub build_args: &'a [String],
}

impl KernelBuild<'_> {
    /// Compiles the crate and returns the inputs for the link step.
    ///
    /// # Errors
    /// A crate that does not compile, with rustc's messages.
    pub fn run(&self) -> Result<LinkInputs> {
        let linker = install_recorder(self.settings.directory)?;
        let flags = [
            format!("--sysroot={}", self.sysroot.display()),
            // The link step optimizes after every static has been placed in its address space.
            // Optimizing before would double the work, and LLVM could apply transformations to
            // shared statics that are valid only for thread-local ones.
            "-Cno-prepopulate-passes".to_owned(),
            // This pass duplicates blocks into the arms of a branch, including barriers, so that
            // threads of a block wait at different barriers (rust-lang/rust#137086; observed with
            // 1.96). LLVM's jump threading respects barriers.
            "-Zmir-enable-passes=-JumpThreading".to_owned(),
            // There is no std on a GPU, and crates written for Rust-CUDA rely on the builder to set
            // this attribute. Repeating it in a crate is harmless.
            "-Zcrate-attr=no_std".to_owned(),
        ];
        let flags: Vec<String> = flags
            .into_iter()
            .chain(self.arch.target_features())
            .collect();
        let mut command = command(&self.settings, "rustc", self.target_directory, &flags);
        command
            .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", linker)
            .env("CUDA_ARCH", self.arch.cuda_arch())
            .current_dir(self.crate_path)
            .args(["--crate-type", "cdylib"])
            .args(self.build_args)
            // kernel crates would otherwise need a line that is valid only for this compiler
            .args(["--", "-Zcrate-attr=feature(abi_ptx)"])
            .arg(format!("-Ctarget-cpu={}", self.arch.sm()));
        set_source_names(
            &mut command,
            self.settings.directory,
            self.workspace,
            self.registry,
        )?;
        let artifacts = run(&mut command, self.crate_path)?;
        let own = self.crate_path.join("Cargo.toml");
        let own = own.canonicalize().at("cannot resolve", &own)?;
        let record = artifacts
            .into_iter()
            .filter(|artifact| {
                artifact
                    .file
                    .extension()
                    .is_some_and(|extension| extension == "ptx")
            })
            .find(|artifact| fs::canonicalize(&artifact.manifest).is_ok_and(|path| path == own));
        let record: PathBuf = record.map(|artifact| artifact.file).ok_or_else(|| {
            CudaBuilderError::UnexpectedOutput {
                tool: "cargo".to_owned(),
                reason: format!(
                    "no PTX artifact of {} among its messages; is the crate a library?",
                    self.crate_path.display()
                ),
            }
        })?;
        LinkInputs::read(&record)
    }
}
