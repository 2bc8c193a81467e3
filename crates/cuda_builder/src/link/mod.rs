//! From recorded link inputs to PTX text: LLVM's linker, address-space lowering, optimizer, and
//! code generator.

mod key;
mod tools;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::device_build::{LinkInputs, Profile};
use crate::error::IoContext;
use crate::ir::{DYNAMIC_SHARED, HEAP, LoweredModule, Module, lower};
use crate::{CudaBuilderError, LlvmTools, NvvmArch, Result};

pub(crate) use tools::run_tool;

/// Revision of the link step, incremented whenever the same inputs result in other PTX. Part of the
/// source hash.
pub(crate) const LINK_REVISION: u32 = 5;

/// Functions provided to every module by the driver.
const DRIVER_FUNCTIONS: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// Pattern of external functions called by `core` and `alloc`: the panic handler and the allocator.
const CALLED_BY_CORE: &str = "*7___rustc*";

/// Options for arithmetic and optimization.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkOptions<'a> {
    pub arch: NvvmArch,
    pub profile: Profile,
    /// `true` to run the optimizer over the linked program.
    pub optimise: bool,
    pub ftz: bool,
    pub fast_sqrt: bool,
    pub fast_div: bool,
    pub fma_contraction: bool,
    /// Kernel to build; `None` for all.
    pub only_kernel: Option<&'a str>,
}

/// Results of the link.
pub(crate) struct LinkedModule {
    /// PTX with line directives and the code generator's comments.
    pub ptx: String,
    /// Path of the optimized program as LLVM bitcode.
    pub bitcode: PathBuf,
}

/// Links `inputs`, with intermediate files in `work`. Reuses the existing result if the inputs are
/// unchanged.
pub(crate) fn link(
    llvm: &LlvmTools,
    inputs: &LinkInputs,
    options: LinkOptions,
    work: &Path,
) -> Result<LinkedModule> {
    fs::create_dir_all(work).at("cannot create", work)?;
    let at = |name: &str| work.join(name);
    let (linked, lowered_path, symbols, bitcode, ptx) = (
        at("linked.bc"),
        at("lowered.ll"),
        at("symbols.txt"),
        at("optimised.bc"),
        at("out.ptx"),
    );

    // the key file exists only while the results are complete
    let key_path = at("inputs.sha256");
    let key = key::link_key(llvm, inputs, &options)?;
    let known = fs::read_to_string(&key_path).is_ok_and(|known| known == key);
    if known && bitcode.is_file() && ptx.is_file() {
        let ptx = fs::read_to_string(&ptx).at("cannot read", &ptx)?;
        return Ok(LinkedModule { ptx, bitcode });
    }
    if key_path.exists() {
        fs::remove_file(&key_path).at("cannot delete", &key_path)?;
    }

    let mut lowered = link_and_lower(llvm, inputs, &linked, &symbols)?;
    if let Some(kernel) = options.only_kernel {
        // other kernels become internal and are removed before the optimization
        let kernels = kernels(&lowered.text);
        if !kernels.contains(&kernel) {
            return Err(CudaBuilderError::no_such_kernel(kernel, &kernels));
        }
        let others: HashSet<&str> = kernels.into_iter().filter(|it| *it != kernel).collect();
        lowered
            .exported
            .retain(|name| !others.contains(name.as_str()));
    }
    fs::write(&lowered_path, &lowered.text).at("cannot write", &lowered_path)?;
    fs::write(&symbols, lowered.exported.join("\n")).at("cannot write", &symbols)?;

    let level = match (options.optimise, options.profile) {
        (false, _) => "O0",
        (true, Profile::Debug) => "O1",
        (true, Profile::Release) => "O3",
    };
    let cpu = format!("-mcpu={}", options.arch.sm());
    let features = format!("-mattr=+ptx{}", options.arch.ptx_version());
    // applies to functions without explicit mode, in the optimizer's constant folding and in the
    // generated code
    let denormals = options
        .ftz
        .then_some("--denormal-fp-math-f32=preserve-sign");

    let mut command = std::process::Command::new(llvm.tool("opt"));
    command.arg(format!(
        "-passes=internalize,globaldce,default<{level}>,globaldce"
    ));
    command.arg(format!(
        "--internalize-public-api-file={}",
        symbols.display()
    ));
    command
        .args([&cpu, &features])
        .args(denormals)
        .arg(&lowered_path)
        .arg("-o")
        .arg(&bitcode);
    run_tool("opt", &mut command)?;

    let mut command = std::process::Command::new(llvm.tool("llc"));
    command
        .args([&format!("-{level}"), &cpu, &features])
        .args(denormals);
    command.arg(if options.fma_contraction {
        "--fp-contract=fast"
    } else {
        "--fp-contract=off"
    });
    if options.fast_sqrt {
        command.arg("--nvptx-prec-sqrtf32=0");
    }
    if options.fast_div {
        // 1 selects `div.full`: 2 ulp over the whole range, like nvcc's -prec-div=false
        command.arg("--nvptx-prec-divf32=1");
    }
    command.arg(&bitcode).arg("-o").arg(&ptx);
    run_tool("llc", &mut command)?;
    let ptx = fs::read_to_string(&ptx).at("cannot read", &ptx)?;
    fs::write(&key_path, key).at("cannot write", &key_path)?;
    Ok(LinkedModule { ptx, bitcode })
}

/// Returns the kernels defined in IR text.
fn kernels(ir: &str) -> Vec<&str> {
    let definitions = ir.lines().filter(|line| {
        line.starts_with("define ") && line.split_whitespace().any(|word| word == "ptx_kernel")
    });
    let names = definitions.filter_map(|line| line.split_once('@')?.1.split('(').next());
    names.map(|name| name.trim_matches('"')).collect()
}

/// Writes the optimized program as IR text.
pub(crate) fn disassemble(llvm: &LlvmTools, bitcode: &Path, to: &Path) -> Result<()> {
    run_tool(
        "opt",
        std::process::Command::new(llvm.tool("opt"))
            .args(["-S", "-passes=verify"])
            .arg(bitcode)
            .arg("-o")
            .arg(to),
    )?;
    Ok(())
}

fn link_and_lower(
    llvm: &LlvmTools,
    inputs: &LinkInputs,
    linked: &Path,
    symbols: &Path,
) -> Result<LoweredModule> {
    // `core` is large and mostly unused: linking only needed symbols is three times as fast.
    // Everything is linked only if a library needs symbols of one that was linked before it.
    let mut missing = Vec::new();
    for only_needed in [true, false] {
        let text = link_bitcode(llvm, inputs, only_needed, linked, symbols)?;
        let module = Module::parse(&text);
        missing = module
            .undefined()
            .into_iter()
            .filter(|name| !is_provided(name))
            .map(str::to_owned)
            .collect();
        if missing.is_empty() {
            return lower(&module, &inputs.exported);
        }
    }
    missing.sort();
    let names = missing
        .iter()
        .map(|name| format!("{:#}", rustc_demangle::demangle(name)))
        .collect();
    Err(CudaBuilderError::UndefinedSymbols { names })
}

/// Links all inputs into one module and returns its IR text, without code that no exported symbol
/// uses.
fn link_bitcode(
    llvm: &LlvmTools,
    inputs: &LinkInputs,
    only_needed: bool,
    linked: &Path,
    symbols: &Path,
) -> Result<String> {
    fs::write(symbols, inputs.exported.join("\n")).at("cannot write", symbols)?;
    let own_library = |path: &&PathBuf| !is_compiler_library(path);
    let mut command = std::process::Command::new(llvm.tool("llvm-link"));
    // archives contain rustc's metadata in addition to bitcode
    command
        .arg("--ignore-non-bitcode")
        .args(&inputs.objects)
        .args(inputs.libraries.iter().filter(own_library));
    if !only_needed {
        command.args(
            inputs
                .libraries
                .iter()
                .filter(|path| is_compiler_library(path)),
        );
    }
    run_tool("llvm-link", command.arg("-o").arg(linked))?;
    let mut compilers = inputs
        .libraries
        .iter()
        .filter(|path| is_compiler_library(path))
        .peekable();
    if only_needed && compilers.peek().is_some() {
        let used = linked.with_extension("used.bc");
        // complete for kernels that call nothing in `core`; reading `core` would take longer than
        // everything else
        drop_unused(llvm, linked, symbols, &used)?;
        if !is_complete(llvm, &used) {
            // unused functions of other libraries would reference half of `core`
            let exported = inputs.exported.join("\n");
            fs::write(symbols, format!("{exported}\n{CALLED_BY_CORE}"))
                .at("cannot write", symbols)?;
            drop_unused(llvm, linked, symbols, &used)?;
            fs::write(symbols, exported).at("cannot write", symbols)?;
            let mut command = std::process::Command::new(llvm.tool("llvm-link"));
            command
                .args(["--ignore-non-bitcode", "--only-needed"])
                .arg(&used)
                .args(compilers);
            run_tool("llvm-link", command.arg("-o").arg(linked))?;
        } else {
            fs::rename(&used, linked).at("cannot write", linked)?;
        }
    }
    let mut command = std::process::Command::new(llvm.tool("opt"));
    command
        .args(["-S", "-passes=internalize,globaldce"])
        .arg(format!(
            "--internalize-public-api-file={}",
            symbols.display()
        ));
    let output = run_tool("opt", command.arg(linked).args(["-o", "-"]))?;
    String::from_utf8(output).map_err(|_| CudaBuilderError::UnexpectedOutput {
        tool: "opt".to_owned(),
        reason: "its IR text is not UTF-8".to_owned(),
    })
}

/// Rewrites a module without items that are unused by the listed symbols.
fn drop_unused(llvm: &LlvmTools, module: &Path, symbols: &Path, to: &Path) -> Result<()> {
    let mut command = std::process::Command::new(llvm.tool("opt"));
    command
        .arg("-passes=internalize,globaldce")
        .arg(format!(
            "--internalize-public-api-file={}",
            symbols.display()
        ))
        .arg(module)
        .arg("-o")
        .arg(to);
    run_tool("opt", &mut command).map(drop)
}

/// Returns `true` if a module has no undefined symbols, so that `core` need not be read, which
/// dominates the link time of small kernels. Returns `false` if `llvm-nm` is not installed.
fn is_complete(llvm: &LlvmTools, module: &Path) -> bool {
    let mut command = std::process::Command::new(llvm.tool("llvm-nm"));
    command
        .args(["--undefined-only", "--just-symbol-name"])
        .arg(module);
    run_tool("llvm-nm", &mut command).is_ok_and(|names| {
        String::from_utf8_lossy(&names)
            .lines()
            .all(|name| is_provided(name.trim()))
    })
}

/// Returns `true` for symbols provided by the driver or by the lowering.
fn is_provided(name: &str) -> bool {
    DRIVER_FUNCTIONS.contains(&name) || [DYNAMIC_SHARED, HEAP].contains(&name)
}

/// Returns `true` for `core` and its companion libraries, which contain no kernels.
fn is_compiler_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["libcore-", "liballoc-", "libcompiler_builtins-"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
