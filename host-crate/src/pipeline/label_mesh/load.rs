//! Reading of the label field of a job: the volume as a whole, or in parts.

use super::{LabelMeshJob, LabelSelection};
use crate::{
    device::Device,
    grid::{AnyVolume, Geometry, Sample, SampleType, Volume, with_sample_type, with_volume},
    io::{FileError, FileProblem, VolumeReader},
    label_surface::{LabelField, LabelFieldBuilder, MaskedRuns},
    memory::{self, OutOfMemory},
    parallel,
    pipeline::{
        PipelineError, Warning, at,
        mask::{StatedGrid, open_mask, read_mask},
        outcome::Stages,
    },
};

/// Maximum number of voxels that are read at a time.
const MAX_PART_VOXELS: usize = 1 << 22;

/// Fraction of the limit of memory that the samples of a part may take.
const PART_FRACTION: u64 = 16;

/// The label field of a job, and facts about its file.
pub(super) struct LoadedLabels {
    pub field: LabelField,
    /// Labels of which no voxel remains within the mask and the components that are kept, in
    /// ascending order.
    pub removed: Vec<i64>,
    pub sample_type: SampleType,
    /// Geometry of the file, or its overrides.
    pub geometry: Geometry,
}

impl LabelMeshJob {
    /// Reads the volume and the mask, and selects labels and components.
    pub(super) fn load(
        &self,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<LoadedLabels, PipelineError> {
        let Some(bytes) = self.limit_of_samples()? else {
            return self.load_whole(stages, warnings);
        };
        let loaded = stages.run("read", || self.load_in_parts(bytes, warnings))?;
        stages.run("labels", || self.filter(loaded))
    }

    /// Returns the memory that reading may take: the limit of the job, or the free memory if the
    /// samples of a file need more; `None` if they can be read as a whole.
    fn limit_of_samples(&self) -> Result<Option<u64>, PipelineError> {
        if self.memory.is_some() || !self.volume.is_file() || !self.volume.filter.keeps_all() {
            return Ok(self.memory);
        }
        let (dims, sample_type) = self.volume.shape()?;
        let samples = dims.iter().fold(sample_type.bytes() as u64, |all, &size| {
            all.saturating_mul(size as u64)
        });
        let free = free_memory(&self.devices)?;
        Ok((samples > free).then_some(free))
    }

    /// Removes the components that the job does not keep, and checks the paths of the labels.
    fn filter(&self, mut loaded: LoadedLabels) -> Result<LoadedLabels, PipelineError> {
        let field = &mut loaded.field;
        let filtered = field.filter_components(self.components, self.surface.contact);
        let filtered = filtered.map_err(at(&self.volume.path))?;
        loaded.removed.extend(filtered);
        loaded.removed.sort_unstable();
        // the paths of all labels are known now
        self.check_paths(field.labels())?;
        Ok(loaded)
    }

    fn load_whole(
        &self,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<LoadedLabels, PipelineError> {
        let path = &self.volume.path;
        let (file, file_grid) = stages.run("read", || self.volume.read_with_file_grid())?;
        warnings.extend(self.volume.notes(&file.header));
        let (dims, geometry) = (file.volume.dims(), *file.volume.geometry());
        let sample_type = file.volume.sample_type();
        let mask = match &self.mask {
            Some(mask) => {
                let grid = StatedGrid::new(&self.volume, &file.header, file_grid)?;
                Some(read_mask(mask, &grid, warnings)?)
            }
            None => None,
        };
        stages.run("labels", || {
            let mut builder = LabelFieldBuilder::new(dims).map_err(at(path))?;
            self.add_volume(&mut builder, &file.volume)?;
            drop(file.volume);
            let mut field = self.select(builder, geometry)?;
            let removed = match mask {
                Some(mask) => field.apply_mask(&mask).map_err(at(path))?,
                None => Vec::new(),
            };
            self.filter(LoadedLabels {
                field,
                removed,
                sample_type,
                geometry,
            })
        })
    }

    fn load_in_parts(
        &self,
        bytes: u64,
        warnings: &mut Vec<Warning>,
    ) -> Result<LoadedLabels, PipelineError> {
        let path = &self.volume.path;
        let (mut reader, file_grid) = self.volume.open_with_file_grid()?;
        reader.set_overlap(0);
        let header = reader.header().clone();
        warnings.extend(self.volume.notes(&header));
        let (dims, geometry) = (reader.dims(), *reader.geometry());
        let sample_type = reader.sample_type();
        let geometry = self.volume.geometry(&geometry)?.unwrap_or(geometry);
        let step = part_planes(dims, sample_type, bytes);
        let mut builder = LabelFieldBuilder::new(dims).map_err(at(path))?;
        for first in (0..dims[2]).step_by(step) {
            let planes = first..dims[2].min(first + step);
            let part_dims = [dims[0], dims[1], planes.len()];
            let volume = with_sample_type!(sample_type, T => {
                let samples = reader.read_planes::<T>(planes)?;
                AnyVolume::from(Volume::new(samples, part_dims, geometry).map_err(at(path))?)
            });
            self.add_volume(&mut builder, &volume)?;
        }
        let mut field = self.select(builder, geometry)?;
        let removed = match &self.mask {
            Some(mask) => {
                let grid = StatedGrid::new(&self.volume, &header, file_grid)?;
                let mut reader = open_mask(mask, &grid, warnings)?;
                apply_mask_file(&mut field, &mut reader, step)?
            }
            None => Vec::new(),
        };
        Ok(LoadedLabels {
            field,
            removed,
            sample_type,
            geometry,
        })
    }

    fn add_volume(
        &self,
        builder: &mut LabelFieldBuilder,
        volume: &AnyVolume,
    ) -> Result<(), PipelineError> {
        let added = with_volume!(volume, volume => if self.is_binary() {
            builder.add_mask_planes(volume.samples())
        } else {
            builder.add_planes(volume.samples())
        });
        added.map_err(at(&self.volume.path))
    }

    fn select(
        &self,
        builder: LabelFieldBuilder,
        geometry: Geometry,
    ) -> Result<LabelField, PipelineError> {
        let chosen = match &self.labels {
            LabelSelection::All | LabelSelection::NonZero => None,
            LabelSelection::Listed(labels) => Some(&**labels),
        };
        let geometry = self.coordinates.surface_geometry(geometry);
        let field = builder.finish(geometry, chosen);
        field.map_err(at(&self.volume.path))
    }
}

/// Returns the least free memory of the host and the devices, in bytes.
pub(super) fn free_memory(devices: &[Device]) -> Result<u64, PipelineError> {
    let mut free = Device::cpu().memory()?.free;
    for device in devices {
        free = free.min(device.memory()?.free);
    }
    Ok(free)
}

/// Returns the number of planes that are read at a time within a limit of memory.
fn part_planes([nx, ny, _]: [usize; 3], sample_type: SampleType, bytes: u64) -> usize {
    let samples = bytes / PART_FRACTION / sample_type.bytes() as u64;
    let samples = usize::try_from(samples).map_or(MAX_PART_VOXELS, |it| it.min(MAX_PART_VOXELS));
    (samples / nx.saturating_mul(ny).max(1)).max(1)
}

/// Turns voxels into background at which the samples of a mask file are 0, `step` planes at a time.
fn apply_mask_file(
    field: &mut LabelField,
    reader: &mut VolumeReader<'_>,
    step: usize,
) -> Result<Vec<i64>, PipelineError> {
    reader.set_overlap(0);
    let path = reader.path().to_owned();
    let out_of_memory = |error: OutOfMemory| FileError::new(&path, FileProblem::from(error));
    let mut masked = MaskedRuns::new(field).map_err(out_of_memory)?;
    let nz = reader.dims()[2];
    for first in (0..nz).step_by(step) {
        let planes = first..nz.min(first + step);
        let part = with_sample_type!(reader.sample_type(), T => {
            let samples = reader.read_planes::<T>(planes)?;
            let mut part = memory::try_zeroed::<u8>("a mask", samples.len()).map_err(out_of_memory)?;
            parallel::for_each_chunk_mut(&mut part, parallel::CHUNK_LEN, |first, chunk| {
                for (bit, sample) in chunk.iter_mut().zip(&samples[first..]) {
                    *bit = u8::from(sample.to_f64() != 0.0);
                }
            });
            part
        });
        masked.add_planes(field, &part).map_err(out_of_memory)?;
    }
    Ok(field.replace_runs(masked).map_err(out_of_memory)?)
}
