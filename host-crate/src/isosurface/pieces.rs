//! Pieces of a mesh that are as large as memory allows.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams,
    fused::{self, Counted},
    slab::Slab,
    whole::Resident,
};
use crate::{device::Stream, grid::DeviceSample};
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{fused::Words, table::MAX_TRIANGLES},
};
use std::ops::Range;

/// How much memory a piece may take.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Bytes on the device beyond the samples; `None` is what there is.
    pub device: Option<u64>,
    /// Bytes of the piece's vertices and triangles.
    pub mesh: u64,
    /// The width of the indices, or one that they do not exceed.
    pub width: IndexWidth,
    /// Whether the pieces stay on the device, so that each leaves less for the next.
    pub keeps: bool,
}

/// Why there is no next piece.
pub(super) enum PieceError<E> {
    /// One plane of cells takes more than there is.
    TooLittle {
        given: u64,
    },
    Other(E),
}

impl<E: From<IsosurfaceError>, F: Into<IsosurfaceError>> From<F> for PieceError<E> {
    fn from(error: F) -> Self {
        Self::Other(E::from(error.into()))
    }
}

/// Bytes of so much of a mesh.
pub(super) fn mesh_bytes(
    params: &IsosurfaceParams,
    width: IndexWidth,
    vertices: u64,
    triangles: u64,
) -> u64 {
    let index = match width {
        IndexWidth::Bits64 => 8,
        _ => 4,
    };
    vertices
        .saturating_mul(12 * (1 + params.normals as u64))
        .saturating_add(triangles.saturating_mul(3 * index))
}

/// Whether the mesh of a grid might need more than 32 bits for its numbers.
pub(super) fn may_be_wide(grid: Grid) -> bool {
    let most = u32::MAX as u64;
    grid.samples().saturating_mul(3) > most
        || grid.cells().saturating_mul(MAX_TRIANGLES as u64) > most
}

pub(super) fn scratch<T: DeviceSample>(slab: &Slab<'_, T>) -> u64 {
    let words = Words::new(slab.padded.grid, slab.first, slab.last);
    fused::scratch_bytes::<T>(words, !slab.mask.is_empty())
}

/// Counts `cells` in pieces that fit the limits, as high as they may be, and gives each to `make`.
///
/// A piece is first taken for as large as its scratch twice. What it needs is known when it is counted; where that is too
/// much, half of it is counted anew.
pub(super) fn in_pieces<T: DeviceSample, E: From<IsosurfaceError>>(
    stream: &Stream,
    resident: &Resident<'_, T>,
    cells: Range<u32>,
    params: &IsosurfaceParams,
    limits: &Limits,
    mut make: impl FnMut(Counted<'_, T>, Range<u32>) -> Result<(), E>,
) -> Result<(), PieceError<E>> {
    let mut kept = 0u64;
    let room = |taken: u64, wanted: u64| match limits.device {
        Some(bytes) => taken.saturating_add(wanted) <= bytes,
        None => stream.require(wanted).is_ok(),
    };
    let too_little = || {
        let given = match limits.device {
            Some(bytes) => bytes,
            None => stream.device().memory()?.free,
        };
        Ok::<_, IsosurfaceError>(given)
    };
    let mut start = cells.start;
    let mut height = cells.end - cells.start;
    while start < cells.end {
        height = height.min(cells.end - start);
        let piece = start..start + height;
        let slab = resident.slab(piece.clone())?;
        let scratch = scratch(&slab);
        if height > 1 && !room(kept, scratch.saturating_mul(2)) {
            height = height.div_ceil(2);
            continue;
        }
        if !room(kept, scratch) {
            let given = too_little()?;
            return Err(PieceError::TooLittle { given });
        }
        let counted = fused::count(stream, slab, params)?;
        let mesh = mesh_bytes(params, limits.width, counted.vertices, counted.triangles);
        if mesh > limits.mesh || !room(kept + scratch, mesh) {
            drop(counted);
            if height == 1 {
                let given = too_little()?;
                return Err(PieceError::TooLittle { given });
            }
            height = height.div_ceil(2);
            continue;
        }
        make(counted, piece).map_err(PieceError::Other)?;
        if limits.keeps {
            kept += mesh;
        }
        start += height;
        // the next may be higher, if it is likely to fit
        let likely = (scratch + mesh).saturating_mul(3);
        if room(kept, likely) && mesh.saturating_mul(3) <= limits.mesh {
            height = height.saturating_mul(2);
        }
    }
    Ok(())
}

/// What a plane of cells takes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaneNeed {
    pub scratch: u64,
    pub mesh: u64,
}

/// Counts one plane of cells alone.
pub(super) fn plane_need<T: DeviceSample>(
    stream: &Stream,
    resident: &Resident<'_, T>,
    plane: u32,
    params: &IsosurfaceParams,
    width: IndexWidth,
) -> Result<PlaneNeed, IsosurfaceError> {
    let slab = resident.slab(plane..plane + 1)?;
    let scratch = scratch(&slab);
    let counted = fused::count(stream, slab, params)?;
    let mesh = mesh_bytes(params, width, counted.vertices, counted.triangles);
    Ok(PlaneNeed { scratch, mesh })
}
