//! Conversion of volumes to `f32` samples or to masks.

use super::{
    AnyVolume, Sample, SamplePredicate, SampleType, Volume, with_kernel_volume, with_volume,
};
use crate::{
    memory::{self, OutOfMemory},
    parallel,
};
use std::ops::{Add, Range};

/// Report of a conversion to `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Sample type before the conversion.
    pub from: SampleType,
    /// Number of samples that `f32` cannot represent exactly, and that were rounded to the nearest
    /// `f32`. NaN stays NaN and is not counted; a finite `f64` beyond the range of `f32` becomes an
    /// infinity and is counted.
    pub inexact: usize,
}

impl AnyVolume {
    /// Converts the samples to `f32`, and reports how many were rounded.
    ///
    /// Integers of 8 and 16 bits are exact; `i32`, `i64` and `f64` may be rounded. An `f32` volume
    /// is returned unchanged.
    ///
    /// ```
    /// use ferrovox::grid::{AnyVolume, Geometry, Volume};
    ///
    /// let volume = Volume::new(vec![16_777_216_i32, 16_777_217], [2, 1, 1], Geometry::default())?;
    /// let (converted, report) = AnyVolume::from(volume).into_f32();
    /// assert_eq!(converted.samples(), [16_777_216.0, 16_777_216.0]);
    /// assert_eq!(report.inexact, 1);
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    ///
    /// # Panics
    /// If memory runs out; [`try_into_f32`](Self::try_into_f32) returns an error instead.
    pub fn into_f32(self) -> (Volume<f32>, Conversion) {
        or_panic(self.try_into_f32())
    }

    /// Converts the samples to `f32` as [`into_f32`](Self::into_f32).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_into_f32(self) -> Result<(Volume<f32>, Conversion), OutOfMemory> {
        match self {
            Self::F32(volume) => {
                let (from, inexact) = (SampleType::F32, 0);
                Ok((volume, Conversion { from, inexact }))
            }
            volume => volume.to_f32(),
        }
    }

    /// Copies the volume with its samples converted to `f32`, and reports how many were rounded.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn to_f32(&self) -> Result<(Volume<f32>, Conversion), OutOfMemory> {
        let from = self.sample_type();
        let (volume, inexact) = match self {
            Self::I32(volume) => {
                let inexact = count(volume, |&sample| !i32_to_f32(sample).1);
                (map(volume, |sample| i32_to_f32(sample).0)?, inexact)
            }
            Self::I64(volume) => {
                let inexact = count(volume, |&sample| !i64_to_f32(sample).1);
                (map(volume, |sample| i64_to_f32(sample).0)?, inexact)
            }
            Self::F64(volume) => {
                let inexact = count(volume, |&sample| !f64_to_f32(sample).1);
                (map(volume, |sample| f64_to_f32(sample).0)?, inexact)
            }
            exact => with_kernel_volume!(
                exact,
                volume => (map(volume, f32::from)?, 0),
                _ => unreachable!("the other types are converted above")
            ),
        };
        Ok((volume, Conversion { from, inexact }))
    }
}

/// Returns the value, or panics if memory ran out.
fn or_panic<R>(result: Result<R, OutOfMemory>) -> R {
    result.unwrap_or_else(|error| panic!("{error}"))
}

impl AnyVolume {
    /// Converts `i32`, `i64` and `f64` samples to `f32`, so that kernels can read the volume, and
    /// returns the number of rounded samples. Other types are kept.
    ///
    /// # Panics
    /// If memory runs out; [`try_into_kernel_type`](Self::try_into_kernel_type) returns an error
    /// instead.
    pub fn into_kernel_type(self) -> (Self, usize) {
        or_panic(self.try_into_kernel_type())
    }

    /// Converts the samples as [`into_kernel_type`](Self::into_kernel_type).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_into_kernel_type(self) -> Result<(Self, usize), OutOfMemory> {
        Ok(match self {
            Self::I32(_) | Self::I64(_) | Self::F64(_) => {
                let (volume, conversion) = self.try_into_f32()?;
                (volume.into(), conversion.inexact)
            }
            _ => (self, 0),
        })
    }
}

impl AnyVolume {
    /// Returns a mask of the same grid: 1 where the volume is not zero, else 0.
    ///
    /// ```
    /// use ferrovox::grid::{AnyVolume, Geometry, Volume};
    ///
    /// let volume = Volume::new(vec![0.0_f64, -0.5, 3.0], [3, 1, 1], Geometry::default())?;
    /// assert_eq!(AnyVolume::from(volume).where_not_zero().samples(), [0, 1, 1]);
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    ///
    /// # Panics
    /// If memory runs out; [`try_where_not_zero`](Self::try_where_not_zero) returns an error
    /// instead.
    pub fn where_not_zero(self) -> Volume<u8> {
        or_panic(self.try_where_not_zero())
    }

    /// Returns the mask of [`where_not_zero`](Self::where_not_zero).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_where_not_zero(&self) -> Result<Volume<u8>, OutOfMemory> {
        self.try_where(|sample: f64| sample != 0.0)
    }

    /// Returns a mask of the same grid: 1 where `is_inside` accepts the label, else 0. Samples that
    /// are not integers of 64 bits have no label.
    pub(crate) fn try_where_label(
        &self,
        is_inside: impl Fn(Option<i64>) -> bool + Sync,
    ) -> Result<Volume<u8>, OutOfMemory> {
        with_volume!(self, volume => map(volume, |sample| u8::from(is_inside(sample.to_label()))))
    }

    /// Returns a mask of the same grid: 1 for samples that have a property, else 0.
    pub(crate) fn try_where(
        &self,
        predicate: impl SamplePredicate,
    ) -> Result<Volume<u8>, OutOfMemory> {
        with_volume!(self, volume => map(volume, |sample| u8::from(predicate.accepts(sample))))
    }
}

/// Returns the nearest `f32`, and `true` if it is exact.
pub(crate) fn i32_to_f32(sample: i32) -> (f32, bool) {
    let narrow = sample as f32;
    (narrow, f64::from(narrow) == f64::from(sample))
}

/// Returns the nearest `f32`, and `true` if it is exact.
pub(crate) fn i64_to_f32(sample: i64) -> (f32, bool) {
    let narrow = sample as f32;
    (narrow, narrow as i128 == i128::from(sample))
}

/// Returns the nearest `f32`, and `true` if it is exact.
pub(crate) fn f64_to_f32(sample: f64) -> (f32, bool) {
    let narrow = sample as f32;
    (narrow, sample.is_nan() || f64::from(narrow) == sample)
}

/// Returns the difference of a sample and a level as `f32`, and `true` if it is exact.
pub(crate) fn subtract_level(sample: f64, level: f64) -> (f32, bool) {
    let difference = sample - level;
    // rounding error of the subtraction (Knuth's TwoSum)
    let of_level = difference - sample;
    let error = (sample - (difference - of_level)) - (level + of_level);
    let (narrow, is_exact) = f64_to_f32(difference);
    (narrow, is_exact && error == 0.0)
}

fn map<T: Sample, U: Sample>(
    volume: &Volume<T>,
    convert: impl Fn(T) -> U + Sync,
) -> Result<Volume<U>, OutOfMemory> {
    let from = volume.samples();
    let mut samples = memory::try_zeroed("samples of another type", from.len())?;
    parallel::for_each_chunk_mut(&mut samples, parallel::CHUNK_LEN, |first, to| {
        for (to, &from) in to.iter_mut().zip(&from[first..]) {
            *to = convert(from);
        }
    });
    Ok(volume.with_samples(samples))
}

fn count<T: Sample>(volume: &Volume<T>, is_inexact: impl Fn(&T) -> bool + Sync) -> usize {
    let samples = volume.samples();
    let of_range = |range: Range<usize>| samples[range].iter().filter(|it| is_inexact(it)).count();
    parallel::reduce(samples.len(), parallel::CHUNK_LEN, of_range, usize::add).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    #[test]
    fn conversion_of_f64_reports_rounded_samples() {
        let samples = vec![0.5, 0.1, f64::NAN, f64::INFINITY, 1e300, -0.0];
        let volume = Volume::new(samples, [6, 1, 1], Geometry::default()).unwrap();
        let (converted, report) = AnyVolume::from(volume).into_f32();
        assert_eq!(report.from, SampleType::F64);
        assert_eq!(report.inexact, 2, "0.1 and 1e300");
        assert!(converted.samples()[2].is_nan());
        assert_eq!(converted.samples()[4], f32::INFINITY);
    }

    #[test]
    fn small_integers_are_exact() {
        let volume = Volume::new(vec![-32768_i16, 32767], [1, 2, 1], Geometry::default()).unwrap();
        let (converted, report) = AnyVolume::from(volume).into_f32();
        assert_eq!(converted.samples(), [-32768.0, 32767.0]);
        assert_eq!(converted.dims(), [1, 2, 1]);
        assert_eq!(report.inexact, 0);
    }

    #[test]
    fn differences_from_a_level_report_exactness() {
        let big = f64::from(1 << 30);
        assert_eq!(subtract_level(big + 1.0, big), (1.0, true));
        assert!(!subtract_level(-2.0 * big, 2.0 * big - 1.0).1);
        assert_eq!(subtract_level(big + 1.0, big + 0.5), (0.5, true));
        // 2^30 − 0.1 needs more than 53 bits, 1 − 0.1 more than 24
        assert!(!subtract_level(big, 0.1).1 && !subtract_level(1.0, 0.1).1);
        // f32 represents the difference in f64, which is rounded
        assert!(!subtract_level(big, 1e-300).1);
    }
}
