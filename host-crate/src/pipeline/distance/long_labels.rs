//! Labels that f32 does not hold, as numbers that it does.

use super::DistanceInputError;
use crate::{
    grid::{AnyVolume, Sample, Volume, distinct, f64_to_f32},
    memory::{ExtendOrUnwind, catch_out_of_memory},
    parallel,
};

/// Labels that devices cannot distinguish if there are more.
const MOST: usize = 1 << 24;

/// A volume of whole numbers as one in which they can be told apart on devices: as it is, or with a
/// label's place among all labels in its stead.
///
/// # Errors
/// [`DistanceInputError::LongLabels`] for more than 2²⁴ labels, and out of memory.
pub(super) fn told_apart(volume: AnyVolume) -> Result<AnyVolume, DistanceInputError> {
    let numbered = match &volume {
        AnyVolume::I32(volume) => numbered(volume)?,
        AnyVolume::F64(volume) => numbered(volume)?,
        _ => None,
    };
    match numbered {
        Some(numbered) => Ok(numbered.into()),
        None => Ok(volume.try_into_kernel_type()?.0),
    }
}

/// Nothing where f32 holds all labels, or where there is one.
fn numbered<T: Sample>(volume: &Volume<T>) -> Result<Option<Volume<f32>>, DistanceInputError> {
    let samples = volume.samples();
    let is_long = |sample: &T| !f64_to_f32(sample.to_f64()).1;
    let long = parallel::find_first(samples.len(), parallel::CHUNK_LEN, |range| {
        samples[range].iter().any(is_long).then_some(())
    });
    if long.is_none() {
        return Ok(None);
    }
    catch_out_of_memory(|| {
        let all = distinct(samples);
        if all.len() > MOST {
            return Err(DistanceInputError::LongLabels { count: all.len() });
        }
        if all.len() < 2 {
            return Ok(None);
        }
        let place = |sample: &T| {
            let label = sample.to_f64();
            all.partition_point(|&other| other < label) as f32
        };
        let places = parallel::collect(samples.len(), parallel::CHUNK_LEN, |range, places| {
            places.extend_or_unwind(samples[range].iter().map(place));
        });
        Ok(Some(volume.with_samples(places)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    fn places<T: Sample>(samples: &[T]) -> AnyVolume
    where
        AnyVolume: From<Volume<T>>,
    {
        let dims = [samples.len(), 1, 1];
        let volume = Volume::new(samples.to_vec(), dims, Geometry::default()).unwrap();
        told_apart(volume.into()).unwrap()
    }

    fn samples(volume: AnyVolume) -> Vec<f32> {
        volume.into_f32().0.into_samples()
    }

    #[test]
    fn labels_that_f32_makes_one_stay_two() {
        let long = 1 << 24;
        let labels = [long + 1, 0, long, long + 1, i32::MAX, -5, i32::MAX - 1];
        assert_eq!(
            samples(places(&labels)),
            [3.0, 1.0, 2.0, 3.0, 5.0, 0.0, 4.0]
        );
        let labels = [1e15_f64 + 1.0, 1e15, -0.0, 0.0];
        assert_eq!(samples(places(&labels)), [2.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn short_labels_are_as_they_are() {
        assert_eq!(samples(places(&[7_i32, -3, 7])), [7.0, -3.0, 7.0]);
        assert!(matches!(places(&[7_u8, 3]), AnyVolume::U8(_)));
    }

    #[test]
    fn many_portions_have_each_label_once() {
        const PORTION: usize = 1 << 16;
        let label = |at: usize| (1 << 25) + (at / 1000 % 300) as i32;
        let labels: Vec<i32> = (0..4 * PORTION).map(label).collect();
        let expected: Vec<f32> = labels.iter().map(|it| (it - (1 << 25)) as f32).collect();
        assert_eq!(samples(places(&labels)), expected);
    }
}
