//! From recorded link inputs to PTX text: LLVM's linker, the address-space lowering, the optimiser,
//! the code generator.

mod key;
mod tools;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::device_build::{LinkInputs, Profile};
use crate::error::IoContext;
use crate::ir::{DYNAMIC_SHARED, HEAP, Lowered, Module, lower};
use crate::{CudaBuilderError, LlvmTools, NvvmArch, Result};

pub(crate) use tools::run_tool;

/// Changes whenever the same inputs would link to other PTX. Part of the source hash.
pub(crate) const LINK_REVISION: u32 = 5;

/// Functions that the driver provides to every module.
const DRIVER_FUNCTIONS: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// A pattern of the functions of other libraries that `core` and `alloc` call: the panic handler
/// and the allocator.
const CALLED_BY_CORE: &str = "*7___rustc*";

/// The arithmetic and optimisation choices of the link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkOptions<'a> {
    pub arch: NvvmArch,
    pub profile: Profile,
    /// Whether to run the optimiser over the linked program.
    pub optimise: bool,
    pub ftz: bool,
    pub fast_sqrt: bool,
    pub fast_div: bool,
    pub fma_contraction: bool,
    /// The only kernel that is wanted.
    pub only_kernel: Option<&'a str>,
}

/// What the link leaves behind.
pub(crate) struct Linked {
    /// PTX with line directives and the code generator's comments.
    pub ptx: String,
    /// The optimised program, LLVM bitcode.
    pub bitcode: PathBuf,
}

/// Links `inputs`, with intermediate files in `work`. When they are what `work` was last linked
/// from, the result is there already.
pub(crate) fn link(
    llvm: &LlvmTools,
    inputs: &LinkInputs,
    options: LinkOptions,
    work: &Path,
) -> Result<Linked> {
    fs::create_dir_all(work).at("cannot create", work)?;
    let at = |name: &str| work.join(name);
    let (linked, lowered_path, symbols, bitcode, ptx) = (
        at("linked.bc"),
        at("lowered.ll"),
        at("symbols.txt"),
        at("optimised.bc"),
        at("out.ptx"),
    );

    // Absent while the files are not whole.
    let key_path = at("inputs.sha256");
    let key = key::of(llvm, inputs, &options)?;
    let known = fs::read_to_string(&key_path).is_ok_and(|known| known == key);
    if known && bitcode.is_file() && ptx.is_file() {
        let ptx = fs::read_to_string(&ptx).at("cannot read", &ptx)?;
        return Ok(Linked { ptx, bitcode });
    }
    if key_path.exists() {
        fs::remove_file(&key_path).at("cannot delete", &key_path)?;
    }

    let mut lowered = link_and_lower(llvm, inputs, &linked, &symbols)?;
    if let Some(kernel) = options.only_kernel {
        // the others are internal then, and dropped before anything is optimised
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
    // Applies to functions that do not say otherwise, in the optimiser's constant folding as in the
    // generated code.
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
        // 1 is `div.full`: 2 ulp over the whole range, as nvcc's -prec-div=false.
        command.arg("--nvptx-prec-divf32=1");
    }
    command.arg(&bitcode).arg("-o").arg(&ptx);
    run_tool("llc", &mut command)?;
    let ptx = fs::read_to_string(&ptx).at("cannot read", &ptx)?;
    fs::write(&key_path, key).at("cannot write", &key_path)?;
    Ok(Linked { ptx, bitcode })
}

/// The kernels that IR text defines.
fn kernels(ir: &str) -> Vec<&str> {
    let definitions = ir.lines().filter(|line| {
        line.starts_with("define ") && line.split_whitespace().any(|word| word == "ptx_kernel")
    });
    let names = definitions.filter_map(|line| line.split_once('@')?.1.split('(').next());
    names.map(|name| name.trim_matches('"')).collect()
}

/// Writes the optimised program as IR text.
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
) -> Result<Lowered> {
    // `core` is large and little of it is used: taking only what is needed is three times as fast.
    // Only when a library needs something of one that was linked before it is everything taken.
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

/// IR text of all inputs in one module, without what no exported symbol uses.
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
    // Archives hold rustc's metadata beside bitcode.
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
        // Of a kernel that calls nothing of `core` this is all: reading that would take longer than
        // all the rest.
        drop_unused(llvm, linked, symbols, &used)?;
        if !needs_nothing(llvm, &used) {
            // What no kernel uses of other libraries would take half of `core` with it.
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

/// Writes a module again, without what nothing uses that is in the list of symbols.
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

/// Whether a module has all that it uses: then `core` need not be read, which takes most of the
/// time of a small kernel's link. Where `llvm-nm` is not installed nothing is known.
fn needs_nothing(llvm: &LlvmTools, module: &Path) -> bool {
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

/// What the driver, or the lowering, gives to every module.
fn is_provided(name: &str) -> bool {
    DRIVER_FUNCTIONS.contains(&name) || [DYNAMIC_SHARED, HEAP].contains(&name)
}

/// `core` and what belongs to it: no kernels in there.
fn is_compiler_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["libcore-", "liballoc-", "libcompiler_builtins-"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
