//! Copying of column ranges into a slab.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// Copies rows of a column range into the wider rows of a slab.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** one read and one write per voxel. Shared memory is not used.
///
/// # Safety
/// `rows` are the rows of the column range, and `part` holds one distance per voxel of it. `slab`
/// has the same number of rows of `grid.nx` voxels, and the columns fit into them starting at
/// `first`.
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
