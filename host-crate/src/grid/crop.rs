//! Cropping of a volume to its solid.
//!
//! Pictures show a whole volume, and medical volumes are half air: after cropping, the solid fills
//! the picture.

use super::{AnyVolume, Inside, Sample, Volume, VoxelBox, with_volume};
use crate::memory::{self, OutOfMemory};

/// Number of samples kept around the solid: the surface and its gradient need one, a wider gradient
/// two.
const MARGIN: usize = 2;

impl AnyVolume {
    /// Crops the volume to the solid and a margin of two samples. The solid are the samples at or
    /// above the isovalue, or below it. World positions do not change. Without a solid the volume
    /// is returned unchanged.
    ///
    /// Two passes over the samples, and a copy of those that are kept.
    ///
    /// # Panics
    /// If memory runs out; [`try_crop_to_solid`](Self::try_crop_to_solid) returns an error instead.
    #[must_use]
    pub fn crop_to_solid(self, iso: f32, inside: Inside) -> Self {
        let cropped = self.try_crop_to_solid(iso, inside);
        cropped.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Crops the volume as [`crop_to_solid`](Self::crop_to_solid).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_crop_to_solid(self, iso: f32, inside: Inside) -> Result<Self, OutOfMemory> {
        Ok(with_volume!(self, volume => crop(volume, iso, inside)?.into()))
    }
}

fn crop<T: Sample>(volume: Volume<T>, iso: f32, inside: Inside) -> Result<Volume<T>, OutOfMemory> {
    let iso = f64::from(iso);
    let is_solid = |sample: &T| match inside {
        Inside::Above => sample.to_f64() >= iso,
        Inside::Below => sample.to_f64() < iso,
    };
    let dims = volume.dims();
    let Some(solid) = solid_box(&volume, is_solid) else {
        return Ok(volume);
    };
    let part = solid.grown(MARGIN, dims);
    if part.dims() == dims {
        return Ok(volume);
    }
    let mut samples = Vec::new();
    memory::try_reserve(
        "a part of the volume",
        &mut samples,
        part.dims().iter().product(),
    )?;
    append_box(volume.samples(), dims, part, &mut samples);
    let geometry = volume
        .geometry()
        .shifted(part.start.map(|index| index as i64));
    // the product of the dims is the number of samples by construction
    Ok(Volume::new(samples, part.dims(), geometry).unwrap_or(volume))
}

/// Appends the samples within a box of a grid of `dims` voxels to `out`, which must have capacity
/// for them.
pub(crate) fn append_box<T: Sample>(
    samples: &[T],
    dims: [usize; 3],
    part: VoxelBox,
    out: &mut Vec<T>,
) {
    for z in part.start[2]..part.end[2] {
        for y in part.start[1]..part.end[1] {
            let row = dims[0] * (y + dims[1] * z);
            out.extend_from_slice(&samples[row + part.start[0]..row + part.end[0]]);
        }
    }
}

impl AnyVolume {
    /// Returns the smallest box that contains all samples that are not zero, or `None` if there is
    /// none.
    pub(crate) fn nonzero_box(&self) -> Option<VoxelBox> {
        with_volume!(self, volume => solid_box(volume, |sample| sample.to_f64() != 0.0))
    }
}

/// Returns the smallest box that contains all solid samples.
fn solid_box<T: Sample>(volume: &Volume<T>, is_solid: impl Fn(&T) -> bool) -> Option<VoxelBox> {
    let [nx, ny, _] = volume.dims();
    if volume.samples().is_empty() {
        return None;
    }
    let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
    for (row, samples) in volume.samples().chunks_exact(nx).enumerate() {
        let Some(first) = samples.iter().position(&is_solid) else {
            continue;
        };
        let last = samples.iter().rposition(&is_solid).unwrap_or(first);
        let (y, z) = (row % ny, row / ny);
        low = [low[0].min(first), low[1].min(y), low[2].min(z)];
        high = [high[0].max(last), high[1].max(y), high[2].max(z)];
    }
    (low[0] != usize::MAX).then_some(VoxelBox {
        start: low,
        end: high.map(|index| index + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    fn volume() -> Volume<f32> {
        let geometry = Geometry::from_spacing([2.0, 1.0, 1.0], [10.0, 0.0, 0.0]).unwrap();
        let solid = [[9, 8, 7], [11, 8, 7]];
        Volume::from_fn([20, 19, 9], geometry, |x, y, z| {
            if solid.contains(&[x, y, z]) {
                1.0
            } else {
                -1.0
            }
        })
        .unwrap()
    }

    #[test]
    fn crop_keeps_two_samples_around_the_solid() {
        let cropped = crop(volume(), 0.0, Inside::Above).unwrap();
        assert_eq!(cropped.dims(), [3 + 4, 1 + 4, 1 + 2 + 1]);
        assert_eq!(cropped.geometry().origin().x, 10.0 + 2.0 * 7.0);
        assert_eq!(cropped.get([2, 2, 2]), Some(1.0));
        assert_eq!(
            cropped
                .samples()
                .iter()
                .filter(|&&sample| sample > 0.0)
                .count(),
            2
        );
    }

    #[test]
    fn entirely_solid_or_empty_volumes_are_unchanged() {
        assert_eq!(crop(volume(), 0.0, Inside::Below), Ok(volume()));
        assert_eq!(crop(volume(), 5.0, Inside::Above), Ok(volume()));
    }
}
