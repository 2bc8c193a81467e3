//! Errors of the build from kernel crate to PTX.

use std::path::{Path, PathBuf};

/// Failure to build PTX. Every message describes the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// The path given to `CudaBuilder::new` does not contain a crate.
    #[error("no crate at {}; pass a directory with a Cargo.toml to CudaBuilder::new", .0.display())]
    CratePathDoesntExist(PathBuf),
    /// No device compiler was found. The text lists the searched locations and installation
    /// instructions.
    #[error("{0}")]
    ToolchainNotFound(String),
    /// Unknown name of an architecture.
    #[error("unknown architecture {given}; use one of {known}")]
    UnknownArch {
        /// Requested architecture.
        given: String,
        /// Supported architectures.
        known: String,
    },
    /// Compilation of the kernel crate by rustc or cargo failed.
    #[error(
        "the device build of {} failed. {}",
        .crate_path.display(),
        if .diagnostics.is_empty() { "see cargo's messages above".to_owned() } else { format!("rustc says:\n{diagnostics}") }
    )]
    BuildFailed {
        /// Path of the kernel crate.
        crate_path: PathBuf,
        /// Rendered errors of rustc; empty if cargo failed before running rustc.
        diagnostics: String,
    },
    /// One of LLVM's tools failed.
    #[error(
        "{tool} failed ({status}) while linking the kernels: {stderr}\nits command line: {command}"
    )]
    ToolFailed {
        /// Name of the tool: `llvm-link`, `opt`, `llc` or `ptxas`.
        tool: String,
        /// Exit status.
        status: String,
        /// Standard error output.
        stderr: String,
        /// Command line to run the tool again.
        command: String,
    },
    /// Undefined functions or statics.
    #[error(
        "the kernels use undefined symbols: {}. No libraries are available on a GPU; remove the calls or define the functions",
        .names.join(", ")
    )]
    UndefinedSymbols {
        /// Names of the symbols, demangled where possible.
        names: Vec<String>,
    },
    /// The kernel selected by `only_kernel` does not exist.
    #[error("the crate has no kernel `{kernel}`; available: {}", .known.join(", "))]
    NoSuchKernel {
        /// Requested entry point.
        kernel: String,
        /// Kernels with the same prefix, or all kernels if there are none.
        known: Vec<String>,
    },
    /// The arrays of a kernel exceed the static shared memory of a block.
    #[error(
        "the kernel `{kernel}` declares {bytes} bytes of static shared memory, above the limit of {max} bytes for {arch}; its largest \
         arrays: {}. Reduce them, or use dynamic shared memory (`shared::dynamic_shared_mem`), which has a higher limit",
        .arrays.join(", ")
    )]
    SharedMemory {
        /// The entry point.
        kernel: String,
        /// Declared static shared memory, in bytes.
        bytes: u64,
        /// Limit of static shared memory, in bytes.
        max: u64,
        /// Target architecture, such as `sm_90`.
        arch: String,
        /// Largest arrays with their sizes.
        arrays: Vec<String>,
    },
    /// The linked IR contains a construct that the address-space lowering does not support.
    #[error("cannot place {symbol} in {space} memory: {reason}")]
    Lowering {
        /// Name of the static.
        symbol: String,
        /// `shared` or `constant`.
        space: &'static str,
        /// Reason and remedy.
        reason: String,
    },
    /// The PTX violates a lint rule configured as an error.
    #[error("{0}")]
    Lint(String),
    /// A manifest cannot be read.
    #[error("{}: {reason}", .path.display())]
    Manifest {
        /// Path of the `Cargo.toml` or `Cargo.lock`.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// The output of a tool cannot be parsed.
    #[error("cannot parse the output of {tool}: {reason}")]
    UnexpectedOutput {
        /// Name of the tool.
        tool: String,
        /// Description of the problem.
        reason: String,
    },
    /// A file or directory cannot be read or written.
    #[error("{what} {}: {source}", .path.display())]
    Io {
        /// Failed operation.
        what: &'static str,
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

impl CudaBuilderError {
    /// Creates the error for an unknown kernel, with the kernels of the same prefix.
    pub(crate) fn no_such_kernel(kernel: &str, all: &[&str]) -> Self {
        let stem = kernel.split('_').next().unwrap_or(kernel);
        let begins = |name: &&&str| !stem.is_empty() && name.starts_with(stem);
        let mut known: Vec<String> = all.iter().filter(begins).map(ToString::to_string).collect();
        if known.is_empty() {
            known = all.iter().map(ToString::to_string).collect();
        }
        known.sort();
        Self::NoSuchKernel {
            kernel: kernel.to_owned(),
            known,
        }
    }
}

/// Result type of this crate.
pub type Result<T, E = CudaBuilderError> = std::result::Result<T, E>;

/// Adds the operation and the path to an I/O error.
pub(crate) trait IoContext<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| CudaBuilderError::Io {
            what,
            path: path.to_owned(),
            source,
        })
    }
}
