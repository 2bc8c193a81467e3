//! Loading of the object: from a file to voxels.

use super::{
    ObjectError, ObjectSource, SkeletonJob, SkeletonJobError,
    object::{HostVoxels, Object, upload},
};
use crate::{
    device::{Device, Stream},
    grid::{
        AnyVolume, DeviceMask, Mask, SampleType, Selection, Volume, distinct_labels, with_volume,
    },
    io::{VolumeFile, read_mesh},
    memory::{OutOfMemory, catch_out_of_memory},
    pipeline::{
        PipelineError, Problem, VolumeSource, Warning, at, mask::StatedGrid,
        object_filter::clear_outside, outcome::Stages,
    },
    voxelize::{VoxelizeParams, voxelize},
};
use std::path::Path;

impl SkeletonJob {
    /// Reads the input and selects the object's voxels on the stream's device.
    pub(super) fn load_on_device(
        &self,
        stream: &Stream,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Object<DeviceMask>, PipelineError> {
        let (source, level, inside) = match &self.object {
            ObjectSource::Volume {
                source,
                level,
                inside,
            } => (source, *level, *inside),
            ObjectSource::Labels { .. } => return Err(SkeletonJobError::LabelsNeedMedial.into()),
            ObjectSource::Mesh { path, grid } => {
                let mask = voxelize_mesh(path, grid, stream, stages)?;
                return Ok(Object::new(mask));
            }
        };
        let (volume, mask) = stages.run("read", || self.read(source, warnings))?;
        let level = level.resolve(stages, source, &volume, mask.as_ref())?;
        let voxels = level.selection(inside);
        let select = || -> Result<DeviceMask, Problem> {
            // on a device these would be converted to f32, which can merge two labels
            let is_wide = matches!(
                volume.sample_type(),
                SampleType::I32 | SampleType::I64 | SampleType::F64
            );
            let mask = if is_wide {
                Mask::select(&volume, voxels)?.upload(stream)?
            } else {
                DeviceMask::select(stream, &upload(stream, &volume)?, voxels)?
            };
            check_selection(voxels, &volume, mask.count(stream)?)?;
            Ok(mask)
        };
        let object = stages.run("object", || select().map_err(source.error()))?;
        if self.filter.keeps_all() {
            return Ok(Object::from_volume(object, voxels, volume));
        }
        let object = Mask::download(stream, &object).map_err(source.error())?;
        let object = self.filter_object(stages, object, mask.as_ref(), stream.device())?;
        let object = object.upload(stream).map_err(source.error())?;
        Ok(Object::from_selection(object, voxels))
    }

    /// Reads the input and selects the object's voxels on the host, without conversion of samples.
    ///
    /// # Errors
    /// Errors of the input; an output file of one of its labels that cannot be written.
    pub(super) fn load(
        &self,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Object<HostVoxels>, PipelineError> {
        let object = match &self.object {
            ObjectSource::Volume {
                source,
                level,
                inside,
            } => {
                let (volume, mask) = stages.run("read", || self.read(source, warnings))?;
                let level = level.resolve(stages, source, &volume, mask.as_ref())?;
                let voxels = level.selection(*inside);
                let select = || -> Result<Mask, Problem> {
                    let mask = Mask::select(&volume, voxels)?;
                    check_selection(voxels, &volume, mask.count())?;
                    Ok(mask)
                };
                let object = stages.run("object", || select().map_err(source.error()))?;
                if self.filter.keeps_all() {
                    return Ok(Object::from_volume(
                        HostVoxels::Mask(object),
                        voxels,
                        volume,
                    ));
                }
                let object =
                    self.filter_object(stages, object, mask.as_ref(), &self.filter_device()?)?;
                Object::from_selection(HostVoxels::Mask(object), voxels)
            }
            ObjectSource::Labels { source, .. } => {
                let (mut volume, mask) = stages.run("read", || self.read(source, warnings))?;
                if let Some(mask) = &mask {
                    clear_outside(&mut volume, mask);
                }
                if volume.is_empty() {
                    return Err(ObjectError::NoSamples).map_err(source.error());
                }
                let labels = stages.run("object", || {
                    let labels = match self.object.labels() {
                        Some(labels) => labels,
                        None => list_labels(&volume)?,
                    };
                    // the output files are known now, before the expensive stages
                    self.check_paths(&labels)?;
                    Ok::<_, PipelineError>(labels)
                })?;
                Object::new(HostVoxels::Labels(volume, labels))
            }
            ObjectSource::Mesh { path, grid } => {
                let stream = self.stream()?;
                let object = voxelize_mesh(path, grid, &stream, stages)?;
                let object = Mask::download(&stream, &object).map_err(at(path))?;
                let object = self.filter_object(stages, object, None, stream.device())?;
                Object::new(HostVoxels::Mask(object))
            }
        };
        Ok(object)
    }

    /// Applies the filter, if there is one, to the voxels of an object, of which some must remain.
    fn filter_object(
        &self,
        stages: &mut Stages<'_>,
        object: Mask,
        mask: Option<&Volume<u8>>,
        device: &Device,
    ) -> Result<Mask, PipelineError> {
        if self.filter.keeps_all() {
            return Ok(object);
        }
        let path = self.object.path();
        let object = stages.run("filter", || self.filter.apply(object, mask, device, path))?;
        if object.count() == 0 {
            return Err(ObjectError::OutsideMask).map_err(at(path));
        }
        Ok(object)
    }

    /// Returns the device that fills cavities.
    fn filter_device(&self) -> Result<Device, PipelineError> {
        if self.filter.needs_device() {
            Ok(self.stream()?.device().clone())
        } else {
            Ok(Device::cpu())
        }
    }

    /// Reads the volume and the mask of the filter, and adds the warnings about their headers.
    fn read(
        &self,
        source: &VolumeSource,
        warnings: &mut Vec<Warning>,
    ) -> Result<(AnyVolume, Option<Volume<u8>>), PipelineError> {
        let (VolumeFile { volume, header }, file_grid) = source.read_with_file_grid()?;
        warnings.extend(source.notes(&header));
        let grid = StatedGrid::new(source, &header, file_grid)?;
        let mask = self.filter.read_mask(&grid, warnings)?;
        Ok((volume, mask))
    }
}

/// Reads a mesh and voxelizes it.
fn voxelize_mesh(
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

/// Returns all labels except 0, in ascending order. Samples that are not integers are left
/// out here; the extraction rejects them later.
fn list_labels(volume: &AnyVolume) -> Result<Vec<i64>, OutOfMemory> {
    catch_out_of_memory("the list of labels", || {
        let mut labels = with_volume!(volume, volume => distinct_labels(volume.samples()));
        labels.retain(|&label| label != 0);
        Ok(labels)
    })
}

/// Checks that the object is not empty, and that a threshold does not select the entire volume.
fn check_selection(
    selection: Selection,
    volume: &AnyVolume,
    voxels: u64,
) -> Result<(), ObjectError> {
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
    fn labels_are_listed_in_ascending_order() {
        let samples = vec![0_i32, 7, 7, -2, 0, 300];
        let volume = Volume::new(samples, [6, 1, 1], Geometry::default()).unwrap();
        assert_eq!(list_labels(&volume.into()).unwrap(), [-2, 7, 300]);
    }

    #[test]
    fn empty_and_full_selections_are_rejected_with_the_sample_range() {
        let volume = Volume::new(
            vec![-1.5_f32, f32::NAN, 4.0],
            [3, 1, 1],
            Geometry::default(),
        );
        let volume = AnyVolume::from(volume.unwrap());
        let error = |selection, voxels| {
            check_selection(selection, &volume, voxels).map_err(|it| it.to_string())
        };
        let threshold = Selection::AtLeast(5.0);
        assert_eq!(
            error(threshold, 0).unwrap_err(),
            "there is no object: no sample is 5 or more (samples are from -1.5 to 4); give a lower threshold"
        );
        assert_eq!(
            error(threshold, 3).unwrap_err(),
            "all of the volume is object: every sample is 5 or more (samples are from -1.5 to 4); give a higher threshold"
        );
        assert_eq!(
            error(Selection::Label(3.0), 0).unwrap_err(),
            "there is no object: no sample is 3 (samples are from -1.5 to 4); give another label"
        );
        assert!(error(threshold, 1).is_ok() && error(Selection::NotZero, 3).is_ok());
        let none = Volume::<u8>::new(Vec::new(), [0, 1, 1], Geometry::default()).unwrap();
        let empty = check_selection(threshold, &none.into(), 0).unwrap_err();
        assert_eq!(empty.to_string(), "the volume has no samples");
    }
}
