//! Label volumes, renumbered for kernels.

use super::{
    LabelSurfaceError,
    runs::{LabelIndex, LabelRuns, RunEncoder},
};
use crate::{
    grid::{AnyVolume, Geometry, Sample, with_volume},
    memory::{self, OutOfMemory},
};
use std::ops::Range;

/// A volume of label indices: 0 for the background and for labels that were not selected.
///
/// Voxels are stored as runs of equal labels along x, in eight bytes each.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelField {
    dims: [usize; 3],
    geometry: Geometry,
    labels: Vec<i64>,
    voxels: Vec<u64>,
    missing: Vec<i64>,
    pub(super) runs: LabelRuns,
}

/// Width of the label indices of a field on devices: as narrow as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexBits {
    U8,
    U16,
    U32,
}

/// A label field whose planes arrive one after the other.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::label_surface::{LabelField, LabelFieldBuilder};
///
/// let mut builder = LabelFieldBuilder::new([3, 1, 2])?;
/// builder.add_planes(&[4_u8, 4, 0])?;
/// builder.add_planes(&[9_u8, 0, 4])?;
/// let field = builder.finish(Geometry::default(), None)?;
/// let samples = vec![4_u8, 4, 0, 9, 0, 4];
/// let volume = Volume::new(samples, [3, 1, 2], Geometry::default())?;
/// assert_eq!(field, LabelField::new(&volume.into(), None)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LabelFieldBuilder {
    dims: [usize; 3],
    encoder: RunEncoder,
    added: usize,
}

impl LabelFieldBuilder {
    /// Creates the builder of a field with `dims` voxels along x, y and z.
    ///
    /// # Errors
    /// [`LabelSurfaceError::TooLong`], and insufficient memory.
    pub fn new(dims: [usize; 3]) -> Result<Self, LabelSurfaceError> {
        if let Some(&found) = dims.iter().find(|&&n| n >= u32::MAX as usize) {
            return Err(LabelSurfaceError::TooLong { found });
        }
        Ok(Self {
            dims,
            encoder: RunEncoder::new(dims)?,
            added: 0,
        })
    }

    /// Adds the samples of whole planes, in the order of the planes.
    ///
    /// # Errors
    /// [`LabelSurfaceError::Fraction`] for the first sample that is not an integer of 64 bits,
    /// [`LabelSurfaceError::PlaneCount`] for samples beyond the last plane or of a part of a plane,
    /// and insufficient memory.
    pub fn add_planes<T: Sample>(&mut self, samples: &[T]) -> Result<(), LabelSurfaceError> {
        self.count_samples(samples.len())?;
        self.encoder.add(samples, T::to_label)
    }

    /// Adds whole planes of a binary mask: samples other than 0 have the label 1.
    ///
    /// # Errors
    /// As for [`add_planes`](Self::add_planes), except for the values of samples.
    pub fn add_mask_planes<T: Sample>(&mut self, samples: &[T]) -> Result<(), LabelSurfaceError> {
        self.count_samples(samples.len())?;
        let is_inside = |sample: T| Some(i64::from(sample != T::zeroed()));
        self.encoder.add(samples, is_inside)
    }

    fn count_samples(&mut self, samples: usize) -> Result<(), LabelSurfaceError> {
        let dims = self.dims;
        let [plane, all] = [dims[0].saturating_mul(dims[1]), voxel_count(dims)];
        let found = self.added + samples;
        if found > all || plane > 0 && !samples.is_multiple_of(plane) {
            return Err(LabelSurfaceError::PlaneCount { dims, found });
        }
        self.added = found;
        Ok(())
    }

    /// Selects labels: all except 0, or those of a list in any order.
    ///
    /// # Errors
    /// [`LabelSurfaceError`] for a list that is empty or contains 0, for missing planes, and if
    /// memory is insufficient.
    pub fn finish(
        self,
        geometry: Geometry,
        chosen: Option<&[i64]>,
    ) -> Result<LabelField, LabelSurfaceError> {
        let dims = self.dims;
        if self.added != voxel_count(dims) {
            let found = self.added;
            return Err(LabelSurfaceError::PlaneCount { dims, found });
        }
        let (mut runs, mut labels) = self.encoder.finish()?;
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
            select(&mut runs, &mut labels, |label| {
                chosen.binary_search(&label).is_ok()
            })?;
        }
        Ok(LabelField {
            dims,
            geometry,
            voxels: runs.count_voxels(labels.len())?,
            labels,
            missing,
            runs,
        })
    }
}

/// Returns the number of voxels of a grid; the dims of one without voxels may be of any size.
fn voxel_count(dims: [usize; 3]) -> usize {
    if dims.contains(&0) {
        return 0;
    }
    dims.iter()
        .fold(1, |count: usize, n| count.saturating_mul(*n))
}

/// Keeps the labels that `is_kept` accepts, renumbers them, and returns the others.
fn select(
    runs: &mut LabelRuns,
    labels: &mut Vec<i64>,
    is_kept: impl Fn(i64) -> bool,
) -> Result<Vec<i64>, OutOfMemory> {
    let mut removed = Vec::new();
    memory::try_reserve("labels", &mut removed, labels.len())?;
    let mut new_indices = memory::try_zeroed::<u32>("labels", labels.len() + 1)?;
    let mut kept = 0;
    for (index, &label) in labels.iter().enumerate() {
        if is_kept(label) {
            kept += 1;
            new_indices[index + 1] = kept;
        } else {
            removed.push(label);
        }
    }
    runs.renumber(&new_indices);
    labels.retain(|label| removed.binary_search(label).is_err());
    Ok(removed)
}

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
    /// Time is linear in the voxels; memory is eight bytes per run of equal labels along x. Volumes
    /// that exceed memory are read in parts by a [`LabelFieldBuilder`].
    ///
    /// # Errors
    /// [`LabelSurfaceError`] for samples that are not integers of 64 bits, for a list that is empty
    /// or contains 0, and if memory is insufficient.
    pub fn new(volume: &AnyVolume, chosen: Option<&[i64]>) -> Result<Self, LabelSurfaceError> {
        let mut builder = LabelFieldBuilder::new(volume.dims())?;
        with_volume!(volume, volume => builder.add_planes(volume.samples()))?;
        builder.finish(*volume.geometry(), chosen)
    }

    /// Removes the labels without voxels, renumbers the others, and returns the removed ones.
    pub(super) fn drop_absent_labels(&mut self) -> Result<Vec<i64>, OutOfMemory> {
        let voxels = self.runs.count_voxels(self.labels.len())?;
        let has_voxels = |label: i64| {
            let index = self.labels.binary_search(&label);
            index.is_ok_and(|index| voxels[index] > 0)
        };
        let mut labels = memory::try_copy("labels", &self.labels)?;
        let removed = select(&mut self.runs, &mut labels, has_voxels)?;
        self.labels = labels;
        self.voxels = voxels;
        self.voxels.retain(|&voxels| voxels > 0);
        Ok(removed)
    }

    /// Returns the number of voxels of each label, after 0 for the background.
    pub(super) fn kernel_voxels(&self) -> Result<Vec<u64>, OutOfMemory> {
        let mut voxels = memory::try_zeroed::<u64>("labels", 1)?;
        memory::try_extend("labels", &mut voxels, &self.voxels)?;
        Ok(voxels)
    }

    /// Returns the width of label indices.
    pub(super) fn index_bits(&self) -> IndexBits {
        match self.labels.len() {
            ..=0xff => IndexBits::U8,
            0x100..=0xffff => IndexBits::U16,
            _ => IndexBits::U32,
        }
    }

    /// Returns the label indices of a range of planes.
    pub(super) fn decode_planes<N: LabelIndex>(
        &self,
        planes: Range<usize>,
    ) -> Result<Vec<N>, OutOfMemory> {
        let [nx, ny, _] = self.dims;
        self.runs.decode(planes.start * ny..planes.end * ny, nx)
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
