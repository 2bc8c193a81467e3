//! Selections of labels, parts, spacings and volumes.

use super::parse_spacing;
use ferrovox::{grid::VoxelBox, volume_filter::TargetSpacing};
use std::str::FromStr;

/// Labels of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelList {
    /// All labels except 0.
    All,
    /// The listed labels.
    Listed(Vec<i64>),
}

impl LabelList {
    /// Returns the listed labels, or `None` for all.
    pub fn listed(&self) -> Option<Vec<i64>> {
        match self {
            Self::All => None,
            Self::Listed(labels) => Some(labels.clone()),
        }
    }
}

impl FromStr for LabelList {
    type Err = String;

    /// Parses `all`, or a list of labels and ranges such as `3,7-9`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let mut labels = Vec::new();
        for part in text.split(',') {
            let Some((first, last)) = range(part.trim()).filter(|(first, last)| first <= last)
            else {
                let is_integer = part.trim().parse::<i128>().is_ok();
                return Err(if is_integer {
                    format!("labels are from {} to {}", i64::MIN, i64::MAX)
                } else {
                    "give all, or integers and ranges separated by commas, such as 3,7-9".to_owned()
                });
            };
            if (first..=last).contains(&0) {
                return Err("0 is the background; give other labels".to_owned());
            }
            let count = last.abs_diff(first).saturating_add(1);
            if count.saturating_add(labels.len() as u64) > MAX_LABELS {
                return Err(format!("the list exceeds {MAX_LABELS} labels; give all"));
            }
            labels.extend(first..=last);
        }
        Ok(Self::Listed(labels))
    }
}

/// Part of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CropValue {
    /// Bounding box of the mask.
    Mask,
    /// Voxels within a box.
    Box(VoxelBox),
}

impl FromStr for CropValue {
    type Err = String;

    /// Parses `mask`, or a box such as `10:200,20:180,0:90`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "mask" {
            return Ok(Self::Mask);
        }
        let parse_range = |part: &str| {
            let (start, end) = part.trim().split_once(':')?;
            Some((start.parse().ok()?, end.parse().ok()?))
        };
        let ranges: Option<Vec<(usize, usize)>> = text.split(',').map(parse_range).collect();
        match ranges.as_deref() {
            Some(&[x, y, z]) if [x, y, z].iter().all(|(start, end)| start < end) => {
                Ok(Self::Box(VoxelBox {
                    start: [x.0, y.0, z.0],
                    end: [x.1, y.1, z.1],
                }))
            }
            _ => Err(
                "give mask, or a first index and a larger end along x, y and z, such as 10:200,20:180,0:90"
                    .to_owned(),
            ),
        }
    }
}

/// Spacing that a volume is resampled to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResampleValue(pub TargetSpacing);

impl FromStr for ResampleValue {
    type Err = String;

    /// Parses `iso`, one positive number, or one each for x, y and z.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "iso" {
            return Ok(Self(TargetSpacing::Isotropic));
        }
        let spacing = parse_spacing(text).map_err(|problem| format!("{problem}, or iso"))?;
        Ok(Self(TargetSpacing::Given(spacing)))
    }
}

/// Index of a volume in a file with several, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeIndex {
    /// Every volume of the file, one after the other.
    All,
    /// One volume, counted from 0.
    One(u64),
}

impl FromStr for VolumeIndex {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let index = text.parse().map(Self::One);
        index.map_err(|_| "give an index from 0, or all".to_owned())
    }
}

/// Maximum number of labels in a list.
const MAX_LABELS: u64 = 1 << 20;

/// Parses the first and the last label of `7-9`, `-3--1` or `7`.
fn range(text: &str) -> Option<(i64, i64)> {
    if let Ok(label) = text.parse() {
        return Some((label, label));
    }
    // The dash is searched from the second character, because the first may be a sign.
    let dash = 1 + text.get(1..)?.find('-')?;
    Some((text[..dash].parse().ok()?, text[dash + 1..].parse().ok()?))
}
