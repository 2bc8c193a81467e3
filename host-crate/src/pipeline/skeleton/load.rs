//! From a file to the voxels of an object.

use super::{
    ObjectError, ObjectSource, SkeletonJob, SkeletonJobError,
    object::{HostVoxels, Object, upload},
};
use crate::{
    device::Stream,
    grid::{AnyVolume, DeviceMask, Mask, Selection, distinct, with_volume},
    io::{HeaderInfo, VolumeFile, read_mesh},
    memory::{CollectOrUnwind, OutOfMemory, catch_out_of_memory},
    pipeline::{PipelineError, Problem, VolumeSource, Warning, at, outcome::Stages},
    skeleton::fill_cavities,
    voxelize::{VoxelizeParams, voxelize},
};
use std::path::Path;

impl SkeletonJob {
    /// Reads the file, and marks the object's voxels on the stream's device.
    pub(super) fn load_on_device(
        &self,
        stream: &Stream,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Object<DeviceMask>, PipelineError> {
        let (source, voxels) = match &self.object {
            ObjectSource::Volume { source, voxels } => (source, *voxels),
            ObjectSource::Labels { .. } => return Err(SkeletonJobError::LabelsOfCore.into()),
            ObjectSource::Mesh { path, grid } => {
                let mask = voxels_of_mesh(path, grid, stream, stages)?;
                return Ok(Object::of(mask));
            }
        };
        let (volume, _) = stages.run("read", || self.read(source, warnings))?;
        let select = || -> Result<DeviceMask, Problem> {
            // f32, which these would be on a device, may make one label of two
            let is_wide = matches!(volume, AnyVolume::I32(_) | AnyVolume::F64(_));
            let mask = if is_wide {
                Mask::select(&volume, voxels)?.upload(stream)?
            } else {
                DeviceMask::select(stream, &upload(stream, &volume)?, voxels)?
            };
            check(voxels, &volume, mask.count(stream)?)?;
            Ok(mask)
        };
        let mask = stages.run("object", || select().map_err(source.error()))?;
        Ok(Object::of_volume(mask, voxels, volume))
    }

    /// Reads the file, and finds the object's voxels on the host. Samples are taken as they are.
    /// Fails where a file of a label cannot be written.
    pub(super) fn load(
        &self,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Object<HostVoxels>, PipelineError> {
        let mut object = match &self.object {
            ObjectSource::Volume { source, voxels } => {
                let (volume, _) = stages.run("read", || self.read(source, warnings))?;
                let select = || -> Result<Mask, Problem> {
                    let mask = Mask::select(&volume, *voxels)?;
                    check(*voxels, &volume, mask.count())?;
                    Ok(mask)
                };
                let mask = stages.run("object", || select().map_err(source.error()))?;
                Object::of_volume(HostVoxels::Mask(mask), *voxels, volume)
            }
            ObjectSource::Labels { source, .. } => {
                let (volume, _) = stages.run("read", || self.read(source, warnings))?;
                if volume.is_empty() {
                    return Err(ObjectError::NoSamples).map_err(source.error());
                }
                let labels = stages.run("object", || {
                    let labels = match self.object.labels() {
                        Some(labels) => labels,
                        None => labels_of(&volume)?,
                    };
                    // of all labels the files are known now, before the long part
                    self.check_paths(&labels)?;
                    Ok::<_, PipelineError>(labels)
                })?;
                Object::of(HostVoxels::Labels(volume, labels))
            }
            ObjectSource::Mesh { path, grid } => {
                let stream = self.stream()?;
                let mask = voxels_of_mesh(path, grid, &stream, stages)?;
                let mask = Mask::download(&stream, &mask).map_err(at(path))?;
                Object::of(HostVoxels::Mask(mask))
            }
        };
        if let (true, HostVoxels::Mask(mask)) = (self.fill, &mut object.voxels) {
            let stream = self.stream()?;
            let fill = || -> Result<Mask, Problem> {
                let filled = fill_cavities(&stream, &mask.upload(&stream)?)?;
                Ok(Mask::download(&stream, &filled)?)
            };
            *mask = stages.run("fill", || fill().map_err(at(self.object.path())))?;
        }
        Ok(object)
    }

    /// Reads the volume.
    fn read(
        &self,
        source: &VolumeSource,
        warnings: &mut Vec<Warning>,
    ) -> Result<(AnyVolume, HeaderInfo), PipelineError> {
        let VolumeFile { volume, header } = source.read()?;
        warnings.extend(source.notes(&header));
        Ok((volume, header))
    }
}

/// The voxels inside a mesh of a file.
fn voxels_of_mesh(
    path: &Path,
    grid: &VoxelizeParams,
    stream: &Stream,
    stages: &mut Stages<'_>,
) -> Result<DeviceMask, PipelineError> {
    let mesh = stages.run("read", || read_mesh(path))?;
    let mark = || -> Result<DeviceMask, Problem> {
        let mask = voxelize(stream, &mesh, grid)?;
        stream.synchronize()?;
        Ok(mask)
    };
    stages.run("object", || mark().map_err(at(path)))
}

/// All labels but 0, in ascending order. Samples that are no labels are passed over: they are
/// refused later.
fn labels_of(volume: &AnyVolume) -> Result<Vec<i64>, OutOfMemory> {
    catch_out_of_memory(|| {
        let labels = with_volume!(volume, volume => distinct(volume.samples()));
        let labels = labels.into_iter().map(|label| label as i64);
        let mut labels = labels.filter(|&label| label != 0).collect_or_unwind();
        labels.dedup();
        Ok(labels)
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Volume};

    #[test]
    fn labels_are_listed_in_order() {
        let samples = vec![0_i32, 7, 7, -2, 0, 300];
        let volume = Volume::new(samples, [6, 1, 1], Geometry::default()).unwrap();
        assert_eq!(labels_of(&volume.into()).unwrap(), [-2, 7, 300]);
    }

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
