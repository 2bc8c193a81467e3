//! The device build of one kernel crate.

use std::fs;
use std::path::{Path, PathBuf};

use super::Settings;
use super::cargo::{command, run};
use super::record::{LinkInputs, install_recorder};
use super::source_names::name_sources;
use crate::error::IoContext;
use crate::{CudaBuilderError, NvvmArch, Result};

/// What the build of one kernel crate depends on, beside the common settings.
pub(crate) struct KernelBuild<'a> {
    pub settings: Settings<'a>,
    /// `core` for the GPU.
    pub sysroot: &'a Path,
    /// The kernel crate's directory.
    pub crate_path: &'a Path,
    /// The root of its workspace.
    pub workspace: &'a Path,
    /// The directory of registries' sources.
    pub registry: &'a Path,
    pub arch: NvvmArch,
    /// cargo's target directory, kept between builds.
    pub target_directory: &'a Path,
    /// The user's further arguments to cargo.
    pub build_args: &'a [String],
}

impl KernelBuild<'_> {
    /// Compiles, and returns what there is to link.
    ///
    /// # Errors
    /// A crate that does not compile, with rustc's messages.
    pub fn run(&self) -> Result<LinkInputs> {
        let linker = install_recorder(self.settings.directory)?;
        let flags = [
            format!("--sysroot={}", self.sysroot.display()),
            // The link step optimises, once it has put every static into its address space.
            // Optimising before that is twice the work, and LLVM might do with a shared static what
            // it may only do with one that belongs to a single thread.
            "-Cno-prepopulate-passes".to_owned(),
            // This pass copies blocks into the arms of a branch, barriers included, and then the
            // threads of a block wait at different barriers (rust-lang/rust#137086; seen with
            // 1.96). LLVM's own jump threading knows what a barrier is.
            "-Zmir-enable-passes=-JumpThreading".to_owned(),
            // There is no std on a GPU, and crates written for Rust-CUDA leave it to the builder to
            // say so. Where a crate says it too, it is said twice.
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
            // The attribute spares kernel crates a line that only this compiler would accept.
            .args(["--", "-Zcrate-attr=feature(abi_ptx)"])
            .arg(format!("-Ctarget-cpu={}", self.arch.sm()));
        name_sources(
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
