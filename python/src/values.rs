//! Range of the samples around each vertex of an isosurface, as scikit-image returns it.

use ferrovox::{
    grid::{Sample, VolumeView},
    nalgebra::Point3,
};
use rayon::prelude::*;

/// Cells that are meshed.
#[derive(Clone, Copy)]
pub(crate) struct CellMask<'a> {
    /// Mask of the samples; `None` for all cells.
    pub mask: Option<VolumeView<'a, u8>>,
    /// `true` if the corner with the largest indices decides, instead of all corners.
    pub by_last_corner: bool,
    /// `true` if cells around the grid are meshed, too.
    pub is_closed: bool,
}

/// Maximum distance of a coordinate from an integer, in voxels, at which a vertex is in a plane of
/// samples: half of the minimum distance of a vertex from the samples of its edge.
const IN_PLANE: f64 = 0.5 / 1024.0;

/// Minimum number of vertices per task.
const CHUNK: usize = 1 << 12;

/// Returns for each vertex the largest range of samples (maximum less minimum) at the corners of a
/// meshed cell around it.
/// `positions` are relative to `origin`, in the world of the volume.
pub(crate) fn local_ranges<T: Sample>(
    volume: VolumeView<'_, T>,
    cells: CellMask<'_>,
    positions: &[f32],
    origin: [f64; 3],
) -> Vec<f32> {
    let vertices = positions.par_chunks_exact(3).with_min_len(CHUNK);
    let value = |position: &[f32]| {
        let world = [0, 1, 2].map(|k| f64::from(position[k]) + origin[k]);
        let index = volume.geometry().world_to_index(Point3::from(world));
        largest_range(volume, cells, index)
    };
    vertices.map(value).collect()
}

fn largest_range<T: Sample>(
    volume: VolumeView<'_, T>,
    cells: CellMask<'_>,
    index: Point3<f64>,
) -> f32 {
    let dims = volume.dims();
    // first and last cell along each axis; cells beyond the grid are those of a closed surface
    let around = [0, 1, 2].map(|axis| {
        let coordinate = index[axis];
        let nearest = coordinate.round();
        if (coordinate - nearest).abs() < IN_PLANE {
            (nearest as i64 - 1, nearest as i64)
        } else {
            (coordinate.floor() as i64, coordinate.floor() as i64)
        }
    });
    let mut largest = f64::NEG_INFINITY;
    for z in around[2].0..=around[2].1 {
        for y in around[1].0..=around[1].1 {
            for x in around[0].0..=around[0].1 {
                largest = largest.max(cell_range(volume, cells, [x, y, z], dims));
            }
        }
    }
    largest as f32
}

/// Returns the range of the samples at the corners of a cell; -∞ if it is not meshed.
fn cell_range<T: Sample>(
    volume: VolumeView<'_, T>,
    cells: CellMask<'_>,
    cell: [i64; 3],
    dims: [usize; 3],
) -> f64 {
    let corner = |number: usize| {
        [0, 1, 2].map(|axis| {
            let index = cell[axis] + (number >> axis & 1) as i64;
            (0..dims[axis] as i64)
                .contains(&index)
                .then_some(index as usize)
        })
    };
    let indices = |corner: [Option<usize>; 3]| Some([corner[0]?, corner[1]?, corner[2]?]);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in 0..8 {
        let Some(index) = indices(corner(number)) else {
            if cells.is_closed {
                continue;
            }
            return f64::NEG_INFINITY;
        };
        let decides = number == 7 || !cells.by_last_corner;
        if decides && cells.mask.is_some_and(|mask| mask.get(index) == Some(0)) {
            return f64::NEG_INFINITY;
        }
        if let Some(sample) = volume.get(index) {
            let sample = sample.to_f64();
            if !sample.is_finite() {
                return f64::NEG_INFINITY;
            }
            (min, max) = (min.min(sample), max.max(sample));
        }
    }
    max - min
}
