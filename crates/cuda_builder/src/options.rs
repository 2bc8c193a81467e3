//! The builder's options.

use std::path::{Path, PathBuf};

use crate::NvvmArch;
use crate::lint::LintRules;

/// How much the PTX says of where it came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugInfo {
    /// Nothing.
    #[default]
    None,
    /// File and line of every instruction, for profilers.
    LineTables,
    /// Types and variables too, for `cuda-gdb`. The driver then does not optimise the code.
    Full,
}

/// A second file to write, beside the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitOption {
    /// The optimised program as LLVM IR text, `.ll`.
    LlvmIr,
    /// The optimised program as LLVM bitcode, `.bc`.
    Bitcode,
}

/// Builds a kernel crate to PTX, from a `build.rs` or anywhere else.
///
/// ```no_run
/// use cuda_builder::{CudaBuilder, NvvmArch};
///
/// CudaBuilder::new("kernels").arch(NvvmArch::Compute70).copy_to("resources/kernels.ptx").build().unwrap();
/// ```
///
/// Names and defaults are the published builder's, where they make sense here. Left out: `nvptx_32`
/// (no GPU since 2010 wants it), `optix` and `override_libm` (both are features of the code
/// generator that this builder does without).
#[derive(Clone, Debug)]
pub struct CudaBuilder {
    pub(crate) path_to_crate: PathBuf,
    /// Optimised and without debug assertions (the default), or the other way round.
    pub release: bool,
    /// Where to copy the PTX.
    pub ptx_file_copy_path: Option<PathBuf>,
    /// Keep file and line of every instruction in the PTX. `false` by default: lines are paths, and
    /// shipped PTX should have none.
    pub generate_line_info: bool,
    /// Run LLVM's optimiser over the linked program; `true` by default. (libNVVM, whose name the
    /// option bears, is not involved.)
    pub nvvm_opts: bool,
    /// The oldest GPU that the PTX runs on.
    pub arch: NvvmArch,
    /// Flush `f32` denormals to zero. `false` by default.
    pub ftz: bool,
    /// Approximate `f32` square roots. `false` by default.
    pub fast_sqrt: bool,
    /// Approximate `f32` divisions (2 ulp). `false` by default.
    pub fast_div: bool,
    /// Let a product and a sum become one fused operation, which rounds once. `true` by default;
    /// `false` gives the CPU's bits.
    pub fma_contraction: bool,
    /// A second file to write.
    pub emit: Option<EmitOption>,
    /// Debug information.
    pub debug: DebugInfo,
    /// More arguments for cargo.
    pub build_args: Vec<String>,
    /// Which lint findings fail the build; none by default.
    pub lint_rules: LintRules,
    pub(crate) target_directory: Option<PathBuf>,
    pub(crate) only_kernel: Option<String>,
}

impl CudaBuilder {
    /// A builder with the defaults, for the crate in this directory (relative to the current one:
    /// in a `build.rs`, the package's).
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

    /// How much debug information to keep.
    pub fn debug(mut self, debug: DebugInfo) -> Self {
        self.debug = debug;
        self
    }

    /// Optimised and without debug assertions, or the other way round.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self
    }

    /// Keep file and line of every instruction.
    pub fn generate_line_info(mut self, generate_line_info: bool) -> Self {
        self.generate_line_info = generate_line_info;
        self
    }

    /// Run the optimiser over the linked program.
    pub fn nvvm_opts(mut self, nvvm_opts: bool) -> Self {
        self.nvvm_opts = nvvm_opts;
        self
    }

    /// The oldest GPU that the PTX shall run on.
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Flush `f32` denormals to zero.
    pub fn ftz(mut self, ftz: bool) -> Self {
        self.ftz = ftz;
        self
    }

    /// Approximate `f32` square roots.
    pub fn fast_sqrt(mut self, fast_sqrt: bool) -> Self {
        self.fast_sqrt = fast_sqrt;
        self
    }

    /// Approximate `f32` divisions.
    pub fn fast_div(mut self, fast_div: bool) -> Self {
        self.fast_div = fast_div;
        self
    }

    /// Let a product and a sum become one fused operation.
    pub fn fma_contraction(mut self, fma_contraction: bool) -> Self {
        self.fma_contraction = fma_contraction;
        self
    }

    /// Also write the optimised program as LLVM IR text, beside the PTX.
    pub fn emit_llvm_ir(mut self, emit_llvm_ir: bool) -> Self {
        self.emit = emit_llvm_ir.then_some(EmitOption::LlvmIr);
        self
    }

    /// Also write the optimised program as LLVM bitcode, beside the PTX.
    pub fn emit_llvm_bitcode(mut self, emit_llvm_bitcode: bool) -> Self {
        self.emit = emit_llvm_bitcode.then_some(EmitOption::Bitcode);
        self
    }

    /// Copy the PTX to this file; directories are created.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.ptx_file_copy_path = Some(path.as_ref().to_owned());
        self
    }

    /// Which lint findings fail the build. ([`LintRules::strict`] is what shipped kernels should
    /// keep.)
    pub fn lint(mut self, rules: LintRules) -> Self {
        self.lint_rules = rules;
        self
    }

    /// Where to keep the device build between builds. By default `cuda-builder` in the target
    /// directory.
    pub fn target_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.target_directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Only this kernel, by its entry point, and what it calls: for a look at one of many, in a
    /// fraction of the time. The code can be other than in a build of all: where no other kernel
    /// uses an array or a function, LLVM may take it apart.
    pub fn only_kernel(mut self, entry: impl Into<String>) -> Self {
        self.only_kernel = Some(entry.into());
        self
    }

    /// The options that change the code, in words, for the file's header.
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
            text.push_str(", not optimised");
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
