//! The object whose skeleton is made.

use super::ObjectError;
use crate::{
    device::{DeviceError, Stream},
    grid::{
        AnyDeviceVolume, AnyVolume, DeviceMask, Geometry, Inside, Mask, Sample, Selection,
        with_volume,
    },
    pipeline::{PipelineError, Problem, VolumeSource},
    voxelize::{VoxelizeParams, volume_of},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectSource {
    /// Voxels of a volume: of an image by a threshold, of labels by one of them, of a mask by those
    /// that are not zero.
    Volume {
        /// The volume file.
        source: Box<VolumeSource>,
        /// Which samples are those of the object.
        voxels: Selection,
    },
    /// The labels of a segmentation, each an object of its own, all in one pass: whole numbers, of
    /// which 0 is the background.
    Labels {
        /// The volume file.
        source: Box<VolumeSource>,
        /// Which labels: all where none are named. They stand in place of those of
        /// [`medial::Params`](crate::skeleton::medial::Params).
        labels: Option<Vec<i64>>,
    },
    /// The voxels inside a closed mesh.
    Mesh {
        /// The mesh file.
        path: PathBuf,
        /// The grid that it gets.
        grid: VoxelizeParams,
    },
}

/// The voxels of an object, or of several, on the host.
pub(super) enum HostVoxels {
    Mask(Mask),
    /// Those of these labels.
    Labels(AnyVolume, Vec<i64>),
}

/// Objects of so many voxels are worth the start of a GPU: 0.6 s for the first rabbit at 128 on an
/// H200, as long as ways through 0.8 million voxels on the host.
const MANY: u64 = 1 << 20;

impl HostVoxels {
    /// Whether they are worth the start of a GPU.
    pub fn are_many(&self) -> bool {
        let count = match self {
            Self::Mask(mask) => mask.count(),
            Self::Labels(volume, _) => with_volume!(volume, volume => labelled(volume.samples())),
        };
        count >= MANY
    }
}

/// How many samples are not 0.
fn labelled<T: Sample>(samples: &[T]) -> u64 {
    let zero = T::zeroed();
    samples.iter().filter(|&&sample| sample != zero).count() as u64
}

/// The voxels of an object, or of several.
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

/// An object, and what it was made of.
pub(super) struct Object<V = Voxels> {
    pub voxels: V,
    /// The volume and the threshold that its surface is drawn at, where it has one.
    pub drawn: Option<(AnyVolume, f32)>,
}

impl ObjectSource {
    /// The file, as messages name it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Volume { source, .. } | Self::Labels { source, .. } => &source.path,
            Self::Mesh { path, .. } => path,
        }
    }

    /// The labels that there will be, if that is known before the file is read, in ascending order.
    pub(super) fn labels(&self) -> Option<Vec<i64>> {
        match self {
            Self::Volume {
                voxels: Selection::Label(label),
                ..
            } if label.fract() == 0.0 => Some(vec![*label as i64]),
            Self::Volume { .. } | Self::Mesh { .. } => Some(vec![1]),
            Self::Labels { labels, .. } => {
                let labels: BTreeSet<i64> = labels.as_ref()?.iter().copied().collect();
                Some(labels.into_iter().collect())
            }
        }
    }

    /// Refuses what can be refused before the file is read.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        match self {
            Self::Volume { source, voxels } => voxels.check().map_err(source.error()),
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
    pub fn of(voxels: V) -> Self {
        Self {
            voxels,
            drawn: None,
        }
    }

    /// Of the volume that a selection was made of, which is drawn if the selection has a threshold.
    pub fn of_volume(voxels: V, selection: Selection, volume: AnyVolume) -> Self {
        let drawn = match selection {
            Selection::AtLeast(threshold) => Some((volume, threshold as f32)),
            _ => None,
        };
        Self { voxels, drawn }
    }

    /// The same, wherever its voxels are.
    pub fn anywhere(self) -> Object {
        Object {
            voxels: self.voxels.into(),
            drawn: self.drawn,
        }
    }
}

impl Object {
    /// Voxels of the grid along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        match &self.voxels {
            Voxels::OnDevice(mask) => mask.dims(),
            Voxels::OnHost(HostVoxels::Mask(mask)) => mask.dims(),
            Voxels::OnHost(HostVoxels::Labels(volume, _)) => volume.dims(),
        }
    }

    /// Where the grid lies in the world.
    pub fn geometry(&self) -> Geometry {
        match &self.voxels {
            Voxels::OnDevice(mask) => *mask.geometry(),
            Voxels::OnHost(HostVoxels::Mask(mask)) => *mask.geometry(),
            Voxels::OnHost(HostVoxels::Labels(volume, _)) => *volume.geometry(),
        }
    }

    /// What is drawn around the skeleton: the part of a volume that holds the object's surface, and
    /// the isovalue.
    pub fn solid(&mut self, stream: &Stream) -> Result<(AnyDeviceVolume, f32), Problem> {
        let (volume, iso) = match (self.drawn.take(), &self.voxels) {
            (Some((volume, iso)), _) => (volume.try_into_kernel_type()?.0, iso),
            (None, Voxels::OnDevice(mask)) => (volume_of(stream, mask)?.into(), 0.5),
            (None, Voxels::OnHost(HostVoxels::Mask(mask))) => {
                let mask = mask.upload(stream)?;
                (volume_of(stream, &mask)?.into(), 0.5)
            }
            (None, Voxels::OnHost(HostVoxels::Labels(volume, labels))) => {
                let is_wanted = |sample: f64| labels.binary_search(&(sample as i64)).is_ok();
                let mask = Mask::from_volume(volume, is_wanted)?.upload(stream)?;
                (volume_of(stream, &mask)?.into(), 0.5)
            }
        };
        let solid = volume.try_crop_to_solid(iso, Inside::Above)?;
        let solid = upload(stream, &solid).map_err(Problem::PictureVolume)?;
        Ok((solid, iso))
    }
}

/// Copies a volume to the stream's device, and synchronises the stream.
pub(super) fn upload(stream: &Stream, volume: &AnyVolume) -> Result<AnyDeviceVolume, DeviceError> {
    let uploaded = AnyDeviceVolume::upload(stream, volume)?;
    stream.synchronize()?;
    Ok(uploaded)
}
