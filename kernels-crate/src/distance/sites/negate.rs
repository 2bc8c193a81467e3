//! Distances with a sign.

use super::bits::BitRows;
use crate::rows::Rows;
use cuda_std::{View, ViewMut, kernel};

/// Makes the distances of voxels whose bits are 1 negative, or leaves them so; 0 stays 0.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads its bit, and
/// where that is 1 reads and writes a distance. Nothing is shared in the block.
///
/// # Safety
/// `rows` are those of `bits.grid`; `inside` holds `bits.words()` elements, `distances`
/// `bits.grid.samples()`.
#[kernel]
pub unsafe fn negate_within(inside: View<u32>, bits: BitRows, rows: Rows, distances: ViewMut<f32>) {
    rows.for_each_run(|run| {
        let row = bits.word_of(0, run.y, run.z);
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
