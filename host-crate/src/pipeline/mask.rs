//! A mask beside a volume: it must have the same grid, as far as its file states one.

use super::{PipelineError, Problem, VolumeSource, Warning, at};
use crate::{
    grid::{Geometry, Volume, VolumeError},
    io::{HeaderInfo, RawLayout, ReadOptions, StoredType, VolumeFormat, VolumeReader},
};

/// Farther apart than this, in voxels, grids are not the same: files round, and quaternions do.
const SAME: f64 = 1e-3;

/// A volume's grid, as stated by its file and its source.
pub(crate) struct StatedGrid {
    dims: [usize; 3],
    /// As the file has it, with a spacing of 1 and an origin of 0 where it states none.
    file: Geometry,
    states: States,
    /// With what the source puts in its place.
    set: Option<Geometry>,
}

/// What a file states about the place of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct States {
    /// Whether its format has a place for it.
    by_format: bool,
    spacing: bool,
    origin: bool,
}

impl States {
    fn of(header: &HeaderInfo) -> Self {
        Self {
            by_format: !matches!(header.format, VolumeFormat::Npy | VolumeFormat::Raw),
            spacing: header.has_spacing,
            origin: header.has_origin,
        }
    }

    /// What is missing, of a format that could have it.
    fn missing(self) -> Option<&'static str> {
        match (self.spacing, self.origin) {
            _ if !self.by_format => None,
            (true, true) => None,
            (true, false) => Some("no position of its first sample"),
            (false, true) => Some("no spacing"),
            (false, false) => Some("neither a spacing nor a position of its first sample"),
        }
    }
}

impl StatedGrid {
    /// The grid of a volume whose file has this header and this geometry.
    pub fn of(
        source: &VolumeSource,
        header: &HeaderInfo,
        dims: [usize; 3],
        own: &Geometry,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            dims,
            file: *own,
            states: States::of(header),
            set: source.geometry(own)?,
        })
    }

    /// The grid of the file, if it states any.
    fn of_file(&self) -> Option<Geometry> {
        let states = self.states;
        (states.by_format || states.spacing || states.origin).then_some(self.file)
    }

    /// The grid of the file, with what it does not state as another has it.
    fn completed_by(&self, other: &Geometry) -> Result<Geometry, VolumeError> {
        let axes = if self.states.spacing {
            self.file.axes()
        } else {
            other.axes()
        };
        let origin = if self.states.origin {
            self.file.origin()
        } else {
            other.origin()
        };
        Geometry::new(*axes, origin.coords)
    }

    /// Fails if a mask has another grid. Of two files what both state is compared, unless the
    /// source states where the mask is; what the mask's file does not state but could is returned.
    fn check(&self, mask: &Self) -> Result<Option<&'static str>, Problem> {
        if mask.dims != self.dims {
            return Err(Problem::MaskDims {
                mask: mask.dims,
                volume: self.dims,
            });
        }
        let (mask, volume, missing) = match (mask.set, self.of_file()) {
            (Some(set), file) => match self.set.or(file) {
                Some(volume) => (set, volume, None),
                None => return Ok(None),
            },
            (None, Some(volume)) => (mask.completed_by(&volume)?, volume, mask.states.missing()),
            (None, None) => return Ok(None),
        };
        let offset = volume.misalignment(&mask, self.dims);
        if offset.voxels <= SAME {
            Ok(missing)
        } else {
            Err(Problem::MaskPlace {
                voxels: offset.voxels,
                world: offset.world,
            })
        }
    }

    /// The same with the mask's file in errors and in the warning.
    fn check_file(
        &self,
        mask: &VolumeSource,
        stated: &Self,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), PipelineError> {
        let missing = self.check(stated).map_err(at(&mask.path))?;
        warnings.extend(missing.map(|missing| Warning::MaskPlaceAssumed {
            path: mask.path.clone(),
            missing,
        }));
        Ok(())
    }
}

/// Opens a mask to read it plane by plane.
pub(crate) fn open_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
    warnings: &mut Vec<Warning>,
) -> Result<VolumeReader<'static>, PipelineError> {
    let mask = with_layout(mask, volume.dims);
    let reader = mask.open()?;
    let stated = StatedGrid::of(&mask, reader.header(), reader.dims(), reader.geometry())?;
    volume.check_file(&mask, &stated, warnings)?;
    Ok(reader)
}

/// Reads a mask: 1 where it is not zero.
pub(crate) fn read_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
    warnings: &mut Vec<Warning>,
) -> Result<Volume<u8>, PipelineError> {
    let mask = with_layout(mask, volume.dims);
    let (file, own) = mask.read_both()?;
    let stated = StatedGrid::of(&mask, &file.header, file.volume.dims(), &own)?;
    volume.check_file(&mask, &stated, warnings)?;
    let where_not_zero = file.volume.try_where_not_zero();
    where_not_zero.map_err(at(&mask.path))
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
            file: Geometry::from_spacing(spacing, origin).unwrap(),
            states: States {
                by_format: true,
                spacing: true,
                origin: true,
            },
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
            states: States {
                by_format: false,
                spacing: false,
                origin: false,
            },
            ..placed([1.0; 3], [0.0; 3])
        };
        assert_eq!(volume.check(&silent()).unwrap(), None);
        assert_eq!(silent().check(&volume).unwrap(), None);
        let said = |origin| StatedGrid {
            set: Some(Geometry::from_spacing([2.0; 3], origin).unwrap()),
            ..silent()
        };
        assert!(volume.check(&said([10.0; 3])).is_ok());
        assert!(volume.check(&said([0.0; 3])).is_err());
    }

    #[test]
    fn what_a_mask_does_not_state_but_could_is_taken_from_the_volume() {
        let volume = placed([2.0; 3], [10.0; 3]);
        let stating = |spacing, origin, grid| StatedGrid {
            states: States {
                by_format: true,
                spacing,
                origin,
            },
            ..grid
        };
        let plain = || placed([1.0; 3], [0.0; 3]);
        let check = |mask: &StatedGrid| volume.check(mask).map_err(|error| error.to_string());
        let nothing = check(&stating(false, false, plain())).unwrap();
        assert_eq!(
            nothing,
            Some("neither a spacing nor a position of its first sample")
        );
        let spaced = check(&stating(true, false, placed([2.0; 3], [0.0; 3]))).unwrap();
        assert_eq!(spaced, Some("no position of its first sample"));
        let positioned = check(&stating(false, true, placed([1.0; 3], [10.0; 3]))).unwrap();
        assert_eq!(positioned, Some("no spacing"));
        // what is stated must agree
        assert!(check(&stating(true, false, plain())).is_err());
        assert!(check(&stating(false, true, plain())).is_err());
        assert!(check(&stating(true, true, plain())).is_err());
    }
}
