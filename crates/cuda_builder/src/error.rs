//! What can go wrong between a kernel crate and its PTX.

use std::path::{Path, PathBuf};

/// Why no PTX was made. Every message says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// The path given to `CudaBuilder::new` holds no crate.
    #[error("there is no crate at {}: the path given to CudaBuilder::new must be a directory with a Cargo.toml", .0.display())]
    CratePathDoesntExist(PathBuf),
    /// No device compiler was found. The text lists what was looked at and what to install.
    #[error("{0}")]
    ToolchainNotFound(String),
    /// An architecture name that no table row has.
    #[error("{given} is not an architecture that this builder makes PTX for; it knows {known}")]
    UnknownArch {
        /// What was asked for.
        given: String,
        /// What could have been.
        known: String,
    },
    /// rustc or cargo refused the kernel crate.
    #[error(
        "the device build of {} failed. {}",
        .crate_path.display(),
        if .diagnostics.is_empty() { "cargo's messages stand above (its standard error)".to_owned() } else { format!("rustc says:\n{diagnostics}") }
    )]
    BuildFailed {
        /// The kernel crate.
        crate_path: PathBuf,
        /// rustc's rendered errors; empty when cargo failed before rustc ran.
        diagnostics: String,
    },
    /// One of LLVM's tools failed.
    #[error(
        "{tool} failed ({status}) while linking the kernels: {stderr}\nits command line: {command}"
    )]
    ToolFailed {
        /// `llvm-link`, `opt`, `llc` or `ptxas`.
        tool: String,
        /// Its exit status.
        status: String,
        /// What it wrote.
        stderr: String,
        /// How to run it again.
        command: String,
    },
    /// Functions or statics that nobody defines.
    #[error(
        "the kernels use symbols that no crate defines: {}. A GPU has no libraries to find them in: remove the call or define the function",
        .names.join(", ")
    )]
    UndefinedSymbols {
        /// Their names, demangled where possible.
        names: Vec<String>,
    },
    /// A kernel was asked for that is not there.
    #[error("the crate has no kernel `{kernel}`; there are {}", .known.join(", "))]
    NoSuchKernel {
        /// The entry point that was asked for.
        kernel: String,
        /// Those that begin alike, or all where none does.
        known: Vec<String>,
    },
    /// A kernel whose arrays do not fit into a block's shared memory.
    #[error(
        "the kernel `{kernel}` declares {bytes} bytes of shared memory, of {most} that a block of any {arch} can have by declaration; the largest of its \
         arrays: {}. Make them smaller, or let the launch give the memory: `shared::dynamic_shared_mem`, of which there can be more",
        .arrays.join(", ")
    )]
    SharedMemory {
        /// The entry point.
        kernel: String,
        /// What it declares.
        bytes: u64,
        /// What it could.
        most: u64,
        /// For what it was built, as `sm_90`.
        arch: String,
        /// Its largest arrays, each with its bytes.
        arrays: Vec<String>,
    },
    /// The linked IR holds something that the address-space lowering cannot express.
    #[error("cannot place {symbol} in {space} memory: {reason}")]
    Lowering {
        /// The static.
        symbol: String,
        /// `shared` or `constant`.
        space: &'static str,
        /// What stands in the way and what to do.
        reason: String,
    },
    /// The PTX breaks a lint rule that was made an error.
    #[error("{0}")]
    Lint(String),
    /// A manifest that cannot be read.
    #[error("{}: {reason}", .path.display())]
    Manifest {
        /// The `Cargo.toml` or `Cargo.lock`.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Output of a tool that could not be understood.
    #[error("cannot understand what {tool} wrote: {reason}")]
    UnexpectedOutput {
        /// The tool.
        tool: String,
        /// What was expected.
        reason: String,
    },
    /// A file or directory could not be read or written.
    #[error("{what} {}: {source}", .path.display())]
    Io {
        /// What was being done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl CudaBuilderError {
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

/// Shorthand for this crate's results.
pub type Result<T, E = CudaBuilderError> = std::result::Result<T, E>;

/// Attaches what was being done, and to which path, to an I/O error.
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
