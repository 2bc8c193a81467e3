//! Scaling of stored samples: types of the scaled values, and the scaling of buffers.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::grid::{Sample, SampleType, f64_to_f32};
use crate::io::{FileProblem, SampleProblem, Scaling, StoredType};
use crate::parallel;

/// Largest magnitude up to which `f64` represents all integers, 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

impl Scaling {
    /// Returns `true` if the scaling changes no value.
    pub fn is_identity(&self) -> bool {
        self.slope == 1.0 && self.intercept == 0.0
    }

    /// Returns the value of a stored sample.
    pub fn apply(&self, sample: f64) -> f64 {
        self.slope * sample + self.intercept
    }

    /// Returns the sample type of scaled volumes: `f32` if it represents the value of every
    /// integer that the stored type can hold, otherwise `f64`. Only 8 and 16-bit integers can
    /// become `f32`; all of them are tried.
    pub(crate) fn value_type(&self, stored: StoredType) -> SampleType {
        let is_exact = |sample: i32| f64_to_f32(self.apply(sample.into())).1;
        let fits_f32 = match stored {
            StoredType::U8 => (0..=u8::MAX.into()).all(is_exact),
            StoredType::I8 => (i8::MIN.into()..=i8::MAX.into()).all(is_exact),
            StoredType::U16 => (0..=u16::MAX.into()).all(is_exact),
            StoredType::I16 => (i16::MIN.into()..=i16::MAX.into()).all(is_exact),
            _ => false,
        };
        if fits_f32 {
            SampleType::F32
        } else {
            SampleType::F64
        }
    }

    /// Returns `true` if all scaled samples are integers that `f64` represents exactly: the stored
    /// type, the slope and the intercept are integral, and no value exceeds 2^53.
    pub(crate) fn keeps_integers(&self, stored: StoredType) -> bool {
        let largest = match stored {
            StoredType::F32 | StoredType::F64 => return false,
            integer => (integer.bytes() as f64 * 8.0).exp2(),
        };
        self.slope.fract() == 0.0
            && self.intercept.fract() == 0.0
            && largest * self.slope.abs() + self.intercept.abs() <= MAX_EXACT
    }

    /// Scales `samples` into `values`, which has the same length. `first` is the index of the first
    /// sample in its volume.
    ///
    /// # Errors
    /// [`SampleProblem::ScalingOverflow`] for the first finite sample whose value is not finite.
    pub(super) fn scale<S: Sample, V: ScaledSample>(
        &self,
        first: u64,
        samples: &[S],
        values: &mut [V],
    ) -> Result<(), FileProblem> {
        let overflows = |sample: f64| sample.is_finite() && !self.apply(sample).is_finite();
        let first_overflow = AtomicUsize::new(usize::MAX);
        parallel::for_each_chunk_mut(values, parallel::CHUNK_LEN, |start, values| {
            let samples = &samples[start..][..values.len()];
            // A flag without a branch per sample, so that the loop is vectorised.
            let mut has_overflow = false;
            for (value, sample) in values.iter_mut().zip(samples) {
                let sample = sample.to_f64();
                has_overflow |= overflows(sample);
                *value = V::from_f64(self.apply(sample));
            }
            if has_overflow
                && let Some(index) = samples.iter().position(|it| overflows(it.to_f64()))
            {
                first_overflow.fetch_min(start + index, Ordering::Relaxed);
            }
        });
        match first_overflow.into_inner() {
            usize::MAX => Ok(()),
            index => Err(SampleProblem::ScalingOverflow {
                index: first + index as u64,
                // `Layout::at_voxel` fills this in.
                voxel: [0; 3],
                stored: samples[index].to_f64(),
                slope: self.slope,
                intercept: self.intercept,
            }
            .into()),
        }
    }
}

/// Sample type of scaled values: `f32` or `f64`.
pub(super) trait ScaledSample: Sample {
    /// Returns the nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

impl ScaledSample for f32 {
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl ScaledSample for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaling(slope: f64, intercept: f64) -> Scaling {
        Scaling { slope, intercept }
    }

    #[test]
    fn f32_is_chosen_only_if_it_represents_every_value() {
        let value_type = |slope, intercept, stored| scaling(slope, intercept).value_type(stored);
        // CT in Hounsfield units
        assert_eq!(value_type(1.0, -1024.0, StoredType::I16), SampleType::F32);
        assert_eq!(value_type(0.5, -10.0, StoredType::U16), SampleType::F32);
        assert_eq!(value_type(256.0, 0.0, StoredType::U16), SampleType::F32);
        assert_eq!(value_type(1.0, 1e8, StoredType::I16), SampleType::F64);
        assert_eq!(
            value_type(1.0, 1_073_741_824.0, StoredType::U16),
            SampleType::F64
        );
        assert_eq!(value_type(0.1, 0.0, StoredType::U8), SampleType::F64);
        assert_eq!(value_type(1e38, 0.0, StoredType::I8), SampleType::F64);
        assert_eq!(value_type(2.0, 0.0, StoredType::F32), SampleType::F64);
        assert_eq!(value_type(2.0, 0.0, StoredType::I32), SampleType::F64);
    }

    #[test]
    fn integers_stay_integers_up_to_the_precision_of_f64() {
        let keeps = |slope, intercept, stored| scaling(slope, intercept).keeps_integers(stored);
        assert!(keeps(1.0, 1_073_741_824.0, StoredType::U16));
        assert!(keeps(-3.0, 7.0, StoredType::I32));
        assert!(!keeps(0.5, 0.0, StoredType::U16));
        assert!(!keeps(1.0, 0.5, StoredType::U16));
        assert!(!keeps(2.0, 0.0, StoredType::I64));
        assert!(!keeps(1.0, 1e16, StoredType::U8));
        assert!(!keeps(2.0, 0.0, StoredType::F32));
    }

    #[test]
    fn overflow_names_the_first_finite_sample() {
        let samples = [f32::INFINITY, f32::NAN, 1.0, 3e38, -3e38];
        let mut values = [0.0_f64; 5];
        let problem = scaling(1e300, 0.0)
            .scale(10, &samples, &mut values)
            .unwrap_err();
        assert!(
            matches!(
                problem,
                FileProblem::Sample(SampleProblem::ScalingOverflow { index: 13, .. })
            ),
            "{problem}"
        );
        scaling(1e200, 0.0).scale(0, &samples, &mut values).unwrap();
        assert!(values[0].is_infinite() && values[1].is_nan());
        assert_eq!(values[2], 1e200);
    }
}
