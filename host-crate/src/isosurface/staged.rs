//! The staged method: one kernel per stage.

use super::{
    DeviceMesh, DeviceTriangles, IndexWidth, Inside, IsosurfaceError, IsosurfaceParams, StageTimes,
    Topology, TopologyCounts,
    scan::PendingScans,
    vertices::{
        PIECE, VertexLayout, compact_indices, normals, plane_offsets, positions,
        write_inner_vertices,
    },
};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        MAX_BLOCK, classify_cells, compact_flagged, compute_plane_offsets, emit_inner_vertices,
        emit_normals, emit_triangles, emit_vertices, flag_edges, resolve_subcases,
        topology::CellCounts,
    },
    rows::Items,
    sample::Count,
    scan::{reduce_segments, scan_segment_sums, scan_segments},
};
use std::borrow::Cow;

/// Number of cells that a GPU thread classifies consecutively, so that it reads the face between
/// two cells once.
const CELLS_PER_THREAD: u32 = 4;

/// Results of the classification stages.
struct Classified<'a, T> {
    volume: &'a DeviceVolume<T>,
    params: &'a IsosurfaceParams,
    cases: Buffer<u8>,
    occupied: Buffer<u8>,
    triangle_counts: Buffer<u8>,
    edge_flags: Buffer<u8>,
    subcases: Subcases,
}

/// Resolved ambiguous cells; all buffers are empty with [`Topology::Separated`].
struct Subcases {
    cells: Buffer<u16>,
    /// Number of inner vertices of each cell, followed by one 0.
    inner_counts: Buffer<u8>,
    totals: Buffer<u64>,
}

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

/// Returns the minimum device memory of the stages in bytes, in addition to the volume: case, flag,
/// count and offset per cell, flag and offset per edge.
fn min_bytes(grid: Grid, topology: Topology) -> u64 {
    let subcase = match topology {
        Topology::Separated => 0,
        Topology::Trilinear => 2 + 1 + 8,
    };
    grid.cells()
        .saturating_mul(3 + 4 + subcase)
        .saturating_add(grid.edges().saturating_mul(1 + 4))
}

/// Returns the names of the kernels of a mesh with 32-bit indices.
fn kernels<T: DeviceSample>(params: &IsosurfaceParams) -> Vec<Cow<'static, str>> {
    let mut kernels = vec![
        classify_cells::<T>::entry(),
        flag_edges::<T>::entry(),
        compact_flagged::<u32>::entry(),
        emit_vertices::<T>::entry(),
        emit_triangles::<u32>::entry(),
        reduce_segments::<u8>::entry(),
        scan_segment_sums::entry(),
        scan_segments::<u8, u32>::entry(),
    ];
    if params.normals {
        kernels.push(emit_normals::<T>::entry());
    }
    if params.topology == Topology::Trilinear {
        kernels.extend([
            resolve_subcases::<T>::entry(),
            compute_plane_offsets::<u32>::entry(),
            emit_inner_vertices::<T>::entry(),
            scan_segments::<u8, u64>::entry(),
        ]);
    }
    kernels
}

pub(super) fn extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: &Buffer<u8>,
    params: &IsosurfaceParams,
) -> Result<DeviceMesh, IsosurfaceError> {
    let mut times = StageTimes::start(stream, params.time_stages)?;
    let grid = volume.grid();
    if grid.cells() == 0 {
        return Ok(DeviceMesh::empty(stream, params)?);
    }
    stream.require(min_bytes(grid, params.topology))?;
    stream.prepare(&kernels::<T>(params))?;
    let cells = grid.cells() as usize;
    let mut cases = stream.alloc::<u8>(cells)?;
    let mut occupied = stream.alloc::<u8>(cells)?;
    let mut triangle_counts = stream.alloc::<u8>(cells)?;
    let mut non_finite = stream.zeros::<u64>(1)?;
    let cell_rows = rows(stream, grid.cell_dims(), CELLS_PER_THREAD);
    // SAFETY: one sample per grid point, one element per cell, and `cell_rows` is the extent of the
    // cells.
    unsafe {
        stream.launch::<classify_cells<T>>(
            rows_launch(cell_rows),
            (
                volume.samples().view(),
                mask.view(),
                grid,
                cell_rows,
                params.iso,
                cases.view_mut(),
                occupied.view_mut(),
                triangle_counts.view_mut(),
                non_finite.view_mut(),
            ),
        )?;
    }
    times.end(stream, "classify")?;
    let subcases = match params.topology {
        Topology::Separated => Subcases::empty(stream)?,
        Topology::Trilinear => {
            let subcases =
                Subcases::resolve(stream, volume, params.iso, &cases, &mut triangle_counts)?;
            times.end(stream, "subcases")?;
            subcases
        }
    };

    let mut edge_flags = stream.alloc::<u8>(grid.edges() as usize)?;
    let sample_rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    // SAFETY: one flag per edge of the grid, and `sample_rows` is the extent of the samples.
    unsafe {
        stream.launch::<flag_edges<T>>(
            rows_launch(sample_rows),
            (
                volume.samples().view(),
                cases.view(),
                grid,
                sample_rows,
                params.iso,
                !mask.is_empty() as u32,
                non_finite.view(),
                edge_flags.view_mut(),
            ),
        )?;
    }
    times.end(stream, "edges")?;

    let classified = Classified {
        volume,
        params,
        cases,
        occupied,
        triangle_counts,
        edge_flags,
        subcases,
    };
    emit(stream, &classified, &non_finite, times)
}

impl Subcases {
    fn empty(stream: &Stream) -> Result<Self, DeviceError> {
        Ok(Self {
            cells: stream.alloc(0)?,
            inner_counts: stream.alloc(0)?,
            totals: stream.alloc(0)?,
        })
    }

    /// Resolves the ambiguous cells, and corrects their triangle counts.
    fn resolve<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        iso: f32,
        cases: &Buffer<u8>,
        triangle_counts: &mut Buffer<u8>,
    ) -> Result<Self, DeviceError> {
        let grid = volume.grid();
        let cells = grid.cells() as usize;
        let mut subcases = Self {
            cells: stream.alloc(cells)?,
            inner_counts: stream.zeros(cells + 1)?,
            totals: stream.zeros(CellCounts::TOTALS)?,
        };
        let cell_rows = rows(stream, grid.cell_dims(), CELLS_PER_THREAD);
        // SAFETY: one sample per grid point, one element per cell, all counts are 0, and
        // `cell_rows` is the extent of the cells.
        unsafe {
            stream.launch::<resolve_subcases<T>>(
                rows_launch(cell_rows),
                (
                    volume.samples().view(),
                    cases.view(),
                    grid,
                    cell_rows,
                    iso,
                    subcases.cells.view_mut(),
                    triangle_counts.view_mut(),
                    subcases.inner_counts.view_mut(),
                    subcases.totals.view_mut(),
                ),
            )?;
        }
        Ok(subcases)
    }

    fn counts(&self, stream: &Stream) -> Result<TopologyCounts, DeviceError> {
        if self.totals.is_empty() {
            return Ok(TopologyCounts::default());
        }
        Ok(TopologyCounts::from_totals(&stream.download(&self.totals)?))
    }
}

/// Scans the flags and counts, reads back the totals, and selects the index width.
fn emit<T: DeviceSample>(
    stream: &Stream,
    classified: &Classified<'_, T>,
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
    classified: &Classified<'_, T>,
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
    let mut positions = positions(stream, classified.volume, classified.params, &layout)?;
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
        chunk: PIECE,
    };
    // triangles of the table face the below side; a mirroring geometry reverses them once more
    let flip = (classified.params.inside == Inside::Below) != volume.geometry().mirrors();
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
        positions,
        normals,
        triangles: wrap(triangles),
        non_finite_cells: totals.non_finite_cells,
        topology: totals.topology,
        times,
    })
}
