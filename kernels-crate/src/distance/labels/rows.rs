//! Distances along x.

use super::super::separable::{AcrossRows, Cost, FAR, NUMBERS};
use crate::rows::Rows;
use cuda_std::{KernelType, View, ViewMut, kernel};

/// For each voxel the squared distance to the nearest voxel of its row with another label; `none`
/// where there is none within `across.most`.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads the four numbers
/// of its word, as 31 others do, and writes a cost. Nothing is shared in the block.
///
/// # Safety
/// `rows` count the voxels of some words of all rows, `near` are the numbers that
/// [`nearest_in_rows`](super::super::separable::nearest_in_rows) has found for these words from the
/// changes along x, `costs` have an element for each voxel.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn squares_from_changes<C: Cost + KernelType>(
    near: View<u32>,
    rows: Rows,
    across: AcrossRows<C>,
    none: C,
    costs: ViewMut<C>,
) {
    rows.for_each_run(|run| {
        let row = run.z as u64 * rows.ny as u64 + run.y as u64;
        let (first_word, first) = (row * across.words as u64, row * rows.nx as u64);
        let mut x = run.start;
        while x < run.end {
            let word = (first_word + (x / 32) as u64) as usize;
            let known = near.read_vector::<4>(word * NUMBERS as usize);
            let distance = to_another(known, x % 32);
            let mut cost = none;
            if distance <= across.most {
                cost = C::squared(across.weight, distance).least(none);
            }
            costs.write((first + x as u64) as usize, cost);
            x += 1;
        }
    });
}

/// The distance of a voxel of a word to the nearest one of another label, [`FAR`] or more where
/// there is none. The numbers are about changes: the word, and how far they are before its first
/// voxel and after its last.
#[inline(always)]
fn to_another([changes, before, after, _]: [u32; 4], bit: u32) -> u32 {
    let here_or_before = changes << (31 - bit);
    // by one twice: a shift by 32 is none
    let beyond = changes >> bit >> 1;
    // the voxel before a change is of another label than that at the change: one farther
    let down = if here_or_before != 0 {
        here_or_before.leading_zeros() + 1
    } else if before < FAR {
        before + bit + 1
    } else {
        FAR
    };
    let up = if beyond != 0 {
        beyond.trailing_zeros() + 1
    } else {
        // `FAR` leaves room for a word
        after + (31 - bit)
    };
    if down < up { down } else { up }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_changes_around_a_voxel() {
        assert!(to_another([0, FAR, FAR, 0], 0) >= FAR);
        assert!(to_another([0, FAR, FAR, 0], 31) >= FAR);
        // a change at a voxel: the one before it is 1 away, and so is it from that
        assert_eq!(to_another([1 << 7, FAR, FAR, 0], 7), 1);
        assert_eq!(to_another([1 << 7, FAR, FAR, 0], 6), 1);
        assert_eq!(to_another([1 << 7, FAR, FAR, 0], 0), 7);
        assert_eq!(to_another([1 << 7, FAR, FAR, 0], 31), 25);
        // changes in other words
        assert_eq!(to_another([0, 3, FAR, 0], 0), 4);
        assert_eq!(to_another([0, 3, FAR, 0], 31), 35);
        assert_eq!(to_another([0, FAR, 1, 0], 31), 1);
        assert_eq!(to_another([0, 9, 1, 0], 30), 2);
        // one before at the greatest length
        assert_eq!(to_another([0, FAR - 33, FAR, 0], 31), FAR - 1);
    }
}
