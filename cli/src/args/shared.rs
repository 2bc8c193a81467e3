//! Options shared by several commands.

use crate::device_choice::DeviceChoice;
use clap::{Args, ValueEnum};
use ferrovox::isosurface::Inside;

/// Conversion of the samples of a surface.
#[derive(Clone, Copy, Debug, Args)]
pub struct SurfaceArgs {
    /// Round integers that f32 cannot represent exactly (default: error)
    ///
    /// Integer samples of 32 bits and more are otherwise converted exactly, or are an error.
    #[arg(long, conflicts_with_all = ["label", "labels"], help_heading = "Surface")]
    pub round_samples: bool,
}

/// Device to run on.
#[derive(Clone, Debug, Args)]
pub struct DeviceArgs {
    /// Device: auto, cpu, cuda or cuda:N
    ///
    /// auto selects the first CUDA device, or the CPU if there is none.
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "auto",
        help_heading = "Execution"
    )]
    pub device: DeviceChoice,
}

/// Output of results.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ReportArgs {
    /// Print the results as one JSON object
    #[arg(long, help_heading = "Report")]
    pub json: bool,
    /// Print only errors, and the JSON object of --json
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InsideName {
    Above,
    Below,
}

impl InsideName {
    pub fn name(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

impl From<InsideName> for Inside {
    fn from(name: InsideName) -> Self {
        match name {
            InsideName::Above => Self::Above,
            InsideName::Below => Self::Below,
        }
    }
}
