//! From a mesh file to a volume file.

use super::{
    ObjectFilter, PipelineError, Timings, Warning, at,
    file_header::grid_like,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    grid::{AnyVolume, Geometry, Mask},
    io::{VolumeWriteOptions, read_mesh, write_volume},
    monitor::Monitor,
    voxelize::{
        VoxelizeError, VoxelizeParams, signed_distances, voxelize_by_winding, voxelize_on_grid,
    },
};
use std::path::PathBuf;

/// A mesh to voxelize, by [`run`].
#[derive(Clone, Debug)]
pub struct VoxelizeJob {
    /// The mesh file.
    pub mesh: PathBuf,
    /// Grid of the volume, unless it is [that of another](Self::like).
    pub params: VoxelizeParams,
    /// Volume whose grid is used; only its header is read.
    pub like: Option<PathBuf>,
    /// Rule that decides which voxels are inside.
    pub rule: InsideRule,
    /// `true` to write signed distances to the triangles, as samples of `f32`, negative inside.
    pub signed_distance: bool,
    /// Filter of the voxels inside, without a mask.
    pub filter: ObjectFilter,
    /// Volume file to write: samples of `u8`, 1 inside, or distances. Without one the voxels are
    /// only counted.
    pub output: Option<PathBuf>,
    /// Device that voxelizes the mesh.
    pub device: Device,
}

/// Rule that decides which voxels are inside a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InsideRule {
    /// A ray crosses the mesh an odd number of times: [`voxelize_on_grid`]. The mesh must be
    /// closed.
    #[default]
    Parity,
    /// The generalised winding number is at least 0.5: [`voxelize_by_winding`]. The mesh may be
    /// open, and its triangles must be oriented consistently.
    Winding,
}

impl VoxelizeJob {
    /// Creates a job that voxelizes a mesh file on the best device, without an output.
    pub fn new(mesh: impl Into<PathBuf>, params: VoxelizeParams) -> Self {
        Self {
            mesh: mesh.into(),
            params,
            like: None,
            rule: InsideRule::default(),
            signed_distance: false,
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
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of each stage.
    pub timings: Timings,
}

impl VoxelizeOutcome {
    /// Returns the volume of the voxels inside, in world units cubed.
    pub fn volume(&self) -> f64 {
        self.voxels as f64 * self.geometry.determinant().abs()
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
    let mut inputs = vec![job.mesh.as_path()];
    inputs.extend(job.like.as_deref());
    paths::check(&inputs, &outputs)?;
    let stream = job.device.stream()?;
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let mesh = stages.run("read", || read_mesh(&job.mesh))?;
    let (dims, geometry) = match &job.like {
        Some(like) => grid_like(like, &mut warnings)?,
        None => job.params.grid(&mesh).map_err(at(&job.mesh))?,
    };
    let mark = || -> Result<Mask, VoxelizeError> {
        match job.rule {
            InsideRule::Winding => voxelize_by_winding(&mesh, dims, geometry, monitor),
            InsideRule::Parity => {
                let mask = voxelize_on_grid(&stream, &mesh, dims, geometry)?;
                Ok(Mask::download(&stream, &mask)?)
            }
        }
    };
    let mask = stages.run("voxelize", || mark().map_err(at(&job.mesh)))?;
    let mask = if job.filter.keeps_all() {
        mask
    } else {
        stages.run("filter", || {
            job.filter.apply(mask, None, &job.device, &job.mesh)
        })?
    };
    let voxels = mask.count();
    if let Some(output) = &job.output {
        let volume: AnyVolume = if job.signed_distance {
            stages
                .run("distances", || {
                    signed_distances(&mesh, &mask, monitor).map_err(at(&job.mesh))
                })?
                .into()
        } else {
            stages
                .run("convert", || mask.to_volume().map_err(at(&job.mesh)))?
                .into()
        };
        stages.run("write", || {
            write_volume(output, &volume, &VolumeWriteOptions::default())
        })?;
    }
    Ok(VoxelizeOutcome {
        vertices: mesh.vertices.len(),
        triangles: mesh.triangles.len(),
        dims: mask.dims(),
        geometry: *mask.geometry(),
        voxels,
        warnings,
        timings: stages.finish(),
    })
}
