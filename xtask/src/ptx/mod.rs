//! `cargo xtask ptx`: compiles the kernels to PTX, records their resource usage, and lints them.

mod compare;
mod machine_code;
mod resources;
mod sample;
mod text;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use cuda_builder::lint::{LintReport, LintRules};
use cuda_builder::{AssembledResources, CudaBuilder, NvvmArch, Ptxas, ResourceTable};

use self::compare::Comparison;
use crate::{paths, setup};

/// Shipped architectures: sm_70 runs on all newer GPUs, compiled by the driver; sm_90 avoids the
/// slower translation on Hopper.
const SHIPPED: [NvvmArch; 2] = [NvvmArch::Compute70, NvvmArch::Compute90];

/// Arguments of `ptx`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Change nothing; fail with a summary if the files in the repository differ from what the
    /// sources produce
    #[arg(long)]
    check: bool,
    /// With --check: build a single architecture, chosen by the hash of the sources, and assemble
    /// one in sixteen of its kernels; compare other files with their recorded hashes only
    #[arg(long, requires = "check", conflicts_with_all = ["arches", "emit", "crate_path"])]
    sample: bool,
    /// Architecture to build for, such as sm_80; may be repeated [default: sm_70 sm_90]
    #[arg(long = "arch", value_name = "SM")]
    arches: Vec<NvvmArch>,
    /// Also write the optimized program: next to the PTX with --out, otherwise below target/ptx
    #[arg(long, value_name = "FORM")]
    emit: Option<Emit>,
    /// Kernel crate [default: kernels-crate]
    #[arg(long = "crate", value_name = "PATH")]
    crate_path: Option<PathBuf>,
    /// Output directory for PTX as text [default: host-crate/ptx, with compressed PTX; the text
    /// goes to target/ptx]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Additional output format.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Emit {
    /// LLVM IR text.
    LlvmIr,
    /// LLVM bitcode.
    LlvmBitcode,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (_, ptxas) = setup::tools()?;
    let crate_path = arguments
        .crate_path
        .clone()
        .unwrap_or_else(|| paths::root().join("kernels-crate"));
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| paths::root().join("host-crate/ptx"));
    let arches = if arguments.arches.is_empty() {
        SHIPPED.to_vec()
    } else {
        arguments.arches.clone()
    };
    let job = Job {
        arguments,
        crate_path,
        arches,
        ptxas,
    };
    if arguments.sample {
        return sample::check(&job, &out);
    }
    if arguments.check {
        return job.check(&out);
    }
    let started = Instant::now();
    let mut files = job.build(&out)?;
    if job.is_shipped() {
        files.extend(machine_code::update(&out, &job.ptxas)?);
    }
    println!(
        "{}: {} ({:.1} s)",
        paths::display_relative(&out),
        files.join(", "),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Writes the compressed PTX of all shipped architectures, since a file is a difference from the
/// first: that of architectures that were not built is read from `out`.
fn write_shipped(out: &Path, built: &[ArchBuild]) -> Result<()> {
    let path = |arch| out.join(machine_code::ptx_name(arch));
    let text = |arch| {
        let built = built.iter().find(|built| built.arch == arch);
        let path = built.map_or_else(|| path(arch), |built| built.path.clone());
        text::read(&path)
    };
    let texts = SHIPPED.map(text);
    for (arch, text) in SHIPPED.into_iter().zip(texts) {
        text::write_compressed(&path(arch), text?.as_bytes())?;
    }
    Ok(())
}

/// Results for one architecture.
struct ArchBuild {
    arch: NvvmArch,
    /// Name of the PTX file.
    name: String,
    /// Path of the PTX as text.
    path: PathBuf,
    kernels: ResourceTable,
    /// Number of kernels that had to be assembled.
    fresh: usize,
    lint: LintReport,
}

/// Settings of one run.
struct Job<'a> {
    arguments: &'a Arguments,
    crate_path: PathBuf,
    arches: Vec<NvvmArch>,
    ptxas: Ptxas,
}

impl Job<'_> {
    /// Builds everything in a temporary directory, and returns an error if the files in `out`
    /// differ.
    fn check(&self, out: &Path) -> Result<()> {
        let fresh = tempfile::tempdir().context("cannot create a temporary directory")?;
        // resource usage of architectures that are not built is copied unchanged
        let recorded = out.join(resources::FILE);
        if recorded.is_file() {
            fs::copy(&recorded, fresh.path().join(resources::FILE))
                .with_context(|| format!("cannot copy {}", recorded.display()))?;
        }
        let mut differences = Vec::new();
        let mut other_compiler = None;
        for name in self.build(fresh.path())? {
            match compare::compare(&out.join(&name), &fresh.path().join(&name))? {
                Comparison::Equal => {}
                // resource usage follows from the code
                Comparison::Different(_) if name == resources::FILE && other_compiler.is_some() => {
                }
                Comparison::Different(summary) => differences.push(summary),
                Comparison::OtherCompiler(compiler) => other_compiler = Some(compiler),
            }
        }
        let shown = paths::display_relative(out);
        if !differences.is_empty() {
            bail!(
                "the PTX in {shown} differs from what the sources produce; run `cargo xtask ptx`\n{}",
                differences.join("\n")
            );
        }
        if self.is_shipped() {
            machine_code::check(out)?;
        }
        match other_compiler {
            None => println!("{shown}: up to date"),
            Some(compiler) => println!(
                "{shown}: built from these sources by {compiler}, not by the installed compiler, so the code was not compared"
            ),
        }
        Ok(())
    }

    /// Builds everything into `out` and returns the names of the files.
    fn build(&self, out: &Path) -> Result<Vec<String>> {
        fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        // each architecture has its own directories, so they can be built in parallel
        let built: Vec<Result<ArchBuild>> = thread::scope(|scope| {
            let running: Vec<_> = self
                .arches
                .iter()
                .map(|&arch| scope.spawn(move || self.build_arch(arch, out)))
                .collect();
            running
                .into_iter()
                .map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|_| bail!("a build thread panicked"))
                })
                .collect()
        });
        let mut files = Vec::new();
        let mut table = resources::ResourceRecord::read(&out.join(resources::FILE))?;
        let mut errors = BTreeMap::new();
        let built = built.into_iter().collect::<Result<Vec<_>>>()?;
        if self.is_compressed() {
            write_shipped(out, &built)?;
        }
        for built in built {
            let ArchBuild {
                arch,
                name,
                path: _,
                kernels,
                fresh,
                lint,
            } = built;
            println!(
                "{name} ({fresh} of {} kernels assembled):\n{}",
                kernels.len(),
                resources::table(&kernels, &lint)
            );
            for error in lint.errors(&LintRules::strict()) {
                errors.entry(error).or_insert_with(Vec::new).push(arch.sm());
            }
            table.set(arch, &self.ptxas, kernels);
            files.push(name);
        }
        table.write(&out.join(resources::FILE))?;
        files.push(resources::FILE.to_owned());
        if !errors.is_empty() {
            let lines = errors
                .iter()
                .map(|(error, arches)| format!("  {}: {error}\n", arches.join(", ")));
            bail!("the lint reported errors:\n{}", lines.collect::<String>());
        }
        Ok(files)
    }

    fn build_arch(&self, arch: NvvmArch, out: &Path) -> Result<ArchBuild> {
        let mut name = format!("{}_{}.ptx", self.stem(), arch.sm());
        let mut path = out.join(&name);
        if self.is_compressed() {
            path = paths::target().join("ptx").join(&name);
        }
        let output = self.builder(arch).copy_to(&path).build_with_report()?;
        let lint = output.lint;
        if let Some(emitted) = output.emitted {
            println!(
                "{}",
                paths::display_relative(&self.place_emitted(&emitted)?)
            );
        }
        let cache = paths::target()
            .join("cuda-builder")
            .join(arch.sm())
            .join(format!("{}-resources.json", self.stem()));
        let AssembledResources { kernels, fresh } =
            self.ptxas
                .resources_cached(&path, arch, &cache, self.assemblers())?;
        if self.is_compressed() {
            name = machine_code::ptx_name(arch);
        }
        Ok(ArchBuild {
            arch,
            name,
            path,
            kernels,
            fresh,
            lint,
        })
    }

    /// Returns the number of parallel assemblers per architecture; the architectures share the
    /// machine.
    fn assemblers(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        (cores / self.arches.len().max(1)).max(1)
    }

    /// Moves an emitted program from the shipped files to target/ptx and returns its path.
    fn place_emitted(&self, emitted: &Path) -> Result<PathBuf> {
        if self.arguments.out.is_some() {
            return Ok(emitted.to_owned());
        }
        let directory = paths::target().join("ptx");
        let to = directory.join(emitted.file_name().unwrap_or_default());
        let moved = fs::create_dir_all(&directory)
            .and_then(|()| fs::copy(emitted, &to))
            .and_then(|_| fs::remove_file(emitted));
        moved.with_context(|| format!("cannot move {} to {}", emitted.display(), to.display()))?;
        Ok(to)
    }

    fn builder(&self, arch: NvvmArch) -> CudaBuilder {
        // no contraction: kernels request fused operations explicitly by `mul_add`, so that the CPU
        // computes the same bits
        let builder = CudaBuilder::new(&self.crate_path)
            .arch(arch)
            .fma_contraction(false);
        let builder = builder.target_directory(paths::target().join("cuda-builder"));
        match self.arguments.emit {
            Some(Emit::LlvmIr) => builder.emit_llvm_ir(true),
            Some(Emit::LlvmBitcode) => builder.emit_llvm_bitcode(true),
            None => builder,
        }
    }

    /// Returns `true` for the library's kernels in all shipped architectures.
    fn is_shipped(&self) -> bool {
        self.is_compressed() && SHIPPED.iter().all(|arch| self.arches.contains(arch))
    }

    /// Returns `true` if the files are the compressed ones shipped by the library.
    fn is_compressed(&self) -> bool {
        self.arguments.crate_path.is_none() && self.arguments.out.is_none()
    }

    /// Returns the prefix of the file names: the library's name for the shipped kernels, otherwise
    /// the name of the crate's directory.
    fn stem(&self) -> String {
        let directory = self
            .crate_path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        if directory == "kernels-crate" {
            "ferrovox".to_owned()
        } else {
            directory.into_owned()
        }
    }
}
