//! From a mesh file to a volume file.

use super::{
    PipelineError, Timings, at,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    grid::{DeviceMask, Geometry},
    io::{VolumeWriteOptions, read_mesh, write_volume},
    monitor::Monitor,
    voxelize::{VoxelizeError, VoxelizeParams, volume_of, voxelize},
};
use std::path::PathBuf;

/// A volume to make of a mesh.
#[derive(Clone, Debug)]
pub struct VoxelizeJob {
    /// The mesh file.
    pub mesh: PathBuf,
    /// The grid that it gets.
    pub params: VoxelizeParams,
    /// The volume file to write: samples of u8, 1 inside; without one the voxels are counted only.
    pub output: Option<PathBuf>,
    /// Where to run.
    pub device: Device,
}

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelizeOutcome {
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Its triangles.
    pub triangles: usize,
    /// Voxels of the grid along x, y and z.
    pub dims: [usize; 3],
    /// Where the grid lies, in the mesh's coordinates.
    pub geometry: Geometry,
    /// Voxels inside the mesh.
    pub voxels: u64,
    /// How long each stage took.
    pub timings: Timings,
}

impl VoxelizeOutcome {
    /// What the voxels inside take up of space.
    pub fn volume(&self) -> f64 {
        self.voxels as f64 * self.geometry.determinant()
    }
}

/// Reads a mesh, marks the voxels inside, and writes them.
///
/// Host memory: the mesh, and a byte for each voxel; device memory: 12 bytes for each vertex and
/// triangle, and a bit for each voxel.
///
/// ```
/// use ferrovox::{device::Device, monitor::Monitor, voxelize::VoxelizeParams};
/// use ferrovox::pipeline::voxelize::{VoxelizeJob, run};
///
/// let folder = tempfile::tempdir()?;
/// let mesh = folder.path().join("corner.obj");
/// std::fs::write(&mesh, "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")?;
/// let made = run(
///     &VoxelizeJob {
///         mesh,
///         params: VoxelizeParams::with_resolution(48),
///         output: Some(folder.path().join("corner.nrrd")),
///         device: Device::best(),
///     },
///     &Monitor::silent(),
/// )?;
/// assert_eq!(made.dims, [52; 3]);
/// assert!((made.volume() - 36.0).abs() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with the files, the mesh or the grid, with the mesh's name where it is about the
/// mesh; what fails on the device.
pub fn run(job: &VoxelizeJob, monitor: &Monitor<'_>) -> Result<VoxelizeOutcome, PipelineError> {
    start_threads()?;
    let output = job.output.as_deref();
    let outputs: Vec<_> = output
        .map(|path| (path, OutputKind::Volume))
        .into_iter()
        .collect();
    paths::check(&[&job.mesh], &outputs)?;
    let stream = job.device.stream()?;
    let mut stages = Stages::begin(monitor);
    let mesh = stages.run("read", || read_mesh(&job.mesh))?;
    let mark = || -> Result<DeviceMask, VoxelizeError> {
        let mask = voxelize(&stream, &mesh, &job.params)?;
        stream.synchronize()?;
        Ok(mask)
    };
    let mask = stages.run("voxelize", || mark().map_err(at(&job.mesh)))?;
    let voxels = mask.count(&stream)?;
    if let Some(output) = &job.output {
        let volume = stages.run("download", || volume_of(&stream, &mask))?;
        stages.run("write", || {
            write_volume(output, &volume.into(), &VolumeWriteOptions::default())
        })?;
    }
    Ok(VoxelizeOutcome {
        vertices: mesh.vertices.len(),
        triangles: mesh.triangles.len(),
        dims: mask.dims(),
        geometry: *mask.geometry(),
        voxels,
        timings: stages.finish(),
    })
}
