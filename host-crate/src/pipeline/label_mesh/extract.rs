//! Extraction of the walls of a label field, in one piece or in slabs.

use super::{LabelMeshJob, load::free_memory};
use crate::{
    device::Device,
    label_surface::{self, LabelField, LabelSurfaceError, check_budget, extract_parts},
    mesh::LabelledMesh,
    monitor::Monitor,
    partition::memory_plan::MemoryError,
    pipeline::{PipelineError, at, outcome::Stages},
};

/// Part of the free memory that slabs may take after extraction as a whole ran out of it: what is
/// free is rarely in one piece.
const FREE_MEMORY_SHARE: u64 = 2;

/// Walls of a field, and how they were extracted.
pub(super) struct ExtractedWalls {
    pub walls: LabelledMesh,
    pub unshared_walls: u64,
    pub slabs: usize,
}

impl LabelMeshJob {
    /// Extracts the walls: on one device without a limit of memory in one piece if that fits,
    /// otherwise in slabs.
    pub(super) fn extract(
        &self,
        field: &LabelField,
        stages: &mut Stages<'_>,
        monitor: &Monitor<'_>,
    ) -> Result<ExtractedWalls, PipelineError> {
        let path = &self.volume.path;
        let params = &self.surface;
        let mut memory = self.memory;
        if let ([device], None) = (&*self.devices, memory) {
            match self.extract_whole(device, field, stages) {
                Err(error) if error.is_out_of_memory() => {
                    memory = Some(free_memory(&self.devices)? / FREE_MEMORY_SHARE);
                }
                extracted => return extracted,
            }
        }
        let extract = || {
            if let Some(bytes) = memory {
                let simplifies = self.simplify.is_some();
                check_budget(&self.devices, field, params, bytes, simplifies)?;
            }
            extract_parts(&self.devices, field, params, memory, monitor)
        };
        let parts = stages.run("extract", || extract().map_err(at(path)))?;
        Ok(ExtractedWalls {
            walls: parts.walls,
            unshared_walls: parts.unshared_wall_count,
            slabs: parts.slabs,
        })
    }

    /// Extracts the walls in one piece.
    fn extract_whole(
        &self,
        device: &Device,
        field: &LabelField,
        stages: &mut Stages<'_>,
    ) -> Result<ExtractedWalls, PipelineError> {
        let path = &self.volume.path;
        let stream = device.stream().map_err(at(path))?;
        let extract = || {
            let surface = label_surface::extract(&stream, field, &self.surface)?;
            stream.synchronize()?;
            Ok(surface)
        };
        let surface = stages.run("extract", || {
            extract().map_err(at::<LabelSurfaceError>(path))
        })?;
        let walls = stages.run("download", || {
            surface.download(&stream, field).map_err(at(path))
        })?;
        Ok(ExtractedWalls {
            walls,
            unshared_walls: surface.unshared_wall_count(),
            slabs: 1,
        })
    }
}
