//! Compaction of flags, and positions and normals of vertices, in the staged method; and the
//! parameters of normals for both methods.

use super::{Inside, IsosurfaceError, IsosurfaceParams, NormalSource};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, Geometry, gradient_to_world},
};
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        NormalRule, compact_flagged, compute_plane_offsets, emit_inner_vertices, emit_normals,
        emit_vertices, interpolate::IndexToWorld,
    },
    rows::Items,
    sample::Count,
};

/// Number of items per chunk of one-dimensional launches.
pub(super) const CHUNK_ITEMS: u32 = 4096;

/// Returns the indices of the `total` items that are flagged.
pub(super) fn compact_indices<I: Count + Element>(
    stream: &Stream,
    flags: &Buffer<u8>,
    offsets: &Buffer<I>,
    total: u64,
) -> Result<Buffer<u64>, IsosurfaceError> {
    let mut compacted = stream.alloc::<u64>(total as usize)?;
    let items = Items {
        count: flags.len() as u64,
        chunk: CHUNK_ITEMS,
    };
    // SAFETY: one flag and one offset per item, and one element per set flag.
    unsafe {
        let args = (flags.view(), offsets.view(), items, compacted.view_mut());
        stream.launch::<compact_flagged<I>>(Launch::pieces(items.chunks()), args)?;
    }
    Ok(compacted)
}

/// Numbering of the vertices of the mesh.
pub(super) struct VertexLayout<'a> {
    /// Slots of the active edges.
    pub active_edges: &'a Buffer<u64>,
    /// For each cell, the number of inner vertices of all preceding cells, followed by the total;
    /// empty if no cell has any.
    pub inner_offsets: &'a Buffer<u64>,
    /// Number of all vertices.
    pub count: usize,
}

impl VertexLayout<'_> {
    /// Returns the extent of a launch with one item per vertex on an edge.
    fn items(&self) -> Items {
        Items {
            count: self.active_edges.len() as u64,
            chunk: CHUNK_ITEMS,
        }
    }
}

/// Computes the positions of the vertices on edges.
pub(super) fn positions<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    to_world: IndexToWorld,
    params: &IsosurfaceParams,
    layout: &VertexLayout<'_>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut positions = stream.alloc::<f32>(layout.count * 3)?;
    let items = layout.items();
    // SAFETY: slots of existing edges, and three elements per vertex.
    unsafe {
        stream.launch::<emit_vertices<T>>(
            Launch::pieces(items.chunks()),
            (
                volume.samples().view(),
                volume.grid(),
                items,
                params.iso,
                params.vertices.is_cubic() as u32,
                to_world,
                layout.active_edges.view(),
                layout.inner_offsets.view(),
                positions.view_mut(),
            ),
        )?;
    }
    Ok(positions)
}

/// Returns the parameters with which the kernels of both methods derive normals from gradients.
pub(super) fn normal_rule(geometry: &Geometry, params: &IsosurfaceParams) -> NormalRule {
    NormalRule {
        gradient_to_world: gradient_to_world(geometry),
        outward: match params.inside {
            Inside::Above => -1.0,
            Inside::Below => 1.0,
        },
        uses_trilinear_gradient: (params.normal_source == NormalSource::Trilinear) as u32,
    }
}

/// Computes the outward unit normals of the vertices on edges.
pub(super) fn normals<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    layout: &VertexLayout<'_>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut normals = stream.alloc::<f32>(layout.count * 3)?;
    let items = layout.items();
    // SAFETY: slots of existing edges, and three elements per vertex.
    unsafe {
        stream.launch::<emit_normals<T>>(
            Launch::pieces(items.chunks()),
            (
                volume.samples().view(),
                volume.grid(),
                items,
                params.iso,
                params.vertices.is_cubic() as u32,
                normal_rule(volume.geometry(), params),
                layout.active_edges.view(),
                layout.inner_offsets.view(),
                normals.view_mut(),
            ),
        )?;
    }
    Ok(normals)
}

/// Returns, for each plane of samples, the number of vertices before those on its edges.
pub(super) fn plane_offsets<I: Count + Element>(
    stream: &Stream,
    grid: Grid,
    vertex_offsets: &Buffer<I>,
    inner_offsets: &Buffer<u64>,
) -> Result<Buffer<u64>, DeviceError> {
    let mut offsets = stream.alloc::<u64>(grid.nz as usize)?;
    let planes = Items {
        count: grid.nz.into(),
        chunk: CHUNK_ITEMS,
    };
    // SAFETY: one offset per edge, one per cell and one more, and one element per plane.
    unsafe {
        let args = (
            vertex_offsets.view(),
            inner_offsets.view(),
            grid,
            planes,
            offsets.view_mut(),
        );
        stream.launch::<compute_plane_offsets<I>>(Launch::pieces(planes.chunks()), args)?;
    }
    Ok(offsets)
}

/// Writes the inner vertices, given the subcases of the cells, the offsets of their inner vertices,
/// and the [`plane_offsets`].
pub(super) fn write_inner_vertices<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    to_world: IndexToWorld,
    params: &IsosurfaceParams,
    (subcases, inner_offsets, offsets): (&Buffer<u16>, &Buffer<u64>, &Buffer<u64>),
    (positions, normals): (&mut Buffer<f32>, Option<&mut Buffer<f32>>),
) -> Result<(), DeviceError> {
    let grid = volume.grid();
    let cell_rows = rows(stream, grid.cell_dims(), 1);
    let mut none = stream.alloc::<f32>(0)?;
    let normals = normals.unwrap_or(&mut none);
    // SAFETY: subcases and offsets are those of the cells, `cell_rows` is their extent, and the
    // outputs have three elements per vertex.
    unsafe {
        stream.launch::<emit_inner_vertices<T>>(
            rows_launch(cell_rows),
            (
                volume.samples().view(),
                grid,
                cell_rows,
                params.iso,
                to_world,
                normal_rule(volume.geometry(), params),
                subcases.view(),
                inner_offsets.view(),
                offsets.view(),
                positions.view_mut(),
                normals.view_mut(),
            ),
        )
    }
}
