//! Restriction of an object to a mask and to its largest component, and filling of its cavities.

use super::{
    PipelineError, Problem, VolumeSource, Warning, at,
    mask::{StatedGrid, read_mask},
};
use crate::{
    device::Device,
    grid::{AnyVolume, Inside, Mask, Sample, Volume, with_volume},
    memory::OutOfMemory,
    skeleton::fill_cavities,
};
use std::path::Path;

/// Filter of the voxels of an object. The steps are applied in the order of the fields; the default
/// changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectFilter {
    /// A volume of the same grid: voxels where it is zero do not belong to the object. Headerless
    /// masks have samples of `u8` unless their options name another type.
    pub mask: Option<VolumeSource>,
    /// `true` to keep only the [largest component](Mask::largest_component).
    pub largest: bool,
    /// `true` to fill cavities: background that no path of face neighbours joins to the border.
    pub fill_cavities: bool,
}

impl ObjectFilter {
    /// Returns `true` if objects remain as they are.
    pub fn keeps_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the paths of the files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.mask.iter().map(|mask| mask.path.as_path())
    }

    /// Returns `true` if a device is needed.
    pub fn needs_device(&self) -> bool {
        self.fill_cavities
    }

    /// Reads the mask, if there is one, and checks that its grid is that of the volume.
    pub(crate) fn read_mask(
        &self,
        grid: &StatedGrid,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Volume<u8>>, PipelineError> {
        let mask = self.mask.as_ref();
        mask.map(|mask| read_mask(mask, grid, warnings)).transpose()
    }

    /// Filters the voxels of an object. `mask` is what [`read_mask`](Self::read_mask) returned;
    /// errors name `path`.
    pub(crate) fn apply(
        &self,
        mut object: Mask,
        mask: Option<&Volume<u8>>,
        device: &Device,
        path: &Path,
    ) -> Result<Mask, PipelineError> {
        if self.keeps_all() {
            return Ok(object);
        }
        let work = move || -> Result<Mask, Problem> {
            if let Some(mask) = mask {
                let mut kept = Mask::new(mask.dims(), *mask.geometry())?;
                kept.set_planes(0, mask.samples(), |sample| sample != 0.0);
                object.intersect(&kept);
            }
            if self.largest {
                object = object.largest_component()?;
            }
            if self.fill_cavities {
                let stream = device.stream()?;
                let filled = fill_cavities(&stream, &object.upload(&stream)?)?;
                object = Mask::download(&stream, &filled)?;
            }
            Ok(object)
        };
        work().map_err(at(path))
    }
}

/// Sets the labels outside of a mask to 0.
pub(crate) fn clear_outside(labels: &mut AnyVolume, mask: &Volume<u8>) {
    with_volume!(labels, labels => {
        for (label, &kept) in labels.samples_mut().iter_mut().zip(mask.samples()) {
            if kept == 0 {
                *label = bytemuck::Zeroable::zeroed();
            }
        }
    });
}

/// Changes samples such that the voxels inside an isovalue become those of `kept`: removed voxels
/// take the value of the outermost sample of the volume, added ones that of the innermost. Returns
/// an indicator function, with the isovalue 0.5 and the solid above it, if no sample is outside.
pub(crate) fn replace_solid(
    volume: AnyVolume,
    iso: f32,
    inside: Inside,
    kept: &Mask,
) -> Result<(AnyVolume, f32, Inside), OutOfMemory> {
    with_volume!(volume, volume => replace_typed(volume, iso, inside, kept))
}

fn replace_typed<T: Sample>(
    mut volume: Volume<T>,
    iso: f32,
    inside: Inside,
    kept: &Mask,
) -> Result<(AnyVolume, f32, Inside), OutOfMemory> {
    let is_inside = |sample: T| inside.contains(sample.to_f64(), iso);
    let mut samples = volume.samples().iter().copied();
    let mut extremes = samples.find(|it| it.is_finite()).map(|first| [first; 2]);
    if let Some([least, most]) = &mut extremes {
        for sample in samples.filter(|it| it.is_finite()) {
            *least = if sample < *least { sample } else { *least };
            *most = if sample > *most { sample } else { *most };
        }
    }
    let extremes = extremes.map(|[least, most]| match inside {
        Inside::Above => (least, most),
        Inside::Below => (most, least),
    });
    let [nx, ny, _] = volume.dims();
    let contains = |index: usize| kept.contains([index % nx, index / nx % ny, index / (nx * ny)]);
    let Some((outermost, innermost)) = extremes.filter(|&(outermost, _)| !is_inside(outermost))
    else {
        let indicator = (0..volume.samples().len()).map(|index| u8::from(contains(index)));
        let samples = crate::memory::try_collect("voxels", indicator)?;
        return Ok((volume.with_samples(samples).into(), 0.5, Inside::Above));
    };
    for (index, sample) in volume.samples_mut().iter_mut().enumerate() {
        match (is_inside(*sample), contains(index)) {
            (true, false) => *sample = outermost,
            (false, true) => *sample = innermost,
            _ => {}
        }
    }
    Ok((volume.into(), iso, inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    fn replaced(samples: &[f32], iso: f32, inside: Inside, kept: &[u64]) -> (Vec<f64>, f32) {
        let dims = [samples.len(), 1, 1];
        let volume = Volume::new(samples.to_vec(), dims, Geometry::default()).unwrap();
        let kept = Mask::from_indices(kept, dims, Geometry::default()).unwrap();
        let (volume, iso, _) = replace_solid(volume.into(), iso, inside, &kept).unwrap();
        let list = with_volume!(volume, volume => {
            volume.samples().iter().map(|it| it.to_f64()).collect()
        });
        (list, iso)
    }

    #[test]
    fn removed_and_added_voxels_take_the_extremes() {
        let samples = [3.0, 7.0, f32::NAN, 9.0, 5.0];
        let (list, iso) = replaced(&samples, 6.0, Inside::Above, &[3, 4]);
        assert_eq!(
            (list[0], list[1], list[3], list[4], iso),
            (3.0, 3.0, 9.0, 9.0, 6.0)
        );
        let (list, _) = replaced(&samples, 6.0, Inside::Below, &[0]);
        assert_eq!((list[0], list[4]), (3.0, 9.0));
    }

    #[test]
    fn volume_without_outside_becomes_an_indicator() {
        let (list, iso) = replaced(&[7.0, 8.0, 9.0], 6.0, Inside::Above, &[1]);
        assert_eq!((list, iso), (vec![0.0, 1.0, 0.0], 0.5));
    }
}
