//! From force sums to directions and magnitudes.

use super::{accumulator::SourceSlices, rank::MaskRanks};
use crate::{
    distance::sites::BitRows,
    rows::{Items, Rows},
};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Elements stored per force: the direction's x, y and z, and the magnitude.
pub const FORCE_COMPONENTS: usize = 4;

/// Counts the set bits of each word.
///
/// **Mapping:** one word per thread. **Memory:** reads one word and writes one count; no shared
/// memory.
///
/// # Safety
/// `words` and `counts` must hold `items.count` elements.
#[kernel(baseline)]
pub unsafe fn count_mask_bits(words: View<u32>, items: Items, counts: ViewMut<u64>) {
    items.for_each(|word| counts.write(word, words.read(word).count_ones() as u64));
}

/// Adds the slices of each target's force in slice order, and writes its direction and magnitude. A
/// vanishing force has direction zero.
///
/// **Mapping:** one target per thread. **Memory:** reads three sums per slice and writes four
/// floats; no shared memory.
///
/// # Safety
/// `sums` must hold three elements per slice and target, `forces` four for each of the
/// `items.count` targets.
#[kernel(baseline)]
pub unsafe fn reduce_force_slices(
    sum_index: View<f64>,
    slices: SourceSlices,
    items: Items,
    forces: ViewMut<f32>,
) {
    items.for_each(|target| {
        let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
        let mut slice = 0;
        while slice < slices.count {
            let at = slices.sum_index(slice, target as u64);
            x += sum_index.read(at);
            y += sum_index.read(at + 1);
            z += sum_index.read(at + 2);
            slice += 1;
        }
        write_force(forces, target, [x, y, z]);
    });
}

/// Writes the direction and magnitude of a force.
#[inline(always)]
pub(super) fn write_force(forces: ViewMut<f32>, target: usize, [x, y, z]: [f64; 3]) {
    let magnitude = GpuFloat::sqrt(x * x + y * y + z * z);
    let scale = if magnitude > 0.0 {
        1.0 / magnitude
    } else {
        0.0
    };
    let at = FORCE_COMPONENTS * target;
    forces.write(at, (x * scale) as f32);
    forces.write(at + 1, (y * scale) as f32);
    forces.write(at + 2, (z * scale) as f32);
    forces.write(at + 3, magnitude as f32);
}

/// Extends the forces of the inner voxels to the boundary voxels (Zhao et al. 2016). Forces of
/// inner voxels are copied; each other voxel gets the mean of the forces of its 26 neighbours that
/// have one, or zero if none has.
///
/// **Mapping:** runs of consecutive voxels per thread. **Memory:** reads one force of four floats
/// per inner voxel and up to 26 per boundary voxel; writes four floats; no shared memory.
///
/// # Safety
/// `inner` must be the mask of voxels with a known force, `inner_before` the number of its voxels
/// before each word, and `inner_forces` must hold four elements per voxel; `mask`, `mask_before`
/// and `forces` likewise for the output. `rows` must be those of `bits.grid`.
#[kernel(baseline)]
pub unsafe fn average_boundary_forces(
    inner: View<u32>,
    inner_before: View<u64>,
    inner_forces: View<f32>,
    mask: View<u32>,
    mask_before: View<u64>,
    bits: BitRows,
    rows: Rows,
    forces: ViewMut<f32>,
) {
    let inner = MaskRanks {
        words: inner,
        before: inner_before,
        bits,
    };
    let mask = MaskRanks {
        words: mask,
        before: mask_before,
        bits,
    };
    mask.for_each_voxel(rows, |voxel, target| {
        if let Some(inner_rank) = inner.rank(voxel) {
            let mut k = 0;
            while k < FORCE_COMPONENTS {
                let rank = inner_forces.read(FORCE_COMPONENTS * inner_rank as usize + k);
                forces.write(FORCE_COMPONENTS * target + k, rank);
                k += 1;
            }
        } else {
            let mean = mean_neighbour_force(&inner, inner_forces, voxel);
            write_force(forces, target, mean);
        }
    });
}

/// Returns the mean of the forces of a voxel's 26 neighbours that have one.
#[cuda_std::inline_closures]
#[inline(always)]
fn mean_neighbour_force(
    inner: &MaskRanks<'_>,
    inner_forces: View<f32>,
    [x, y, z]: [u32; 3],
) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut count = 0.0;
    let mut neighbour = 0;
    while neighbour < 27 {
        // coordinates below 0 wrap around and fail the bounds test
        let at = [
            (x + neighbour % 3).wrapping_sub(1),
            (y + neighbour / 3 % 3).wrapping_sub(1),
            (z + neighbour / 9).wrapping_sub(1),
        ];
        if let Some(index) = inner.rank(at) {
            let first = FORCE_COMPONENTS * index as usize;
            let magnitude = inner_forces.read(first + 3) as f64;
            sum = [
                sum[0] + magnitude * inner_forces.read(first) as f64,
                sum[1] + magnitude * inner_forces.read(first + 1) as f64,
                sum[2] + magnitude * inner_forces.read(first + 2) as f64,
            ];
            count += 1.0;
        }
        neighbour += 1;
    }
    if count > 0.0 {
        sum.map(|sum| sum / count)
    } else {
        sum
    }
}
