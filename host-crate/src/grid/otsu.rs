//! Thresholds from histograms: Otsu's, which separates samples into two classes, and percentiles.

use super::{Sample, SampleSummary, SampleType};
use crate::{
    error::ErrorKind,
    memory::{self, OutOfMemory},
    parallel,
};

/// Purpose of the memory of histograms, quoted in errors.
const HISTOGRAM: &str = "a histogram";
/// Number of samples that a thread counts into a histogram of its own.
const CHUNK_LEN: usize = 1 << 22;
/// Number of bins for samples that are not counted value by value.
const BINS: usize = 1 << 16;

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

/// Range of finite samples.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    min: f64,
    max: f64,
}

impl Range {
    pub const NONE: Self = Self {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
    };

    pub fn from_summary(summary: &SampleSummary) -> Self {
        match (summary.min, summary.max) {
            (Some(min), Some(max)) => Self { min, max },
            _ => Self::NONE,
        }
    }

    /// Returns the range of the samples where the mask is not 0.
    pub fn within<T: Sample>(samples: &[T], mask: &[u8]) -> Self {
        let chunk_range = |range: std::ops::Range<usize>| {
            let both = samples[range.clone()].iter().zip(&mask[range]);
            let counting = both.filter(|it| *it.1 != 0 && it.0.is_finite());
            counting.fold(Self::NONE, |all, (sample, _)| {
                all.and(Self {
                    min: sample.to_f64(),
                    max: sample.to_f64(),
                })
            })
        };
        let count = samples.len().min(mask.len());
        let all = parallel::reduce(count, parallel::CHUNK_LEN, chunk_range, Self::and);
        all.unwrap_or(Self::NONE)
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// Histogram of samples.
pub(crate) struct Histogram {
    counts: Vec<u64>,
    /// Start of bin 0, and width of a bin.
    low: f64,
    width: f64,
    /// `true` if each bin is a single value.
    by_value: bool,
}

impl Histogram {
    /// Returns `true` if samples of this type are counted value by value.
    pub fn is_by_value(sample_type: SampleType) -> bool {
        sample_type.bytes() <= 2
    }

    /// Counts samples; with a mask, those where it is not 0.
    pub fn from_samples<T: Sample>(samples: &[T], mask: Option<&[u8]>) -> Result<Self, OtsuError> {
        let mut histogram = if Self::is_by_value(T::TYPE) {
            Self::by_value(T::TYPE)?
        } else {
            let range = match mask {
                None => Range::from_summary(&SampleSummary::from_samples(samples)),
                Some(mask) => Range::within(samples, mask),
            };
            Self::with_range(range)?
        };
        histogram.add(samples, mask)?;
        Ok(histogram)
    }

    /// Returns a percentile, or `None` without samples.
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        let all: u64 = self.counts.iter().sum();
        let rank = ((percent / 100.0 * all as f64).ceil() as u64).clamp(1, all.max(1));
        let mut before = 0;
        for (bin, &count) in self.counts.iter().enumerate() {
            if before + count >= rank && count > 0 {
                let within = if self.by_value {
                    0.0
                } else {
                    (rank - before) as f64 / count as f64
                };
                return Some(self.low + (bin as f64 + within) * self.width);
            }
            before += count;
        }
        None
    }

    /// Creates a histogram for samples of 8 or 16 bits.
    pub fn by_value(sample_type: SampleType) -> Result<Self, OutOfMemory> {
        let (low, bins) = match sample_type {
            SampleType::I8 => (i8::MIN.into(), 1 << 8),
            SampleType::I16 => (i16::MIN.into(), 1 << 16),
            SampleType::U8 => (0.0, 1 << 8),
            _ => (0.0, 1 << 16),
        };
        Ok(Self {
            counts: memory::try_filled(HISTOGRAM, bins, 0)?,
            low,
            width: 1.0,
            by_value: true,
        })
    }

    /// Creates a histogram with equal bins over a range.
    pub fn with_range(range: Range) -> Result<Self, OtsuError> {
        let Range { min, max } = range;
        if min > max {
            return Err(OtsuError::NoSamples);
        }
        if min == max {
            return Err(OtsuError::AllEqual { value: min });
        }
        let bins = BINS as f64;
        Ok(Self {
            counts: memory::try_filled(HISTOGRAM, BINS, 0)?,
            low: min,
            // halved, so that the width of the full range of f64 is finite
            width: max / bins - min / bins,
            by_value: false,
        })
    }

    /// Counts samples; with a mask, those where it is not 0.
    pub fn add<T: Sample>(
        &mut self,
        samples: &[T],
        mask: Option<&[u8]>,
    ) -> Result<(), OutOfMemory> {
        let last = self.counts.len() - 1;
        let counted = parallel::for_each_with(
            samples.len().div_ceil(CHUNK_LEN),
            || memory::try_filled(HISTOGRAM, last + 1, 0u64),
            |counts, chunk| {
                let Ok(counts) = counts else {
                    return;
                };
                let start = chunk * CHUNK_LEN;
                let samples = &samples[start..samples.len().min(start + CHUNK_LEN)];
                let mask = mask.map(|mask| &mask[start..][..samples.len()]);
                for (at, sample) in samples.iter().enumerate() {
                    if sample.is_finite() && mask.is_none_or(|mask| mask[at] != 0) {
                        let bin = (sample.to_f64() - self.low) / self.width;
                        counts[(bin as usize).min(last)] += 1;
                    }
                }
            },
        );
        for counts in counted {
            let sums = self.counts.iter_mut().zip(counts?);
            sums.for_each(|(sum, count)| *sum += count);
        }
        Ok(())
    }

    /// Returns the counts in `bins` equal intervals from the smallest to the largest sample, with
    /// these two; `None` without samples.
    pub fn rebinned(&self, bins: usize) -> Option<([f64; 2], Vec<u64>)> {
        let first = self.counts.iter().position(|&count| count > 0)?;
        let last = self.counts.iter().rposition(|&count| count > 0)?;
        let occupied = &self.counts[first..=last];
        let mut counts = vec![0; bins];
        for (bin, count) in occupied.iter().enumerate() {
            counts[bin * bins / occupied.len()] += count;
        }
        let end = if self.by_value { last } else { last + 1 };
        let ends = [first, end].map(|bin| self.low + bin as f64 * self.width);
        Some((ends, counts))
    }

    /// Returns the threshold with the largest between-class variance.
    pub fn threshold(&self) -> Result<f64, OtsuError> {
        let occupied = || (0u64..).zip(&self.counts).filter(|(_, count)| **count > 0);
        // at most 2¹⁶ · 2⁶⁴
        let all: u64 = self.counts.iter().sum();
        let sum: u128 = occupied()
            .map(|(bin, &count)| u128::from(bin) * u128::from(count))
            .sum();
        let (mut below, mut sum_below) = (0u64, 0u128);
        let mut best: Option<(f64, f64)> = None;
        let mut bins = occupied().peekable();
        while let Some((bin, &count)) = bins.next() {
            let Some(&(next, _)) = bins.peek() else {
                break;
            };
            below += count;
            sum_below += u128::from(bin) * u128::from(count);
            let above = all - below;
            let mean_below = sum_below as f64 / below as f64;
            let mean_above = (sum - sum_below) as f64 / above as f64;
            let variance = below as f64 * above as f64 * (mean_above - mean_below).powi(2);
            if best.is_none_or(|(max_variance, _)| variance > max_variance) {
                // a bin of a range ends where the next one begins
                let end = if self.by_value { bin } else { bin + 1 };
                best = Some((variance, (end + next) as f64 / 2.0));
            }
        }
        match (best, occupied().next()) {
            (Some((_, threshold)), _) => Ok(self.low + threshold * self.width),
            (None, Some((bin, _))) => Err(OtsuError::AllEqual {
                value: self.low + bin as f64 * self.width,
            }),
            (None, None) => Err(OtsuError::NoSamples),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a sequence of pseudo-random numbers.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        })
    }

    /// Between-class variance, by its definition.
    fn between(samples: &[f64], threshold: f64) -> f64 {
        let (low, high): (Vec<f64>, Vec<f64>) = samples.iter().partition(|it| **it < threshold);
        let [mean_low, mean_high] =
            [&low, &high].map(|it| it.iter().sum::<f64>() / it.len() as f64);
        let share = |class: &[f64]| class.len() as f64 / samples.len() as f64;
        share(&low) * share(&high) * (mean_low - mean_high).powi(2)
    }

    /// Maximum between-class variance over all thresholds.
    fn largest(samples: &[f64]) -> f64 {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        let thresholds = sorted.windows(2).map(|it| (it[0] + it[1]) / 2.0);
        thresholds
            .map(|threshold| between(samples, threshold))
            .fold(0.0, f64::max)
    }

    #[test]
    fn threshold_of_integers_maximises_the_variance() {
        for seed in 0..40 {
            let mut noise = numbers(seed);
            let mut draw = |below: u64| noise.next().unwrap_or(0) % below;
            let samples: Vec<i16> = (0..200)
                .map(|_| match draw(3) {
                    0 => draw(300) as i16 - 250,
                    _ => draw(100) as i16 + 20 * seed as i16,
                })
                .collect();
            let wide: Vec<f64> = samples.iter().map(|&it| it.into()).collect();
            let threshold = otsu_threshold(&samples, None).unwrap();
            let found = between(&wide, threshold);
            assert!(found >= largest(&wide) * (1.0 - 1e-12), "seed {seed}");
            assert_eq!(threshold.fract().abs() % 0.5, 0.0);
            // the same values as floats give the threshold to one bin
            let range = wide.iter().fold(0.0f64, |max, it| max.max(it.abs())) * 2.0;
            let wide_threshold = otsu_threshold(&wide, None).unwrap();
            assert!(
                (wide_threshold - threshold).abs() <= range / 60_000.0,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn threshold_of_floats_is_exact_to_a_bin() {
        for seed in 0..10 {
            let mut noise = numbers(seed);
            let mut draw = || noise.next().unwrap_or(0) as f64 / (1u64 << 31) as f64;
            let samples: Vec<f64> = (0..500)
                .map(|_| {
                    1e5 + if draw() < 0.3 {
                        draw()
                    } else {
                        0.7 + 2.0 * draw()
                    }
                })
                .collect();
            let threshold = otsu_threshold(&samples, None).unwrap();
            assert!(
                between(&samples, threshold) >= largest(&samples) * 0.9999,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn percentiles_are_samples_of_their_rank() {
        for seed in 0..20 {
            let mut noise = numbers(seed);
            let samples: Vec<i16> = noise.by_ref().take(101).map(|it| it as i16).collect();
            let wide: Vec<f64> = samples.iter().map(|&it| it.into()).collect();
            let mut sorted = samples.clone();
            sorted.sort_unstable();
            for percent in [0.0, 1.0, 25.0, 50.0, 99.5, 100.0] {
                let rank = (percent / 100.0 * 101.0_f64).ceil().max(1.0) as usize;
                let expected = f64::from(sorted[rank - 1]);
                assert_eq!(percentile(&samples, None, percent), Ok(expected));
                let found = percentile(&wide, None, percent).unwrap();
                assert!((found - expected).abs() <= 1.0, "{found} {expected}");
            }
        }
        assert_eq!(percentile(&[7.0_f32; 3], None, 10.0), Ok(7.0));
        assert_eq!(percentile(&[1_u8, 2, 3], Some(&[0, 1, 1]), 50.0), Ok(2.0));
        assert_eq!(
            percentile::<f32>(&[], None, 50.0),
            Err(OtsuError::NoSamples)
        );
    }

    #[test]
    fn excluded_samples_are_ignored() {
        let samples = [0.0f32, f32::NAN, 1.0, f32::INFINITY, 0.0, 5.0];
        let threshold = otsu_threshold(&samples, None).unwrap();
        assert!((threshold - 3.0).abs() < 1e-3, "{threshold}");
        let threshold = otsu_threshold(&samples, Some(&[1, 1, 7, 1, 1, 0])).unwrap();
        assert!((threshold - 0.5).abs() < 1e-3, "{threshold}");
        let ends = otsu_threshold(&[1e308, -1e308], None).unwrap();
        assert!(ends.abs() < 1e304, "{ends}");
        assert_eq!(otsu_threshold::<u8>(&[], None), Err(OtsuError::NoSamples));
        assert_eq!(otsu_threshold(&[f32::NAN], None), Err(OtsuError::NoSamples));
        let equal = Err(OtsuError::AllEqual { value: -7.0 });
        assert_eq!(otsu_threshold(&[-7i8, -7], None), equal);
        assert_eq!(otsu_threshold(&[-7.0f64, -7.0], None), equal);
        let two = otsu_threshold(&[i16::MIN, i16::MAX], None);
        assert_eq!(two, Ok(-0.5));
    }
}
