//! Errors of pipelines.

mod causes;
mod distance;
mod object;
mod skeleton;
mod wide;

pub use distance::{DistanceInputError, DistanceJobError, PointsOutside};
pub use object::ObjectError;
pub use skeleton::SkeletonJobError;
pub use wide::WideSamples;

use super::paths::PathError;
use crate::{
    device::DeviceError,
    distance::DistanceError,
    error::ErrorKind,
    graph::GraphError,
    grid::{GridError, LabelMeasureError, OtsuError, VolumeError},
    io::FileError,
    isosurface::IsosurfaceError,
    label_surface::LabelSurfaceError,
    memory::OutOfMemory,
    mesh_filter::MeshFilterError,
    monitor::Cancelled,
    render::RenderError,
    skeleton::SkeletonError,
    viewer::PageError,
    volume_filter::VolumeFilterError,
    voxelize::VoxelizeError,
};
use std::path::{Path, PathBuf};

/// An error of a pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The caller cancelled the work. No incomplete file was written.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// An output path cannot be written, or is another file of the job.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The distance map cannot be computed, regardless of the file.
    #[error(transparent)]
    DistanceJob(Box<DistanceJobError>),
    /// The skeleton cannot be computed, regardless of the file.
    #[error(transparent)]
    SkeletonJob(#[from] SkeletonJobError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Picture(Box<RenderError>),
    /// The contents of a file cannot be processed.
    #[error("{}: {problem}", path.display())]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem.
        problem: Box<Problem>,
    },
    /// A device reported an error, regardless of the file.
    #[error(transparent)]
    Device(Box<DeviceError>),
}

impl From<DistanceJobError> for PipelineError {
    fn from(error: DistanceJobError) -> Self {
        Self::DistanceJob(Box::new(error))
    }
}

impl From<RenderError> for PipelineError {
    fn from(error: RenderError) -> Self {
        Self::Picture(Box::new(error))
    }
}

/// Problem with the contents of a file. Each message continues "PATH: …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The memory of the host is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// Samples and geometry do not form a volume.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// A mask or points cannot be created.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The isosurface cannot be extracted.
    #[error(transparent)]
    Isosurface(#[from] IsosurfaceError),
    /// The surfaces of labels cannot be extracted.
    #[error(transparent)]
    LabelSurface(#[from] LabelSurfaceError),
    /// The distances cannot be computed.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// The contents of the file do not define a distance map.
    #[error(transparent)]
    DistanceInput(#[from] DistanceInputError),
    /// The samples are not labels.
    #[error(transparent)]
    LabelMeasure(#[from] LabelMeasureError),
    /// The level selects no voxels, or all of them.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The skeleton cannot be extracted.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The graph of the skeleton cannot be modified as requested.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The mesh cannot be smoothed or simplified.
    #[error(transparent)]
    MeshFilter(#[from] MeshFilterError),
    /// Otsu's threshold is undefined for the samples.
    #[error(transparent)]
    Otsu(#[from] OtsuError),
    /// The mesh cannot be voxelized.
    #[error(transparent)]
    Voxelize(#[from] VoxelizeError),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The page cannot be made.
    #[error(transparent)]
    Page(Box<PageError>),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The volume of the picture does not fit the device.
    #[error("the picture's volume: {0}")]
    PictureVolume(#[source] DeviceError),
    /// The volume cannot be smoothed or resampled.
    #[error(transparent)]
    VolumeFilter(#[from] VolumeFilterError),
    /// Smoothing or resampling exceeds the memory limit of the job.
    #[error(
        "smoothing and resampling keep the volume in memory as a whole: the result of {} samples takes {bytes} bytes of \
         memory, more than the limit of {limit}; allow more memory, resample to a larger spacing, or crop the volume",
        by(dims)
    )]
    VolumeFilterMemory {
        /// Samples of the result along x, y and z.
        dims: [usize; 3],
        /// Bytes that are needed.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Integer samples would be rounded.
    #[error(transparent)]
    WideSamples(#[from] WideSamples),
    /// The mask has other dims than the volume.
    #[error(
        "the mask has {} samples and the volume {}; they must have the same grid",
        by(mask),
        by(volume)
    )]
    MaskDims {
        /// Samples of the mask along x, y and z.
        mask: [usize; 3],
        /// Samples of the volume along x, y and z.
        volume: [usize; 3],
    },
    /// The mask has another position in the world than the volume.
    #[error(
        "the mask lies elsewhere than the volume: up to {voxels:.3} voxels, {world:.6} in world units; they must have the \
         same grid: resample the mask, or correct its header"
    )]
    MaskGeometry {
        /// Maximum distance between corresponding voxels, in voxels of the volume.
        voxels: f64,
        /// Maximum distance between corresponding voxels, in world units.
        world: f64,
    },
    /// The mesh must be checked as a whole, but the volume has to be streamed.
    #[error(
        "the volume needs more memory than it may take, so it is streamed, and the check needs the whole mesh; \
         leave the check out, or allow more memory"
    )]
    CheckNeedsWhole,
    /// The mesh must be smoothed or simplified, but the volume has to be streamed.
    #[error(
        "the volume needs more memory than it may take, so it is streamed, and the {what} needs the whole mesh; \
         leave the {what} out, or allow more memory"
    )]
    FilterNeedsWhole {
        /// Name of the filter.
        what: &'static str,
    },
    /// The mesh is not an oriented manifold, and was not written.
    #[error("not written, because the mesh has {defects}; {advice}")]
    Broken {
        /// Defects and their numbers, for display.
        defects: String,
        /// Possible cause and remedy.
        advice: &'static str,
    },
}

impl From<PageError> for Problem {
    fn from(error: PageError) -> Self {
        Self::Page(Box::new(error))
    }
}

impl Problem {
    /// Returns the kind of the problem.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) | Self::VolumeFilterMemory { .. } => ErrorKind::Memory,
            Self::Volume(error) => error.kind(),
            Self::Grid(error) => error.kind(),
            Self::Isosurface(error) => error.kind(),
            Self::LabelSurface(error) => error.kind(),
            Self::Distance(error) => error.kind(),
            Self::DistanceInput(DistanceInputError::Memory(_)) => ErrorKind::Memory,
            Self::LabelMeasure(error) => error.kind(),
            Self::Skeleton(error) => error.kind(),
            Self::Graph(error) => error.kind(),
            Self::MeshFilter(error) => error.kind(),
            Self::Otsu(error) => error.kind(),
            Self::Voxelize(error) => error.kind(),
            Self::Render(error) => error.kind(),
            Self::Page(error) => error.kind(),
            Self::Device(error) | Self::PictureVolume(error) => error.kind(),
            Self::VolumeFilter(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// Adds the path of the file to a problem with its contents.
pub(crate) fn at<P: Into<Problem>>(path: &Path) -> impl FnOnce(P) -> PipelineError {
    move |problem| match problem.into() {
        problem if problem.kind() == ErrorKind::Cancelled => Cancelled.into(),
        problem => PipelineError::Content {
            path: path.to_owned(),
            problem: Box::new(problem),
        },
    }
}

impl PipelineError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Path(error) => error.problem.kind(),
            Self::File(error) => error.kind(),
            Self::DistanceJob(error) => error.kind(),
            Self::SkeletonJob(_) => ErrorKind::InvalidArgument,
            Self::Picture(error) => error.kind(),
            Self::Content { problem, .. } => problem.kind(),
            Self::Device(error) => error.kind(),
        }
    }

    /// Returns `true` if the caller cancelled the work.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled(_))
    }
}

impl From<DeviceError> for PipelineError {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Device(Box::new(error)),
        }
    }
}

impl From<OutOfMemory> for PipelineError {
    fn from(error: OutOfMemory) -> Self {
        DeviceError::from(error).into()
    }
}

/// Formats dims for messages.
fn by(dims: &[usize; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::OnDevice;

    #[test]
    fn cancellation_has_no_other_message() {
        let deep = IsosurfaceError::OnDevice(OnDevice {
            device: "cpu".to_owned(),
            among: None,
            source: Box::new(DeviceError::from(Cancelled).into()),
        });
        let error = at(Path::new("ball.nii"))(deep);
        assert!(error.is_cancelled());
        assert_eq!(error.to_string(), "cancelled");
        let error = at(Path::new("ball.nii"))(IsosurfaceError::NoDevices);
        assert!(!error.is_cancelled());
        assert!(error.to_string().starts_with("ball.nii: no devices given"));
    }
}
