//! From a volume file to a mesh file: the isosurface.
//!
//! [`run`] validates the [`MeshJob`], estimates its memory, and runs one of two strategies. Both
//! produce the same file, byte for byte, with the exception that [`run`] documents.
//!
//! | module | contents |
//! | --- | --- |
//! | `job`, `outcome` | the job, and the description of the result |
//! | `memory_plan` | estimate of the memory, and the strategy that fits |
//! | `input`, `upload_while_reading` | read the volume to the host or to the devices |
//! | `in_core` | extract on one or several devices, filter |
//! | `streamed` | extract and write slab by slab |
//! | `filter_options`, `filters` | choice of components, smoothing, simplification |
//! | `check_and_write` | check and write a mesh in memory |

mod check_and_write;
mod filter_options;
mod filters;
mod in_core;
mod input;
mod job;
mod memory_plan;
mod outcome;
mod streamed;
mod upload_while_reading;

pub use filter_options::MeshFilters;
pub use job::{MeshCheck, MeshJob, SurfaceOptions};
pub use outcome::{MeshChecked, MeshOutcome};

use super::{PipelineError, outcome::Stages};
use crate::{
    device::start_threads,
    isosurface::IsosurfaceError,
    monitor::Monitor,
    partition::memory_plan::{MemoryPlan, none_if_out_of_memory},
};

/// Reads a volume, extracts its isosurface and writes the mesh. The file is the same, byte for
/// byte, on any devices and in any memory, with one exception: if a few planes along z exceed the
/// memory, the vertices are in another order.
///
/// The volume is read as a whole if the volume, scratch memory and the mesh (counted before it is
/// extracted) fit the memory; otherwise, or if memory runs out, it is
/// [streamed](crate::pipeline::stream_mesh::stream_mesh). If a device can hold the volume but not
/// all of the mesh with it, the mesh is extracted and downloaded in parts. A job that cannot be
/// streamed (filters, [`MeshCheck::Required`], the staged method) fails instead.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{Level, VolumeSource, Warning, mesh::{self, MeshCheck, MeshJob}};
///
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("ramp.nrrd"), folder.path().join("ramp.ply"));
/// let ramp = Volume::from_fn([4, 4, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let job = MeshJob::new(VolumeSource::new(&input), Level::Iso(3.5))
///     .output(output)
///     .check(MeshCheck::Required);
/// let outcome = mesh::run(&job, &Monitor::new())?;
/// assert_eq!((outcome.vertices, outcome.triangles), (16, 18));
/// // the surface ends at the border of the volume
/// assert!(matches!(outcome.warnings[..], [Warning::OpenMesh { .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`] with the name of the file: errors of paths before anything is read, of files,
/// of a mask with another grid, of the extraction, of a failed check, and
/// [`PipelineError::Cancelled`]. An existing output file is left untouched then.
pub fn run(job: &MeshJob, monitor: &Monitor<'_>) -> Result<MeshOutcome, PipelineError> {
    start_threads()?;
    job.check_paths()?;
    job.level.check().map_err(job.volume.error())?;
    if job.devices.is_empty() {
        return Err(job.volume.error()(IsosurfaceError::NoDevices));
    }
    job.filters.check(&job.volume.path)?;
    job.volume.check_filter_memory(job.memory)?;
    for device in &job.devices {
        device.reset_peak_memory();
    }
    let in_core = if memory_plan::plan(job)? == MemoryPlan::Streamed {
        None
    } else {
        let attempt = in_core::run(job, Stages::begin(monitor));
        if memory_plan::can_be_streamed(job) {
            none_if_out_of_memory(attempt)?.flatten()
        } else {
            attempt?
        }
    };
    match in_core {
        Some(outcome) => Ok(outcome),
        None => streamed::run(job, Stages::begin(monitor), monitor),
    }
}
