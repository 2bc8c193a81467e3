//! From a mesh file to a volume file.

use super::{PipelineError, error::at, stages::Stages};
use crate::{
    device::Device,
    grid::Geometry,
    io::{VolumeWriteOptions, read_mesh, write_volume},
    monitor::{Monitor, StageTime},
    voxelize::{VoxelizeParams, volume_of, voxelize},
};
use std::{path::PathBuf, time::Duration};

/// What is to be made of a mesh.
#[derive(Clone, Debug)]
pub struct VoxelizeJob {
    /// The mesh file.
    pub mesh: PathBuf,
    /// The grid that it gets.
    pub params: VoxelizeParams,
    /// The volume file to write: samples of u8, 1 inside.
    pub output: PathBuf,
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
    pub times: Vec<StageTime>,
    /// How long everything took.
    pub total: Duration,
}

impl VoxelizeOutcome {
    /// What the voxels inside take up of space.
    pub fn volume(&self) -> f64 {
        self.voxels as f64 * self.geometry.determinant()
    }
}

/// Reads a mesh, marks the voxels inside, and writes them.
///
/// Host memory: the mesh, and a byte for each voxel; device memory: 12 bytes for each vertex and triangle, and a bit for each voxel.
///
/// # Errors
/// What is wrong with the files, the mesh or the grid, with the mesh's name where it is about the mesh; what fails on the device.
pub fn run(job: &VoxelizeJob, monitor: &Monitor<'_>) -> Result<VoxelizeOutcome, PipelineError> {
    let stream = job.device.stream()?;
    let mut stages = Stages::start(monitor);
    let mesh = stages.run("read", || read_mesh(&job.mesh))?;
    let mask = stages.run("voxelize", || {
        let mask = voxelize(&stream, &mesh, &job.params).map_err(at(&job.mesh))?;
        stream.synchronize().map_err(at(&job.mesh))?;
        Ok::<_, PipelineError>(mask)
    })?;
    let volume = stages.run("download", || volume_of(&stream, &mask))?;
    let voxels = mask.count(&stream)?;
    stages.run("write", || {
        write_volume(&job.output, &volume.into(), &VolumeWriteOptions::default())
    })?;
    let (times, total) = stages.finish();
    Ok(VoxelizeOutcome {
        vertices: mesh.vertices.len(),
        triangles: mesh.triangles.len(),
        dims: mask.dims(),
        geometry: *mask.geometry(),
        voxels,
        times,
        total,
    })
}
