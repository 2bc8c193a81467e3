//! What `ptxas` says of each kernel: registers, shared memory, spills. Its assembler runs on
//! machines without a GPU.

mod figures;
mod incremental;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::IoContext;
use crate::link::run_tool;
use crate::{NvvmArch, Result};

pub use incremental::Assembled;

pub use ptxas_figures::ResourceUsage as KernelResources;

/// Resources of every kernel of one PTX file, by name.
pub type ResourceTable = BTreeMap<String, KernelResources>;

/// NVIDIA's assembler.
#[derive(Clone, Debug)]
pub struct Ptxas {
    /// The program.
    pub path: PathBuf,
    /// `12.9.86`.
    pub version: String,
}

impl Ptxas {
    /// Looks for `ptxas`: `FERROVOX_PTXAS`, then below each of `tools` (where
    /// `pip install --target` put the wheel `nvidia-cuda-nvcc-cu12`), then `PATH`, then
    /// `CUDA_HOME`, `CUDA_PATH` and `/usr/local/cuda`.
    ///
    /// The pinned wheel comes before whatever toolkit is installed, because figures are to be the
    /// same everywhere.
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
        // `Cuda compilation tools, release 12.9, V12.9.86`
        let version = text.split_whitespace().find_map(|word| {
            word.strip_prefix('V')
                .filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })?;
        Some(Ptxas {
            path: path.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Assembles the file for `arch` and returns what each kernel takes. The machine code is thrown
    /// away.
    ///
    /// # Errors
    /// PTX that `ptxas` refuses, with its message.
    pub fn resources(&self, ptx: &Path, arch: NvvmArch) -> Result<ResourceTable> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let thrown_away = thrown_away()?;
        let mut command = self.command(level(is_debug(&text)), ptx, arch, &thrown_away);
        match self.said(&mut command)? {
            Some(said) => Ok(table(&said)),
            None => {
                run_tool("ptxas", &mut command)?;
                Ok(ResourceTable::new())
            }
        }
    }

    /// Assembles the file for `arch` into machine code. `with_lines` keeps the numbers of source
    /// lines, for a disassembler to show; they take as much room as the code.
    ///
    /// # Errors
    /// PTX that `ptxas` refuses, with its message.
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
        command.args(level(is_debug(&text)));
        command
            .args(["-arch", &arch.sm(), "-o"])
            .arg(machine_code)
            .arg(ptx);
        run_tool("ptxas", &mut command).map(drop)
    }

    /// `machine_code` is a file that may go: an assembler that fails removes it, so as root it must
    /// not be a device.
    fn command(&self, level: &[&str], ptx: &Path, arch: NvvmArch, machine_code: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command
            .arg("-v")
            .args(level)
            .args(["-arch", &arch.sm(), "-o"])
            .arg(machine_code)
            .arg(ptx);
        command
    }

    /// What the assembler said of the kernels, or `None` if it refused them.
    fn said(&self, command: &mut Command) -> Result<Option<String>> {
        let output = command.output().at("cannot run", &self.path)?;
        // -v writes to standard error.
        let said = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(output.status.success().then(said))
    }
}

/// A file for machine code that nobody reads, gone when it is dropped.
fn thrown_away() -> Result<tempfile::TempPath> {
    let file = tempfile::NamedTempFile::new().at("cannot make a file in", &env::temp_dir())?;
    Ok(file.into_temp_path())
}

/// Whether the PTX has full debug information, and shall not be optimised.
fn is_debug(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(".target") && line.ends_with("debug"))
}

/// Options of the assembler. Code with debug information is assembled as the driver would: not
/// optimised.
fn level(debug: bool) -> &'static [&'static str] {
    if debug { &["-g", "-O0"] } else { &["-O3"] }
}

/// What `ptxas -v` printed, by kernel.
fn table(said: &str) -> ResourceTable {
    let kernels = ptxas_figures::parse(said).into_iter();
    kernels.map(|kernel| (kernel.name, kernel.usage)).collect()
}
