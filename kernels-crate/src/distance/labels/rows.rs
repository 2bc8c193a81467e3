//! Distances to other labels along x.

use super::super::separable::{
    Cost, FIELDS_PER_WORD, NO_SITE_DISTANCE, RowCosts, rows::trailing_zeros,
};
use crate::rows::Rows;
use cuda_std::{KernelType, View, ViewMut, kernel};

/// Computes, for each voxel, the squared distance to the nearest voxel of its row with another
/// label; `no_site` if there is none within `row_costs.max_distance`.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads the four fields of the voxel's word, shared with 31 other threads, and writes
/// one cost. Shared memory is not used.
///
/// # Safety
/// `rows` counts the voxels of a range of words of all rows, `row_scan` is the result of
/// [`scan_row_words`](super::super::separable::scan_row_words) for these words of the label changes
/// along x, and `costs` has one element per voxel.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn squared_from_changes<C: Cost + KernelType>(
    row_scan: View<u32>,
    rows: Rows,
    row_costs: RowCosts<C>,
    no_site: C,
    costs: ViewMut<C>,
) {
    rows.for_each_run(|run| {
        let row = run.z as u64 * rows.ny as u64 + run.y as u64;
        let (first_word, first) = (row * row_costs.words as u64, row * rows.nx as u64);
        let mut x = run.start;
        while x < run.end {
            let word = (first_word + (x / 32) as u64) as usize;
            let scan = row_scan.read_vector::<4>(word * FIELDS_PER_WORD as usize);
            let distance = distance_to_other_label(scan, x % 32);
            let mut cost = no_site;
            if distance <= row_costs.max_distance {
                cost = C::squared(row_costs.weight, distance).smaller(no_site);
            }
            costs.write((first + x as u64) as usize, cost);
            x += 1;
        }
    });
}

/// Returns the distance from a voxel of a word to the nearest voxel with another label; at least
/// [`NO_SITE_DISTANCE`] if there is none. The fields describe the label changes: the word, the
/// distance from its first voxel to the last change before it, and the distance from its last voxel
/// to the first change after it.
#[inline(always)]
fn distance_to_other_label([changes, gap_before, gap_after, _]: [u32; 4], bit: u32) -> u32 {
    let here_or_before = changes << (31 - bit);
    // Two shifts, because a shift by 32 is undefined.
    let later_changes = changes >> bit >> 1;
    // The nearest voxel with another label is the one before the change, one voxel farther.
    let step_back = if here_or_before != 0 {
        here_or_before.leading_zeros() + 1
    } else if gap_before < NO_SITE_DISTANCE {
        gap_before + bit + 1
    } else {
        NO_SITE_DISTANCE
    };
    let step_forward = if later_changes != 0 {
        later_changes.trailing_zeros() + 1
    } else {
        // [`NO_SITE_DISTANCE`] leaves enough headroom to add a word.
        gap_after + (31 - bit)
    };
    if step_back < step_forward {
        step_back
    } else {
        step_forward
    }
}

/// Returns the distances of `W` neighbouring voxels of a word, from bit `first` on, to the nearest
/// voxels with another label; the fields are those of the label changes, as for a single voxel.
/// Voxels past the end of the word have unspecified distances.
#[inline(always)]
pub(super) fn distances_to_other_labels<const W: usize>(
    [changes, gap_before, gap_after, _]: [u32; 4],
    first: u32,
) -> [u32; W] {
    let reversed = changes.reverse_bits();
    let mut distances = [0; W];
    let mut k = 0;
    while k < W {
        let bit = (first + k as u32) & 31;
        let here_or_before = reversed >> (31 - bit);
        let later_changes = changes >> bit >> 1;
        let step_back = if here_or_before != 0 {
            trailing_zeros(here_or_before) + 1
        } else if gap_before < NO_SITE_DISTANCE {
            gap_before + bit + 1
        } else {
            NO_SITE_DISTANCE
        };
        let step_forward = if later_changes != 0 {
            trailing_zeros(later_changes) + 1
        } else {
            gap_after + (31 - bit)
        };
        distances[k] = if step_back < step_forward {
            step_back
        } else {
            step_forward
        };
        k += 1;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_a_word_are_those_of_its_voxels() {
        let gaps = [0, 1, 5, NO_SITE_DISTANCE - 33, NO_SITE_DISTANCE];
        for changes in [
            0,
            1,
            1 << 31,
            0x8000_0001,
            0x0001_8000,
            0x1234_5678,
            u32::MAX,
        ] {
            for (gap_before, gap_after) in gaps.iter().flat_map(|&a| gaps.map(|b| (a, b))) {
                let scan = [changes, gap_before, gap_after, 0];
                let expected: [u32; 32] =
                    core::array::from_fn(|bit| distance_to_other_label(scan, bit as u32));
                assert_eq!(
                    distances_to_other_labels::<32>(scan, 0),
                    expected,
                    "{scan:x?}"
                );
                assert_eq!(distances_to_other_labels::<16>(scan, 16), expected[16..]);
            }
        }
    }

    #[test]
    fn distances_to_changes_around_a_voxel() {
        assert!(
            distance_to_other_label([0, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 0)
                >= NO_SITE_DISTANCE
        );
        assert!(
            distance_to_other_label([0, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 31)
                >= NO_SITE_DISTANCE
        );
        // A change at a voxel: that voxel and its predecessor are at distance 1 from each other.
        assert_eq!(
            distance_to_other_label([1 << 7, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 7),
            1
        );
        assert_eq!(
            distance_to_other_label([1 << 7, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 6),
            1
        );
        assert_eq!(
            distance_to_other_label([1 << 7, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 0),
            7
        );
        assert_eq!(
            distance_to_other_label([1 << 7, NO_SITE_DISTANCE, NO_SITE_DISTANCE, 0], 31),
            25
        );
        // Changes in other words.
        assert_eq!(distance_to_other_label([0, 3, NO_SITE_DISTANCE, 0], 0), 4);
        assert_eq!(distance_to_other_label([0, 3, NO_SITE_DISTANCE, 0], 31), 35);
        assert_eq!(distance_to_other_label([0, NO_SITE_DISTANCE, 1, 0], 31), 1);
        assert_eq!(distance_to_other_label([0, 9, 1, 0], 30), 2);
        // A previous change at the largest distance.
        assert_eq!(
            distance_to_other_label([0, NO_SITE_DISTANCE - 33, NO_SITE_DISTANCE, 0], 31),
            NO_SITE_DISTANCE - 1
        );
    }
}
