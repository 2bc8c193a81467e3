//! A mask beside a volume: it must have the same grid.

use super::{PipelineError, Problem, VolumeSource, at};
use crate::{
    grid::{Geometry, Volume},
    io::{HeaderInfo, RawLayout, ReadOptions, StoredType, VolumeFormat, VolumeReader},
};

/// Farther apart than this, in voxels, grids are not the same: files round, and quaternions do.
const SAME: f64 = 1e-3;

/// A volume's grid, as stated by its file and its source.
pub(crate) struct StatedGrid {
    dims: [usize; 3],
    /// What the file says; `None` if it says nothing.
    file: Option<Geometry>,
    /// With what the source puts in its place.
    set: Option<Geometry>,
}

impl StatedGrid {
    /// The grid of a volume whose file has this header and this geometry.
    pub fn of(
        source: &VolumeSource,
        header: &HeaderInfo,
        dims: [usize; 3],
        own: &Geometry,
    ) -> Result<Self, PipelineError> {
        let is_told = match header.format {
            VolumeFormat::Npy => false,
            VolumeFormat::Raw => *own != Geometry::default(),
            _ => true,
        };
        Ok(Self {
            dims,
            file: is_told.then_some(*own),
            set: source.geometry(own)?,
        })
    }

    /// Fails if a mask has another grid. Of two files what they say themselves is compared, unless somebody says where the mask is.
    fn check(&self, mask: &Self) -> Result<(), Problem> {
        if mask.dims != self.dims {
            return Err(Problem::MaskDims {
                mask: mask.dims,
                volume: self.dims,
            });
        }
        let places = match mask.set {
            Some(mask) => (Some(mask), self.set.or(self.file)),
            None => (mask.file, self.file),
        };
        let (Some(mask), Some(volume)) = places else {
            return Ok(());
        };
        let offset = volume.misalignment(&mask, self.dims);
        match offset.voxels <= SAME {
            true => Ok(()),
            false => Err(Problem::MaskPlace {
                voxels: offset.voxels,
                world: offset.world,
            }),
        }
    }
}

/// Opens a mask to read it plane by plane.
pub(crate) fn open_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
) -> Result<VolumeReader<'static>, PipelineError> {
    let mask = with_layout(mask, volume.dims);
    let reader = mask.open()?;
    let stated = StatedGrid::of(&mask, reader.header(), reader.dims(), reader.geometry())?;
    volume.check(&stated).map_err(at(&mask.path))?;
    Ok(reader)
}

/// Reads a mask: 1 where it is not zero.
pub(crate) fn read_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
) -> Result<(Volume<u8>, HeaderInfo), PipelineError> {
    let mask = with_layout(mask, volume.dims);
    let (file, own) = mask.read_both()?;
    let stated = StatedGrid::of(&mask, &file.header, file.volume.dims(), &own)?;
    volume.check(&stated).map_err(at(&mask.path))?;
    Ok((file.volume.where_not_zero(), file.header))
}

/// A headerless mask is of bytes, as many as the volume has samples.
fn with_layout(mask: &VolumeSource, dims: [usize; 3]) -> VolumeSource {
    let layout = || RawLayout::new(dims, StoredType::U8);
    VolumeSource {
        options: ReadOptions {
            raw: Some(mask.options.raw.clone().unwrap_or_else(layout)),
            ..mask.options.clone()
        },
        ..mask.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(spacing: [f64; 3], origin: [f64; 3]) -> StatedGrid {
        StatedGrid {
            dims: [101, 11, 1],
            file: Some(Geometry::from_spacing(spacing, origin).unwrap()),
            set: None,
        }
    }

    #[test]
    fn grids_are_the_same_within_a_thousandth_of_a_voxel() {
        let volume = placed([2.0; 3], [10.0; 3]);
        assert!(volume.check(&placed([2.0; 3], [10.0; 3])).is_ok());
        assert!(
            volume
                .check(&placed([2.0; 3], [10.0, 10.001, 10.0]))
                .is_ok()
        );
        assert!(
            volume
                .check(&placed([2.00001, 2.0, 2.0], [10.0; 3]))
                .is_ok()
        );
        let error = volume
            .check(&placed([2.0; 3], [13.0, 10.0, 14.0]))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the mask lies elsewhere than the volume: up to 2.500 voxels, 5.000000 in world units; they must have the same \
             grid: resample the mask, or correct its header"
        );
        // the origin agrees, the far corner does not
        assert!(volume.check(&placed([2.001, 2.0, 2.0], [10.0; 3])).is_err());
        let mirrored = placed([2.0; 3], [10.0; 3]);
        let other = StatedGrid {
            dims: [11, 101, 1],
            ..mirrored
        };
        assert!(matches!(
            volume.check(&other),
            Err(Problem::MaskDims { .. })
        ));
    }

    #[test]
    fn a_file_that_does_not_say_where_it_is_fits_anywhere() {
        let volume = placed([2.0; 3], [10.0; 3]);
        let silent = || StatedGrid {
            file: None,
            ..placed([1.0; 3], [0.0; 3])
        };
        assert!(volume.check(&silent()).is_ok());
        assert!(silent().check(&volume).is_ok());
        let said = |origin| StatedGrid {
            set: Some(Geometry::from_spacing([2.0; 3], origin).unwrap()),
            ..silent()
        };
        assert!(volume.check(&said([10.0; 3])).is_ok());
        assert!(volume.check(&said([0.0; 3])).is_err());
    }
}
