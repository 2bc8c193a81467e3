//! Options that select the object in the input, which commands share.

use super::InsideName;
use crate::numbers::{
    CropValue, LabelList, LabelValue, ResampleValue, parse_label, parse_length, parse_memory,
};
use clap::Args;
use ferrovox::pipeline::Level;
use std::{fmt, path::PathBuf, str::FromStr};

/// Selection of the object, and its restriction.
#[derive(Clone, Debug, Args)]
pub struct ObjectArgs {
    /// Isovalue: a number, otsu or percentile:P, or several as 60,100
    ///
    /// Samples of at least the isovalue are inside. otsu is the threshold that best separates the
    /// samples into two classes (Otsu 1979), percentile:95 the sample that 95 % of them do not
    /// exceed; with a mask, of the samples within it. Of several isovalues, each gets an output
    /// whose name has {iso}.
    #[arg(
        long,
        value_name = "VALUE",
        value_delimiter = ',',
        allow_hyphen_values = true,
        aliases = ["isovalue", "level", "threshold"],
        help_heading = "Object"
    )]
    pub iso: Vec<IsoValue>,
    /// Side of the isovalue with the object: above or below
    ///
    /// above for densities and images, below for signed distances.
    #[arg(long, value_enum, default_value_t = InsideName::Above, value_name = "SIDE", hide_possible_values = true, help_heading = "Object")]
    pub inside: InsideName,
    /// The object are the samples of this value, one label of a segmentation
    #[arg(
        long,
        value_name = "LABEL",
        value_parser = parse_label,
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside"],
        help_heading = "Object"
    )]
    pub label: Option<LabelValue>,
    /// Every label is an object: all except 0, or a list such as 1,3,7-9
    ///
    /// Samples are integers. 0 and labels outside of the list are background.
    #[arg(
        long,
        value_name = "LABELS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        allow_hyphen_values = true,
        conflicts_with = "label",
        help_heading = "Object"
    )]
    pub labels: Option<LabelList>,
    /// Volume of the same grid: samples where it is zero do not belong to the object
    ///
    /// A headerless mask has samples of u8 and the dims of the volume.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Object",
        hide_short_help = true
    )]
    pub mask: Option<PathBuf>,
    /// Part of the volume: first and end index along x, y and z, or the box of the mask
    ///
    /// 10:200,20:180,0:90 keeps the samples 10 to 199 along x. World positions do not change. mask
    /// is the bounding box of --mask, and one sample around it.
    #[arg(
        long,
        value_name = "BOX|mask",
        help_heading = "Object",
        hide_short_help = true
    )]
    pub crop: Option<CropValue>,
    /// Smooth the samples with a Gaussian of this standard deviation, in world units
    ///
    /// Before an isovalue is compared with them, and before --resample. Constant regions keep their
    /// value; beyond the border the outermost samples repeat.
    #[arg(
        long,
        value_name = "SIGMA",
        value_parser = parse_length,
        allow_hyphen_values = true,
        help_heading = "Object",
        hide_short_help = true
    )]
    pub smooth_volume: Option<f64>,
    /// Resample to this spacing, or iso for the smallest spacing along all axes
    ///
    /// One length in world units, or one each along x, y and z. Samples are interpolated
    /// trilinearly; labels, masks and samples that are not zero are copied from the nearest. World
    /// positions do not change.
    #[arg(
        long,
        value_name = "SPACING|iso",
        allow_hyphen_values = true,
        help_heading = "Object",
        hide_short_help = true
    )]
    pub resample: Option<ResampleValue>,
    /// Fill cavities of the object: background without a path to the border of the volume
    #[arg(long, alias = "fill", help_heading = "Object", hide_short_help = true)]
    pub fill_cavities: bool,
    /// Keep only the component with the most voxels
    #[arg(long, help_heading = "Object", hide_short_help = true)]
    pub largest: bool,
    /// Limit of memory on the host and on each device: 1500000, 512M, 1.5G
    ///
    /// The volume is read and processed in parts if it needs more.
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, help_heading = "Execution")]
    pub memory: Option<u64>,
}

/// An isovalue, or the rule that determines it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IsoValue {
    /// A given value.
    Number(f64),
    /// Otsu's threshold.
    Otsu,
    /// A percentile of the samples.
    Percentile(f64),
}

impl IsoValue {
    /// Returns the name of the rule; `None` for a number.
    pub fn rule(self) -> Option<&'static str> {
        match self {
            Self::Number(_) => None,
            Self::Otsu => Some("otsu"),
            Self::Percentile(_) => Some("percentile"),
        }
    }
}

impl FromStr for IsoValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent = text.strip_prefix("percentile:");
        match (text.parse(), percent.map(str::parse::<f64>)) {
            (Ok(number), _) => Ok(Self::Number(number)),
            (_, Some(Ok(percent))) if (0.0..=100.0).contains(&percent) => {
                Ok(Self::Percentile(percent))
            }
            (_, Some(_)) => {
                Err("give a percentile from 0 to 100, such as percentile:95".to_owned())
            }
            (Err(_), None) if text == "otsu" => Ok(Self::Otsu),
            (Err(_), None) => Err("give a number, otsu or percentile:P".to_owned()),
        }
    }
}

impl fmt::Display for IsoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Otsu => f.write_str("otsu"),
            Self::Percentile(percent) => write!(f, "percentile:{percent}"),
        }
    }
}

impl ObjectArgs {
    /// Returns the first isovalue, which is the only one once the command runs.
    pub fn iso_value(&self) -> Option<IsoValue> {
        self.iso.first().copied()
    }

    /// Returns the level that `--iso` or `--label` selects, if one of them is given. `name` is the
    /// input, for errors.
    ///
    /// # Errors
    /// An isovalue that is not finite as `f32`, which kernels compare with.
    pub fn level(&self, name: &str) -> anyhow::Result<Option<Level>> {
        Ok(match (self.iso_value(), self.label) {
            (Some(IsoValue::Number(iso)), _) => {
                anyhow::ensure!(
                    (iso as f32).is_finite(),
                    "{name}: the isovalue is {iso}; give --iso a finite number within the range of f32"
                );
                Some(Level::Iso(iso))
            }
            (Some(IsoValue::Otsu), _) => Some(Level::Otsu),
            (Some(IsoValue::Percentile(percent)), _) => Some(Level::Percentile(percent)),
            (None, Some(label)) => Some(label.level()),
            (None, None) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isovalues_are_parsed_and_printed() {
        for text in ["5", "-0.25", "otsu", "percentile:95", "percentile:0.5"] {
            let value: IsoValue = text.parse().unwrap();
            assert_eq!(value.to_string(), text);
        }
        for text in ["", "Otsu", "percentile", "percentile:", "percentile:101"] {
            assert!(text.parse::<IsoValue>().is_err(), "{text}");
        }
    }
}
