//! The staged method: one kernel per stage.

mod emit;

use super::{DeviceMesh, IsosurfaceError, IsosurfaceParams, StageTimes, Topology, TopologyCounts};
use crate::{
    device::{Buffer, DeviceError, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        classify_cells, compact_flagged, compute_plane_offsets, emit_inner_vertices, emit_normals,
        emit_triangles, emit_vertices, flag_edges, resolve_subcases, topology::CellCounts,
    },
    scan::{reduce_segments, scan_segment_sums, scan_segments},
};
use nalgebra::Point3;
use std::borrow::Cow;

/// Number of cells that a GPU thread classifies consecutively, so that it reads the face between
/// two cells once.
const CELLS_PER_THREAD: u32 = 4;

/// Results of the classification stages.
struct Classification<'a, T> {
    volume: &'a DeviceVolume<T>,
    /// World position that vertices are relative to.
    origin: Point3<f64>,
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
    origin: Point3<f64>,
    mask: &Buffer<u8>,
    params: &IsosurfaceParams,
) -> Result<DeviceMesh, IsosurfaceError> {
    let mut times = StageTimes::start(stream, params.time_stages)?;
    let grid = volume.grid();
    if grid.cells() == 0 {
        return Ok(DeviceMesh::empty(stream, origin.into(), params)?);
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

    let classified = Classification {
        volume,
        origin,
        params,
        cases,
        occupied,
        triangle_counts,
        edge_flags,
        subcases,
    };
    emit::emit(stream, &classified, &non_finite, times)
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
