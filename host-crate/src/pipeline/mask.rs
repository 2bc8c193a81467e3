//! Masks of a volume. A mask must have the grid of the volume, as far as its file states one.

use super::{
    PipelineError, Problem, VolumeSource, Warning, at,
    source_filter::{FileGrid, ResampledMaskGrid},
};
use crate::{
    grid::{Geometry, Volume, VolumeError},
    io::{HeaderInfo, RawLayout, ReadOptions, StoredType, VolumeFormat, VolumeReader},
};

/// Maximum distance, in voxels, between corresponding voxels of equal grids: files and quaternions
/// are rounded.
const MAX_MISALIGNMENT: f64 = 1e-3;

/// The grid of a volume, as stated by its file and overridden by its source.
pub(crate) struct StatedGrid {
    dims: [usize; 3],
    /// Geometry of the file, with a spacing of 1 and an origin of 0 if it states none.
    file: Geometry,
    stated: StatedParts,
    /// Geometry with the overrides of the source, if it has any.
    set: Option<Geometry>,
    /// The grid that masks are resampled to after the check, if the volume is.
    resampled: Option<ResampledMaskGrid>,
}

/// Parts of the geometry that a file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StatedParts {
    /// `true` if files of the format usually state a geometry, so that a missing part is worth a
    /// note.
    by_format: bool,
    spacing: bool,
    origin: bool,
}

impl StatedParts {
    fn from_header(header: &HeaderInfo) -> Self {
        Self {
            by_format: !matches!(
                header.format,
                VolumeFormat::Npy
                    | VolumeFormat::Npz
                    | VolumeFormat::Raw
                    | VolumeFormat::Tiff
                    | VolumeFormat::Png
                    | VolumeFormat::Zarr
            ),
            spacing: header.has_spacing,
            origin: header.has_origin,
        }
    }

    /// Returns a description of the missing parts, for formats that can store them.
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
    /// Creates the grid of a volume whose file has this header and this grid.
    pub fn new(
        source: &VolumeSource,
        header: &HeaderInfo,
        file: FileGrid,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            dims: file.dims,
            file: file.geometry,
            stated: StatedParts::from_header(header),
            set: source.replaced_geometry(&file.geometry)?,
            resampled: file.masks,
        })
    }

    /// Returns the geometry of the file, if it states any part of it.
    fn file_geometry(&self) -> Option<Geometry> {
        let stated = self.stated;
        (stated.by_format || stated.spacing || stated.origin).then_some(self.file)
    }

    /// Returns the geometry of the file, with missing parts taken from `other`.
    fn completed_by(&self, other: &Geometry) -> Result<Geometry, VolumeError> {
        let axes = if self.stated.spacing {
            self.file.axes()
        } else {
            other.axes()
        };
        let origin = if self.stated.origin {
            self.file.origin()
        } else {
            other.origin()
        };
        Geometry::new(*axes, origin.coords)
    }

    /// Checks that a mask has this grid. The parts that both files state are compared, unless the
    /// source of the mask overrides its geometry. Returns a description of the parts that the
    /// mask's file could state but does not.
    fn check(&self, mask: &Self) -> Result<Option<&'static str>, Problem> {
        if mask.dims != self.dims {
            return Err(Problem::MaskDims {
                mask: mask.dims,
                volume: self.dims,
            });
        }
        let (mask, volume, missing) = match (mask.set, self.file_geometry()) {
            (Some(set), file) => match self.set.or(file) {
                Some(volume) => (set, volume, None),
                None => return Ok(None),
            },
            (None, Some(volume)) => (mask.completed_by(&volume)?, volume, mask.stated.missing()),
            (None, None) => return Ok(None),
        };
        let offset = volume.misalignment(&mask, self.dims);
        if offset.voxels <= MAX_MISALIGNMENT {
            Ok(missing)
        } else {
            Err(Problem::MaskGeometry {
                voxels: offset.voxels,
                world: offset.world,
            })
        }
    }

    /// Checks the grid of a mask file, and adds a warning if it states only a part of it.
    fn check_file(
        &self,
        mask: &VolumeSource,
        stated: &Self,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), PipelineError> {
        let missing = self.check(stated).map_err(at(&mask.path))?;
        warnings.extend(missing.map(|missing| Warning::MaskGeometryAssumed {
            path: mask.path.clone(),
            missing,
        }));
        Ok(())
    }
}

/// Opens a mask for reading in parts, and checks its grid. The mask of a resampled volume is read,
/// resampled and kept in memory.
pub(crate) fn open_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
    warnings: &mut Vec<Warning>,
) -> Result<VolumeReader<'static>, PipelineError> {
    let with_layout = with_layout(mask, volume.dims);
    let (reader, grid) = with_layout.open_with_file_grid()?;
    if volume.resampled.is_some() {
        let header = reader.header().clone();
        let resampled = read_mask(mask, volume, warnings)?;
        return Ok(VolumeReader::from_volume(
            &mask.path,
            header,
            resampled.into(),
        ));
    }
    let stated = StatedGrid::new(&with_layout, reader.header(), grid)?;
    volume.check_file(&with_layout, &stated, warnings)?;
    Ok(reader)
}

/// Reads a mask as 1 for samples that are not zero and 0 for others, checks its grid, and resamples
/// it as the volume.
pub(crate) fn read_mask(
    mask: &VolumeSource,
    volume: &StatedGrid,
    warnings: &mut Vec<Warning>,
) -> Result<Volume<u8>, PipelineError> {
    let mask = with_layout(mask, volume.dims);
    let (file, grid) = mask.read_with_file_grid()?;
    let stated = StatedGrid::new(&mask, &file.header, grid)?;
    volume.check_file(&mask, &stated, warnings)?;
    let binary = file.volume.try_where_not_zero().map_err(at(&mask.path))?;
    match &volume.resampled {
        Some(grid) => grid.resample(&binary).map_err(at(&mask.path)),
        None => Ok(binary),
    }
}

/// Sets the layout of a headerless mask, unless its source has one: samples of `u8` in the dims of
/// the volume.
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
            stated: StatedParts {
                by_format: true,
                spacing: true,
                origin: true,
            },
            set: None,
            resampled: None,
        }
    }

    #[test]
    fn grids_are_equal_within_a_thousandth_of_a_voxel() {
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
        // the origins agree, the opposite corners do not
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
    fn mask_without_geometry_matches_any_grid() {
        let volume = placed([2.0; 3], [10.0; 3]);
        let unstated = || StatedGrid {
            stated: StatedParts {
                by_format: false,
                spacing: false,
                origin: false,
            },
            ..placed([1.0; 3], [0.0; 3])
        };
        assert_eq!(volume.check(&unstated()).unwrap(), None);
        assert_eq!(unstated().check(&volume).unwrap(), None);
        let overridden = |origin| StatedGrid {
            set: Some(Geometry::from_spacing([2.0; 3], origin).unwrap()),
            ..unstated()
        };
        assert!(volume.check(&overridden([10.0; 3])).is_ok());
        assert!(volume.check(&overridden([0.0; 3])).is_err());
    }

    #[test]
    fn missing_parts_of_the_geometry_are_taken_from_the_volume() {
        let volume = placed([2.0; 3], [10.0; 3]);
        let stating = |spacing, origin, grid| StatedGrid {
            stated: StatedParts {
                by_format: true,
                spacing,
                origin,
            },
            ..grid
        };
        let plain = || placed([1.0; 3], [0.0; 3]);
        let check = |mask: &StatedGrid| volume.check(mask).map_err(|error| error.to_string());
        let missing_both = check(&stating(false, false, plain())).unwrap();
        assert_eq!(
            missing_both,
            Some("neither a spacing nor a position of its first sample")
        );
        let missing_origin = check(&stating(true, false, placed([2.0; 3], [0.0; 3]))).unwrap();
        assert_eq!(missing_origin, Some("no position of its first sample"));
        let missing_spacing = check(&stating(false, true, placed([1.0; 3], [10.0; 3]))).unwrap();
        assert_eq!(missing_spacing, Some("no spacing"));
        // parts that are stated must agree
        assert!(check(&stating(true, false, plain())).is_err());
        assert!(check(&stating(false, true, plain())).is_err());
        assert!(check(&stating(true, true, plain())).is_err());
    }
}
