//! Options of `ferrovox occupancy`.

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
 Computes how many blocks of a kernel are resident on a multiprocessor at a time, and which resources limit their number. \
The slack of a resource is the amount that the kernel could use additionally without losing a block, and the reduction \
needed for more blocks. Without --block, the block size with the most active threads is used, by the rule of CUDA's \
cudaOccupancyMaxPotentialBlockSize.

 No GPU is needed: the limits are those of --cc, of a GPU by product name (FX 5800, GTX 580, A100, H200, RTX 4090, ...), or \
of an installed device (cuda:0, the default). The kernels of ferrovox are available by name; for other kernels --ptxas reads \
the output of `ptxas -v`.

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
    /// GPU by product name, or an installed device: auto, cuda, cuda:N [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Device")]
    pub device: Option<String>,
    /// Number of multiprocessors of the device, for --grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Device")]
    pub multiprocessors: Option<u32>,
    /// Occupancy model
    #[arg(long, value_enum, default_value_t = ModelName::Hardware, help_heading = "Device")]
    pub model: ModelName,
    /// Registers per thread
    #[arg(long, value_name = "N", help_heading = "Kernel")]
    pub regs: Option<u32>,
    /// Static shared memory per block, in bytes
    #[arg(long, value_name = "BYTES", help_heading = "Kernel")]
    pub smem: Option<u32>,
    /// Barriers per block
    #[arg(long, value_name = "N", help_heading = "Kernel")]
    pub barriers: Option<u32>,
    /// Entry point of a kernel of ferrovox, or of a kernel in the --ptxas file
    #[arg(long, value_name = "NAME", help_heading = "Kernel")]
    pub kernel: Option<String>,
    /// File with the output of `ptxas -v`, or - for standard input
    #[arg(long, value_name = "FILE", help_heading = "Kernel")]
    pub ptxas: Option<PathBuf>,
    /// Threads per block [default: the best block size]
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
    /// Additional dynamic shared memory per thread of the block, in bytes
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        help_heading = "Launch"
    )]
    pub dynamic_per_thread: u32,
    /// Preferred shared memory per multiprocessor, as 50% or in bytes [default: maximum]
    #[arg(long, value_name = "SHARE", value_parser = parse_carveout, help_heading = "Launch")]
    pub carveout: Option<Carveout>,
    /// Limit shared memory per block to 48 KiB, as for a kernel that does not opt in to more
    #[arg(long, help_heading = "Launch")]
    pub no_opt_in: bool,
    /// Number of blocks of the grid; report its waves and the utilization of the last one
    #[arg(long, value_name = "N", help_heading = "Launch")]
    pub grid: Option<u64>,
    /// Report the occupancy for every block size, in steps of --step
    #[arg(long, help_heading = "Report")]
    pub all_blocks: bool,
    /// Step of --all-blocks, in threads
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..), requires = "all_blocks", help_heading = "Report")]
    pub step: u32,
    /// Report the occupancy as a function of another parameter, at every change
    #[arg(long, value_enum, value_name = "PARAMETER", help_heading = "Report")]
    pub over: Option<SweptParameter>,
    /// Explain how each number is derived
    #[arg(long, help_heading = "Report")]
    pub explain: bool,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// Real hardware: allocation granularities and multiprocessor partitions
    Hardware,
    /// Equation (2) of Zhao et al. (2016), without allocation granularities
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
pub enum SweptParameter {
    /// Registers per thread
    Registers,
    /// Dynamic shared memory, in bytes
    Dynamic,
    /// Split between shared memory and L1 cache, in bytes of shared memory
    Carveout,
}

impl SweptParameter {
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Dynamic => "dynamic shared bytes",
            Self::Carveout => "carveout bytes",
        }
    }
}

/// Parses `50%` or a number of bytes; the library checks the range.
fn parse_carveout(text: &str) -> Result<Carveout, String> {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let carveout = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(Carveout::Percent),
        None => number(text).map(Carveout::Bytes),
    };
    carveout.ok_or_else(|| "give a percentage, such as 50%, or bytes, such as 65536".to_owned())
}
