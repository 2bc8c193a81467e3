//! Resource usage of kernels as reported by `ptxas`: registers, shared memory, spills. The
//! assembler requires no GPU.

mod cache;
mod incremental;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::IoContext;
use crate::link::run_tool;
use crate::{NvvmArch, Result};

pub use incremental::AssembledResources;

pub use ptxas_figures::ResourceUsage as KernelResources;

/// Resource usage of every kernel of a PTX file, by name.
pub type ResourceTable = BTreeMap<String, KernelResources>;

/// NVIDIA's assembler.
#[derive(Clone, Debug)]
pub struct Ptxas {
    /// Path of the program.
    pub path: PathBuf,
    /// Version, such as `12.9.86`.
    pub version: String,
}

impl Ptxas {
    /// Searches for `ptxas` in `FERROVOX_PTXAS`, then below each of `tools` (the target directories
    /// of `pip install --target` for the wheel `nvidia-cuda-nvcc-cu12`), then in `PATH`, then in
    /// `CUDA_HOME`, `CUDA_PATH` and `/usr/local/cuda`.
    ///
    /// The pinned wheel takes precedence over installed toolkits, so that results are the same
    /// everywhere.
    pub fn find(tools: &[PathBuf]) -> Option<Self> {
        if let Some(named) = env::var_os("FERROVOX_PTXAS").filter(|value| !value.is_empty()) {
            return Self::at(Path::new(&named));
        }
        let program = format!("ptxas{}", env::consts::EXE_SUFFIX);
        let wheels = tools.iter().flat_map(|tools| {
            ["nvidia/cuda_nvcc/bin", "nvidia/cu13/bin", "bin"].map(|bin| tools.join(bin))
        });
        let path = env::var_os("PATH").unwrap_or_default();
        let homes = ["CUDA_HOME", "CUDA_PATH"]
            .into_iter()
            .filter_map(env::var_os)
            .map(PathBuf::from)
            .chain([PathBuf::from("/usr/local/cuda")]);
        wheels
            .chain(env::split_paths(&path))
            .chain(homes.map(|home| home.join("bin")))
            .find_map(|directory| Self::at(&directory.join(&program)))
    }

    fn at(path: &Path) -> Option<Self> {
        let output = Command::new(path).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // format: `Cuda compilation tools, release 12.9, V12.9.86`
        let version = text.split_whitespace().find_map(|word| {
            word.strip_prefix('V')
                .filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })?;
        Some(Ptxas {
            path: path.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Assembles the file for `arch` and returns the resource usage of each kernel. The machine
    /// code is discarded.
    ///
    /// # Errors
    /// PTX that `ptxas` rejects, with its message.
    pub fn resources(&self, ptx: &Path, arch: NvvmArch) -> Result<ResourceTable> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let discarded_output = discarded_output()?;
        let mut command = self.command(
            optimization_options(is_debug(&text)),
            ptx,
            arch,
            &discarded_output,
        );
        match self.verbose_output(&mut command)? {
            Some(verbose_output) => Ok(parse_output(&verbose_output)),
            None => {
                run_tool("ptxas", &mut command)?;
                Ok(ResourceTable::new())
            }
        }
    }

    /// Assembles the file for `arch` to machine code. `with_lines` includes source line numbers for
    /// disassemblers, which take as much space as the code.
    ///
    /// # Errors
    /// PTX that `ptxas` rejects, with its message.
    pub fn assemble_to(
        &self,
        ptx: &Path,
        arch: NvvmArch,
        machine_code: &Path,
        with_lines: bool,
    ) -> Result<()> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let mut command = Command::new(&self.path);
        if with_lines {
            command.arg("-lineinfo");
        }
        command.args(optimization_options(is_debug(&text)));
        command
            .args(["-arch", &arch.sm(), "-o"])
            .arg(machine_code)
            .arg(ptx);
        run_tool("ptxas", &mut command).map(drop)
    }

    /// `machine_code` must be a removable file: a failing assembler deletes its output, so as root
    /// it must not be a device.
    fn command(
        &self,
        optimization_options: &[&str],
        ptx: &Path,
        arch: NvvmArch,
        machine_code: &Path,
    ) -> Command {
        let mut command = Command::new(&self.path);
        command
            .arg("-v")
            .args(optimization_options)
            .args(["-arch", &arch.sm(), "-o"])
            .arg(machine_code)
            .arg(ptx);
        command
    }

    /// Returns the assembler's output, or `None` if it rejected the PTX.
    fn verbose_output(&self, command: &mut Command) -> Result<Option<String>> {
        let output = command.output().at("cannot run", &self.path)?;
        // -v writes to standard error.
        let verbose_output = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(output.status.success().then(verbose_output))
    }
}

/// Creates a temporary file for discarded machine code.
fn discarded_output() -> Result<tempfile::TempPath> {
    let file = tempfile::NamedTempFile::new().at("cannot make a file in", &env::temp_dir())?;
    Ok(file.into_temp_path())
}

/// Returns `true` if the PTX has full debug information and must not be optimized.
fn is_debug(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(".target") && line.ends_with("debug"))
}

/// Returns the optimization options of the assembler. Code with debug information is not optimized,
/// like by the driver.
fn optimization_options(debug: bool) -> &'static [&'static str] {
    if debug { &["-g", "-O0"] } else { &["-O3"] }
}

/// Parses the output of `ptxas -v`.
fn parse_output(verbose_output: &str) -> ResourceTable {
    let kernels = ptxas_figures::parse(verbose_output).into_iter();
    kernels.map(|kernel| (kernel.name, kernel.usage)).collect()
}
