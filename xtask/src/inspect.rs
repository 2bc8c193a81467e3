//! `cargo xtask inspect`: static information about a kernel, with source lines: PTX, machine code
//! (if a disassembler is installed), resource usage, occupancy, and lint findings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use cuda_builder::lint::KernelLint;
use cuda_builder::ptx::{Instruction, PtxFunction, PtxModule, SourceLine, kernel_module};
use cuda_builder::{CudaBuilder, KernelResources, NvvmArch, Ptxas};
use occupancy::{
    BlockConfig, ComputeCapability, Gpu, HardwareModel, Limiter, OccupancyModel, best_block,
    resource_table,
};

use crate::{paths, setup};

/// Arguments of `inspect`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Entry point of the kernel, such as fill_sphere or classify_cells_u8
    kernel: String,
    /// Kernel crate [default: kernels-crate]
    #[arg(long, value_name = "PATH")]
    kernels: Option<PathBuf>,
    /// Target architecture
    #[arg(long, value_name = "SM", default_value = "sm_90")]
    arch: NvvmArch,
    /// Build only this kernel, which is much faster for crates with many kernels. Registers and
    /// shared memory may differ from a full build, because LLVM can optimize arrays that nothing
    /// else uses
    #[arg(long)]
    alone: bool,
    /// Threads per block for the occupancy [default: the size with the most active threads]
    #[arg(long, value_name = "N")]
    block: Option<u32>,
    /// Dynamic shared memory per block, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    dynamic: u32,
    /// Sections to show [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
}

/// Section of the output.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Registers, memory, barriers
    Resources,
    /// Active blocks per multiprocessor, limiting resources and slack
    Occupancy,
    /// Findings of the lint
    Lint,
    /// PTX with source lines
    Ptx,
    /// Machine code, if nvdisasm is installed
    Sass,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (_, ptxas) = setup::tools()?;
    let crate_path = arguments
        .kernels
        .clone()
        .unwrap_or_else(|| paths::root().join("kernels-crate"));
    let arch = arguments.arch;
    let fresh = tempfile::tempdir().context("cannot create a temporary directory")?;
    let with_lines = fresh.path().join("lines.ptx");
    // built like by `cargo xtask ptx`, with line information
    let mut builder = CudaBuilder::new(&crate_path)
        .arch(arch)
        .fma_contraction(false)
        .generate_line_info(true)
        .target_directory(paths::target().join("cuda-builder"))
        .copy_to(&with_lines);
    if arguments.alone {
        builder = builder.only_kernel(&arguments.kernel);
    }
    let output = builder.build_with_report().with_context(|| {
        format!(
            "cannot inspect a kernel of {}",
            paths::display_relative(&crate_path)
        )
    })?;
    let text = fs::read_to_string(&with_lines)?;
    let module = PtxModule::parse(&text);
    let Some(function) = module
        .entries()
        .find(|entry| entry.name == arguments.kernel)
    else {
        bail!(unknown_kernel_message(
            &module,
            &arguments.kernel,
            &crate_path
        ));
    };
    let shows = |part: Part| arguments.only.is_empty() || arguments.only.contains(&part);
    let mut out = format!(
        "kernel {} of {}, {}\n",
        arguments.kernel,
        paths::display_relative(&crate_path),
        arch.sm()
    );
    let alone = fresh.path().join("kernel.ptx");
    let own = kernel_module(&text, &arguments.kernel).unwrap_or_else(|| text.clone());
    fs::write(&alone, &own)?;
    if shows(Part::Resources) || shows(Part::Occupancy) {
        let table = ptxas.resources(&alone, arch)?;
        let Some(figures) = table.get(&arguments.kernel) else {
            bail!("the assembler reported nothing about {}", arguments.kernel);
        };
        if shows(Part::Resources) {
            out += &resources(figures);
        }
        if shows(Part::Occupancy) {
            out += &occupancy(figures, arch, arguments.block, arguments.dynamic)?;
        }
    }
    if shows(Part::Lint) {
        out += &lint(output.lint.kernel(&arguments.kernel));
    }
    if shows(Part::Ptx) {
        out += &ptx(function, &own, &crate_path);
    }
    if shows(Part::Sass) {
        out += &sass(&ptxas, &alone, arch, fresh.path())?;
    }
    print!("{out}");
    Ok(())
}

/// Formats the error for an unknown kernel, with similar names first.
fn unknown_kernel_message(module: &PtxModule, kernel: &str, crate_path: &Path) -> String {
    let names: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
    let stem = kernel.split('_').next().unwrap_or(kernel);
    let mut sorted_names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !stem.is_empty() && name.starts_with(stem))
        .collect();
    if sorted_names.is_empty() {
        sorted_names = names;
    }
    format!(
        "{} has no kernel `{kernel}`; available: {}",
        paths::display_relative(crate_path),
        sorted_names.join(", ")
    )
}

fn resources(figures: &KernelResources) -> String {
    format!(
        "\n== resources\n\
         registers per thread   {}\n\
         static shared memory   {} bytes per block\n\
         stack                  {} bytes per thread\n\
         spilled                {} bytes stored, {} bytes loaded\n\
         constant memory        {} bytes\n\
         barriers               {}\n",
        figures.registers,
        figures.static_shared_bytes,
        figures.stack_bytes,
        figures.spill_store_bytes,
        figures.spill_load_bytes,
        figures.constant_bytes,
        figures.barriers,
    )
}

/// Formats the occupancy with limiting resources and slack, and the occupancy for other block
/// sizes.
fn occupancy(
    figures: &KernelResources,
    arch: NvvmArch,
    threads: Option<u32>,
    dynamic: u32,
) -> Result<String> {
    let capability: ComputeCapability = arch.sm().parse()?;
    let model = HardwareModel::for_capability(capability)?;
    let kernel = occupancy::KernelResources::from(*figures);
    let largest = BlockConfig::new(model.device().threads_per_block).with_dynamic_shared(dynamic);
    let best = best_block(&model, &kernel, &largest, |_| dynamic, |_| true);
    // if no block can run, the table shows the reason
    let threads = threads.unwrap_or(best.map_or(32, |best| best.threads));
    let block = largest.with_threads(threads);
    let answer = model.occupancy(&kernel, &block)?;
    let named =
        Gpu::with_capability(capability).map_or(String::new(), |gpu| format!(" (as {})", gpu.name));
    let is_best = match best {
        Some(best) if best.threads == threads => ", the best size".to_owned(),
        Some(best) => format!("; the best size is {}", best.threads),
        None => String::new(),
    };
    let limiters: Vec<&str> = answer.limiters().map(Limiter::name).collect();
    let mut out = format!(
        "\n== occupancy on compute capability {capability}{named}\n\
         block       {threads} threads{is_best}\n\
         occupancy   {:.1} %: {} blocks, {} of {} warps on a multiprocessor\n\
         limited by  {}\n",
        100.0 * answer.fraction(),
        answer.active_blocks,
        answer.active_warps,
        answer.max_warps,
        limiters.join(", "),
    );
    for line in resource_table(&model, &kernel, &block) {
        let _ = writeln!(out, "{line}");
    }
    out += "threads     blocks  occupancy\n";
    for threads in [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024] {
        if let Ok(answer) = model.occupancy(&kernel, &block.with_threads(threads)) {
            let _ = writeln!(
                out,
                "{threads:<11} {:>6}  {:>7.1} %",
                answer.active_blocks,
                100.0 * answer.fraction()
            );
        }
    }
    Ok(out)
}

/// Formats the findings of the lint.
fn lint(found: Option<&KernelLint>) -> String {
    let mut out = "\n== lint\n".to_owned();
    match found {
        Some(found) if !found.findings.is_empty() => {
            for finding in &found.findings {
                let _ = writeln!(out, "{finding}");
            }
        }
        _ => out += "no findings\n",
    }
    out
}

/// Formats the kernel's instructions, grouped by source line; `|` marks instructions in loops.
fn ptx(function: &PtxFunction, text: &str, crate_path: &Path) -> String {
    let mut out = format!("\n== PTX: {} instructions\n", function.instructions.len());
    let written = with_predicates(text, function.instructions.len());
    let mut labels: Vec<(usize, &str)> = function
        .labels
        .iter()
        .map(|(name, &at)| (at, name.as_str()))
        .collect();
    labels.sort_unstable();
    let in_loop = function.in_loop();
    let mut last = None;
    for (at, instruction) in function.instructions.iter().enumerate() {
        for (_, name) in labels
            .iter()
            .filter(|(label, name)| *label == at && is_target(name))
        {
            let _ = writeln!(out, "{name}:");
        }
        let source = source(instruction, crate_path);
        if source != last
            && let Some(source) = source
        {
            let _ = writeln!(out, "    // {source}");
        }
        last = source.or(last);
        let mark = if in_loop[at] { "|" } else { " " };
        let line = match &written {
            Some(lines) => format!("  {mark} {}", lines[at].replace('\t', " ")),
            None => format!(
                "  {mark} {:<24} {}",
                instruction.opcode, instruction.operands
            ),
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Returns the source text of the instructions, with predicates; `None` if the number of lines
/// differs from that of the instructions.
fn with_predicates(text: &str, count: usize) -> Option<Vec<&str>> {
    let (_, body) = text.split_once(".entry")?;
    let is_instruction = |line: &&str| {
        line.ends_with(';') && !line.starts_with(['.', '{', '}']) && !line.contains(':')
    };
    let lines: Vec<&str> = body.lines().map(str::trim).filter(is_instruction).collect();
    (lines.len() == count).then_some(lines)
}

/// Returns the innermost source line of an instruction within the kernel crate or this repository,
/// skipping lines of the standard library.
fn source<'a>(instruction: &'a Instruction, crate_path: &Path) -> Option<&'a SourceLine> {
    let root = paths::root();
    let folders = [
        root.as_path(),
        crate_path,
        crate_path.parent().unwrap_or(crate_path),
    ];
    let is_own = |line: &&SourceLine| {
        line.line > 0
            && folders
                .iter()
                .any(|folder| folder.join(&line.file).is_file())
    };
    instruction.source.iter().find(is_own)
}

/// Returns `true` if a label is a branch target, not debug information.
fn is_target(label: &str) -> bool {
    !["$L__tmp", "$L__func_"]
        .iter()
        .any(|start| label.starts_with(start))
}

/// Disassembles the kernel with NVIDIA's disassembler.
fn sass(ptxas: &Ptxas, ptx: &Path, arch: NvvmArch, folder: &Path) -> Result<String> {
    let mut out = "\n== SASS\n".to_owned();
    let Some(disassembler) = disassembler() else {
        out += "nvdisasm not found; install a CUDA toolkit or the Python package nvidia-cuda-nvdisasm, or set FERROVOX_NVDISASM to its path\n";
        return Ok(out);
    };
    let machine_code = folder.join("kernel.cubin");
    ptxas.assemble_to(ptx, arch, &machine_code, true)?;
    let output = Command::new(&disassembler)
        .args(["--print-code", "--print-line-info"])
        .arg(&machine_code)
        .output()
        .with_context(|| format!("cannot run {}", disassembler.display()))?;
    if !output.status.success() {
        bail!(
            "{} failed: {}",
            disassembler.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    out += &String::from_utf8_lossy(&output.stdout);
    Ok(out)
}

/// Finds `nvdisasm`: in `FERROVOX_NVDISASM`, next to the assembler's package, on the path, or in a
/// toolkit.
fn disassembler() -> Option<PathBuf> {
    let program = format!("nvdisasm{}", std::env::consts::EXE_SUFFIX);
    let named = std::env::var_os("FERROVOX_NVDISASM").map(PathBuf::from);
    let wheels = [
        "nvidia/cuda_nvdisasm/bin",
        "nvidia/cu13/bin",
        "headers/nvidia/cu13/bin",
        "bin",
    ]
    .map(|bin| paths::tools().join(bin));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(|home| PathBuf::from(home).join("bin"));
    let folders = wheels
        .into_iter()
        .chain(std::env::split_paths(&path))
        .chain(homes)
        .chain([PathBuf::from("/usr/local/cuda/bin")]);
    named
        .into_iter()
        .chain(folders.map(|folder| folder.join(&program)))
        .find(|candidate| candidate.is_file())
}
