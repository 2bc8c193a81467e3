//! Smoothing and resampling of volume inputs, and of their masks.

use super::Problem;
use crate::{
    device::{Device, DeviceError, Stream},
    grid::{Geometry, Volume},
    io::VolumeFile,
    volume_filter::{
        ResampleGrid, TargetSpacing, VolumeFilter, VolumeFilterError, resample_nearest,
    },
};

/// Smoothing and resampling of a volume that a job reads.
#[derive(Clone, Debug, Default)]
pub struct SourceFilter {
    /// Parameters of the filter; the default keeps the volume as it is.
    pub filter: VolumeFilter,
    /// Device that runs the filter; `None` for the CPU. The result is the same.
    pub device: Option<Device>,
}

impl PartialEq for SourceFilter {
    fn eq(&self, other: &Self) -> bool {
        let id = |device: &Option<Device>| device.as_ref().map(Device::id);
        self.filter == other.filter && id(&self.device) == id(&other.device)
    }
}

impl From<VolumeFilter> for SourceFilter {
    fn from(filter: VolumeFilter) -> Self {
        Self {
            filter,
            device: None,
        }
    }
}

impl SourceFilter {
    /// Returns `true` if the volume is kept as it is.
    pub fn keeps_all(&self) -> bool {
        self.filter.keeps_all()
    }

    /// Smooths and resamples a volume that was read.
    pub(super) fn apply(&self, file: VolumeFile) -> Result<VolumeFile, Problem> {
        if self.keeps_all() {
            return Ok(file);
        }
        let VolumeFile { volume, header } = file;
        let volume = self.filter.apply(&self.stream()?, volume)?.volume;
        Ok(VolumeFile { volume, header })
    }

    fn stream(&self) -> Result<Stream, DeviceError> {
        self.device.clone().unwrap_or_else(Device::cpu).stream()
    }
}

/// The grid of the samples in a file, before overrides of the geometry and resampling.
pub(crate) struct FileGrid {
    /// Number of samples along x, y and z, of the cropped part.
    pub dims: [usize; 3],
    /// Geometry of the file, at the cropped part.
    pub geometry: Geometry,
    /// The grid that masks are resampled to, if the volume is resampled.
    pub masks: Option<ResampledMaskGrid>,
}

/// The grid of a resampled volume, for masks of the volume.
#[derive(Clone, Debug)]
pub(crate) struct ResampledMaskGrid {
    grid: ResampleGrid,
    filter: SourceFilter,
}

impl ResampledMaskGrid {
    /// Creates the grid for a volume of `dims` samples with this geometry.
    pub fn new(
        dims: [usize; 3],
        geometry: &Geometry,
        spacing: TargetSpacing,
        filter: &SourceFilter,
    ) -> Result<Self, VolumeFilterError> {
        Ok(Self {
            grid: ResampleGrid::new(dims, geometry, spacing)?,
            filter: filter.clone(),
        })
    }

    /// Copies the nearest samples of a mask of the volume.
    pub fn resample(&self, mask: &Volume<u8>) -> Result<Volume<u8>, VolumeFilterError> {
        resample_nearest(&self.filter.stream()?, mask, &self.grid)
    }
}
