//! Options shared by several commands.

use crate::device_choice::DeviceChoice;
use clap::{Args, ValueEnum};
use ferrovox::isosurface::Inside;
use std::str::FromStr;

/// Level and side of a surface.
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    /// Isovalue of the surface, or otsu (meshes only)
    ///
    /// otsu is the threshold that best separates the samples into two classes (Otsu 1979); with a
    /// mask, the samples within it.
    #[arg(
        long,
        value_name = "VALUE",
        allow_hyphen_values = true,
        aliases = ["isovalue", "level", "threshold"],
        help_heading = "Surface"
    )]
    pub iso: IsoValue,
    /// Side of the isovalue on which the solid is
    ///
    /// above for densities and images, below for signed distances.
    #[arg(long, value_enum, default_value_t = InsideName::Above, help_heading = "Surface")]
    pub inside: InsideName,
    /// Round integers that f32 cannot represent exactly (default: error)
    ///
    /// Integer samples of 32 bits and more are otherwise converted exactly, or are an error.
    #[arg(long, help_heading = "Surface")]
    pub round_samples: bool,
}

/// An isovalue, or the method that determines it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IsoValue {
    /// A given value.
    Number(f64),
    /// Otsu's threshold.
    Otsu,
}

impl FromStr for IsoValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number) => Ok(Self::Number(number)),
            Err(_) if text == "otsu" => Ok(Self::Otsu),
            Err(_) => Err("give a number, or otsu".to_owned()),
        }
    }
}

impl SurfaceArgs {
    /// Returns the isovalue, if it is a number.
    pub fn number(&self) -> Option<f64> {
        match self.iso {
            IsoValue::Number(number) => Some(number),
            IsoValue::Otsu => None,
        }
    }
}

/// Device to run on.
#[derive(Debug, Args)]
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
