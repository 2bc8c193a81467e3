//! Signs of distances.

use super::bits::BitRows;
use crate::{rows::Rows, sample::Count};
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

/// Replaces the distances of all voxels whose bit is set by the negatives of their distances to the
/// voxels outside, and their nearest sites by the nearest voxels outside.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads one bit per voxel; where it is set, reads and writes one distance and one index.
/// Shared memory is not used.
///
/// # Safety
/// `rows` are the rows of `bits.grid`; `inside` holds `bits.words()` elements, `outside_distances`
/// and `distances` hold `bits.grid.samples()`; `nearest_outside` and `nearest` hold the same number
/// or none.
#[kernel(I = [u32, u64])]
pub unsafe fn merge_signed<I: Count>(
    inside: View<u32>,
    bits: BitRows,
    rows: Rows,
    outside_distances: View<f32>,
    nearest_outside: View<I>,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    rows.for_each_run(|run| {
        let row = bits.word_index(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            if inside.read(row + (x >> 5) as usize) >> (x & 31) & 1 != 0 {
                let at = first + x as usize;
                distances.write(at, -outside_distances.read(at));
                if !nearest_outside.is_empty() {
                    nearest.write(at, nearest_outside.read(at));
                }
            }
            x += 1;
        }
    });
}
