//! Parsing and formatting of numbers: `512x512x300`, `800x600`, `0.7,0.7,1.5`.

mod colour;
mod format;
mod selections;

pub use colour::Colour;
pub use format::{format_count, format_dims, format_number};
pub use selections::{CropValue, LabelList, ResampleValue, VolumeIndex};

use ferrovox::{
    pipeline::{Level, distance::Plane},
    render::MAX_SIDE,
};
use serde::Serialize;
use std::{fmt, num::ParseFloatError};

/// Size of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// Parses a positive length.
pub fn parse_length(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(length) if f64::is_finite(length) && length > 0.0 => Ok(length),
        _ => Err("give a positive number, in world units".to_owned()),
    }
}

/// A label: a number, or an integer that `f64` cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum LabelValue {
    Number(f64),
    Wide(i64),
}

impl LabelValue {
    /// Returns the level that selects the samples of this value.
    pub const fn level(self) -> Level {
        match self {
            Self::Number(label) => Level::Label(label),
            Self::Wide(label) => Level::WideLabel(label),
        }
    }

    /// Returns the label as an integer, without a fraction.
    pub const fn integer(self) -> i64 {
        match self {
            Self::Number(label) => label as i64,
            Self::Wide(label) => label,
        }
    }
}

impl fmt::Display for LabelValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(label) => label.fmt(f),
            Self::Wide(label) => label.fmt(f),
        }
    }
}

/// Parses a label. Fails for an integer that neither `f64` nor `i64` represents, since samples of
/// that value do not exist and rounding would select another label.
pub fn parse_label(text: &str) -> Result<LabelValue, String> {
    let label: f64 = text
        .parse()
        .map_err(|error: ParseFloatError| error.to_string())?;
    match text.parse::<i128>() {
        Ok(integer) if label as i128 != integer => {
            i64::try_from(integer).map(LabelValue::Wide).map_err(|_| {
                format!(
                    "no sample has this value, as neither f64 nor i64 represents it; the nearest is {label:.0}"
                )
            })
        }
        _ => Ok(LabelValue::Number(label)),
    }
}

/// Parses a plane such as `z=100`.
pub fn parse_plane(text: &str) -> Result<Plane, String> {
    let parts = text.split_once('=').and_then(|(axis, index)| {
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis)?;
        let index = index.parse().ok()?;
        Some(Plane { axis, index })
    });
    parts.ok_or_else(|| "give an axis and an index, such as z=100".to_owned())
}

/// Parses a finite distance; the library checks that it is positive.
pub fn parse_distance(text: &str) -> Result<f64, String> {
    let distance = text.parse::<f64>().ok().filter(|it| it.is_finite());
    distance.ok_or_else(|| "give a number, such as 36".to_owned())
}

/// Parses a picture size `WxH`.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let parts: Option<Vec<u32>> = text
        .split(['x', 'X'])
        .map(|part| part.parse().ok())
        .collect();
    match parts.as_deref() {
        Some(&[width, height])
            if (1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height) =>
        {
            Ok(Size { width, height })
        }
        _ => Err(format!(
            "give two integers from 1 to {MAX_SIDE}, such as 800x600"
        )),
    }
}

/// Parses dims `NXxNYxNZ`.
pub fn parse_dims(text: &str) -> Result<[usize; 3], String> {
    let parts: Option<Vec<usize>> = text
        .split(['x', 'X'])
        .map(|part| part.parse().ok())
        .collect();
    match parts.as_deref() {
        Some(&[nx, ny, nz]) => Ok([nx, ny, nz]),
        _ => Err("give three integers separated by x, such as 512x512x300".to_owned()),
    }
}

/// Parses a spacing: three numbers, or one for all axes. The library checks that they are positive.
pub fn parse_spacing(text: &str) -> Result<[f64; 3], String> {
    let all_axes = || text.parse::<f64>().ok().map(|step| [step; 3]);
    parse_three(text).or_else(all_axes).ok_or_else(|| {
        "give one positive number, or three separated by commas, such as 0.7,0.7,1.5".to_owned()
    })
}

/// Parses a position: three finite numbers.
pub fn parse_position(text: &str) -> Result<[f64; 3], String> {
    parse_three(text)
        .filter(|position| position.iter().all(|x| x.is_finite()))
        .ok_or_else(|| "give three numbers separated by commas, such as -98,-134,-72".to_owned())
}

/// Parses an amount of memory: a number of bytes, or with suffix K, M, G or T a multiple of a power
/// of 1024.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix("IB").unwrap_or(&upper);
    let (number, power) = match upper.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            let power = "BKMGT".find(unit).map(|power| power as i32);
            (&upper[..at], power)
        }
        _ => (upper, Some(0)),
    };
    let bytes = match (number.parse::<f64>(), power) {
        (Ok(number), Some(power)) if number.is_finite() => number * 1024f64.powi(power),
        _ => f64::NAN,
    };
    // Negative numbers, NaN, and amounts beyond the address space are rejected.
    if (0.0..9e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("give a number of bytes, such as 1500000, 512M or 1.5G".to_owned())
    }
}

fn parse_three(text: &str) -> Option<[f64; 3]> {
    let parts: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    parts?.try_into().ok()
}

/// Parses two increasing numbers, such as `-2,5`.
pub fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let numbers = text.split_once(',').and_then(|(low, high)| {
        let [low, high] = [low, high].map(|number| number.trim().parse::<f64>().ok());
        Some([low?, high?])
    });
    let range = numbers.filter(|[low, high]| low < high && low.is_finite() && high.is_finite());
    range.ok_or_else(|| format!("`{text}` is not a range; give two increasing numbers, as 0,5"))
}

/// Parses a fraction from 0 to 1.
pub fn parse_fraction(text: &str) -> Result<f32, String> {
    let fraction = text.trim().parse().ok();
    let in_range = fraction.filter(|it| (0.0..=1.0).contains(it));
    in_range.ok_or_else(|| format!("`{text}` is not a fraction; give a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrovox::grid::VoxelBox;

    #[test]
    fn ranges_are_increasing() {
        assert_eq!(parse_range("-2,5.5"), Ok([-2.0, 5.5]));
        for text in ["", "1", "5,2", "1,1", "0,inf", "nan,1"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_and_dims_are_parsed() {
        assert_eq!(
            parse_size("800x600"),
            Ok(Size {
                width: 800,
                height: 600
            })
        );
        assert_eq!(parse_dims("3x4X5"), Ok([3, 4, 5]));
        for text in ["800", "0x600", "800x", "8x8x8", "-1x2", "", "16385x1"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        for text in [
            "3x4",
            "3,4,5",
            "3x4x5x6",
            "axbxc",
            "3x4x99999999999999999999",
        ] {
            assert!(parse_dims(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_of_labels_are_parsed() {
        assert_eq!("all".parse(), Ok(LabelList::All));
        assert_eq!("3, -17".parse(), Ok(LabelList::Listed(vec![3, -17])));
        assert_eq!("1,7-9".parse(), Ok(LabelList::Listed(vec![1, 7, 8, 9])));
        assert_eq!("-3--2".parse(), Ok(LabelList::Listed(vec![-3, -2])));
        assert_eq!("5-5".parse(), Ok(LabelList::Listed(vec![5])));
        for text in [
            "",
            "all,3",
            "1.5",
            "3,",
            "0",
            "4,0",
            "99999999999999999999",
            "9-7",
            "-2-2",
            "1-",
            "-",
            "1-2-3",
            "é-3",
            "1-9999999999",
        ] {
            assert!(text.parse::<LabelList>().is_err(), "{text}");
        }
    }

    #[test]
    fn boxes_are_parsed() {
        let part = VoxelBox {
            start: [10, 20, 0],
            end: [200, 180, 90],
        };
        assert_eq!("10:200,20:180, 0:90".parse(), Ok(CropValue::Box(part)));
        assert_eq!("mask".parse(), Ok(CropValue::Mask));
        for text in [
            "",
            "1:2",
            "1:2,1:2",
            "2:1,0:1,0:1",
            "0:1,0:1,-1:2",
            "0:1,0:1,0:1,0:1",
        ] {
            assert!(text.parse::<CropValue>().is_err(), "{text}");
        }
    }

    #[test]
    fn labels_are_integers_that_samples_can_have() {
        let number = |text: &str, label: f64| {
            assert_eq!(parse_label(text), Ok(LabelValue::Number(label)));
        };
        number("17", 17.0);
        number("-0.5", -0.5);
        number("9223372036854775808", 9_223_372_036_854_775_808.0);
        for wide in [i64::MAX, i64::MIN + 1, (1 << 53) + 1] {
            assert_eq!(parse_label(&wide.to_string()), Ok(LabelValue::Wide(wide)));
        }
        let error = parse_label("9223372036854775809").unwrap_err();
        assert!(
            error.ends_with("the nearest is 9223372036854775808"),
            "{error}"
        );
        assert!(parse_label("one").is_err());
        let error = "1,9223372036854775808".parse::<LabelList>().unwrap_err();
        assert!(error.ends_with("to 9223372036854775807"), "{error}");
    }

    #[test]
    fn numbers_are_formatted_with_six_significant_digits() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (255.0, "255"),
            (-29.903810567665797, "-29.9038"),
            (16_777_217.0, "16777217"),
            (1_234_567.891, "1234568"),
            (0.1 + 0.2, "0.3"),
            (999_999.96, "1000000"),
            (9.999999, "10"),
            (0.00012345678, "0.000123457"),
            (0.00009999999, "0.0001"),
            (0.000012345678, "1.23457e-5"),
            (2.1714e-16, "2.1714e-16"),
            (-1e-20, "-1e-20"),
            (1e20, "1e20"),
            (6.02214076e23, "6.02214e23"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(format_number(x), text);
        }
    }

    #[test]
    fn amounts_of_memory_are_parsed() {
        for (text, bytes) in [
            ("0", 0),
            ("1500000", 1_500_000),
            ("512M", 512 << 20),
            ("1.5G", 3 << 29),
            ("2k", 2048),
            ("1T", 1 << 40),
            ("8GiB", 8 << 30),
            ("100B", 100),
        ] {
            assert_eq!(parse_memory(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "G", "-1", "1X", "1GG", "nan", "inf", "1e30T", "1,5G", "é",
        ] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn planes_and_distances_are_parsed() {
        let plane = |axis, index| Ok(Plane { axis, index });
        assert_eq!(parse_plane("z=100"), plane(2, 100));
        assert_eq!(parse_plane("x=0"), plane(0, 0));
        for text in ["z", "z=", "w=3", "z=-1", "3", "z=1.5"] {
            assert!(parse_plane(text).is_err(), "{text}");
        }
        assert_eq!(parse_distance("1e2"), Ok(100.0));
        for text in ["", "far", "nan", "inf"] {
            assert!(parse_distance(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spacings_and_positions_are_parsed() {
        assert_eq!(parse_spacing("0.5"), Ok([0.5; 3]));
        assert_eq!(parse_spacing("1, 2,3"), Ok([1.0, 2.0, 3.0]));
        assert_eq!(parse_position("-1,2,3e1"), Ok([-1.0, 2.0, 30.0]));
        assert_eq!(parse_spacing("0,-1,inf"), Ok([0.0, -1.0, f64::INFINITY]));
        for text in ["1,1", "", "1,x,1", "1,1,1,1"] {
            assert!(parse_spacing(text).is_err(), "{text}");
        }
        assert!(parse_position("nan,0,0").is_err());
    }
}
