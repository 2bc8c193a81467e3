//! Fairing of finished walls beyond the limits of the cells.
//!
//! [Relaxation](super::extract()) keeps vertices within their cells, which bounds the smoothness.
//! Here Taubin's filter continues in a box of half a voxel around a vertex, a quarter where the
//! surface is not flat; volumes are adapted again, and vertices of triangles that intersect return
//! to where they were, until none do. Positions are in voxels, and sums are in the order of the
//! triangles or of integers, so that the result is the same on every device.

mod intersections;
#[cfg(test)]
mod intersections_tests;
mod lists;
mod revert;
mod volumes;

use super::{LabelField, LabelSurfaceError, LabelSurfaceParams};
use crate::{
    device::{Buffer, Device, DeviceError, DeviceKind, Stream, items_launch},
    grid::Geometry,
    mesh::{LabelledMesh, group_triples},
};
use cuda_std::Kernel;
use ferrovox_kernels::label_surface::fairing::{
    compute_fairing_normals, fair_vertices, find_grid_positions, limit_fairing,
};
use lists::WallLists;
use nalgebra::Matrix3;

/// Factors of the two steps of Taubin's filter. They are larger and closer to each other than those
/// of the relaxation: the filter smooths more per step, and volumes are adapted anyway.
const TAUBIN: [f64; 2] = [0.68, -0.69];

/// Bytes of memory per wall between two voxels that the mesh and its fairing need.
pub(super) const BYTES_PER_WALL: u64 = 700;

/// Bytes of memory that fairing needs per vertex, in addition to the walls.
const BYTES_PER_VERTEX: u64 = 160;

/// Bytes of memory that fairing needs per triangle, in addition to the walls.
const BYTES_PER_TRIANGLE: u64 = 160;

/// Walls in the memory of a device.
pub(super) struct DeviceWalls<'a> {
    /// Three coordinates per vertex.
    pub positions: &'a Buffer<f32>,
    /// Three vertices per triangle.
    pub triangles: &'a Buffer<u32>,
    /// Two label indices per triangle.
    pub sides: &'a Buffer<u32>,
}

impl DeviceWalls<'_> {
    fn vertex_count(&self) -> u64 {
        self.positions.len() as u64 / 3
    }

    fn triangle_count(&self) -> u64 {
        self.triangles.len() as u64 / 3
    }
}

/// Continues the smoothing of walls with the double steps of Taubin's filter, and the adaptation of
/// volumes, that `params` ask for, and returns the positions of the vertices.
///
/// `walls` have the vertices of `geometry`, the geometry of `field` relative to their origin.
/// Device memory: about 500 bytes per vertex. A device with less leaves the work to the CPU.
pub(super) fn fair_walls(
    stream: &Stream,
    walls: &DeviceWalls<'_>,
    field: &LabelField,
    geometry: &Geometry,
    params: &LabelSurfaceParams,
) -> Result<Buffer<f32>, LabelSurfaceError> {
    let counts = [walls.vertex_count(), walls.triangle_count()];
    let Some(cpu) = find_substitute(stream, counts)? else {
        return Fairing::new(stream, walls, geometry)?.run(field, params);
    };
    let positions = cpu.upload_vec(stream.download(walls.positions)?)?;
    let triangles = cpu.upload_vec(stream.download(walls.triangles)?)?;
    let sides = cpu.upload_vec(stream.download(walls.sides)?)?;
    let walls = DeviceWalls {
        positions: &positions,
        triangles: &triangles,
        sides: &sides,
    };
    let faired = Fairing::new(&cpu, &walls, geometry)?.run(field, params)?;
    Ok(stream.upload(&cpu.download(&faired)?)?)
}

/// Fairs walls in host memory on a device, as [`fair_walls`] does. Walls with more than 2³²
/// vertices or triangles are left as they are.
pub(super) fn fair_host_walls(
    device: &Device,
    walls: &mut LabelledMesh,
    field: &LabelField,
    geometry: &Geometry,
    params: &LabelSurfaceParams,
) -> Result<(), LabelSurfaceError> {
    let Some(triangles) = walls.mesh.triangles.to_u32() else {
        return Ok(());
    };
    if !is_wanted(params, triangles.len() as u64) {
        return Ok(());
    }
    let stream = device.stream()?;
    let counts = [walls.mesh.vertices.len() as u64, triangles.len() as u64];
    let stream = find_substitute(&stream, counts)?.unwrap_or(stream);
    let positions = stream.upload(walls.mesh.vertices.as_flattened())?;
    let triangles = stream.upload(triangles.as_flattened())?;
    let sides = stream.upload(walls.sides.as_flattened())?;
    let device_walls = DeviceWalls {
        positions: &positions,
        triangles: &triangles,
        sides: &sides,
    };
    let faired = Fairing::new(&stream, &device_walls, geometry)?.run(field, params)?;
    walls.mesh.vertices = group_triples(stream.download(&faired)?);
    Ok(())
}

/// Returns `true` if `params` ask for fairing of this many triangles.
pub(super) fn is_wanted(params: &LabelSurfaceParams, triangles: u64) -> bool {
    params.fairing_steps > 0 && triangles > 0 && u32::try_from(triangles).is_ok()
}

/// Returns a stream of the CPU if the GPU of `stream` has too little memory for the fairing of
/// walls with these numbers of vertices and triangles; `None` if it has enough.
fn find_substitute(
    stream: &Stream,
    [vertices, triangles]: [u64; 2],
) -> Result<Option<Stream>, DeviceError> {
    let bytes = vertices * BYTES_PER_VERTEX + triangles * BYTES_PER_TRIANGLE;
    match stream.require(bytes) {
        Ok(()) => Ok(None),
        Err(error) if stream.device().kind() == DeviceKind::Cpu => Err(error),
        // a library without kernels for the CPU
        Err(error) => Device::cpu().stream().map(Some).map_err(|_| error),
    }
}

/// Walls whose vertices are moved.
struct Fairing<'a> {
    stream: &'a Stream,
    walls: &'a DeviceWalls<'a>,
    geometry: &'a Geometry,
    lists: WallLists,
    /// Start and current position of each vertex, in voxels.
    starts: Buffer<f64>,
    positions: Buffer<f64>,
    /// 1 for each vertex at which the surface is not flat, else 0.
    thin: Buffer<u8>,
}

impl<'a> Fairing<'a> {
    fn new(
        stream: &'a Stream,
        walls: &'a DeviceWalls<'a>,
        geometry: &'a Geometry,
    ) -> Result<Self, LabelSurfaceError> {
        stream.prepare(&[
            find_grid_positions::entry(),
            compute_fairing_normals::entry(),
            limit_fairing::entry(),
            fair_vertices::entry(),
        ])?;
        let lists = WallLists::new(stream, walls)?;
        let vertices = walls.vertex_count() as usize;
        let mut starts = stream.alloc::<f64>(vertices * 3)?;
        let mut positions = stream.alloc::<f64>(vertices * 3)?;
        let mut thin = stream.alloc::<u8>(vertices)?;
        let inverse = geometry.axes().try_inverse();
        let to_index = inverse.unwrap_or_else(Matrix3::identity).transpose();
        let mut matrix = [0.0; 9];
        // in row-major order
        matrix.copy_from_slice(to_index.as_slice());
        let (launch, items) = items_launch(stream, vertices as u64);
        // SAFETY: three coordinates per vertex; the lists are those of the walls. `positions` holds
        // the normals until they are copied from the starts.
        unsafe {
            let origin = geometry.origin().coords.into();
            let vertices = walls.positions.view();
            let args = (items, matrix, origin, vertices, starts.view_mut());
            stream.launch::<find_grid_positions>(launch, args)?;
            let args = (
                items,
                walls.triangles.view(),
                lists.starts.view(),
                lists.lengths.view(),
                lists.triangles.view(),
                starts.view(),
                positions.view_mut(),
            );
            stream.launch::<compute_fairing_normals>(launch, args)?;
            let args = (
                items,
                lists.starts.view(),
                lists.neighbour_counts.view(),
                lists.neighbours.view(),
                positions.view(),
                thin.view_mut(),
            );
            stream.launch::<limit_fairing>(launch, args)?;
        }
        stream.copy(&starts, &mut positions)?;
        Ok(Self {
            stream,
            walls,
            geometry,
            lists,
            starts,
            positions,
            thin,
        })
    }

    /// Returns the world positions of the faired vertices.
    fn run(
        mut self,
        field: &LabelField,
        params: &LabelSurfaceParams,
    ) -> Result<Buffer<f32>, LabelSurfaceError> {
        self.smooth(params.fairing_steps)?;
        self.adapt_volumes(&field.kernel_voxels()?, params.volume_steps)?;
        self.revert_crossed(field.dims())
    }

    /// Applies double steps of Taubin's filter within the limits.
    fn smooth(&mut self, steps: u32) -> Result<(), DeviceError> {
        let stream = self.stream;
        let mut next = stream.alloc::<f64>(self.positions.len())?;
        let (launch, items) = items_launch(stream, self.walls.vertex_count());
        for _ in 0..steps {
            for factor in TAUBIN {
                // SAFETY: lists and flags per vertex, three coordinates per vertex in distinct
                // arrays.
                unsafe {
                    let args = (
                        items,
                        self.lists.starts.view(),
                        self.lists.neighbour_counts.view(),
                        self.lists.neighbours.view(),
                        self.thin.view(),
                        self.starts.view(),
                        factor,
                        self.positions.view(),
                        next.view_mut(),
                    );
                    stream.launch::<fair_vertices>(launch, args)?;
                }
                std::mem::swap(&mut self.positions, &mut next);
            }
        }
        Ok(())
    }
}
