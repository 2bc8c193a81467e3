//! The voxels that can be the nearest site of another.

use crate::{distance::sites::BitRows, rows::Items, sample::Sample};
use cuda_std::{View, ViewMut, kernel};

/// Steps to the neighbours across the faces of a voxel's Voronoi cell, and of the voxel: ten, and
/// the same back. x, y and z of each are given.
pub const AROUND: usize = 10;

/// Whether a neighbour satisfies `is_open`, which gets those in the grid, and what the others are.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn any_around(
    around: View<i32>,
    bits: BitRows,
    [x, y, z]: [u32; 3],
    beyond: bool,
    mut is_open: impl FnMut([u32; 3]) -> bool,
) -> bool {
    let mut any = false;
    let mut k = 0;
    while k < 2 * AROUND && !any {
        let step = 3 * (k >> 1);
        let sign = 1 - 2 * (k & 1) as i64;
        let at = [
            x as i64 + sign * around.read(step) as i64,
            y as i64 + sign * around.read(step + 1) as i64,
            z as i64 + sign * around.read(step + 2) as i64,
        ];
        let in_grid = at[0] >= 0
            && at[1] >= 0
            && at[2] >= 0
            && at[0] < bits.grid.nx as i64
            && at[1] < bits.grid.ny as i64
            && at[2] < bits.grid.nz as i64;
        any = if in_grid {
            is_open(at.map(|at| at as u32))
        } else {
            beyond
        };
        k += 1;
    }
    any
}

/// Calls `keep` with each voxel of a word whose bit is 1, and gives those bits for which it is
/// true.
#[cuda_std::inline_closures]
#[inline(always)]
fn kept(bits: BitRows, word: usize, here: u32, mut keep: impl FnMut([u32; 3]) -> bool) -> u32 {
    let [in_row, y, z] = bits.place(word as u64);
    let (mut left, mut kept) = (here, 0);
    while left != 0 {
        let bit = left.trailing_zeros();
        if keep([in_row * 32 + bit, y, z]) {
            kept |= 1 << bit;
        }
        left &= left - 1;
    }
    kept
}

/// Keeps the voxels of a mask of which a neighbour is not in the mask, or not in the grid.
///
/// A thread takes single words, neighbouring threads neighbouring words: it reads the word, for
/// each of its bits that is 1 up to 20 words around it, and writes one. Nothing is shared in the
/// block.
///
/// # Safety
/// `around` holds three elements for each of [`AROUND`] steps, `mask` and `open` `bits.words()`,
/// `items` counts these.
#[kernel]
pub unsafe fn keep_open(
    mask: View<u32>,
    bits: BitRows,
    around: View<i32>,
    items: Items,
    open: ViewMut<u32>,
) {
    items.for_each(|word| {
        let here = mask.read(word);
        let found = kept(bits, word, here, |at| {
            any_around(around, bits, at, true, |[x, y, z]| {
                mask.read(bits.word_of(x, y, z)) >> (x & 31) & 1 == 0
            })
        });
        open.write(word, found);
    });
}

/// Marks the voxels of which a neighbour has another label; a label that is not a number is another
/// than every one. If `beyond` is not 0, also those with a neighbour that is not in the grid.
///
/// A thread takes single words: for each of its voxels it reads the label and up to 20 around it,
/// and it writes a word. Nothing is shared in the block.
///
/// # Safety
/// `around` holds three elements for each of [`AROUND`] steps, `labels` `bits.grid.samples()`,
/// `changes` `bits.words()`, and `items` counts these.
#[kernel]
pub unsafe fn keep_changes(
    labels: View<f32>,
    bits: BitRows,
    around: View<i32>,
    beyond: u32,
    items: Items,
    changes: ViewMut<u32>,
) {
    items.for_each(|word| {
        let [in_row, ..] = bits.place(word as u64);
        let found = kept(bits, word, bits.voxels_of(in_row), |at| {
            let [x, y, z] = at;
            let label = labels.read(bits.grid.sample(x, y, z));
            any_around(around, bits, at, beyond != 0, |[x, y, z]| {
                labels.read(bits.grid.sample(x, y, z)) != label
            })
        });
        changes.write(word, found);
    });
}

/// Writes labels as numbers of f32, which all of them are exactly.
///
/// A thread takes single samples, neighbouring threads neighbouring ones: one is read and one
/// written. Nothing is shared in the block.
///
/// # Safety
/// `items` counts the samples, and `labels` holds an element for each.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn label_values<T: Sample>(samples: View<T>, items: Items, labels: ViewMut<f32>) {
    items.for_each(|at| labels.write(at, samples.read(at).value()));
}
