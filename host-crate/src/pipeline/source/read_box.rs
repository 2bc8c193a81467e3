//! Reading of a box of a volume.

use super::VolumeSource;
use crate::{
    grid::{Sample, Volume, VoxelBox, append_box, with_sample_type},
    io::{VolumeFile, VolumeReader},
    memory::{self, OutOfMemory},
    pipeline::PipelineError,
};

impl VolumeSource {
    /// Reads the planes of a box, and keeps the samples within it. The geometry is that of the file
    /// at the box.
    pub(super) fn read_box(&self, part: VoxelBox) -> Result<VolumeFile, PipelineError> {
        let mut reader = VolumeReader::open(&self.path, &self.options)?;
        part.check(reader.dims()).map_err(self.error())?;
        let header = reader.header().clone();
        let volume = with_sample_type!(reader.sample_type(), T => read_box::<T>(self, &mut reader, part)?.into());
        Ok(VolumeFile { volume, header })
    }
}

/// Reads the samples within a box, some planes at a time.
fn read_box<T: Sample>(
    source: &VolumeSource,
    reader: &mut VolumeReader<'_>,
    part: VoxelBox,
) -> Result<Volume<T>, PipelineError> {
    const STEP_BYTES: usize = 16 << 20;
    let error = || source.error::<OutOfMemory>();
    let plane_len = reader.plane_len();
    let step = (STEP_BYTES / size_of::<T>() / plane_len.max(1)).clamp(1, part.dims()[2]);
    let mut planes = memory::try_zeroed::<T>("planes", plane_len * step).map_err(error())?;
    let mut samples = Vec::new();
    let count = part.dims().iter().product();
    memory::try_reserve("a part of the volume", &mut samples, count).map_err(error())?;
    let [nx, ny, _] = reader.dims();
    reader.set_overlap(0);
    for first in (part.start[2]..part.end[2]).step_by(step) {
        let depth = step.min(part.end[2] - first);
        let planes = &mut planes[..plane_len * depth];
        reader.read_planes_into(first..first + depth, planes)?;
        let within = VoxelBox {
            start: [part.start[0], part.start[1], 0],
            end: [part.end[0], part.end[1], depth],
        };
        append_box(planes, [nx, ny, depth], within, &mut samples);
    }
    let start = part.start.map(|index| index as i64);
    let geometry = reader.geometry().shifted(start);
    Volume::new(samples, part.dims(), geometry).map_err(source.error())
}
