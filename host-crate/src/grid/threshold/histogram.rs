//! Histograms of samples.

use super::OtsuError;
use crate::{
    grid::{Sample, SampleSummary, SampleType},
    memory::{self, OutOfMemory},
    parallel,
};

/// Purpose of the memory of histograms, quoted in errors.
const HISTOGRAM: &str = "a histogram";
/// Number of samples that a thread counts into a histogram of its own.
const CHUNK_LEN: usize = 1 << 22;
/// Number of bins for samples that are not counted value by value.
const BINS: usize = 1 << 16;

/// Range of finite samples.
#[derive(Clone, Copy)]
pub(crate) struct SampleRange {
    min: f64,
    max: f64,
}

impl SampleRange {
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
                None => SampleRange::from_summary(&SampleSummary::from_samples(samples)),
                Some(mask) => SampleRange::within(samples, mask),
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
    pub fn with_range(range: SampleRange) -> Result<Self, OtsuError> {
        let SampleRange { min, max } = range;
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
