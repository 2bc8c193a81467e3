//! Selection of voxels by the values of their samples.

use super::{
    AnyDeviceVolume, AnyVolume, DeviceMask, GridError, Mask, Sample, SamplePredicate, SampleType,
    label_text::format_label, with_volume,
};
use crate::device::Stream;
use std::fmt;

/// Selection of the samples that belong to an object.
///
/// Samples of `i32`, `i64` and `f64` are compared exactly. For other samples, thresholds are
/// rounded to `f32`, as kernels compare them. NaN counts as not zero, and is in no other selection.
///
/// ```
/// use ferrovox::grid::{AnyVolume, Geometry, Mask, Selection, Volume};
///
/// let labels = AnyVolume::from(Volume::new(vec![0_u8, 3, 7, 3], [4, 1, 1], Geometry::default())?);
/// let count = |selection| Mask::select(&labels, selection).map(|mask| mask.count());
/// assert_eq!(count(Selection::NotZero)?, 3);
/// assert_eq!(count(Selection::Label(3.0))?, 2);
/// assert_eq!(count(Selection::AtLeast(4.0))?, 1);
/// assert_eq!(count(Selection::Below(4.0))?, 3);
/// assert_eq!(count(Selection::Range([1.0, 7.0]))?, 3);
/// assert_eq!(Selection::Label(3.0).to_string(), "label 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Selection {
    /// Samples that are not 0, for binary masks.
    #[default]
    NotZero,
    /// Samples of at least this value.
    AtLeast(f64),
    /// Samples below this value.
    Below(f64),
    /// Samples from the first value to the second, both included.
    Range([f64; 2]),
    /// Samples of exactly this value.
    Label(f64),
    /// Integers of exactly this value, which `f64` need not represent.
    WideLabel(i64),
}

impl Selection {
    /// Checks that samples can be compared with the numbers of the selection.
    ///
    /// # Errors
    /// [`GridError::Threshold`] and [`GridError::Label`].
    pub fn check(self) -> Result<(), GridError> {
        let is_finite = |x: &f64| (*x as f32).is_finite();
        match self {
            Self::Label(found) if !is_finite(&found) => Err(GridError::Label { found }),
            Self::AtLeast(found) | Self::Below(found) if !is_finite(&found) => {
                Err(GridError::Threshold { found })
            }
            Self::Range(ends) => match ends.into_iter().find(|end| !is_finite(end)) {
                Some(found) => Err(GridError::Threshold { found }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Returns `true` if a sample is selected, with bounds rounded to `f32`.
    pub fn contains(self, sample: f64) -> bool {
        let rounded = |x: f64| f64::from(x as f32);
        match self {
            Self::NotZero => sample != 0.0,
            Self::AtLeast(threshold) => sample >= rounded(threshold),
            Self::Below(threshold) => sample < rounded(threshold),
            Self::Range([low, high]) => sample >= rounded(low) && sample <= rounded(high),
            Self::Label(label) => sample == label,
            Self::WideLabel(label) => sample.to_label() == Some(label),
        }
    }

    /// Returns `true` if a sample is selected, with unrounded bounds: for samples that `f32` cannot
    /// represent.
    fn contains_exactly(self, sample: f64) -> bool {
        match self {
            Self::AtLeast(threshold) => sample >= threshold,
            Self::Below(threshold) => sample < threshold,
            Self::Range([low, high]) => sample >= low && sample <= high,
            Self::NotZero | Self::Label(_) | Self::WideLabel(_) => self.contains(sample),
        }
    }
}

impl Selection {
    /// Returns the predicate of the selection. Samples of `i32`, `i64` and `f64` are compared
    /// exactly, others with the bounds rounded to `f32`, as kernels do.
    pub(crate) const fn predicate(self) -> SelectionPredicate {
        SelectionPredicate(self)
    }
}

/// Predicate of the samples of a selection.
#[derive(Clone, Copy)]
pub(crate) struct SelectionPredicate(Selection);

impl SamplePredicate for SelectionPredicate {
    fn accepts<T: Sample>(&self, sample: T) -> bool {
        match (self.0, T::TYPE) {
            (Selection::WideLabel(label), _) => sample.to_label() == Some(label),
            (Selection::Label(label), SampleType::I64) => sample.to_label() == label.to_label(),
            (selection, SampleType::I32 | SampleType::I64 | SampleType::F64) => {
                selection.contains_exactly(sample.to_f64())
            }
            (selection, _) => selection.contains(sample.to_f64()),
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotZero => f.write_str("not zero"),
            Self::AtLeast(threshold) => write!(f, "{threshold} or more"),
            Self::Below(threshold) => write!(f, "less than {threshold}"),
            Self::Range([low, high]) => write!(f, "from {low} to {high}"),
            Self::Label(label) => write!(f, "label {}", format_label(*label)),
            Self::WideLabel(label) => write!(f, "label {label}"),
        }
    }
}

impl DeviceMask {
    /// Selects the voxels of a volume on its device, in one pass. Memory: one bit per voxel.
    ///
    /// # Errors
    /// The errors of [`Selection::check`] and of the device; [`GridError::Label`] for a label that
    /// `f32` cannot represent, since samples on a device are compared as `f32`.
    pub fn select(
        stream: &Stream,
        volume: &AnyDeviceVolume,
        selection: Selection,
    ) -> Result<Self, GridError> {
        selection.check()?;
        match selection {
            Selection::WideLabel(label) => {
                let found = label as f64;
                if found.to_label() == Some(label) {
                    return Self::select(stream, volume, Selection::Label(found));
                }
                Err(GridError::Label { found })
            }
            Selection::NotZero => volume.not_zero(stream),
            Selection::AtLeast(threshold) => volume.above(stream, threshold as f32),
            Selection::Below(threshold) => volume.below(stream, threshold as f32),
            Selection::Range([low, high]) => volume.between(stream, low as f32, high as f32),
            Selection::Label(found) if f64::from(found as f32) != found => {
                Err(GridError::Label { found })
            }
            Selection::Label(label) => volume.between(stream, label as f32, label as f32),
        }
    }
}

impl Mask {
    /// Selects the voxels of a volume on the host. Samples of `i32`, `i64` and `f64` are not
    /// converted.
    ///
    /// # Errors
    /// The errors of [`Selection::check`] and of [`Mask::new`].
    pub fn select(volume: &AnyVolume, selection: Selection) -> Result<Self, GridError> {
        selection.check()?;
        let mut mask = Self::new(volume.dims(), *volume.geometry())?;
        let predicate = selection.predicate();
        with_volume!(volume, volume => mask.set_rows_by(0, volume.samples(), &predicate));
        Ok(mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        grid::{Geometry, Volume},
    };

    #[test]
    fn host_and_device_select_the_same_voxels() {
        let samples = vec![0.0_f32, -0.0, 0.1, 3.0, f32::NAN, -1.0, f32::INFINITY, 7.5];
        let volume = Volume::new(samples, [2, 4, 1], Geometry::default()).unwrap();
        let volume = AnyVolume::from(volume);
        let stream = Device::cpu().stream().unwrap();
        let on_device = AnyDeviceVolume::upload(&stream, &volume).unwrap();
        for (selection, count) in [
            (Selection::NotZero, 6),
            (Selection::AtLeast(0.1), 4),
            (Selection::Below(0.1), 3),
            (Selection::Range([0.0, 3.0]), 4),
            (Selection::Label(3.0), 1),
        ] {
            let host = Mask::select(&volume, selection).unwrap();
            let device = DeviceMask::select(&stream, &on_device, selection).unwrap();
            assert_eq!(host.count(), count, "{selection}");
            let device = device.download(&stream).unwrap();
            assert_eq!(host.words(), device, "{selection}");
        }
    }

    #[test]
    fn invalid_thresholds_and_labels_are_errors() {
        for (selection, fact) in [
            (Selection::AtLeast(1e300), "range of f32"),
            (Selection::Below(f64::NAN), "the threshold is NaN"),
            (
                Selection::Range([0.0, f64::INFINITY]),
                "the threshold is inf",
            ),
            (Selection::Label(f64::NAN), "the label is NaN"),
        ] {
            let error = selection.check().unwrap_err().to_string();
            assert!(error.contains(fact), "{error}");
        }
    }

    #[test]
    fn wide_labels_are_compared_exactly() {
        let wide = i64::MAX;
        let samples = vec![wide, wide - 1, 1 << 53, (1 << 53) + 1];
        let volume = AnyVolume::from(Volume::new(samples, [4, 1, 1], Geometry::default()).unwrap());
        for (selection, expected) in [
            (Selection::WideLabel(wide), [1_u32]),
            (Selection::WideLabel(wide - 1), [2]),
            (Selection::WideLabel((1 << 53) + 1), [8]),
            (Selection::Label((1_u64 << 53) as f64), [4]),
        ] {
            let mask = Mask::select(&volume, selection).unwrap();
            assert_eq!(mask.words(), expected, "{selection}");
        }
    }

    #[test]
    fn integers_are_compared_exactly() {
        let samples = vec![16_777_216_i32, 16_777_217, 16_777_218, 0];
        let volume = AnyVolume::from(Volume::new(samples, [4, 1, 1], Geometry::default()).unwrap());
        for (selection, count) in [
            (Selection::Label(16_777_217.0), 1),
            (Selection::AtLeast(16_777_217.0), 2),
            (Selection::Below(16_777_217.0), 2),
            (Selection::Range([16_777_217.0, 16_777_217.0]), 1),
        ] {
            let mask = Mask::select(&volume, selection).unwrap();
            assert_eq!(mask.count(), count, "{selection}");
        }
        let samples = vec![16_777_216_f64, 16_777_217.0, 1e15 + 1.0];
        let doubles =
            AnyVolume::from(Volume::new(samples, [3, 1, 1], Geometry::default()).unwrap());
        for (selection, count) in [
            (Selection::AtLeast(16_777_217.0), 2),
            (Selection::Below(1e15 + 1.0), 2),
        ] {
            let mask = Mask::select(&doubles, selection).unwrap();
            assert_eq!(mask.count(), count, "{selection}");
        }
        // samples on a device are f32
        let stream = Device::cpu().stream().unwrap();
        let (volume, inexact) = volume.into_kernel_type();
        assert_eq!(inexact, 1);
        let volume = AnyDeviceVolume::upload(&stream, &volume).unwrap();
        let label = Selection::Label(16_777_217.0);
        let error = DeviceMask::select(&stream, &volume, label).unwrap_err();
        assert!(
            error.to_string().contains("the label is 16777217"),
            "{error}"
        );
    }
}
