//! The options of `ferrovox occupancy`.

use super::{MORE, ReportArgs};
use clap::{ArgGroup, Args, ValueEnum};
use ferrovox::occupancy::{Carveout, ComputeCapability};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").args(["cc", "device"]))]
#[command(group = ArgGroup::new("what").required(true).multiple(true).args(["regs", "kernel", "ptxas"]))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: active_blocks, active_warps, occupancy (0 to 1), limiters with slack, waves, tail, warnings, the error"
)))]
#[command(after_help = MORE, after_long_help = "\
How many blocks of a kernel run on a multiprocessor at a time, and what bounds their number. A limiter's slack says how \
much more the kernel could take with as many blocks, and how much less it would have to take for more. Without --block it \
is the block size with the most active threads, by the rule of CUDA's cudaOccupancyMaxPotentialBlockSize.

No GPU is needed: limits are those of --cc, or of a GPU by its name (FX 5800, GTX 580, A100, H200, RTX 4090, ...), or of a \
live device (cuda:0, the default). Kernels of ferrovox are known by name; for others --ptxas reads what `ptxas -v` printed.

Occupancy is not speed: `cargo xtask bench occupancy` measures both.

Examples:
  ferrovox occupancy --cc 9.0 --regs 92 --smem 0 --block 224
  ferrovox occupancy --device \"GTX 580\" --regs 42 --smem 1548 --all-blocks
  ferrovox occupancy --device \"FX 5800\" --regs 16 --model paper --all-blocks --step 1
  ferrovox occupancy --device H200 --kernel classify_cells_u8 --explain --grid 4096
  nvcc -Xptxas -v a.cu 2>&1 | ferrovox occupancy --cc 8.6 --ptxas - --kernel a --json")]
pub struct OccupancyArgs {
    /// Compute capability of the device: 1.0 to 12.1
    #[arg(long, value_name = "X.Y", help_heading = "Device")]
    pub cc: Option<ComputeCapability>,
    /// A GPU by its name, or a live device: auto, cuda, cuda:N [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Device")]
    pub device: Option<String>,
    /// Multiprocessors of the device, for --grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Device")]
    pub multiprocessors: Option<u32>,
    /// What the hardware does, or Zhao et al.'s (2016) equation (2)
    #[arg(long, value_enum, default_value_t = ModelName::Hardware, help_heading = "Device")]
    pub model: ModelName,
    /// Registers per thread
    #[arg(long, value_name = "N", help_heading = "Kernel")]
    pub regs: Option<u32>,
    /// Shared memory per block that the kernel declares, in bytes
    #[arg(long, value_name = "BYTES", help_heading = "Kernel")]
    pub smem: Option<u32>,
    /// Barriers per block
    #[arg(long, value_name = "N", help_heading = "Kernel")]
    pub barriers: Option<u32>,
    /// A kernel of ferrovox by its entry point, or one of --ptxas
    #[arg(long, value_name = "NAME", help_heading = "Kernel")]
    pub kernel: Option<String>,
    /// What `ptxas -v` printed, a file or - for the standard input
    #[arg(long, value_name = "FILE", help_heading = "Kernel")]
    pub ptxas: Option<PathBuf>,
    /// Threads per block [default: the best]
    #[arg(long, value_name = "N", help_heading = "Launch")]
    pub block: Option<u32>,
    /// Dynamic shared memory per block, in bytes
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        help_heading = "Launch"
    )]
    pub dynamic: u32,
    /// Dynamic shared memory for each thread, in bytes
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        help_heading = "Launch"
    )]
    pub dynamic_per_thread: u32,
    /// Shared memory by L1 cache: percent (50%) or bytes (65536) [default: as much as there is]
    #[arg(long, value_name = "SHARE", value_parser = parse_carveout, help_heading = "Launch")]
    pub carveout: Option<Carveout>,
    /// The kernel has not opted in to more than 48 KiB of shared memory
    #[arg(long, help_heading = "Launch")]
    pub no_opt_in: bool,
    /// Blocks of the grid: say how many waves they are, and how full the last is
    #[arg(long, value_name = "N", help_heading = "Launch")]
    pub grid: Option<u64>,
    /// Every block size, in steps of --step
    #[arg(long, help_heading = "Report")]
    pub all_blocks: bool,
    /// The step of --all-blocks, in threads
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..), requires = "all_blocks", help_heading = "Report")]
    pub step: u32,
    /// The occupancy for every value of another number, where it changes
    #[arg(long, value_enum, value_name = "NUMBER", help_heading = "Report")]
    pub over: Option<Over>,
    /// Say how each number comes about
    #[arg(long, help_heading = "Report")]
    pub explain: bool,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// Registers to warps, in units, by parts of a multiprocessor
    Hardware,
    /// Zhao et al.'s (2016) equation (2)
    Paper,
}

impl ModelName {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Paper => "paper",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Over {
    /// Registers per thread
    Registers,
    /// Dynamic shared memory, in bytes
    Dynamic,
    /// The device's divisions of shared memory and L1 cache, in bytes of shared memory
    Carveout,
}

impl Over {
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Dynamic => "dynamic shared bytes",
            Self::Carveout => "carveout bytes",
        }
    }
}

/// Reads `50%` or a number of bytes. Whether it makes sense the library says.
fn parse_carveout(text: &str) -> Result<Carveout, String> {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let carveout = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(Carveout::Percent),
        None => number(text).map(Carveout::Bytes),
    };
    carveout.ok_or_else(|| "give percent, such as 50%, or bytes, such as 65536".to_owned())
}
