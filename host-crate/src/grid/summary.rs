//! Range and mean of samples.

use super::{Sample, SampleType};
use crate::{
    memory::{self, OutOfMemory},
    parallel,
};
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// Number of samples per chunk. The chunks, and so the rounding of the mean, do not depend on the
/// number of threads.
const CHUNK: usize = 1 << 16;
/// Number of independent partial results per chunk.
const LANES: usize = 8;

/// Range, mean and number of non-finite samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSummary {
    /// Number of samples.
    pub count: usize,
    /// Number of samples that are NaN or infinite, which are ignored otherwise.
    pub non_finite: usize,
    /// Smallest finite sample; `None` when there is none.
    pub min: Option<f64>,
    /// Largest finite sample; `None` when there is none.
    pub max: Option<f64>,
    /// Mean of the finite samples; `None` when there is none.
    pub mean: Option<f64>,
}

#[derive(Clone, Copy)]
struct PartialSummary {
    finite: usize,
    min: f64,
    max: f64,
    sum: f64,
}

impl SampleSummary {
    /// Computes the summary of samples in parallel, with the same bits on any number of threads.
    pub fn from_samples<T: Sample>(samples: &[T]) -> Self {
        total(samples).summary(samples.len())
    }

    /// Combines the summaries of two sets of samples.
    pub fn join(self, other: Self) -> Self {
        let finite = |of: &Self| (of.count - of.non_finite) as f64;
        let sum = |of: &Self| of.mean.map_or(0.0, |mean| mean * finite(of));
        let all = finite(&self) + finite(&other);
        let either = |a: Option<f64>, b: Option<f64>, choose: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(choose(a, b)),
            (one, other) => one.or(other),
        };
        Self {
            count: self.count + other.count,
            non_finite: self.non_finite + other.non_finite,
            min: either(self.min, other.min, f64::min),
            max: either(self.max, other.max, f64::max),
            mean: (all > 0.0).then(|| (sum(&self) + sum(&other)) / all),
        }
    }
}

/// Purpose of the memory of incomplete chunks, quoted in errors.
const CHUNK_OF_SAMPLES: &str = "samples that are added up";

/// Accumulates the summary of samples that arrive in parts, with the same bits as the summary of
/// all samples.
pub(crate) struct RunningSummary<T> {
    /// Samples of an incomplete chunk.
    incomplete: Vec<T>,
    total: PartialSummary,
    count: usize,
}

impl<T: Sample> RunningSummary<T> {
    pub fn new() -> Self {
        Self {
            incomplete: Vec::new(),
            total: PartialSummary::EMPTY,
            count: 0,
        }
    }

    /// Adds the next samples.
    pub fn add(&mut self, samples: &[T]) -> Result<(), OutOfMemory> {
        self.count += samples.len();
        let missing = (CHUNK - self.incomplete.len()).min(samples.len());
        let (first, samples) = samples.split_at(missing);
        memory::try_extend(CHUNK_OF_SAMPLES, &mut self.incomplete, first)?;
        if self.incomplete.len() < CHUNK {
            return Ok(());
        }
        self.total = self.total.join(total(&self.incomplete));
        let (whole, rest) = samples.split_at(samples.len() / CHUNK * CHUNK);
        self.total = chunks(whole)
            .into_iter()
            .fold(self.total, PartialSummary::join);
        self.incomplete.clear();
        memory::try_extend(CHUNK_OF_SAMPLES, &mut self.incomplete, rest)
    }

    /// Returns the summary of all samples.
    pub fn finish(self) -> SampleSummary {
        self.total.join(total(&self.incomplete)).summary(self.count)
    }
}

/// Accumulates the summary of samples that arrive in any order and on several threads, with the
/// same bits as the summary of all samples.
pub(crate) struct SharedSummary {
    /// Partial results; `None` for chunks that have not been added.
    chunks: Mutex<Vec<Option<PartialSummary>>>,
    count: usize,
}

impl SharedSummary {
    /// Creates the summary of `count` samples.
    pub fn new(count: usize) -> Result<Self, OutOfMemory> {
        let chunks = memory::try_filled(CHUNK_OF_SAMPLES, count.div_ceil(CHUNK), None)?;
        Ok(Self {
            chunks: Mutex::new(chunks),
            count,
        })
    }

    /// Adds those samples from index `first` on that belong to whole chunks. A chunk may be added
    /// several times.
    pub fn add<T: Sample>(&self, first: usize, samples: &[T]) {
        let chunk = first.div_ceil(CHUNK);
        let whole = samples.get(chunk * CHUNK - first..).unwrap_or_default();
        for (chunk, samples) in (chunk..).zip(whole.chunks(CHUNK)) {
            if samples.len() == self.chunk_range(chunk).len() {
                let partial = partial(samples);
                self.chunks.lock().unwrap_or_else(PoisonError::into_inner)[chunk] = Some(partial);
            }
        }
    }

    fn chunk_range(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..self.count.min((chunk + 1) * CHUNK)
    }

    /// Returns the summary of all samples. `add_chunk` is called with the indices of samples that
    /// have not been added, in ranges of at most [`CHUNK`], and must add them.
    pub fn finish<E>(
        self,
        mut add_chunk: impl FnMut(&Self, Range<usize>) -> Result<(), E>,
    ) -> Result<SampleSummary, E> {
        let is_missing = |chunk: &usize| {
            self.chunks.lock().unwrap_or_else(PoisonError::into_inner)[*chunk].is_none()
        };
        for chunk in (0..self.count.div_ceil(CHUNK)).filter(is_missing) {
            add_chunk(&self, self.chunk_range(chunk))?;
        }
        let chunks = self.chunks.into_inner();
        let chunks = chunks.unwrap_or_else(PoisonError::into_inner);
        Ok(joined(chunks.into_iter().flatten()).summary(self.count))
    }
}

fn chunks<T: Sample>(samples: &[T]) -> Vec<PartialSummary> {
    parallel::map_ranges(samples.len(), CHUNK, |range| partial(&samples[range]))
}

fn total<T: Sample>(samples: &[T]) -> PartialSummary {
    joined(chunks(samples))
}

/// Joins partial results in order.
fn joined(parts: impl IntoIterator<Item = PartialSummary>) -> PartialSummary {
    parts
        .into_iter()
        .fold(PartialSummary::EMPTY, PartialSummary::join)
}

/// Summarizes one chunk. Its sum is exact for integers of at most 32 bits.
fn partial<T: Sample>(chunk: &[T]) -> PartialSummary {
    match T::TYPE {
        SampleType::U8 => partial_of_integers::<u8>(bytemuck::cast_slice(chunk)),
        SampleType::I8 => partial_of_integers::<i8>(bytemuck::cast_slice(chunk)),
        SampleType::U16 => partial_of_integers::<u16>(bytemuck::cast_slice(chunk)),
        SampleType::I16 => partial_of_integers::<i16>(bytemuck::cast_slice(chunk)),
        SampleType::I32 | SampleType::I64 | SampleType::F32 | SampleType::F64 => {
            partial_in_lanes(chunk)
        }
    }
}

/// Summarizes integers of at most 16 bits, with vector instructions.
fn partial_of_integers<T: Sample + Ord + Into<i32>>(chunk: &[T]) -> PartialSummary {
    // number of integers of 16 bits whose sum fits in an `i32`
    const BLOCK: usize = 1 << 15;
    let Some(&first) = chunk.first() else {
        return PartialSummary::EMPTY;
    };
    let (mut min, mut max, mut sum) = (first, first, 0_i64);
    for block in chunk.chunks(BLOCK) {
        let mut block_sum = 0_i32;
        for &sample in block {
            min = min.min(sample);
            max = max.max(sample);
            block_sum += sample.into();
        }
        sum += i64::from(block_sum);
    }
    PartialSummary {
        finite: chunk.len(),
        min: min.to_f64(),
        max: max.to_f64(),
        sum: sum as f64,
    }
}

/// Summarizes samples of any type. Every sample belongs to one of [`LANES`] partial results by its
/// index, so that they are independent of each other and use vector instructions.
fn partial_in_lanes<T: Sample>(chunk: &[T]) -> PartialSummary {
    // few enough samples for the fastest cache
    const BLOCK: usize = 128 * LANES;
    let Some(&first) = chunk.iter().find(|sample| sample.is_finite()) else {
        return PartialSummary::EMPTY;
    };
    let mut finite = 0;
    let mut lanes = Lanes {
        min: [first; LANES],
        max: [first; LANES],
        sum: [0.0; LANES],
    };
    for block in chunk.chunks(BLOCK) {
        // a sample that is not finite makes its sum infinite or NaN; a finite `f64` can, too
        let mut extended = lanes;
        extended.add_all(block);
        if extended.sum.iter().all(|sum| sum.is_finite()) {
            finite += block.len();
            lanes = extended;
            continue;
        }
        for (index, &sample) in block.iter().enumerate() {
            if sample.is_finite() {
                finite += 1;
                lanes.add(index % LANES, sample);
            }
        }
    }
    PartialSummary {
        finite,
        ..lanes.joined()
    }
}

/// Partial results of interleaved samples.
#[derive(Clone, Copy)]
struct Lanes<T> {
    min: [T; LANES],
    max: [T; LANES],
    sum: [f64; LANES],
}

impl<T: Sample> Lanes<T> {
    /// Adds a finite sample.
    fn add(&mut self, lane: usize, sample: T) {
        self.min[lane] = lesser(self.min[lane], sample);
        self.max[lane] = greater(self.max[lane], sample);
        self.sum[lane] += sample.to_f64();
    }

    /// Adds consecutive samples, of which the first belongs to the first lane. The result is wrong
    /// if a sample is not finite; then a sum is not finite, either.
    fn add_all(&mut self, samples: &[T]) {
        let (groups, rest) = samples.as_chunks::<LANES>();
        for group in groups {
            for ((min, max), &sample) in self.min.iter_mut().zip(&mut self.max).zip(group) {
                *min = lesser(*min, sample);
                *max = greater(*max, sample);
            }
            for (sum, sample) in self.sum.iter_mut().zip(group) {
                *sum += sample.to_f64();
            }
        }
        for (lane, &sample) in rest.iter().enumerate() {
            self.add(lane, sample);
        }
    }

    /// Returns the result of all lanes, without the number of samples.
    fn joined(&self) -> PartialSummary {
        joined((0..LANES).map(|lane| PartialSummary {
            finite: 0,
            min: self.min[lane].to_f64(),
            max: self.max[lane].to_f64(),
            sum: self.sum[lane],
        }))
    }
}

fn lesser<T: Sample>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

fn greater<T: Sample>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

impl PartialSummary {
    const EMPTY: Self = Self {
        finite: 0,
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        sum: 0.0,
    };

    fn summary(self, count: usize) -> SampleSummary {
        let any = self.finite > 0;
        SampleSummary {
            count,
            non_finite: count - self.finite,
            min: any.then_some(self.min),
            max: any.then_some(self.max),
            mean: any.then(|| self.sum / self.finite as f64),
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            finite: self.finite + other.finite,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_finite_samples_are_counted_and_ignored() {
        let summary = SampleSummary::from_samples(&[1.0_f32, f32::NAN, -3.0, f32::INFINITY, 5.0]);
        assert_eq!(summary.count, 5);
        assert_eq!(summary.non_finite, 2);
        assert_eq!(summary.min, Some(-3.0));
        assert_eq!(summary.max, Some(5.0));
        assert_eq!(summary.mean, Some(1.0));
        assert_eq!(SampleSummary::from_samples(&[f32::NAN]).mean, None);
    }

    #[test]
    fn finite_samples_around_others_are_added_in_their_lanes() {
        let numbers: Vec<f64> = (0..5000).map(|i| f64::from(i).sin() / 3.0).collect();
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            for positions in [&[0][..], &[7, 1024], &[3000, 3008, 4999]] {
                let mut samples = numbers.clone();
                positions.iter().for_each(|&at| samples[at] = special);
                let mut sums = [0.0; LANES];
                let finite = samples.iter().enumerate().filter(|(_, it)| it.is_finite());
                finite.for_each(|(index, sample)| sums[index % LANES] += sample);
                let count = samples.iter().filter(|sample| sample.is_finite()).count();
                let mean = sums.into_iter().fold(0.0, |a, b| a + b) / count as f64;
                let summary = SampleSummary::from_samples(&samples);
                assert_eq!(summary.mean, Some(mean), "{special} at {positions:?}");
                assert_eq!(summary.count - summary.non_finite, count);
                assert!(summary.max.is_some_and(f64::is_finite));
            }
        }
    }

    #[test]
    fn summaries_can_be_combined() {
        let samples: Vec<f32> = [3.0, f32::NAN, -1.0, 7.0, f32::INFINITY, 2.0, 5.0].to_vec();
        for cut in 0..=samples.len() {
            let (low, high) = samples.split_at(cut);
            let joined = SampleSummary::from_samples(low).join(SampleSummary::from_samples(high));
            assert_eq!(
                joined,
                SampleSummary::from_samples(&samples),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn summary_of_parts_has_the_bits_of_the_whole() {
        let samples: Vec<f64> = (0..3 * CHUNK + 17)
            .map(|i| (i as f64).sin() / 3.0)
            .collect();
        let whole = SampleSummary::from_samples(&samples);
        for portion in [1000, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 4 * CHUNK] {
            let mut running = RunningSummary::new();
            for part in samples.chunks(portion) {
                running.add(part).unwrap();
            }
            assert_eq!(running.finish(), whole, "portions of {portion}");
        }
        let shared = SharedSummary::new(samples.len()).unwrap();
        for (number, part) in samples.chunks(2 * CHUNK).enumerate().rev() {
            shared.add(number * 2 * CHUNK, part);
        }
        let none = |_: &_, range| Err(range);
        assert_eq!(shared.finish(none), Ok(whole));
        let none = RunningSummary::<u8>::new().finish();
        assert_eq!(none, SampleSummary::from_samples::<u8>(&[]));
    }

    #[test]
    fn chunks_that_no_part_has_as_a_whole_are_requested() {
        let samples: Vec<f32> = (0..5 * CHUNK + 17).map(|i| (i as f32).sin()).collect();
        let whole = SampleSummary::from_samples(&samples);
        let end = samples.len();
        for (parts, expected) in [
            (vec![(0, end)], vec![]),
            (vec![(0, 3 * CHUNK), (3 * CHUNK, end)], vec![]),
            (vec![(0, 2 * CHUNK + 9), (2 * CHUNK + 3, end)], vec![2]),
            (vec![(5, 2 * CHUNK), (CHUNK + 1, end - 1)], vec![0, 5]),
            (vec![(0, 7), (7, 9), (end - 17, end)], vec![0, 1, 2, 3, 4]),
            (vec![], vec![0, 1, 2, 3, 4, 5]),
        ] {
            let shared = SharedSummary::new(end).unwrap();
            for (start, end) in parts {
                shared.add(start, &samples[start..end]);
            }
            let mut requested = Vec::new();
            let found = shared.finish(|shared, range| {
                requested.push(range.start / CHUNK);
                shared.add(range.start, &samples[range]);
                Ok::<_, ()>(())
            });
            assert_eq!(found, Ok(whole));
            assert_eq!(requested, expected);
        }
    }

    #[test]
    fn chunks_add_up() {
        let samples: Vec<u16> = (0..3 * CHUNK + 17).map(|i| (i % 65_536) as u16).collect();
        let exact: u64 = samples.iter().map(|&sample| u64::from(sample)).sum();
        let summary = SampleSummary::from_samples(&samples);
        assert_eq!(summary.mean, Some(exact as f64 / samples.len() as f64));
        assert_eq!((summary.min, summary.max), (Some(0.0), Some(65_535.0)));
    }
}
