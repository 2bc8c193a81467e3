//! Distances of points to an object in a volume.

use super::{
    Level, ObjectFilter, PipelineError, Problem, Timings, VolumeSource, Warning, at,
    level::ResolvedLevel,
    mask::StatedGrid,
    object_filter::replace_solid,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    grid::{AnyDeviceVolume, AnyVolume, Geometry, Inside, Mask, Runs, Sample, with_volume},
    io::{Table, VolumeFile, read_points, write_table},
    isosurface::{self, IsosurfaceParams},
    memory::{self, OutOfMemory},
    mesh::{Corners, TriangleTree},
    monitor::Monitor,
    with_device_volume,
};
use nalgebra::Point3;
use std::path::{Path, PathBuf};

/// Distances of points to compute, by [`run`].
#[derive(Clone, Debug)]
pub struct PointDistanceJob {
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
    /// The file of points, in world coordinates.
    pub points: PathBuf,
    /// The table to write: `.csv` or `.json`.
    pub output: Option<PathBuf>,
    /// Device that extracts the surface.
    pub device: Device,
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
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of each stage.
    pub timings: Timings,
}

/// Reads a volume and points, and computes the distance of each point to the object.
///
/// A point is inside if its nearest voxel belongs to the object, or for triangles if the trilinear
/// interpolant of the samples is inside the isovalue. Memory: the volume, and about 200 bytes per
/// surface voxel or triangle.
///
/// # Errors
/// Errors of paths before anything is read, of files, of an object without voxels, and of the
/// device.
pub fn run(
    job: &PointDistanceJob,
    monitor: &Monitor<'_>,
) -> Result<PointDistanceOutcome, PipelineError> {
    start_threads()?;
    let mut inputs = vec![job.input.path.as_path(), job.points.as_path()];
    inputs.extend(job.filter.inputs());
    let output = job.output.as_deref();
    let outputs: Vec<_> = output
        .iter()
        .map(|path| (*path, OutputKind::Table))
        .collect();
    paths::check(&inputs, &outputs)?;
    job.level.check_selection().map_err(job.input.error())?;
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let points = stages.run("points", || read_points(&job.points))?;
    let (file, file_geometry) = stages.run("read", || job.input.read_with_file_geometry())?;
    warnings.extend(job.input.notes(&file.header));
    let (dims, geometry) = (file.volume.dims(), *file.volume.geometry());
    let grid = StatedGrid::new(&job.input, &file.header, dims, &file_geometry)?;
    let mask = job.filter.read_mask(&grid, &mut warnings)?;
    let level = job
        .level
        .resolve(&mut stages, &job.input, &file.volume, mask.as_ref())?;
    let filter = |object: Mask| {
        job.filter
            .apply(object, mask.as_ref(), &job.device, &job.input.path)
    };
    let object = stages.run("object", || match job.target {
        DistanceTarget::Voxels => voxel_target(job, level, &file.volume, filter),
        DistanceTarget::Triangles => triangle_target(job, level, file, filter),
    })?;
    if object.tree.is_empty() {
        return Err(job.input.error()(super::error::ObjectError::NoTarget));
    }
    let distances = stages.run("distances", || {
        let measure = |&point: &[f64; 3]| {
            let world = Point3::from(point);
            let nearest = object.tree.nearest(world);
            PointDistance {
                point,
                distance: nearest.map_or(f64::INFINITY, |it| it.distance),
                nearest: nearest.map_or([f64::NAN; 3], |it| it.position.into()),
                is_inside: object.side.contains(&geometry, world),
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
        targets: object.tree.len(),
        iso: match level {
            ResolvedLevel::Iso(iso) => Some(iso),
            ResolvedLevel::Selection(_) => None,
        },
        dims,
        geometry,
        warnings,
        timings: stages.finish(),
    })
}

/// Returns the table of distances.
fn to_table(distances: &[PointDistance]) -> Table {
    let mut table = Table::new([
        "point",
        "x",
        "y",
        "z",
        "distance",
        "nearest_x",
        "nearest_y",
        "nearest_z",
        "side",
    ]);
    for (number, row) in distances.iter().enumerate() {
        let ([x, y, z], [a, b, c]) = (row.point, row.nearest);
        let side = if row.is_inside { "inside" } else { "outside" };
        table.add([
            number.into(),
            x.into(),
            y.into(),
            z.into(),
            row.distance.into(),
            a.into(),
            b.into(),
            c.into(),
            side.into(),
        ]);
    }
    table
}

/// The object that distances are measured to.
struct Target {
    tree: TriangleTree,
    side: Side,
}

/// Decides which points are inside the object.
enum Side {
    Voxels(Mask),
    Samples {
        volume: AnyVolume,
        iso: f32,
        inside: Inside,
    },
}

impl Side {
    fn contains(&self, geometry: &Geometry, point: Point3<f64>) -> bool {
        let index = geometry.world_to_index(point);
        match self {
            Self::Voxels(mask) => {
                let voxel = index.coords.map(f64::round);
                let dims = mask.dims();
                (0..3).all(|k| voxel[k] >= 0.0 && voxel[k] < dims[k] as f64)
                    && mask.contains([voxel.x, voxel.y, voxel.z].map(|x| x as usize))
            }
            Self::Samples {
                volume,
                iso,
                inside,
            } => interpolate(volume, index.into())
                .is_some_and(|sample| inside.contains(sample, *iso)),
        }
    }
}

/// Returns the trilinear interpolant of samples at an index; `None` outside of the grid.
fn interpolate(volume: &AnyVolume, index: [f64; 3]) -> Option<f64> {
    let dims = volume.dims();
    let is_within = |k: usize| index[k] >= 0.0 && index[k] <= dims[k].saturating_sub(1) as f64;
    if !(0..3).all(is_within) || volume.is_empty() {
        return None;
    }
    let low = index.map(|x| x.floor() as usize);
    let weights = [0, 1, 2].map(|k| index[k] - low[k] as f64);
    let mut sum = 0.0;
    for corner in 0..8_usize {
        let upper = [0, 1, 2].map(|k| corner >> k & 1);
        let weight: f64 = [0, 1, 2]
            .map(|k| match upper[k] {
                0 => 1.0 - weights[k],
                _ => weights[k],
            })
            .iter()
            .product();
        if weight > 0.0 {
            let voxel = [0, 1, 2].map(|k| low[k] + upper[k]);
            sum += weight * with_volume!(volume, volume => volume.get(voxel)?.to_f64());
        }
    }
    Some(sum)
}

/// Returns the voxels that distances are measured to.
fn voxel_target(
    job: &PointDistanceJob,
    level: ResolvedLevel,
    volume: &AnyVolume,
    filter: impl FnOnce(Mask) -> Result<Mask, PipelineError>,
) -> Result<Target, PipelineError> {
    let object = Mask::select(volume, level.selection(job.inside)).map_err(job.input.error())?;
    let object = filter(object)?;
    let sites = match job.level {
        Level::NonZero => object.clone(),
        _ => object.surface(&job.device).map_err(job.input.error())?,
    };
    let tree = || -> Result<TriangleTree, OutOfMemory> {
        let count = usize::try_from(sites.count()).unwrap_or(usize::MAX);
        let mut centres: Vec<Corners> = Vec::new();
        memory::try_reserve("surface voxels", &mut centres, count)?;
        let runs = memory::catch_out_of_memory("surface voxels", || {
            Ok::<_, OutOfMemory>(Runs::from_words(sites.words(), sites.layout()))
        })?;
        let ny = sites.dims()[1];
        for row in 0..runs.row_count() {
            for run in &runs.list[runs.row(row)] {
                for x in run.start..run.end {
                    let index = [f64::from(x), (row % ny) as f64, (row / ny) as f64];
                    centres.push([sites.geometry().index_to_world(index.into()); 3]);
                }
            }
        }
        TriangleTree::new(centres)
    };
    Ok(Target {
        tree: tree().map_err(job.input.error())?,
        side: Side::Voxels(object),
    })
}

/// Extracts the isosurface that distances are measured to.
fn triangle_target(
    job: &PointDistanceJob,
    level: ResolvedLevel,
    file: VolumeFile,
    filter: impl FnOnce(Mask) -> Result<Mask, PipelineError>,
) -> Result<Target, PipelineError> {
    let path: &Path = &job.input.path;
    let converted = level.kernel_volume(&job.input, &file.header, file.volume)?;
    let (mut volume, mut iso, mut inside) = (converted.volume, converted.iso, job.inside);
    if matches!(level, ResolvedLevel::Selection(_)) {
        inside = Inside::Above;
    }
    if !job.filter.keeps_all() {
        let solid = Mask::from_threshold(&volume, iso, inside).map_err(at(path))?;
        let replaced = replace_solid(volume, iso, inside, &filter(solid)?);
        (volume, iso, inside) = replaced.map_err(at::<OutOfMemory>(path))?;
    }
    let params = IsosurfaceParams {
        iso,
        inside,
        ..IsosurfaceParams::default()
    };
    let extract = || -> Result<TriangleTree, Problem> {
        let stream = job.device.stream()?;
        let on_device = AnyDeviceVolume::upload(&stream, &volume)?;
        let mesh = with_device_volume!(&on_device, volume => {
            isosurface::extract(&stream, volume, None, &params)?.download(&stream)?
        });
        Ok(TriangleTree::from_mesh(&mesh)?)
    };
    Ok(Target {
        tree: extract().map_err(at(path))?,
        side: Side::Samples {
            volume,
            iso,
            inside,
        },
    })
}
