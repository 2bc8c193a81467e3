//! `cargo xtask ptx`: the kernels as PTX, what each takes of a GPU, and whether they are clean.

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
use cuda_builder::{Assembled, CudaBuilder, NvvmArch, Ptxas, ResourceTable};

use self::compare::Comparison;
use crate::{paths, setup};

/// The architectures that ship: 7.0 runs on everything newer by the driver's translation, 9.0
/// spares Hopper that.
const SHIPPED: [NvvmArch; 2] = [NvvmArch::Compute70, NvvmArch::Compute90];

/// Arguments of `ptx`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Change nothing; fail, and say what differs, when the repository's files are not what the
    /// sources give.
    #[arg(long)]
    check: bool,
    /// With --check: build one architecture, by turns, and assemble every sixteenth of its kernels;
    /// the other files are held to the hashes that are recorded of them
    #[arg(long, requires = "check", conflicts_with_all = ["arches", "emit", "crate_path"])]
    sample: bool,
    /// Architecture to build for, such as sm_80; may be repeated [default: sm_70 sm_90]
    #[arg(long = "arch", value_name = "SM")]
    arches: Vec<NvvmArch>,
    /// Write the optimised program too: beside the PTX with --out, else below target/ptx.
    #[arg(long, value_name = "FORM")]
    emit: Option<Emit>,
    /// The kernel crate [default: kernels-crate]
    #[arg(long = "crate", value_name = "PATH")]
    crate_path: Option<PathBuf>,
    /// Directory of the results, as text
    /// [default: host-crate/ptx, where PTX is compressed; its text goes to target/ptx]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `--emit` can write.
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
        files.extend(machine_code::make(&out, &job.ptxas)?);
    }
    println!(
        "{}: {} ({:.1} s)",
        paths::shown(&out),
        files.join(", "),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// One architecture's results.
struct Built {
    arch: NvvmArch,
    /// The PTX file's.
    name: String,
    kernels: ResourceTable,
    /// How many of the kernels had to be assembled.
    fresh: usize,
    lint: LintReport,
}

/// One run's settings.
struct Job<'a> {
    arguments: &'a Arguments,
    crate_path: PathBuf,
    arches: Vec<NvvmArch>,
    ptxas: Ptxas,
}

impl Job<'_> {
    /// Builds everything aside, and fails when `out` holds anything else.
    fn check(&self, out: &Path) -> Result<()> {
        let fresh = tempfile::tempdir().context("cannot create a temporary directory")?;
        // Figures of architectures that are not built again stay as they are.
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
                // Figures follow from the code.
                Comparison::Different(_) if name == resources::FILE && other_compiler.is_some() => {
                }
                Comparison::Different(how) => differences.push(how),
                Comparison::OtherCompiler(compiler) => other_compiler = Some(compiler),
            }
        }
        let shown = paths::shown(out);
        if !differences.is_empty() {
            bail!(
                "the PTX in {shown} is not what the sources give. Run `cargo xtask ptx`.\n{}",
                differences.join("\n")
            );
        }
        if self.is_shipped() {
            machine_code::check(out)?;
        }
        match other_compiler {
            None => println!("{shown}: up to date"),
            Some(compiler) => println!(
                "{shown}: made from these sources by {compiler}, which is not the compiler here, so the code was not compared"
            ),
        }
        Ok(())
    }

    /// Builds everything into `out` and returns the names of the files written.
    fn build(&self, out: &Path) -> Result<Vec<String>> {
        fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        // Each architecture has directories of its own, so they can be built side by side.
        let built: Vec<Result<Built>> = thread::scope(|scope| {
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
        let mut table = resources::Recorded::read(&out.join(resources::FILE))?;
        let mut errors = BTreeMap::new();
        for built in built {
            let Built {
                arch,
                name,
                kernels,
                fresh,
                lint,
            } = built?;
            println!(
                "{name} ({fresh} of {} kernels assembled anew):\n{}",
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
            bail!("the lint found:\n{}", lines.collect::<String>());
        }
        Ok(files)
    }

    fn build_arch(&self, arch: NvvmArch, out: &Path) -> Result<Built> {
        let mut name = format!("{}_{}.ptx", self.stem(), arch.sm());
        let mut path = out.join(&name);
        if self.is_compressed() {
            path = paths::target().join("ptx").join(&name);
        }
        let output = self.builder(arch).copy_to(&path).build_with_report()?;
        let lint = output.lint;
        if let Some(emitted) = output.emitted {
            println!("{}", paths::shown(&self.place_emitted(&emitted)?));
        }
        let cache = paths::target()
            .join("cuda-builder")
            .join(arch.sm())
            .join(format!("{}-resources.json", self.stem()));
        let Assembled { kernels, fresh } =
            self.ptxas
                .resources_cached(&path, arch, &cache, self.assemblers())?;
        if self.is_compressed() {
            name = machine_code::ptx_name(arch);
            let ptx = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            text::write_compressed(&out.join(&name), &ptx)?;
        }
        Ok(Built {
            arch,
            name,
            kernels,
            fresh,
            lint,
        })
    }

    /// How many assemblers one architecture may run: the architectures, built side by side, share
    /// the machine.
    fn assemblers(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        (cores / self.arches.len().max(1)).max(1)
    }

    /// The optimised program is for reading, not for the repository.
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
        // No contraction: a kernel that wants a fused operation says `mul_add`, and the CPU
        // computes the same bits.
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

    /// Whether these are the library's kernels, in all their architectures.
    fn is_shipped(&self) -> bool {
        self.is_compressed() && SHIPPED.iter().all(|arch| self.arches.contains(arch))
    }

    /// Whether the files are those that the library ships. Their text stays below target/ptx.
    fn is_compressed(&self) -> bool {
        self.arguments.crate_path.is_none() && self.arguments.out.is_none()
    }

    /// First part of the file names: the library's name for the kernels that ship, else the crate's
    /// directory.
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
