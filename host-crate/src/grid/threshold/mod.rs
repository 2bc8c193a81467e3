//! Thresholds from histograms: Otsu's, which separates samples into two classes, and percentiles.

mod histogram;

pub(crate) use histogram::{Histogram, SampleRange};

use super::Sample;
use crate::{error::ErrorKind, memory::OutOfMemory};

/// Reason why no threshold separates samples.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OtsuError {
    /// There are no samples.
    #[error(
        "no sample is finite and within the mask, so there is no threshold between classes of them; give an isovalue"
    )]
    NoSamples,
    /// All samples are equal.
    #[error(
        "all samples are {value}, so there is no threshold between classes of them; give an isovalue"
    )]
    AllEqual {
        /// Value of the samples.
        value: f64,
    },
    /// The memory of the host is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl OtsuError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) => ErrorKind::Memory,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// Computes Otsu's threshold (*A threshold selection method from gray-level histograms*, 1979): the
/// threshold that maximises the between-class variance of the samples below and above it. Samples
/// that are not finite are ignored, and with a `mask` those where it is 0.
///
/// The result is the midpoint between the largest sample of the lower class and the smallest of the
/// upper one, and so a valid isovalue. Samples of 8 and 16 bits are counted value by value; others
/// in 65,536 bins over their range, so that the result is exact to one bin. Of equally good
/// thresholds the lowest is returned.
///
/// # Errors
/// [`OtsuError`] if all samples are equal, or there are none.
///
/// ```
/// use ferrovox::grid::otsu_threshold;
///
/// assert_eq!(otsu_threshold(&[10u8, 12, 11, 200, 210, 12], None)?, 106.0);
/// assert_eq!(otsu_threshold(&[10u8, 12, 11, 200, 210, 12], Some(&[1, 1, 1, 0, 0, 0]))?, 10.5);
/// # Ok::<(), ferrovox::grid::OtsuError>(())
/// ```
pub fn otsu_threshold<T: Sample>(samples: &[T], mask: Option<&[u8]>) -> Result<f64, OtsuError> {
    ThresholdRule::Otsu.threshold(Histogram::from_samples(samples, mask))
}

/// Computes a percentile: the smallest sample that at least `percent` % of the samples do not
/// exceed. Samples that are not finite are ignored, and with a `mask` those where it is 0.
///
/// Samples of 8 and 16 bits are counted value by value; others in 65,536 bins over their range, so
/// that the result is exact to one bin.
///
/// # Errors
/// [`OtsuError::NoSamples`] if there are no samples.
///
/// ```
/// use ferrovox::grid::percentile;
///
/// assert_eq!(percentile(&[10u8, 12, 11, 200, 210], None, 50.0)?, 12.0);
/// assert_eq!(percentile(&[10u8, 12, 11, 200, 210], None, 100.0)?, 210.0);
/// # Ok::<(), ferrovox::grid::OtsuError>(())
/// ```
pub fn percentile<T: Sample>(
    samples: &[T],
    mask: Option<&[u8]>,
    percent: f64,
) -> Result<f64, OtsuError> {
    ThresholdRule::Percentile(percent).threshold(Histogram::from_samples(samples, mask))
}

/// Rule that derives a threshold from a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ThresholdRule {
    Otsu,
    /// A percentile from 0 to 100.
    Percentile(f64),
}

impl ThresholdRule {
    /// Applies the rule to a histogram, or to the reason why there is none: equal samples have
    /// percentiles, but no threshold between classes.
    pub fn threshold(self, histogram: Result<Histogram, OtsuError>) -> Result<f64, OtsuError> {
        match (self, histogram) {
            (Self::Otsu, histogram) => histogram?.threshold(),
            (Self::Percentile(_), Err(OtsuError::AllEqual { value })) => Ok(value),
            (Self::Percentile(percent), histogram) => {
                histogram?.percentile(percent).ok_or(OtsuError::NoSamples)
            }
        }
    }
}

#[cfg(test)]
mod tests;
