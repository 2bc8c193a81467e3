//! Boundary voxels: those that can be the nearest site of another voxel.

use crate::{distance::sites::BitRows, rows::Items, sample::Sample};
use cuda_std::{View, ViewMut, kernel};

/// Number of pairs of opposite steps to neighbours. The neighbours include those across the faces
/// of a voxel's Voronoi cell; x, y and z of one step of each pair are stored.
pub const NEIGHBOUR_PAIRS: usize = 10;

/// Returns `true` if `predicate` holds for any neighbour. Neighbours outside the grid count as
/// `outside`.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn any_neighbour(
    neighbours: View<i32>,
    bits: BitRows,
    [x, y, z]: [u32; 3],
    outside: bool,
    mut predicate: impl FnMut([u32; 3]) -> bool,
) -> bool {
    let mut any = false;
    let mut k = 0;
    while k < 2 * NEIGHBOUR_PAIRS && !any {
        let step = 3 * (k >> 1);
        let sign = 1 - 2 * (k & 1) as i64;
        let at = [
            x as i64 + sign * neighbours.read(step) as i64,
            y as i64 + sign * neighbours.read(step + 1) as i64,
            z as i64 + sign * neighbours.read(step + 2) as i64,
        ];
        let in_grid = at[0] >= 0
            && at[1] >= 0
            && at[2] >= 0
            && at[0] < bits.grid.nx as i64
            && at[1] < bits.grid.ny as i64
            && at[2] < bits.grid.nz as i64;
        any = if in_grid {
            predicate(at.map(|at| at as u32))
        } else {
            outside
        };
        k += 1;
    }
    any
}

/// Returns the set bits of a word for whose voxels `keep` returns `true`.
#[cuda_std::inline_closures]
#[inline(always)]
fn filter_word(
    bits: BitRows,
    word: usize,
    word_bits: u32,
    mut keep: impl FnMut([u32; 3]) -> bool,
) -> u32 {
    let [in_row, y, z] = bits.word_position(word as u64);
    let (mut remaining, mut kept_bits) = (word_bits, 0);
    while remaining != 0 {
        let bit = remaining.trailing_zeros();
        if keep([in_row * 32 + bit, y, z]) {
            kept_bits |= 1 << bit;
        }
        remaining &= remaining - 1;
    }
    kept_bits
}

/// Keeps the voxels of a mask that have a neighbour outside the mask or outside the grid.
///
/// **Mapping:** one word per thread, neighbouring threads on neighbouring words. **Global memory:**
/// reads the word and, for each of its set bits, up to 20 surrounding words; writes one word.
/// Shared memory is not used.
///
/// # Safety
/// `neighbours` holds three elements for each of [`NEIGHBOUR_PAIRS`] steps, `mask` and `boundary`
/// hold `bits.words()` elements, which is also the count of `items`.
#[kernel]
pub unsafe fn keep_boundary(
    mask: View<u32>,
    bits: BitRows,
    neighbours: View<i32>,
    items: Items,
    boundary: ViewMut<u32>,
) {
    items.for_each(|word| {
        let word_bits = mask.read(word);
        let kept_bits = filter_word(bits, word, word_bits, |at| {
            any_neighbour(neighbours, bits, at, true, |[x, y, z]| {
                mask.read(bits.word_index(x, y, z)) >> (x & 31) & 1 == 0
            })
        });
        boundary.write(word, kept_bits);
    });
}

/// Marks the voxels that have a neighbour with another label; NaN differs from every label. If
/// `outside` is nonzero, voxels with a neighbour outside the grid are marked too.
///
/// **Mapping:** one word per thread. **Global memory:** for each voxel of the word, reads its label
/// and up to 20 surrounding ones; writes one word. Shared memory is not used.
///
/// # Safety
/// `neighbours` holds three elements for each of [`NEIGHBOUR_PAIRS`] steps, `labels` holds
/// `bits.grid.samples()` elements, `boundary` holds `bits.words()`, which is also the count of
/// `items`.
#[kernel]
pub unsafe fn keep_label_boundary(
    labels: View<f32>,
    bits: BitRows,
    neighbours: View<i32>,
    outside: u32,
    items: Items,
    boundary: ViewMut<u32>,
) {
    items.for_each(|word| {
        let [in_row, ..] = bits.word_position(word as u64);
        let kept_bits = filter_word(bits, word, bits.voxel_mask(in_row), |at| {
            let [x, y, z] = at;
            let label = labels.read(bits.grid.sample(x, y, z));
            any_neighbour(neighbours, bits, at, outside != 0, |[x, y, z]| {
                labels.read(bits.grid.sample(x, y, z)) != label
            })
        });
        boundary.write(word, kept_bits);
    });
}

/// Converts labels to f32, which represents all of them exactly.
///
/// **Mapping:** one sample per thread, neighbouring threads on neighbouring samples. **Global
/// memory:** one read and one write. Shared memory is not used.
///
/// # Safety
/// `items` counts the samples, and `labels` holds one element for each.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn labels_to_f32<T: Sample>(samples: View<T>, items: Items, labels: ViewMut<f32>) {
    items.for_each(|at| labels.write(at, samples.read(at).value()));
}
