//! Signs of distances.

use super::bits::BitRows;
use crate::rows::Rows;
use cuda_std::{View, ViewMut, kernel};

/// Negates positive distances of all voxels whose bit is set. Zero and negative values are
/// unchanged.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads one bit per voxel; where it is set, reads and writes one distance. Shared memory
/// is not used.
///
/// # Safety
/// `rows` are the rows of `bits.grid`; `inside` holds `bits.words()` elements, `distances` holds
/// `bits.grid.samples()`.
#[kernel]
pub unsafe fn negate_inside(inside: View<u32>, bits: BitRows, rows: Rows, distances: ViewMut<f32>) {
    rows.for_each_run(|run| {
        let row = bits.word_index(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            if inside.read(row + (x >> 5) as usize) >> (x & 31) & 1 != 0 {
                let at = first + x as usize;
                let distance = distances.read(at);
                if distance > 0.0 {
                    distances.write(at, -distance);
                }
            }
            x += 1;
        }
    });
}
