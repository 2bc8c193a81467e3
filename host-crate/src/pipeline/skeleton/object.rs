//! The object of a skeleton job.

use super::ObjectError;
use crate::{
    device::{DeviceError, Stream},
    grid::{
        AnyDeviceVolume, AnyVolume, DeviceMask, Geometry, Inside, Mask, Sample, Selection,
        label_from_f64, with_volume,
    },
    pipeline::{Level, PipelineError, Problem, VolumeSource},
    voxelize::{VoxelizeParams, mask_to_volume},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Source of an object, or of several.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectSource {
    /// Selected voxels of a volume: those of an image beyond a threshold, those of one label, or
    /// the non-zero voxels of a mask.
    Volume {
        /// Volume file.
        source: Box<VolumeSource>,
        /// Threshold or selection of the samples that belong to the object.
        level: Level,
        /// Side of a threshold on which the object is; no meaning for other levels.
        inside: Inside,
    },
    /// Labels of a segmentation, each a separate object; all are processed in one pass. Samples are
    /// integers, and 0 is the background.
    Labels {
        /// Volume file.
        source: Box<VolumeSource>,
        /// Selected labels; `None` selects all. Overrides
        /// [`medial::Params::labels`](crate::skeleton::medial::Params::labels).
        labels: Option<Vec<i64>>,
    },
    /// Voxels inside a closed mesh.
    Mesh {
        /// Mesh file.
        path: PathBuf,
        /// Grid of the voxelization.
        grid: VoxelizeParams,
    },
}

/// Voxels of one object or of several, in host memory.
pub(super) enum HostVoxels {
    Mask(Mask),
    /// A label volume with its selected labels, in ascending order.
    Labels(AnyVolume, Vec<i64>),
}

/// Minimum number of object voxels for which starting a GPU pays off: the start takes 0.6 s (H200),
/// as long as the shortest paths through 0.8 million voxels on the host.
const MIN_GPU_VOXELS: u64 = 1 << 20;

impl HostVoxels {
    /// Returns `true` if there are enough voxels for a GPU to pay off.
    pub fn justify_gpu(&self) -> bool {
        let count = match self {
            Self::Mask(mask) => mask.count(),
            Self::Labels(volume, _) => {
                with_volume!(volume, volume => count_nonzero(volume.samples()))
            }
        };
        count >= MIN_GPU_VOXELS
    }
}

/// Returns the number of samples that are not 0.
fn count_nonzero<T: Sample>(samples: &[T]) -> u64 {
    let zero = T::zeroed();
    samples.iter().filter(|&&sample| sample != zero).count() as u64
}

/// Voxels of one object or of several.
pub(super) enum Voxels {
    OnDevice(DeviceMask),
    OnHost(HostVoxels),
}

impl From<DeviceMask> for Voxels {
    fn from(mask: DeviceMask) -> Self {
        Self::OnDevice(mask)
    }
}

impl From<HostVoxels> for Voxels {
    fn from(voxels: HostVoxels) -> Self {
        Self::OnHost(voxels)
    }
}

/// Object with the volume from which it was selected.
pub(super) struct Object<V = Voxels> {
    pub voxels: V,
    /// The isovalue, if the object was selected by one.
    pub iso: Option<f64>,
    /// Volume and isovalue for the rendering; `None` if the rendering shows the voxels themselves.
    pub rendered: Option<(AnyVolume, f32)>,
}

impl ObjectSource {
    /// Returns the path of the input file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Volume { source, .. } | Self::Labels { source, .. } => &source.path,
            Self::Mesh { path, .. } => path,
        }
    }

    /// Returns the labels of the result in ascending order, or `None` if they are unknown before
    /// the input is read.
    pub(super) fn labels(&self) -> Option<Vec<i64>> {
        match self {
            Self::Volume {
                level: Level::Label(label),
                ..
            } if label.fract() == 0.0 => label_from_f64(*label).map(|label| vec![label]),
            Self::Volume {
                level: Level::WideLabel(label),
                ..
            } => Some(vec![*label]),
            Self::Volume { .. } | Self::Mesh { .. } => Some(vec![1]),
            Self::Labels { labels, .. } => {
                let labels: BTreeSet<i64> = labels.as_ref()?.iter().copied().collect();
                Some(labels.into_iter().collect())
            }
        }
    }

    /// Checks everything that can be checked before the input is read.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        match self {
            Self::Volume { source, level, .. } => {
                level.check_selection().map_err(source.error())?;
                match *level {
                    Level::Label(label)
                        if label.fract() == 0.0 && label_from_f64(label).is_none() =>
                    {
                        Err(ObjectError::LabelTooLarge { label }).map_err(source.error())
                    }
                    _ => Ok(()),
                }
            }
            Self::Labels { source, labels } => match labels {
                Some(labels) if labels.is_empty() => {
                    Err(ObjectError::NoLabels).map_err(source.error())
                }
                _ => Ok(()),
            },
            Self::Mesh { .. } => Ok(()),
        }
    }
}

impl<V: Into<Voxels>> Object<V> {
    /// Creates an object whose rendering shows its voxels.
    pub fn new(voxels: V) -> Self {
        Self {
            voxels,
            iso: None,
            rendered: None,
        }
    }

    /// Creates an object selected by its samples, whose rendering shows its voxels.
    pub fn from_selection(voxels: V, selection: Selection) -> Self {
        let iso = match selection {
            Selection::AtLeast(iso) | Selection::Below(iso) => Some(iso),
            _ => None,
        };
        Self {
            iso,
            ..Self::new(voxels)
        }
    }

    /// Creates an object selected from `volume`, which is rendered if the selection is a lower
    /// threshold.
    pub fn from_volume(voxels: V, selection: Selection, volume: AnyVolume) -> Self {
        let rendered = match selection {
            Selection::AtLeast(threshold) => Some((volume, threshold as f32)),
            _ => None,
        };
        Self {
            rendered,
            ..Self::from_selection(voxels, selection)
        }
    }

    /// Erases the location of the voxels from the type.
    pub fn erase_location(self) -> Object {
        Object {
            voxels: self.voxels.into(),
            iso: self.iso,
            rendered: self.rendered,
        }
    }
}

impl Object {
    /// Returns the number of voxels of the grid along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        match &self.voxels {
            Voxels::OnDevice(mask) => mask.dims(),
            Voxels::OnHost(HostVoxels::Mask(mask)) => mask.dims(),
            Voxels::OnHost(HostVoxels::Labels(volume, _)) => volume.dims(),
        }
    }

    /// Returns the geometry of the grid.
    pub fn geometry(&self) -> Geometry {
        match &self.voxels {
            Voxels::OnDevice(mask) => *mask.geometry(),
            Voxels::OnHost(HostVoxels::Mask(mask)) => *mask.geometry(),
            Voxels::OnHost(HostVoxels::Labels(volume, _)) => *volume.geometry(),
        }
    }

    /// Uploads the volume that is rendered around the skeleton, cropped to the object's surface,
    /// and returns it with its isovalue.
    pub fn upload_rendered(&mut self, stream: &Stream) -> Result<(AnyDeviceVolume, f32), Problem> {
        let (volume, iso) = match (self.rendered.take(), &self.voxels) {
            (Some((volume, iso)), _) => (volume.try_into_kernel_type()?.0, iso),
            (None, Voxels::OnDevice(mask)) => (mask_to_volume(stream, mask)?.into(), 0.5),
            (None, Voxels::OnHost(HostVoxels::Mask(mask))) => {
                let mask = mask.upload(stream)?;
                (mask_to_volume(stream, &mask)?.into(), 0.5)
            }
            (None, Voxels::OnHost(HostVoxels::Labels(volume, labels))) => {
                let is_selected = |sample: f64| labels.binary_search(&(sample as i64)).is_ok();
                let mask = Mask::from_volume(volume, is_selected)?.upload(stream)?;
                (mask_to_volume(stream, &mask)?.into(), 0.5)
            }
        };
        let solid = volume.try_crop_to_solid(iso, Inside::Above)?;
        let solid = upload(stream, &solid).map_err(Problem::PictureVolume)?;
        Ok((solid, iso))
    }
}

/// Copies a volume to the stream's device and synchronises the stream.
pub(super) fn upload(stream: &Stream, volume: &AnyVolume) -> Result<AnyDeviceVolume, DeviceError> {
    let uploaded = AnyDeviceVolume::upload(stream, volume)?;
    stream.synchronize()?;
    Ok(uploaded)
}
