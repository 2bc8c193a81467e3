//! The object whose skeleton is made.

use super::ObjectError;
use crate::{
    device::{DeviceError, Stream},
    grid::{AnyDeviceVolume, AnyVolume, DeviceMask, Inside, Selection},
    io::{VolumeFile, read_mesh},
    pipeline::{PipelineError, Problem, VolumeSource, Warning, at, outcome::Stages},
    voxelize::{VoxelizeParams, volume_of, voxelize},
};
use std::path::{Path, PathBuf};

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectSource {
    /// Voxels of a volume: of an image by a threshold, of labels by one of them, of a mask by those that are not zero.
    Volume {
        /// The volume file.
        source: Box<VolumeSource>,
        /// Which samples are those of the object.
        voxels: Selection,
    },
    /// The voxels inside a closed mesh.
    Mesh {
        /// The mesh file.
        path: PathBuf,
        /// The grid that it gets.
        grid: VoxelizeParams,
    },
}

/// An object on a device, and what it was made of.
pub(super) struct Object {
    pub mask: DeviceMask,
    /// The volume and the threshold that its surface is drawn at, where it has one.
    drawn: Option<(AnyVolume, f32)>,
}

impl ObjectSource {
    /// The file, as messages name it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Volume { source, .. } => &source.path,
            Self::Mesh { path, .. } => path,
        }
    }

    /// Refuses what can be refused before the file is read.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        match self {
            Self::Volume { source, voxels } => voxels.check().map_err(source.error()),
            Self::Mesh { .. } => Ok(()),
        }
    }

    /// Reads the file, and marks the object's voxels on the stream's device.
    pub(super) fn load(
        &self,
        stream: &Stream,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Object, PipelineError> {
        match self {
            Self::Volume { source, voxels } => {
                let volume = stages.run("read", || read(source, warnings))?;
                let select = || -> Result<DeviceMask, Problem> {
                    let on_device = upload(stream, &volume)?;
                    let mask = DeviceMask::select(stream, &on_device, *voxels)?;
                    check(*voxels, &volume, mask.count(stream)?)?;
                    Ok(mask)
                };
                let mask = stages.run("object", || select().map_err(source.error()))?;
                let drawn = match voxels {
                    Selection::AtLeast(threshold) => Some((volume, *threshold as f32)),
                    _ => None,
                };
                Ok(Object { mask, drawn })
            }
            Self::Mesh { path, grid } => {
                let mesh = stages.run("read", || read_mesh(path))?;
                let mark = || -> Result<DeviceMask, Problem> {
                    let mask = voxelize(stream, &mesh, grid)?;
                    stream.synchronize()?;
                    Ok(mask)
                };
                let mask = stages.run("object", || mark().map_err(at(path)))?;
                Ok(Object { mask, drawn: None })
            }
        }
    }
}

impl Object {
    /// What is drawn around the skeleton: the part of a volume that holds the object's surface, and the isovalue.
    pub fn solid(&mut self, stream: &Stream) -> Result<(AnyDeviceVolume, f32), Problem> {
        let (volume, iso) = match self.drawn.take() {
            Some(drawn) => drawn,
            None => (volume_of(stream, &self.mask)?.into(), 0.5),
        };
        let solid = volume.crop_to_solid(iso, Inside::Above);
        let solid = upload(stream, &solid).map_err(Problem::PictureVolume)?;
        Ok((solid, iso))
    }
}

/// Reads the volume, with samples of a type that kernels read.
fn read(source: &VolumeSource, warnings: &mut Vec<Warning>) -> Result<AnyVolume, PipelineError> {
    let VolumeFile { volume, header } = source.read()?;
    warnings.extend(source.notes(&header));
    let sample_type = volume.sample_type();
    let (volume, inexact) = volume.into_kernel_type();
    warnings.extend(source.conversion(&header, sample_type, inexact));
    Ok(volume)
}

/// Fails if the object is nothing, or a threshold leaves nothing out.
fn check(selection: Selection, volume: &AnyVolume, voxels: u64) -> Result<(), ObjectError> {
    let all = volume.len() as u64;
    if all == 0 {
        return Err(ObjectError::NoSamples);
    }
    let range = || {
        let summary = volume.summary();
        summary.min.zip(summary.max).map(|(min, max)| [min, max])
    };
    let is_threshold = matches!(selection, Selection::AtLeast(_) | Selection::Below(_));
    match voxels {
        0 => Err(ObjectError::Nothing {
            selection,
            range: range(),
        }),
        _ if voxels == all && is_threshold => Err(ObjectError::Everything {
            selection,
            range: range(),
        }),
        _ => Ok(()),
    }
}

/// Copies a volume to the stream's device, and synchronises the stream.
fn upload(stream: &Stream, volume: &AnyVolume) -> Result<AnyDeviceVolume, DeviceError> {
    let uploaded = AnyDeviceVolume::upload(stream, volume)?;
    stream.synchronize()?;
    Ok(uploaded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Volume};

    #[test]
    fn objects_that_are_none_are_refused_with_the_samples() {
        let volume = Volume::new(
            vec![-1.5_f32, f32::NAN, 4.0],
            [3, 1, 1],
            Geometry::default(),
        );
        let volume = AnyVolume::from(volume.unwrap());
        let of = |selection, voxels| check(selection, &volume, voxels).map_err(|it| it.to_string());
        let threshold = Selection::AtLeast(5.0);
        assert_eq!(
            of(threshold, 0).unwrap_err(),
            "there is no object: no sample is 5 or more (samples are from -1.5 to 4); give a lower threshold"
        );
        assert_eq!(
            of(threshold, 3).unwrap_err(),
            "all of the volume is object: every sample is 5 or more (samples are from -1.5 to 4); give a higher threshold"
        );
        assert_eq!(
            of(Selection::Label(3.0), 0).unwrap_err(),
            "there is no object: no sample is 3 (samples are from -1.5 to 4); give another label"
        );
        assert!(of(threshold, 1).is_ok() && of(Selection::NotZero, 3).is_ok());
        let none = Volume::<u8>::new(Vec::new(), [0, 1, 1], Geometry::default()).unwrap();
        let error = check(threshold, &none.into(), 0).unwrap_err();
        assert_eq!(error.to_string(), "the volume has no samples");
    }
}
