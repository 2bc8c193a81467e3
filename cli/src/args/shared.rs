//! Options that several commands have.

use crate::device_choice::DeviceChoice;
use clap::{Args, ValueEnum};
use ferrovox::isosurface::Inside;

/// Which surface.
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    /// The isovalue: the surface is where the samples take this value
    #[arg(
        long,
        value_name = "VALUE",
        allow_hyphen_values = true,
        aliases = ["isovalue", "level", "threshold"],
        help_heading = "Surface"
    )]
    pub iso: f64,
    /// Where the solid is
    ///
    /// Above the isovalue (densities, images) or below it (signed distances).
    #[arg(long, value_enum, default_value_t = InsideName::Above, help_heading = "Surface")]
    pub inside: InsideName,
    /// Take integers that f32 does not hold as the nearest number that it does
    ///
    /// Samples of 32 bits and more are exact, or an error without this.
    #[arg(long, help_heading = "Surface")]
    pub round_samples: bool,
}

/// Where to run.
#[derive(Debug, Args)]
pub struct DeviceArgs {
    /// Where to run: auto, cpu, cuda or cuda:N
    ///
    /// auto takes the first CUDA device, else the CPU.
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "auto",
        help_heading = "Execution"
    )]
    pub device: DeviceChoice,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ReportArgs {
    /// Print the results as one JSON object
    #[arg(long, help_heading = "Report")]
    pub json: bool,
    /// Print nothing but errors, and the object of --json
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
