//! Labels that f32 cannot represent, replaced by their ranks.

use super::DistanceInputError;
use crate::{
    grid::{AnyVolume, Sample, Volume, f64_to_f32},
    memory::{ExtendOrUnwind, catch_out_of_memory},
    parallel,
};

/// Maximum number of labels that f32 can distinguish.
const MAX_LABELS: usize = 1 << 24;

/// Number of samples that a thread processes at a time.
const CHUNK_LEN: usize = 1 << 16;

/// Converts a volume of integer labels to a sample type of the kernels that keeps labels distinct:
/// f32 represents all of them, or each label is replaced by its rank among all labels.
///
/// # Errors
/// [`DistanceInputError::TooManyLabels`] for more than 2²⁴ labels, and out-of-memory errors.
pub(super) fn to_distinguishable(volume: AnyVolume) -> Result<AnyVolume, DistanceInputError> {
    let ranks = match &volume {
        AnyVolume::I32(volume) => to_ranks(volume)?,
        AnyVolume::I64(volume) => to_ranks(volume)?,
        AnyVolume::F64(volume) => to_ranks(volume)?,
        _ => None,
    };
    match ranks {
        Some(ranks) => Ok(ranks.into()),
        None => Ok(volume.try_into_kernel_type()?.0),
    }
}

/// Replaces labels by their ranks. Returns `None` if f32 represents all labels, or if there is only
/// one.
fn to_ranks<T: Sample>(volume: &Volume<T>) -> Result<Option<Volume<f32>>, DistanceInputError> {
    let samples = volume.samples();
    let is_inexact = |sample: &T| {
        let narrow = f64_to_f32(sample.to_f64());
        !narrow.1 || sample.to_label() != f64::from(narrow.0).to_label()
    };
    let inexact = parallel::find_first(samples.len(), parallel::CHUNK_LEN, |range| {
        samples[range].iter().any(is_inexact).then_some(())
    });
    if inexact.is_none() {
        return Ok(None);
    }
    catch_out_of_memory("the list of labels", || {
        let labels = distinct_keys(samples);
        if labels.len() > MAX_LABELS {
            return Err(DistanceInputError::TooManyLabels {
                count: labels.len(),
            });
        }
        if labels.len() < 2 {
            return Ok(None);
        }
        let rank = |sample: &T| {
            let key = label_key(*sample);
            labels.partition_point(|&other| other < key) as f32
        };
        let ranks = parallel::collect(samples.len(), parallel::CHUNK_LEN, |range, ranks| {
            ranks.extend_or_unwind(samples[range].iter().map(rank));
        });
        Ok(Some(volume.with_samples(ranks)))
    })
}

/// Returns a key that orders labels by their values: the nearest `f64`, and the label if it is an
/// integer of 64 bits.
fn label_key<T: Sample>(sample: T) -> (f64, i64) {
    (sample.to_f64(), sample.to_label().unwrap_or_default())
}

/// Returns the distinct keys of samples in ascending order. Unwinds if memory runs out.
fn distinct_keys<T: Sample>(samples: &[T]) -> Vec<(f64, i64)> {
    let sort = |keys: &mut Vec<(f64, i64)>| {
        keys.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        keys.dedup_by(|one, other| one == other);
    };
    let mut keys = parallel::collect(samples.len(), CHUNK_LEN, |range, keys| {
        let runs = samples[range].chunk_by(|one, other| one == other);
        keys.extend_or_unwind(runs.map(|run| label_key(run[0])));
        sort(keys);
    });
    sort(&mut keys);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    fn ranks<T: Sample>(samples: &[T]) -> AnyVolume
    where
        AnyVolume: From<Volume<T>>,
    {
        let dims = [samples.len(), 1, 1];
        let volume = Volume::new(samples.to_vec(), dims, Geometry::default()).unwrap();
        to_distinguishable(volume.into()).unwrap()
    }

    fn samples(volume: AnyVolume) -> Vec<f32> {
        volume.into_f32().0.into_samples()
    }

    #[test]
    fn labels_that_f32_cannot_distinguish_stay_distinct() {
        let inexact = 1 << 24;
        let labels = [
            inexact + 1,
            0,
            inexact,
            inexact + 1,
            i32::MAX,
            -5,
            i32::MAX - 1,
        ];
        assert_eq!(samples(ranks(&labels)), [3.0, 1.0, 2.0, 3.0, 5.0, 0.0, 4.0]);
        let labels = [1e15_f64 + 1.0, 1e15, -0.0, 0.0];
        assert_eq!(samples(ranks(&labels)), [2.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn labels_exact_in_f32_are_kept() {
        assert_eq!(samples(ranks(&[7_i32, -3, 7])), [7.0, -3.0, 7.0]);
        assert!(matches!(ranks(&[7_u8, 3]), AnyVolume::U8(_)));
    }

    #[test]
    fn chunks_share_one_ranking() {
        const CHUNK: usize = 1 << 16;
        let label = |index: usize| (1 << 25) + (index / 1000 % 300) as i32;
        let labels: Vec<i32> = (0..4 * CHUNK).map(label).collect();
        let expected: Vec<f32> = labels
            .iter()
            .map(|label| (label - (1 << 25)) as f32)
            .collect();
        assert_eq!(samples(ranks(&labels)), expected);
    }
}
