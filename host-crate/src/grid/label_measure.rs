//! Voxels, bounding box and centroid of each label.

use super::{Sample, VoxelBox};
use crate::error::ErrorKind;
use std::collections::HashMap;

/// Size and position of the voxels with one label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelMeasure {
    /// The label.
    pub label: i64,
    /// Number of voxels.
    pub voxels: u64,
    /// Smallest box that contains the voxels.
    pub bounds: VoxelBox,
    /// Mean index of the voxels along x, y and z.
    pub centroid: [f64; 3],
}

/// Reason why samples are not labels.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelMeasureError {
    /// A sample is not an integer.
    #[error(
        "voxel ({}, {}, {}) is {value}, but labels are integers; use a level instead of labels",
        voxel[0], voxel[1], voxel[2]
    )]
    NotInteger {
        /// Index of the voxel.
        voxel: [usize; 3],
        /// Its sample.
        value: f64,
    },
    /// There are too many different samples.
    #[error("there are more than {max} different labels; list those to measure")]
    TooMany {
        /// Maximum number of labels.
        max: usize,
    },
}

impl LabelMeasureError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

/// Accumulates the measures of labels over samples that arrive in parts.
pub(crate) struct LabelMeasures {
    dims: [usize; 3],
    max_labels: usize,
    sums: HashMap<i64, Sums>,
    /// Number of pairs of neighbours along x of which at least one is not 0.
    pairs: u64,
    /// Number of these pairs with equal samples.
    equal_pairs: u64,
}

struct Sums {
    voxels: u64,
    bounds: VoxelBox,
    /// Sums of the indices along x, y and z.
    indices: [u128; 3],
}

impl LabelMeasures {
    /// Creates the measures of a volume with at most `max_labels` labels.
    pub fn new(dims: [usize; 3], max_labels: usize) -> Self {
        Self {
            dims,
            max_labels,
            sums: HashMap::new(),
            pairs: 0,
            equal_pairs: 0,
        }
    }

    /// Adds the samples from index `first` on; with a mask, those where it is not 0. `is_selected`
    /// decides which labels are measured.
    pub fn add<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        mask: Option<&[u8]>,
        is_selected: impl Fn(i64) -> bool,
    ) -> Result<(), LabelMeasureError> {
        let [nx, ny, _] = self.dims;
        let zero = T::zeroed();
        let label_at = |at: usize| match mask {
            Some(mask) if mask[at] == 0 => zero,
            _ => samples[at],
        };
        let mut at = 0;
        while at < samples.len() {
            let index = first + at;
            let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
            let row_end = samples.len().min(at + nx - x);
            let sample = label_at(at);
            let mut end = at + 1;
            while end < row_end && label_at(end) == sample {
                end += 1;
            }
            if sample != zero {
                self.equal_pairs += (end - at - 1) as u64;
                self.pairs += (end - at - 1) as u64;
            }
            // the pair with the next run; a run of zeros counts at its ends only
            self.pairs += u64::from(end < row_end);
            let label = sample.to_label().ok_or(LabelMeasureError::NotInteger {
                voxel: [x, y, z],
                value: sample.to_f64(),
            })?;
            if label != 0 && is_selected(label) {
                self.add_run(label, [x, y, z], end - at)?;
            }
            at = end;
        }
        Ok(())
    }

    fn add_run(
        &mut self,
        label: i64,
        [x, y, z]: [usize; 3],
        length: usize,
    ) -> Result<(), LabelMeasureError> {
        let count = self.sums.len();
        let max = self.max_labels;
        let end = [x + length, y + 1, z + 1];
        let start = [x, y, z];
        let sums = match self.sums.entry(label) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(_) if count == max => {
                return Err(LabelMeasureError::TooMany { max });
            }
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(Sums {
                voxels: 0,
                bounds: VoxelBox { start, end },
                indices: [0; 3],
            }),
        };
        let bounds = &mut sums.bounds;
        bounds.start = [0, 1, 2].map(|k| bounds.start[k].min(start[k]));
        bounds.end = [0, 1, 2].map(|k| bounds.end[k].max(end[k]));
        sums.voxels += length as u64;
        let n = length as u128;
        sums.indices[0] += n * (2 * x as u128 + n - 1) / 2;
        sums.indices[1] += n * y as u128;
        sums.indices[2] += n * z as u128;
        Ok(())
    }

    /// Returns `true` if most neighbours of voxels that are not 0 have the same label, as in a
    /// segmentation, unlike in an image.
    pub fn look_like_labels(&self) -> bool {
        !self.sums.is_empty() && self.equal_pairs * 2 >= self.pairs
    }

    /// Returns the measures in ascending order of the labels.
    pub fn finish(self) -> Vec<LabelMeasure> {
        let measures = self.sums.into_iter().map(|(label, sums)| LabelMeasure {
            label,
            voxels: sums.voxels,
            bounds: sums.bounds,
            centroid: sums.indices.map(|sum| sum as f64 / sums.voxels as f64),
        });
        let mut measures: Vec<LabelMeasure> = measures.collect();
        measures.sort_unstable_by_key(|measure| measure.label);
        measures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_do_not_depend_on_the_parts() {
        let dims = [7, 5, 4];
        let samples: Vec<i16> = (0..140).map(|k| ((k * k / 17) % 4) as i16).collect();
        let mut expected: HashMap<i64, (u64, [f64; 3])> = HashMap::new();
        for (index, &sample) in samples.iter().enumerate().filter(|(_, it)| **it != 0) {
            let entry = expected.entry(i64::from(sample)).or_default();
            entry.0 += 1;
            let voxel = [index % 7, index / 7 % 5, index / 35];
            entry.1 = [0, 1, 2].map(|k| entry.1[k] + voxel[k] as f64);
        }
        for part in [1, 3, 7, 50, 140] {
            let mut measures = LabelMeasures::new(dims, 10);
            for (number, chunk) in samples.chunks(part).enumerate() {
                measures.add(number * part, chunk, None, |_| true).unwrap();
            }
            let found = measures.finish();
            assert_eq!(found.len(), expected.len());
            for measure in found {
                let (voxels, sums) = expected[&measure.label];
                assert_eq!(measure.voxels, voxels);
                let centroid = sums.map(|sum| sum / voxels as f64);
                assert_eq!(measure.centroid, centroid, "parts of {part}");
            }
        }
        let mut few = LabelMeasures::new(dims, 2);
        let error = few.add(0, &samples, None, |_| true).unwrap_err();
        assert_eq!(error, LabelMeasureError::TooMany { max: 2 });
        let error = few.add(0, &[0.5_f32], None, |_| true).unwrap_err();
        assert!(error.to_string().contains("labels are integers"), "{error}");
    }
}
