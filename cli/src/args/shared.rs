//! Options that several commands have.

use crate::device_choice::DeviceChoice;
use clap::{Args, ValueEnum};
use ferrovox::isosurface::Inside;
use std::str::FromStr;

/// Which surface.
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    /// The isovalue: the surface is where the samples take this value; or, for a mesh, otsu
    ///
    /// otsu is the value that best separates the samples in two classes (Otsu 1979); with a mask,
    /// those within it.
    #[arg(
        long,
        value_name = "VALUE",
        allow_hyphen_values = true,
        aliases = ["isovalue", "level", "threshold"],
        help_heading = "Surface"
    )]
    pub iso: IsoValue,
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

/// An isovalue, or how it is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IsoValue {
    /// This one.
    Number(f64),
    /// The threshold by Otsu.
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
    /// The isovalue, where it is a number.
    pub fn number(&self) -> Option<f64> {
        match self.iso {
            IsoValue::Number(number) => Some(number),
            IsoValue::Otsu => None,
        }
    }
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
