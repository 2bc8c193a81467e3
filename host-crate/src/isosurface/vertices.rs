//! What is made of the flags: the flagged items' numbers, and a position and a normal for each
//! active edge and each inner vertex.

use super::{Inside, IsosurfaceError, IsosurfaceParams, NormalSource};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, Geometry, gradient_to_world, index_to_world},
};
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        NormalRule, compact_flagged, compute_plane_offsets, emit_inner_vertices, emit_normals,
        emit_vertices,
    },
    rows::Items,
    sample::Count,
};

/// Items of a piece where single items are dealt to threads.
pub(super) const PIECE: u32 = 4096;

/// The numbers of the `total` items that are flagged.
pub(super) fn compact_indices<I: Count + Element>(
    stream: &Stream,
    flags: &Buffer<u8>,
    offsets: &Buffer<I>,
    total: u64,
) -> Result<Buffer<u64>, IsosurfaceError> {
    let mut compacted = stream.alloc::<u64>(total as usize)?;
    let items = Items {
        count: flags.len() as u64,
        chunk: PIECE,
    };
    // SAFETY: a flag and an offset for each item, and room for every flag that is set.
    unsafe {
        let args = (flags.view(), offsets.view(), items, compacted.view_mut());
        stream.launch::<compact_flagged<I>>(Launch::pieces(items.chunks()), args)?;
    }
    Ok(compacted)
}

/// Where vertices are in the mesh.
pub(super) struct VertexLayout<'a> {
    /// The slots of the edges with a vertex.
    pub active_edges: &'a Buffer<u64>,
    /// For each cell the inner vertices of those before it, and their number; empty where no cell
    /// has any.
    pub inner_offsets: &'a Buffer<u64>,
    /// All vertices.
    pub count: usize,
}

impl VertexLayout<'_> {
    /// The vertices on edges.
    fn items(&self) -> Items {
        Items {
            count: self.active_edges.len() as u64,
            chunk: PIECE,
        }
    }
}

/// The position of the vertex on each active edge.
pub(super) fn positions<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    layout: &VertexLayout<'_>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut positions = stream.alloc::<f32>(layout.count * 3)?;
    let items = layout.items();
    // SAFETY: slots of edges that exist, and room for three coordinates for each.
    unsafe {
        stream.launch::<emit_vertices<T>>(
            Launch::pieces(items.chunks()),
            (
                volume.samples().view(),
                volume.grid(),
                items,
                params.iso,
                params.vertices.is_cubic() as u32,
                index_to_world(volume.geometry()),
                layout.active_edges.view(),
                layout.inner_offsets.view(),
                positions.view_mut(),
            ),
        )?;
    }
    Ok(positions)
}

/// How normals come from gradients.
pub(super) fn normal_rule(geometry: &Geometry, params: &IsosurfaceParams) -> NormalRule {
    NormalRule {
        gradient_to_world: gradient_to_world(geometry),
        outward: match params.inside {
            Inside::Above => -1.0,
            Inside::Below => 1.0,
        },
        trilinear_gradient: (params.normal_source == NormalSource::Trilinear) as u32,
    }
}

/// The outward unit normal of the vertex on each active edge.
pub(super) fn normals<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    layout: &VertexLayout<'_>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut normals = stream.alloc::<f32>(layout.count * 3)?;
    let items = layout.items();
    // SAFETY: slots of edges that exist, and room for three components for each.
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

/// The vertices before those of each plane of samples.
pub(super) fn plane_offsets<I: Count + Element>(
    stream: &Stream,
    grid: Grid,
    vertex_offsets: &Buffer<I>,
    inner_offsets: &Buffer<u64>,
) -> Result<Buffer<u64>, DeviceError> {
    let mut offsets = stream.alloc::<u64>(grid.nz as usize)?;
    let planes = Items {
        count: grid.nz.into(),
        chunk: PIECE,
    };
    // SAFETY: an offset for each edge, for each cell and one more, and room for each plane.
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

/// Writes the inner vertices, by the shapes of cells, the offsets of their inner vertices, and
/// [`plane_starts`].
pub(super) fn write_inner_vertices<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    (subcases, inner_offsets, offsets): (&Buffer<u16>, &Buffer<u64>, &Buffer<u64>),
    (positions, normals): (&mut Buffer<f32>, Option<&mut Buffer<f32>>),
) -> Result<(), DeviceError> {
    let grid = volume.grid();
    let cell_rows = rows(stream, grid.cell_dims(), 1);
    let mut none = stream.alloc::<f32>(0)?;
    let normals = normals.unwrap_or(&mut none);
    // SAFETY: shapes and offsets are those of the cells, the rows theirs, and there is room for
    // every vertex.
    unsafe {
        stream.launch::<emit_inner_vertices<T>>(
            rows_launch(cell_rows),
            (
                volume.samples().view(),
                grid,
                cell_rows,
                params.iso,
                index_to_world(volume.geometry()),
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
