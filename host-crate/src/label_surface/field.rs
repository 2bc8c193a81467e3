//! Label volumes, renumbered for kernels.

use super::LabelSurfaceError;
use crate::{
    grid::{AnyVolume, Geometry, Sample, distinct, first_fraction, with_volume},
    memory::{self, OutOfMemory, catch_out_of_memory},
    parallel,
};

/// Largest integer up to which `f64` represents all integers.
const MAX_EXACT: f64 = (1_u64 << 53) as f64;

/// Number of voxels that a thread renumbers at a time.
const CHUNK_VOXELS: usize = 1 << 16;

/// A volume of label indices: 0 for the background and for labels that were not selected.
///
/// Indices have as many bits as necessary, regardless of the sample type, so that labels are exact
/// and devices hold one byte per voxel for up to 255 labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelField {
    dims: [usize; 3],
    geometry: Geometry,
    labels: Vec<i64>,
    voxels: Vec<u64>,
    missing: Vec<i64>,
    pub(super) indices: LabelIndices,
}

/// Index of each voxel's label, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LabelIndices {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

/// An integer type of label indices.
pub(super) trait LabelIndex: Copy + Send + Sync + bytemuck::Zeroable {
    /// Converts an index that fits the type.
    fn from_index(index: u32) -> Self;
    /// Returns the index.
    fn to_index(self) -> u32;
}

macro_rules! label_indices {
    ($($number:ty),+) => {
        $(impl LabelIndex for $number {
            fn from_index(index: u32) -> Self {
                index as Self
            }

            fn to_index(self) -> u32 {
                u32::from(self)
            }
        })+
    };
}

label_indices!(u8, u16, u32);

impl LabelField {
    /// Selects labels of a volume: all except 0, or those of a list in any order.
    ///
    /// ```
    /// use ferrovox::{grid::{Geometry, Volume}, label_surface::LabelField};
    ///
    /// let samples = vec![0_i32, 70_000, -3, 70_000];
    /// let volume = Volume::new(samples, [4, 1, 1], Geometry::default())?.into();
    /// let all = LabelField::new(&volume, None)?;
    /// assert_eq!((all.labels(), all.voxels()), (&[-3, 70_000][..], &[1, 2][..]));
    /// let one = LabelField::new(&volume, Some(&[70_000, 8]))?;
    /// assert_eq!((one.labels(), one.missing()), (&[70_000][..], &[8][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Time is O(n log m) for n voxels and m labels; memory is one, two or four bytes per voxel.
    ///
    /// # Errors
    /// [`LabelSurfaceError`] for samples that are not integers or too large, for a list that is
    /// empty or contains 0, and if memory is insufficient.
    pub fn new(volume: &AnyVolume, chosen: Option<&[i64]>) -> Result<Self, LabelSurfaceError> {
        let dims = volume.dims();
        if let Some(&found) = dims.iter().find(|&&n| n >= u32::MAX as usize) {
            return Err(LabelSurfaceError::TooLong { found });
        }
        let fraction = match volume {
            AnyVolume::F32(volume) => first_fraction(volume.samples(), dims),
            AnyVolume::F64(volume) => first_fraction(volume.samples(), dims),
            _ => None,
        };
        if let Some((voxel, value)) = fraction {
            return Err(LabelSurfaceError::Fraction { voxel, value });
        }
        let all = catch_out_of_memory("the list of labels", || {
            Ok::<_, OutOfMemory>(with_volume!(volume, volume => distinct(volume.samples())))
        })?;
        if let Some(&label) = all.iter().find(|label| label.abs() > MAX_EXACT) {
            return Err(LabelSurfaceError::Long { label });
        }
        let mut labels = memory::try_collect("labels", all.iter().map(|&label| label as i64))?;
        labels.retain(|&label| label != 0);
        let mut missing = Vec::new();
        if let Some(chosen) = chosen {
            let mut chosen = memory::try_copy("labels", chosen)?;
            chosen.sort_unstable();
            chosen.dedup();
            if chosen.is_empty() {
                return Err(LabelSurfaceError::NoLabels);
            }
            if chosen.binary_search(&0).is_ok() {
                return Err(LabelSurfaceError::Background);
            }
            missing = memory::try_copy("labels", &chosen)?;
            missing.retain(|label| labels.binary_search(label).is_err());
            labels.retain(|label| chosen.binary_search(label).is_ok());
        }
        let index_volume = match labels.len() {
            ..=0xff => {
                index_volume::<u8>(volume, &labels).map(|(it, count)| (LabelIndices::U8(it), count))
            }
            0x100..=0xffff => index_volume::<u16>(volume, &labels)
                .map(|(it, count)| (LabelIndices::U16(it), count)),
            count if u32::try_from(count).is_err() => {
                return Err(LabelSurfaceError::TooMany { count });
            }
            _ => index_volume::<u32>(volume, &labels)
                .map(|(it, count)| (LabelIndices::U32(it), count)),
        };
        let (indices, voxels) = index_volume?;
        Ok(Self {
            dims,
            geometry: *volume.geometry(),
            labels,
            voxels,
            missing,
            indices,
        })
    }

    /// Removes the labels without voxels, renumbers the others, and returns the removed ones.
    pub(super) fn drop_absent_labels(&mut self) -> Result<Vec<i64>, OutOfMemory> {
        self.voxels = match &self.indices {
            LabelIndices::U8(indices) => count_voxels(indices, self.labels.len())?,
            LabelIndices::U16(indices) => count_voxels(indices, self.labels.len())?,
            LabelIndices::U32(indices) => count_voxels(indices, self.labels.len())?,
        };
        let mut removed = Vec::new();
        memory::try_reserve("labels", &mut removed, self.labels.len())?;
        let mut new_indices = memory::try_zeroed::<u32>("labels", self.labels.len() + 1)?;
        let mut kept = 0;
        for (index, &label) in self.labels.iter().enumerate() {
            if self.voxels[index] == 0 {
                removed.push(label);
            } else {
                kept += 1;
                new_indices[index + 1] = kept;
            }
        }
        if removed.is_empty() {
            return Ok(removed);
        }
        match &mut self.indices {
            LabelIndices::U8(indices) => renumber(indices, &new_indices),
            LabelIndices::U16(indices) => renumber(indices, &new_indices),
            LabelIndices::U32(indices) => renumber(indices, &new_indices),
        }
        self.labels
            .retain(|label| removed.binary_search(label).is_err());
        self.voxels.retain(|&voxels| voxels > 0);
        Ok(removed)
    }

    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the grid in world space.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the labels that occur in the volume, in ascending order.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// Returns the number of voxels of each of the [`labels`](Self::labels).
    pub fn voxels(&self) -> &[u64] {
        &self.voxels
    }

    /// Returns the selected labels that do not occur in the volume, in ascending order.
    pub fn missing(&self) -> &[i64] {
        &self.missing
    }
}

fn index_volume<N: LabelIndex>(
    volume: &AnyVolume,
    labels: &[i64],
) -> Result<(Vec<N>, Vec<u64>), OutOfMemory> {
    with_volume!(volume, volume => index_samples(volume.samples(), labels))
}

/// Returns the label index of each sample, and the number of samples of each label.
fn index_samples<T: Sample, N: LabelIndex>(
    samples: &[T],
    labels: &[i64],
) -> Result<(Vec<N>, Vec<u64>), OutOfMemory> {
    let mut indices = memory::try_zeroed::<N>("labels", samples.len())?;
    parallel::for_each_chunk_mut(&mut indices, CHUNK_VOXELS, |first, chunk| {
        let mut last: Option<(T, N)> = None;
        for (label_index, &sample) in chunk.iter_mut().zip(&samples[first..]) {
            *label_index = match last {
                Some((previous, label_index)) if previous == sample => label_index,
                _ => {
                    let found = labels.binary_search(&(sample.to_f64() as i64));
                    N::from_index(found.map_or(0, |index| index as u32 + 1))
                }
            };
            last = Some((sample, *label_index));
        }
    });
    let counts = count_voxels(&indices, labels.len())?;
    Ok((indices, counts))
}

/// Returns the number of voxels of each label.
fn count_voxels<N: LabelIndex>(indices: &[N], labels: usize) -> Result<Vec<u64>, OutOfMemory> {
    let mut counts = memory::try_zeroed::<u64>("labels", labels + 1)?;
    for label_index in indices {
        counts[label_index.to_index() as usize] += 1;
    }
    counts.remove(0);
    Ok(counts)
}

/// Replaces each index by its element of `new_indices`.
fn renumber<N: LabelIndex>(indices: &mut [N], new_indices: &[u32]) {
    parallel::for_each_chunk_mut(indices, CHUNK_VOXELS, |_, chunk| {
        for index in chunk {
            *index = N::from_index(new_indices[index.to_index() as usize]);
        }
    });
}
