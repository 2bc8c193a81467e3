//! Labels among samples.

use super::Sample;
use crate::{memory::ExtendOrUnwind, parallel};

/// Number of samples that a thread processes at a time.
const CHUNK_LEN: usize = 1 << 16;

/// Returns the distinct labels among samples in ascending order; samples that are not integers of
/// 64 bits are left out. Unwinds if memory runs out: call it within
/// [`catch_out_of_memory`](crate::memory::catch_out_of_memory).
pub(crate) fn distinct_labels<T: Sample>(samples: &[T]) -> Vec<i64> {
    let mut labels = parallel::collect(samples.len(), CHUNK_LEN, |range, labels| {
        let runs = samples[range].chunk_by(|a, b| a == b);
        labels.extend_or_unwind(runs.filter_map(|run| run[0].to_label()));
        labels.sort_unstable();
        labels.dedup();
    });
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Returns the index and value of the first sample that is not a whole number.
pub(crate) fn first_fraction<T: Sample>(
    samples: &[T],
    [nx, ny, _]: [usize; 3],
) -> Option<([usize; 3], f64)> {
    let is_fraction = |sample: &T| sample.to_f64().fract() != 0.0;
    let index = parallel::find_first(samples.len(), CHUNK_LEN, |range| {
        let start = range.start;
        samples[range]
            .iter()
            .position(is_fraction)
            .map(|at| start + at)
    })?;
    let voxel = [index % nx, index / nx % ny, index / (nx * ny)];
    Some((voxel, samples[index].to_f64()))
}
