//! Emitting the vertices and triangles of the classified cells.

use super::Classification;
use crate::{
    device::{Buffer, Element, Launch, Stream},
    grid::{DeviceSample, index_to_world},
    isosurface::{
        DeviceMesh, DeviceTriangles, IndexWidth, IsosurfaceError, StageTimes, TopologyCounts,
        scan::PendingScans,
        vertices::{
            CHUNK_ITEMS, VertexLayout, compact_indices, normals, plane_offsets, positions,
            write_inner_vertices,
        },
    },
};
use ferrovox_kernels::{
    isosurface::{MAX_BLOCK, emit_triangles},
    rows::Items,
    sample::Count,
};

/// Size of the mesh, and number of omitted cells.
struct Totals {
    occupied: u64,
    triangles: u64,
    /// Number of vertices on edges.
    vertices: u64,
    inner: u64,
    topology: TopologyCounts,
    non_finite_cells: u64,
}

/// Scans the flags and counts, reads back the totals, and selects the index width.
pub(super) fn emit<T: DeviceSample>(
    stream: &Stream,
    classified: &Classification<'_, T>,
    non_finite: &Buffer<u64>,
    mut times: StageTimes,
) -> Result<DeviceMesh, IsosurfaceError> {
    let scans = PendingScans::start(
        stream,
        [
            &classified.occupied,
            &classified.triangle_counts,
            &classified.edge_flags,
            &classified.subcases.inner_counts,
        ],
    )?;
    let [occupied, triangles, vertices, inner] = scans.totals(stream)?;
    let totals = Totals {
        occupied,
        triangles,
        vertices,
        inner,
        topology: classified.subcases.counts(stream)?,
        non_finite_cells: stream.download(non_finite)?[0],
    };
    times.end(stream, "totals")?;
    match classified
        .params
        .width_for(totals.vertices + totals.inner, totals.triangles)?
    {
        IndexWidth::Bits64 => {
            let wrap = DeviceTriangles::U64;
            emit_with::<T, u64>(stream, classified, scans, totals, times, wrap)
        }
        _ => {
            let wrap = DeviceTriangles::U32;
            emit_with::<T, u32>(stream, classified, scans, totals, times, wrap)
        }
    }
}

/// Indices of the scans in [`PendingScans`].
const OCCUPIED: usize = 0;
const TRIANGLES: usize = 1;
const VERTICES: usize = 2;
const INNER: usize = 3;

fn emit_with<T: DeviceSample, I: Count + Element>(
    stream: &Stream,
    classified: &Classification<'_, T>,
    scans: PendingScans<'_, 4>,
    totals: Totals,
    mut times: StageTimes,
    wrap: fn(Buffer<I>) -> DeviceTriangles,
) -> Result<DeviceMesh, IsosurfaceError> {
    let occupied_cells = {
        let offsets = scans.finish::<I>(stream, OCCUPIED)?;
        times.end(stream, "scan occupied")?;
        compact_indices(stream, &classified.occupied, &offsets, totals.occupied)?
    };
    times.end(stream, "compact cells")?;
    let vertex_offsets = scans.finish::<I>(stream, VERTICES)?;
    times.end(stream, "scan vertices")?;
    let active_edges = compact_indices(
        stream,
        &classified.edge_flags,
        &vertex_offsets,
        totals.vertices,
    )?;
    times.end(stream, "compact edges")?;
    let inner_offsets = scans.finish::<u64>(stream, INNER)?;
    let layout = VertexLayout {
        active_edges: &active_edges,
        inner_offsets: &inner_offsets,
        count: (totals.vertices + totals.inner) as usize,
    };
    let geometry = classified.volume.geometry().relative_to(classified.origin);
    let to_world = index_to_world(&geometry);
    let mut positions = positions(
        stream,
        classified.volume,
        to_world,
        classified.params,
        &layout,
    )?;
    times.end(stream, "vertices")?;
    let mut normals = if classified.params.normals {
        Some(normals(
            stream,
            classified.volume,
            classified.params,
            &layout,
        )?)
    } else {
        None
    };
    if normals.is_some() {
        times.end(stream, "normals")?;
    }
    if totals.inner > 0 {
        let offsets = plane_offsets(
            stream,
            classified.volume.grid(),
            &vertex_offsets,
            &inner_offsets,
        )?;
        write_inner_vertices(
            stream,
            classified.volume,
            to_world,
            classified.params,
            (&classified.subcases.cells, &inner_offsets, &offsets),
            (&mut positions, normals.as_mut()),
        )?;
        times.end(stream, "inner vertices")?;
    }
    drop(active_edges);

    let triangle_offsets = scans.finish::<I>(stream, TRIANGLES)?;
    times.end(stream, "scan triangles")?;
    let volume = classified.volume;
    let mut triangles = stream.alloc::<I>(totals.triangles as usize * 3)?;
    let items = Items {
        count: totals.occupied,
        chunk: CHUNK_ITEMS,
    };
    // triangles of the table face the below side; a mirroring geometry reverses them once more
    let flip = classified.params.faces_above() != volume.geometry().mirrors();
    // SAFETY: one offset per cell and per edge, and three elements per triangle.
    unsafe {
        stream.launch::<emit_triangles<I>>(
            Launch::pieces(items.chunks()).max_threads_per_block(MAX_BLOCK as u32),
            (
                occupied_cells.view(),
                items,
                classified.cases.view(),
                volume.grid(),
                triangle_offsets.view(),
                vertex_offsets.view(),
                classified.subcases.cells.view(),
                inner_offsets.view(),
                flip as u32,
                triangles.view_mut(),
            ),
        )?;
    }
    times.end(stream, "triangles")?;
    Ok(DeviceMesh {
        origin: classified.origin.into(),
        positions,
        normals,
        triangles: wrap(triangles),
        non_finite_cells: totals.non_finite_cells,
        topology: totals.topology,
        times,
    })
}
