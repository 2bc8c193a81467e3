//! The complete build, from kernel crate to PTX file.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::device_build::{KernelBuild, Profile, Settings, ensure_sysroot};
use crate::error::IoContext;
use crate::link::{LinkOptions, disassemble, link};
use crate::lint::{LintReport, lint};
use crate::options::{CudaBuilder, DebugInfo, EmitOption};
use crate::ptx::{Header, check_shared, finish};
use crate::sources::{Package, device_packages, source_hash, workspace_root};
use crate::{CudaBuilderError, DeviceToolchain, Result};

/// Results of a build.
#[derive(Clone, Debug)]
pub struct Output {
    /// Path of the PTX file.
    pub ptx: PathBuf,
    /// Path of the additional output file, if requested.
    pub emitted: Option<PathBuf>,
    /// All findings of the lint, including those that are not errors.
    pub lint: LintReport,
}

impl CudaBuilder {
    /// Builds the PTX file and returns its path: the one given to [`copy_to`](Self::copy_to), or
    /// one in the builder's directory.
    ///
    /// In a `build.rs` this also instructs cargo to run the script again when a source of the
    /// kernel crate or of its path dependencies changes.
    ///
    /// # Errors
    /// A missing device toolchain (with installation instructions), a crate that does not compile
    /// (with rustc's messages), an undefined symbol, a lint finding denied by the rules, or a
    /// kernel whose arrays exceed the static shared memory of a block.
    pub fn build(self) -> Result<PathBuf> {
        self.build_with_report().map(|output| output.ptx)
    }

    /// Builds the PTX file and returns its path with the findings of the lint.
    ///
    /// # Errors
    /// See [`build`](Self::build).
    pub fn build_with_report(self) -> Result<Output> {
        if !self.path_to_crate.join("Cargo.toml").is_file() {
            return Err(CudaBuilderError::CratePathDoesntExist(self.path_to_crate));
        }
        let crate_path = self
            .path_to_crate
            .canonicalize()
            .at("cannot resolve", &self.path_to_crate)?;
        let packages = device_packages(&crate_path)?;
        announce_sources(&packages, &crate_path)?;
        let toolchain = DeviceToolchain::find()?;

        let directory = self.working_directory(&crate_path)?;
        let registry = registry_sources();
        let profile = if self.release {
            Profile::Release
        } else {
            Profile::Debug
        };
        let settings = Settings {
            toolchain: &toolchain,
            profile,
            debug_info: if self.debug == DebugInfo::Full {
                "full"
            } else {
                "line-directives-only"
            },
            remapped_paths: &remapped_paths(&toolchain, &registry),
            directory: &directory,
        };
        let sysroot = ensure_sysroot(&settings)?;

        // one directory per architecture: `CUDA_ARCH` affects the sources, so a shared directory
        // would be rebuilt at every change of the architecture
        let own = directory.join(self.arch.sm());
        fs::create_dir_all(&own).at("cannot create", &own)?;
        let lock_path = own.join("builder.lock");
        // one build at a time may use the recorded link inputs; cargo's own lock is released when
        // cargo ends
        let lock = File::create(&lock_path).at("cannot create", &lock_path)?;
        lock.lock().at("cannot lock", &lock_path)?;
        let inputs = KernelBuild {
            settings,
            sysroot: &sysroot,
            crate_path: &crate_path,
            workspace: &workspace_root(&crate_path)?,
            registry: &registry,
            arch: self.arch,
            target_directory: &own,
            build_args: &self.build_args,
        }
        .run()?;

        let name = crate_path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let link_directory = match &self.only_kernel {
            // separate from the results of a full build, which remain valid
            Some(_) => own.join("link").join(format!("{name}-one")),
            None => own.join("link").join(&name),
        };
        let options = LinkOptions {
            arch: self.arch,
            profile,
            optimise: self.nvvm_opts,
            ftz: self.ftz,
            fast_sqrt: self.fast_sqrt,
            fast_div: self.fast_div,
            fma_contraction: self.fma_contraction,
            only_kernel: self.only_kernel.as_deref(),
        };
        let linked = link(&toolchain.llvm, &inputs, options, &link_directory)?;
        let report = lint(&linked.ptx);
        let errors = report.errors(&self.lint_rules);
        if !errors.is_empty() {
            return Err(CudaBuilderError::Lint(errors.join("\n")));
        }

        check_shared(&linked.ptx, self.arch)?;

        let header = Header {
            crate_name: packages
                .iter()
                .find(|package| package.directory() == crate_path)
                .map_or(name.as_str(), |package| &package.name),
            rustc: &toolchain.version.summary,
            llvm: &toolchain.llvm.version,
            sm: &self.arch.sm(),
            options: &self.summary(),
            source_hash: &source_hash(&crate_path)?,
        };
        let keep_lines = self.generate_line_info || self.debug != DebugInfo::None;
        let ptx = self
            .ptx_file_copy_path
            .clone()
            .unwrap_or_else(|| link_directory.join(format!("{name}.ptx")));
        write_if_changed(&ptx, &finish(&linked.ptx, &header, keep_lines))?;
        let emitted = match self.emit {
            None => None,
            Some(EmitOption::LlvmIr) => {
                let path = ptx.with_extension("ll");
                disassemble(&toolchain.llvm, &linked.bitcode, &path)?;
                Some(path)
            }
            Some(EmitOption::Bitcode) => {
                let path = ptx.with_extension("bc");
                fs::copy(&linked.bitcode, &path).at("cannot write", &path)?;
                Some(path)
            }
        };
        Ok(Output {
            ptx,
            emitted,
            lint: report,
        })
    }

    /// Returns the directory of the device build: as configured; in a build script, `cuda-builder`
    /// in the host build's target directory; otherwise `cuda-builder` in the kernel crate's.
    fn working_directory(&self, crate_path: &Path) -> Result<PathBuf> {
        if let Some(directory) = &self.target_directory {
            return std::path::absolute(directory).at("cannot resolve", directory);
        }
        if let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) {
            // cargo tags its target directory; all profiles can share one build of `core`
            let target = out
                .ancestors()
                .find(|directory| directory.join("CACHEDIR.TAG").is_file());
            return Ok(target.unwrap_or(&out).join("cuda-builder"));
        }
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(target) => {
                std::path::absolute(&target).at("cannot resolve", Path::new(&target))?
            }
            None => workspace_root(crate_path)?.join("target"),
        };
        Ok(target.join("cuda-builder"))
    }
}

/// In a build script, prints the files and variables on which the PTX depends.
fn announce_sources(packages: &[Package], crate_path: &Path) -> Result<()> {
    if env::var_os("OUT_DIR").is_none() || env::var_os("CARGO_MANIFEST_DIR").is_none() {
        return Ok(());
    }
    for package in packages {
        println!(
            "cargo::rerun-if-changed={}",
            package.directory().join("Cargo.toml").display()
        );
        for path in package.source_paths() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let lock = workspace_root(crate_path)?.join("Cargo.lock");
    if lock.is_file() {
        println!("cargo::rerun-if-changed={}", lock.display());
    }
    for name in [
        "FERROVOX_DEVICE_RUSTC",
        "FERROVOX_DEVICE_CARGO",
        "FERROVOX_LLVM_BIN",
    ] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    Ok(())
}

/// Returns the directory of unpacked registry crates; an empty path without a home directory.
fn registry_sources() -> PathBuf {
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(crate::toolchain::home_directory()?.join(".cargo")));
    let sources = cargo_home.map(|home| home.join("registry/src"));
    sources
        .map(|sources| sources.canonicalize().unwrap_or(sources))
        .unwrap_or_default()
}

/// Returns the path prefixes to remap, so that panic messages and line directives contain no paths
/// of this machine and are the same for all kernel crates. If several match, later ones take
/// precedence.
fn remapped_paths(toolchain: &DeviceToolchain, registry: &Path) -> Vec<(PathBuf, String)> {
    let mut remapped = Vec::new();
    if !registry.as_os_str().is_empty() {
        remapped.push((registry.to_owned(), "registry".to_owned()));
    }
    let library = toolchain.library_source();
    if let Ok(real) = library.canonicalize() {
        remapped.push((real, "library".to_owned()));
    }
    remapped.push((library, "library".to_owned()));
    remapped
}

/// Keeps the file's timestamp if its contents are unchanged, so that files that include it are not
/// rebuilt.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at("cannot create", parent)?;
    }
    fs::write(path, text).at("cannot write", path)
}
