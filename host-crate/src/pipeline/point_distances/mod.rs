//! Distances of points to an object in a volume, or to a mesh.

mod table;
mod target;

use super::{
    Level, ObjectFilter, PipelineError, Timings, VolumeSource, Warning, at,
    error::ObjectError,
    level::ResolvedLevel,
    mask::StatedGrid,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    grid::{Geometry, Inside, Mask},
    io::{read_mesh, read_points, write_table},
    memory::{self, OutOfMemory},
    monitor::Monitor,
};
use nalgebra::Point3;
use std::path::{Path, PathBuf};
use table::to_table;
use target::{Target, mesh_target, triangle_target, voxel_target};

/// Distances of points to compute, by [`run`].
#[derive(Clone, Debug)]
pub struct PointDistanceJob {
    /// The object that distances are measured to.
    pub object: PointObject,
    /// The file of points, in world coordinates.
    pub points: PathBuf,
    /// The table to write: `.csv` or `.json`.
    pub output: Option<PathBuf>,
    /// Device that extracts the surface.
    pub device: Device,
}

/// An object that distances of points are measured to.
#[derive(Clone, Debug)]
pub enum PointObject {
    /// An object in a volume.
    Volume(Box<VolumeObject>),
    /// The triangles of a mesh file. Points are inside where the generalised winding number is at
    /// least 0.5; the mesh may be open.
    Mesh(PathBuf),
}

/// An object in a volume that distances of points are measured to.
#[derive(Clone, Debug)]
pub struct VolumeObject {
    /// The volume.
    pub input: VolumeSource,
    /// Definition of the object.
    pub level: Level,
    /// Side of an isovalue on which the object is.
    pub inside: Inside,
    /// Filter of the object's voxels.
    pub filter: ObjectFilter,
    /// Part of the object that distances are measured to.
    pub target: DistanceTarget,
}

/// Part of an object that distances are measured to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceTarget {
    /// The centres of the surface voxels, or with [`Level::NonZero`] of all voxels of the object,
    /// as in a [distance map](super::distance).
    #[default]
    Voxels,
    /// The triangles of the isosurface.
    Triangles,
}

/// The distance of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointDistance {
    /// The point, in world coordinates.
    pub point: [f64; 3],
    /// Distance to the object, in world units.
    pub distance: f64,
    /// The nearest point of the object.
    pub nearest: [f64; 3],
    /// `true` if the point is inside the object.
    pub is_inside: bool,
}

/// The distances of all points.
#[derive(Clone, Debug)]
pub struct PointDistanceOutcome {
    /// Distances in the order of the points.
    pub distances: Vec<PointDistance>,
    /// Number of voxels or triangles that distances are measured to.
    pub targets: usize,
    /// The isovalue, if the level is one.
    pub iso: Option<f64>,
    /// Samples of the volume along x, y and z, and their position in the world; `None` for a mesh.
    pub grid: Option<([usize; 3], Geometry)>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of each stage.
    pub timings: Timings,
}

impl PointObject {
    /// Returns the path of the volume or the mesh.
    pub fn path(&self) -> &Path {
        match self {
            Self::Volume(object) => &object.input.path,
            Self::Mesh(path) => path,
        }
    }
}

/// An object that has been read.
struct ReadObject {
    target: Target,
    iso: Option<f64>,
    grid: Option<([usize; 3], Geometry)>,
}

/// Reads an object and points, and computes the distance of each point to the object.
///
/// A point is inside if its nearest voxel belongs to the object, for triangles of an isosurface if
/// the trilinear interpolant of the samples is inside the isovalue, and for a mesh by its
/// generalised winding number. Memory: the volume or the mesh, and about 200 bytes per surface
/// voxel or triangle.
///
/// # Errors
/// Errors of paths before anything is read, of files, of an object without voxels or triangles, and
/// of the device.
pub fn run(
    job: &PointDistanceJob,
    monitor: &Monitor<'_>,
) -> Result<PointDistanceOutcome, PipelineError> {
    start_threads()?;
    let path = job.object.path();
    let mut inputs = vec![path, job.points.as_path()];
    if let PointObject::Volume(object) = &job.object {
        inputs.extend(object.filter.inputs());
        object.level.check_selection().map_err(at(path))?;
    }
    let output = job.output.as_deref();
    let outputs: Vec<_> = output
        .iter()
        .map(|path| (*path, OutputKind::Table))
        .collect();
    paths::check(&inputs, &outputs)?;
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let points = stages.run("points", || read_points(&job.points))?;
    let ReadObject { target, iso, grid } = match &job.object {
        PointObject::Volume(object) => {
            read_volume_object(object, &job.device, &mut stages, &mut warnings)?
        }
        PointObject::Mesh(path) => {
            let mesh = stages.run("read", || read_mesh(path))?;
            let target = stages.run("object", || mesh_target(&mesh).map_err(at(path)))?;
            ReadObject {
                target,
                iso: None,
                grid: None,
            }
        }
    };
    if target.tree.is_empty() {
        return Err(at(path)(ObjectError::NoTarget));
    }
    let distances = stages.run("distances", || {
        let measure = |&point: &[f64; 3]| {
            let world = Point3::from(point);
            let nearest = target.tree.nearest(world);
            PointDistance {
                point,
                distance: nearest.map_or(f64::INFINITY, |it| it.distance),
                nearest: nearest.map_or([f64::NAN; 3], |it| it.position.into()),
                is_inside: target.contains(world),
            }
        };
        let distances = memory::try_collect("distances", points.iter().map(measure));
        distances.map_err(at::<OutOfMemory>(&job.points))
    })?;
    if let Some(output) = &job.output {
        stages.run("write", || write_table(output, &to_table(&distances)))?;
    }
    Ok(PointDistanceOutcome {
        distances,
        targets: target.tree.len(),
        iso,
        grid,
        warnings,
        timings: stages.finish(),
    })
}

/// Reads a volume, and determines the voxels or the triangles of the object in it.
fn read_volume_object(
    object: &VolumeObject,
    device: &Device,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<ReadObject, PipelineError> {
    let source = &object.input;
    let (file, file_grid) = stages.run("read", || source.read_with_file_grid())?;
    warnings.extend(source.notes(&file.header));
    let (dims, geometry) = (file.volume.dims(), *file.volume.geometry());
    let grid = StatedGrid::new(source, &file.header, file_grid)?;
    let mask = object.filter.read_mask(&grid, warnings)?;
    let level = object
        .level
        .resolve(stages, source, &file.volume, mask.as_ref())?;
    let filter = |solid: Mask| {
        object
            .filter
            .apply(solid, mask.as_ref(), device, &source.path)
    };
    let target = stages.run("object", || match object.target {
        DistanceTarget::Voxels => voxel_target(object, device, level, &file.volume, filter),
        DistanceTarget::Triangles => triangle_target(object, device, level, file, filter),
    })?;
    Ok(ReadObject {
        target,
        iso: match level {
            ResolvedLevel::Iso(iso) => Some(iso),
            ResolvedLevel::Selection(_) => None,
        },
        grid: Some((dims, geometry)),
    })
}
