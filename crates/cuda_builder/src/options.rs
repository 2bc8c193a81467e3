//! Options of the builder.

use std::path::{Path, PathBuf};

use crate::NvvmArch;
use crate::lint::LintRules;

/// Amount of debug information in the PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugInfo {
    /// No debug information.
    #[default]
    None,
    /// File and line of every instruction, for profilers.
    LineTables,
    /// Also types and variables, for `cuda-gdb`. The driver does not optimize such code.
    Full,
}

/// Additional output file next to the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitOption {
    /// Optimized program as LLVM IR text, `.ll`.
    LlvmIr,
    /// Optimized program as LLVM bitcode, `.bc`.
    Bitcode,
}

/// Compiles a kernel crate to PTX, in a `build.rs` or any other program.
///
/// ```no_run
/// use cuda_builder::{CudaBuilder, NvvmArch};
///
/// let builder = CudaBuilder::new("kernels").arch(NvvmArch::Compute70);
/// builder.copy_to("resources/kernels.ptx").build().unwrap();
/// ```
///
/// Names and defaults are those of Rust-CUDA's builder where applicable. Omitted: `nvptx_32`
/// (unused by GPUs since 2010), `optix` and `override_libm` (features of a code generator that this
/// builder does not use).
#[derive(Clone, Debug)]
pub struct CudaBuilder {
    pub(crate) path_to_crate: PathBuf,
    /// `true` (default): optimized, without debug assertions; `false`: the opposite.
    pub release: bool,
    /// Destination of the PTX file.
    pub ptx_file_copy_path: Option<PathBuf>,
    /// Keep file and line of every instruction in the PTX; `false` by default, because lines
    /// contain paths, which shipped PTX should not.
    pub generate_line_info: bool,
    /// Run LLVM's optimizer over the linked program; `true` by default. (The option is named after
    /// libNVVM, which is not used.)
    pub nvvm_opts: bool,
    /// Oldest GPU architecture on which the PTX runs.
    pub arch: NvvmArch,
    /// Flush `f32` denormals to zero. `false` by default.
    pub ftz: bool,
    /// Approximate `f32` square roots. `false` by default.
    pub fast_sqrt: bool,
    /// Approximate `f32` divisions (2 ulp). `false` by default.
    pub fast_div: bool,
    /// Allow contraction of a product and a sum to a fused operation, which rounds once; `true` by
    /// default. `false` produces the same bits as the CPU.
    pub fma_contraction: bool,
    /// Additional output file.
    pub emit: Option<EmitOption>,
    /// Amount of debug information.
    pub debug: DebugInfo,
    /// Additional arguments for cargo.
    pub build_args: Vec<String>,
    /// Lint findings that fail the build; none by default.
    pub lint_rules: LintRules,
    pub(crate) target_directory: Option<PathBuf>,
    pub(crate) only_kernel: Option<String>,
}

impl CudaBuilder {
    /// Creates a builder with default options for the crate in this directory, relative to the
    /// current one (in a `build.rs`, the package's directory).
    pub fn new(path_to_crate_root: impl AsRef<Path>) -> Self {
        CudaBuilder {
            path_to_crate: path_to_crate_root.as_ref().to_owned(),
            release: true,
            ptx_file_copy_path: None,
            generate_line_info: false,
            nvvm_opts: true,
            arch: NvvmArch::default(),
            ftz: false,
            fast_sqrt: false,
            fast_div: false,
            fma_contraction: true,
            emit: None,
            debug: DebugInfo::None,
            build_args: Vec::new(),
            lint_rules: LintRules::default(),
            target_directory: None,
            only_kernel: None,
        }
    }

    /// Appends arguments for cargo, such as `--features`.
    pub fn build_args(mut self, args: &[impl AsRef<str>]) -> Self {
        self.build_args
            .extend(args.iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets the amount of debug information.
    pub fn debug(mut self, debug: DebugInfo) -> Self {
        self.debug = debug;
        self
    }

    /// Selects optimized code without debug assertions (`true`), or the opposite.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self
    }

    /// Keeps file and line of every instruction.
    pub fn generate_line_info(mut self, generate_line_info: bool) -> Self {
        self.generate_line_info = generate_line_info;
        self
    }

    /// Enables LLVM's optimizer for the linked program.
    pub fn nvvm_opts(mut self, nvvm_opts: bool) -> Self {
        self.nvvm_opts = nvvm_opts;
        self
    }

    /// Sets the oldest GPU architecture on which the PTX must run.
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Flushes `f32` denormals to zero.
    pub fn ftz(mut self, ftz: bool) -> Self {
        self.ftz = ftz;
        self
    }

    /// Uses approximate `f32` square roots.
    pub fn fast_sqrt(mut self, fast_sqrt: bool) -> Self {
        self.fast_sqrt = fast_sqrt;
        self
    }

    /// Uses approximate `f32` divisions.
    pub fn fast_div(mut self, fast_div: bool) -> Self {
        self.fast_div = fast_div;
        self
    }

    /// Allows contraction of a product and a sum to a fused operation.
    pub fn fma_contraction(mut self, fma_contraction: bool) -> Self {
        self.fma_contraction = fma_contraction;
        self
    }

    /// Also writes the optimized program as LLVM IR text, next to the PTX.
    pub fn emit_llvm_ir(mut self, emit_llvm_ir: bool) -> Self {
        self.emit = emit_llvm_ir.then_some(EmitOption::LlvmIr);
        self
    }

    /// Also writes the optimized program as LLVM bitcode, next to the PTX.
    pub fn emit_llvm_bitcode(mut self, emit_llvm_bitcode: bool) -> Self {
        self.emit = emit_llvm_bitcode.then_some(EmitOption::Bitcode);
        self
    }

    /// Copies the PTX to this file; directories are created.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.ptx_file_copy_path = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the lint findings that fail the build. [`LintRules::strict`] is recommended for shipped
    /// kernels.
    pub fn lint(mut self, rules: LintRules) -> Self {
        self.lint_rules = rules;
        self
    }

    /// Sets the directory in which the device build is kept between builds; `cuda-builder` in the
    /// target directory by default.
    pub fn target_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.target_directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Builds only the kernel with this entry point and the functions that it calls, which is much
    /// faster for crates with many kernels. The code may differ from a full build, because LLVM can
    /// optimize arrays and functions that no other kernel uses.
    pub fn only_kernel(mut self, entry: impl Into<String>) -> Self {
        self.only_kernel = Some(entry.into());
        self
    }

    /// Describes the options that affect the code, for the header of the PTX file.
    pub(crate) fn summary(&self) -> String {
        let on = |value: bool| if value { "on" } else { "off" };
        let mut text = format!(
            "{}, fma contraction {}",
            if self.release { "release" } else { "debug" },
            on(self.fma_contraction)
        );
        for (name, value) in [
            ("ftz", self.ftz),
            ("fast sqrt", self.fast_sqrt),
            ("fast div", self.fast_div),
        ] {
            if value {
                text.push_str(&format!(", {name} on"));
            }
        }
        if !self.nvvm_opts {
            text.push_str(", not optimized");
        }
        if let Some(kernel) = &self.only_kernel {
            text.push_str(&format!(", only {kernel}"));
        }
        if !self.build_args.is_empty() {
            text.push_str(&format!(", cargo {}", self.build_args.join(" ")));
        }
        text
    }
}
