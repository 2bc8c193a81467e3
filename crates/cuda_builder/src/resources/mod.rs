//! What `ptxas` says of each kernel: registers, shared memory, spills. Its assembler runs on machines without a GPU.

mod figures;
mod incremental;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::error::IoContext;
use crate::link::run_tool;
use crate::{NvvmArch, Result};

pub use incremental::Assembled;

/// What one kernel takes of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Statically allocated shared memory per block, in bytes. What the GPU reserves for itself (1 KiB on `sm_90`) comes on top.
    pub static_shared_bytes: u32,
    /// Constant memory, parameters included, in bytes.
    pub constant_bytes: u32,
    /// Stack frame per thread, in bytes.
    pub stack_bytes: u32,
    /// Bytes stored because registers ran out.
    pub spill_store_bytes: u32,
    /// Bytes loaded back.
    pub spill_load_bytes: u32,
    /// Named barriers used.
    pub barriers: u32,
}

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
    /// Looks for `ptxas`: `FERROVOX_PTXAS`, then below each of `tools` (where `pip install --target` put the wheel
    /// `nvidia-cuda-nvcc-cu12`), then `PATH`, then `CUDA_HOME`, `CUDA_PATH` and `/usr/local/cuda`.
    ///
    /// The pinned wheel comes before whatever toolkit is installed, because figures are to be the same everywhere.
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

    /// Assembles the file for `arch` and returns what each kernel takes. The machine code is thrown away.
    ///
    /// # Errors
    /// PTX that `ptxas` refuses, with its message.
    pub fn resources(&self, ptx: &Path, arch: NvvmArch) -> Result<ResourceTable> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let mut command = self.command(level(is_debug(&text)), ptx, arch);
        match self.said(&mut command)? {
            Some(said) => Ok(parse(&said)),
            None => {
                run_tool("ptxas", &mut command)?;
                Ok(ResourceTable::new())
            }
        }
    }

    /// Assembles the file for `arch` into machine code.
    ///
    /// # Errors
    /// PTX that `ptxas` refuses, with its message.
    pub fn assemble_to(&self, ptx: &Path, arch: NvvmArch, machine_code: &Path) -> Result<()> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let mut command = Command::new(&self.path);
        // line information stays, for a disassembler to show
        command.arg("-lineinfo").args(level(is_debug(&text)));
        command
            .args(["-arch", &arch.sm(), "-o"])
            .arg(machine_code)
            .arg(ptx);
        run_tool("ptxas", &mut command).map(drop)
    }

    fn command(&self, level: &[&str], ptx: &Path, arch: NvvmArch) -> Command {
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let mut command = Command::new(&self.path);
        command
            .arg("-v")
            .args(level)
            .args(["-arch", &arch.sm(), "-o", null])
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

/// Whether the PTX has full debug information, and shall not be optimised.
fn is_debug(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(".target") && line.ends_with("debug"))
}

/// Options of the assembler. Code with debug information is assembled as the driver would: not optimised.
fn level(debug: bool) -> &'static [&'static str] {
    if debug { &["-g", "-O0"] } else { &["-O3"] }
}

/// Reads what `ptxas -v` prints.
fn parse(text: &str) -> ResourceTable {
    let mut table = ResourceTable::new();
    let mut kernel: Option<String> = None;
    for line in text.lines() {
        if line.contains("Compiling entry function") {
            kernel = line.split('\'').nth(1).map(str::to_owned);
            table.extend(
                kernel
                    .clone()
                    .map(|name| (name, KernelResources::default())),
            );
        } else if let Some(function) = line
            .split_once("Function properties for ")
            .map(|(_, name)| name.trim())
        {
            // Functions that a kernel calls have properties of their own.
            kernel = table.contains_key(function).then(|| function.to_owned());
        }
        let Some(resources) = kernel.as_ref().and_then(|name| table.get_mut(name)) else {
            continue;
        };
        for part in line
            .trim_start_matches("ptxas info")
            .trim_start_matches([' ', ':'])
            .split(',')
        {
            let words: Vec<&str> = part
                .split_whitespace()
                .filter(|word| !matches!(*word, "Used" | "used"))
                .collect();
            let Some(number) = words.first().and_then(|word| word.parse::<u32>().ok()) else {
                continue;
            };
            match &words[1..] {
                ["registers"] => resources.registers = number,
                ["barriers"] => resources.barriers = number,
                ["bytes", "smem"] => resources.static_shared_bytes = number,
                ["bytes", bank] if bank.starts_with("cmem") => resources.constant_bytes += number,
                ["bytes", "stack", "frame"] => resources.stack_bytes = number,
                ["bytes", "spill", "stores"] => resources.spill_store_bytes = number,
                ["bytes", "spill", "loads"] => resources.spill_load_bytes = number,
                _ => {}
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let table = parse(
            "ptxas info    : 0 bytes gmem, 64 bytes cmem[3]\n\
             ptxas info    : Compiling entry function 'reverse' for 'sm_70'\n\
             ptxas info    : Function properties for reverse\n\
             \x20   8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used 22 registers, used 1 barriers, 8 bytes cumulative stack size, 1024 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]\n\
             ptxas info    : Function properties for helper\n\
             \x20   99 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
             ptxas info    : Compiling entry function 'empty' for 'sm_70'\n\
             ptxas info    : Used 4 registers\n",
        );
        let reverse = KernelResources {
            registers: 22,
            static_shared_bytes: 1024,
            constant_bytes: 388,
            stack_bytes: 8,
            spill_store_bytes: 4,
            spill_load_bytes: 12,
            barriers: 1,
        };
        assert_eq!(table["reverse"], reverse);
        assert_eq!(
            table["empty"],
            KernelResources {
                registers: 4,
                ..KernelResources::default()
            }
        );
        assert_eq!(table.len(), 2);
    }
}
