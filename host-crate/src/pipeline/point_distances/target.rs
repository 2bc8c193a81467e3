//! Objects that distances are measured to.

use super::VolumeObject;
use crate::{
    device::Device,
    grid::{AnyDeviceVolume, AnyVolume, Inside, Mask, Runs},
    io::VolumeFile,
    isosurface::{self, IsosurfaceParams},
    memory::{self, OutOfMemory},
    mesh::{Corners, TriangleMesh, TriangleTree},
    pipeline::{
        Level, PipelineError, Problem, at, level::ResolvedLevel, object_filter::replace_solid,
    },
    with_device_volume,
};
use nalgebra::Point3;

/// The object that distances are measured to.
pub(super) struct Target {
    /// Triangles, or voxel centres as triangles without an extent.
    pub tree: TriangleTree,
    side: Side,
}

impl Target {
    /// Returns `true` if a point is inside the object.
    pub fn contains(&self, point: Point3<f64>) -> bool {
        match &self.side {
            // a closed mesh has 1 inside and 0 outside, whose orientation may be reversed
            Side::Winding => self.tree.winding_number(point).abs() >= 0.5,
            Side::Voxels(mask) => {
                let voxel = mask.geometry().world_to_index(point).coords.map(f64::round);
                let dims = mask.dims();
                (0..3).all(|k| voxel[k] >= 0.0 && voxel[k] < dims[k] as f64)
                    && mask.contains([voxel.x, voxel.y, voxel.z].map(|x| x as usize))
            }
            Side::Samples {
                volume,
                iso,
                inside,
            } => {
                let index = volume.geometry().world_to_index(point);
                volume
                    .interpolate(index.into())
                    .is_some_and(|sample| inside.contains(sample, *iso))
            }
        }
    }
}

/// Decides which points are inside the object.
enum Side {
    /// By the winding number of the triangles.
    Winding,
    /// By the nearest voxel.
    Voxels(Mask),
    /// By the trilinear interpolant.
    Samples {
        volume: AnyVolume,
        iso: f32,
        inside: Inside,
    },
}

/// Returns the voxels that distances are measured to.
pub(super) fn voxel_target(
    object: &VolumeObject,
    device: &Device,
    level: ResolvedLevel,
    volume: &AnyVolume,
    filter: impl FnOnce(Mask) -> Result<Mask, PipelineError>,
) -> Result<Target, PipelineError> {
    let mask =
        Mask::select(volume, level.selection(object.inside)).map_err(object.input.error())?;
    let mask = filter(mask)?;
    let sites = match object.level {
        Level::NonZero => mask.clone(),
        _ => mask.surface(device).map_err(object.input.error())?,
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
        tree: tree().map_err(object.input.error())?,
        side: Side::Voxels(mask),
    })
}

/// Extracts the isosurface that distances are measured to.
pub(super) fn triangle_target(
    object: &VolumeObject,
    device: &Device,
    level: ResolvedLevel,
    file: VolumeFile,
    filter: impl FnOnce(Mask) -> Result<Mask, PipelineError>,
) -> Result<Target, PipelineError> {
    let path = &object.input.path;
    let converted = level.kernel_volume(&object.input, &file.header, file.volume)?;
    let (mut volume, mut iso, mut inside) = (converted.volume, converted.iso, object.inside);
    if matches!(level, ResolvedLevel::Selection(_)) {
        inside = Inside::Above;
    }
    if !object.filter.keeps_all() {
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
        let stream = device.stream()?;
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

/// Returns the triangles of a mesh as a target.
pub(super) fn mesh_target(mesh: &TriangleMesh) -> Result<Target, OutOfMemory> {
    Ok(Target {
        tree: TriangleTree::from_mesh(mesh)?,
        side: Side::Winding,
    })
}
