//! From a mesh file to a volume file.

use super::{
    ObjectFilter, PipelineError, Timings, at,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    grid::{DeviceMask, Geometry, GridError, Mask},
    io::{VolumeWriteOptions, read_mesh, write_volume},
    monitor::Monitor,
    voxelize::{VoxelizeError, VoxelizeParams, mask_to_volume, voxelize},
};
use std::path::PathBuf;

/// A mesh to voxelize, by [`run`].
#[derive(Clone, Debug)]
pub struct VoxelizeJob {
    /// The mesh file.
    pub mesh: PathBuf,
    /// Grid of the volume.
    pub params: VoxelizeParams,
    /// Filter of the voxels inside, without a mask.
    pub filter: ObjectFilter,
    /// Volume file to write: samples of `u8`, 1 inside. Without one the voxels are only counted.
    pub output: Option<PathBuf>,
    /// Device that voxelizes the mesh.
    pub device: Device,
}

impl VoxelizeJob {
    /// Creates a job that voxelizes a mesh file on the best device, without an output.
    pub fn new(mesh: impl Into<PathBuf>, params: VoxelizeParams) -> Self {
        Self {
            mesh: mesh.into(),
            params,
            filter: ObjectFilter::default(),
            output: None,
            device: Device::best(),
        }
    }

    /// Sets the volume file.
    #[must_use]
    pub fn output(self, path: impl Into<PathBuf>) -> Self {
        Self {
            output: Some(path.into()),
            ..self
        }
    }
}

/// Description of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelizeOutcome {
    /// Number of vertices of the mesh.
    pub vertices: usize,
    /// Number of triangles of the mesh.
    pub triangles: usize,
    /// Voxels of the grid along x, y and z.
    pub dims: [usize; 3],
    /// Position of the grid in the coordinates of the mesh.
    pub geometry: Geometry,
    /// Number of voxels inside the mesh.
    pub voxels: u64,
    /// Time of each stage.
    pub timings: Timings,
}

impl VoxelizeOutcome {
    /// Returns the volume of the voxels inside, in world units cubed.
    pub fn volume(&self) -> f64 {
        self.voxels as f64 * self.geometry.determinant()
    }
}

/// Reads a mesh, determines the voxels inside, and writes them.
///
/// Memory: on the host the mesh and one byte per voxel; on the device 12 bytes per vertex and per
/// triangle, and one bit per voxel.
///
/// ```
/// use ferrovox::{monitor::Monitor, voxelize::VoxelizeParams};
/// use ferrovox::pipeline::voxelize::{VoxelizeJob, run};
///
/// let folder = tempfile::tempdir()?;
/// let mesh = folder.path().join("corner.obj");
/// let vertices = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\n";
/// std::fs::write(&mesh, format!("{vertices}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))?;
/// let job = VoxelizeJob::new(mesh, VoxelizeParams::with_resolution(48))
///     .output(folder.path().join("corner.nrrd"));
/// let outcome = run(&job, &Monitor::new())?;
/// assert_eq!(outcome.dims, [52; 3]);
/// assert!((outcome.volume() - 36.0).abs() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of the files, the mesh or the grid, with the path of the mesh where they concern it;
/// errors of the device.
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
    let mask = if job.filter.keeps_all() {
        mask
    } else {
        let at_mesh = || at::<GridError>(&job.mesh);
        stages.run("filter", || {
            let voxels = Mask::download(&stream, &mask).map_err(at_mesh())?;
            let kept = job.filter.apply(voxels, None, &job.device, &job.mesh)?;
            kept.upload(&stream).map_err(at_mesh())
        })?
    };
    let voxels = mask.count(&stream)?;
    if let Some(output) = &job.output {
        let volume = stages.run("download", || mask_to_volume(&stream, &mask))?;
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
