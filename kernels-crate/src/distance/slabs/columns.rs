//! Columns of a slab.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// Copies rows of some columns to their place in longer rows.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones. Nothing is shared in the
/// block.
///
/// # Safety
/// `rows` are those of the columns: `part` holds a distance for each of their voxels. `slab` has as
/// many rows of `grid.nx` voxels, and the columns fit in them from `first` on.
#[kernel]
pub unsafe fn copy_columns(
    part: View<f32>,
    rows: Rows,
    first: u32,
    grid: Grid,
    slab: ViewMut<f32>,
) {
    let columns = Grid {
        nx: rows.nx,
        ny: rows.ny,
        nz: rows.nz,
    };
    rows.for_each_run(|run| {
        let from = columns.sample(0, run.y, run.z);
        let to = grid.sample(first, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            slab.write(to + x as usize, part.read(from + x as usize));
            x += 1;
        }
    });
}
