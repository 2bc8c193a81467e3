//! Volume of an object: samples and an isovalue whose surface is that of the filtered object.

use super::{
    Level, ObjectFilter, PipelineError, VolumeSource, Warning, at, level::ResolvedLevel,
    mask::StatedGrid, object_filter::replace_solid, outcome::Stages,
};
use crate::{
    device::Device,
    grid::{AnyVolume, Inside, Mask, Volume},
    io::HeaderInfo,
    memory::OutOfMemory,
};

/// Volume file with a level that is resolved, and the mask of its object.
pub(crate) struct LeveledVolume {
    pub volume: AnyVolume,
    pub header: HeaderInfo,
    pub level: ResolvedLevel,
    mask: Option<Volume<u8>>,
}

/// Samples that kernels read, whose isosurface is the surface of an object.
pub(crate) struct ObjectVolume {
    pub volume: AnyVolume,
    pub iso: f32,
    pub inside: Inside,
}

impl LeveledVolume {
    /// Reads a volume and the mask of the filter, and resolves the level: the stages `read` and
    /// `threshold`.
    pub fn read(
        source: &VolumeSource,
        level: Level,
        filter: &ObjectFilter,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, PipelineError> {
        let (file, file_grid) = stages.run("read", || source.read_with_file_grid())?;
        warnings.extend(source.notes(&file.header));
        let grid = StatedGrid::new(source, &file.header, file_grid)?;
        let mask = filter.read_mask(&grid, warnings)?;
        let level = level.resolve(stages, source, &file.volume, mask.as_ref())?;
        Ok(Self {
            volume: file.volume,
            header: file.header,
            level,
            mask,
        })
    }

    /// Converts the samples, and replaces those that the filter removes or adds: the stage
    /// `filter`. `inside` is the side of an isovalue.
    pub fn into_object(
        self,
        source: &VolumeSource,
        inside: Inside,
        filter: &ObjectFilter,
        device: &Device,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<ObjectVolume, PipelineError> {
        let path = &source.path;
        let converted = self
            .level
            .kernel_volume(source, &self.header, self.volume)?;
        warnings.extend(source.conversion(&self.header, converted.inexact));
        let (mut volume, mut iso, mut inside) = (converted.volume, converted.iso, inside);
        if !filter.keeps_all() {
            let solid = Mask::from_threshold(&volume, iso, inside).map_err(at(path))?;
            let kept = stages.run("filter", || {
                filter.apply(solid, self.mask.as_ref(), device, path)
            })?;
            let replaced = replace_solid(volume, iso, inside, &kept);
            (volume, iso, inside) = replaced.map_err(at::<OutOfMemory>(path))?;
        }
        Ok(ObjectVolume {
            volume,
            iso,
            inside,
        })
    }
}
