//! What can go wrong on the way from files to files.

use super::skeleton::ObjectError;
use crate::{
    device::DeviceError,
    graph::GraphError,
    grid::{GridError, VolumeError},
    io::FileError,
    monitor::Cancelled,
    render::RenderError,
    skeleton::SkeletonError,
    voxelize::VoxelizeError,
};
use std::path::{Path, PathBuf};

/// An error of a pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// What is wrong with a file's content, or with what was made of it.
    #[error("{}: {source}", path.display())]
    At {
        /// The file, as it was named.
        path: PathBuf,
        /// What is wrong.
        source: Box<PipelineError>,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The volume of the picture is too much for the device.
    #[error("the picture's volume: {0}")]
    PictureVolume(#[source] DeviceError),
    /// There is no object, or nothing else.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The skeleton cannot be made.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The graph cannot be pruned so.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The voxels of a mesh cannot be found.
    #[error(transparent)]
    Voxelize(#[from] VoxelizeError),
    /// A mask cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A volume has no such geometry.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// A device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The caller stopped the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Says which file an error is about.
pub(super) fn at<E: Into<PipelineError>>(path: &Path) -> impl FnOnce(E) -> PipelineError {
    let path = path.to_owned();
    move |error| PipelineError::At {
        path,
        source: Box::new(error.into()),
    }
}
