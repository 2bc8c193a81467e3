//! Errors after which pipelines work in smaller parts: a lack of memory.

use super::{PipelineError, Problem};
use crate::{
    graph::GraphError,
    grid::{GridError, OtsuError, VolumeError},
    io::{FileError, FileProblem},
    mesh_filter::MeshFilterError,
    partition::memory_plan::MemoryError,
    render::RenderError,
    volume_filter::VolumeFilterError,
    voxelize::VoxelizeError,
};

impl MemoryError for PipelineError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Device(error) => error.is_out_of_memory(),
            Self::Content { problem, .. } => problem.is_out_of_memory(),
            Self::Picture(error) => error.is_out_of_memory(),
            Self::File(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}

impl MemoryError for Problem {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Memory(_)
            | Self::Volume(VolumeError::Memory(_))
            | Self::Graph(GraphError::Memory(_))
            | Self::MeshFilter(MeshFilterError::Memory(_))
            | Self::Voxelize(VoxelizeError::Memory(_))
            | Self::VolumeFilter(
                VolumeFilterError::Memory(_) | VolumeFilterError::TooLarge { .. },
            )
            | Self::Otsu(OtsuError::Memory(_)) => true,
            Self::Grid(error) => error.is_out_of_memory(),
            Self::Isosurface(error) => error.is_out_of_memory(),
            Self::LabelSurface(error) => error.is_out_of_memory(),
            Self::Distance(error) => error.is_out_of_memory(),
            Self::Skeleton(error) => error.is_out_of_memory(),
            Self::MeshFilter(MeshFilterError::Device(error)) => error.is_out_of_memory(),
            Self::Voxelize(VoxelizeError::Device(error)) => error.is_out_of_memory(),
            Self::Render(error) => error.is_out_of_memory(),
            Self::Device(error)
            | Self::PictureVolume(error)
            | Self::VolumeFilter(VolumeFilterError::Device(error)) => error.is_out_of_memory(),
            _ => false,
        }
    }
}

impl MemoryError for FileError {
    fn is_out_of_memory(&self) -> bool {
        matches!(self.problem, FileProblem::Memory(_))
    }
}

impl MemoryError for RenderError {
    fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Device(error) if error.is_out_of_memory())
    }
}

impl MemoryError for GridError {
    fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Device(error) if error.is_out_of_memory())
    }
}
