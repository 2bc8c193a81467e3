//! Parity of the crossings along each row.

use crate::{distance::sites::BitRows, rows::Items};
use cuda_std::{ViewMut, kernel};

/// Returns, for each bit, the parity of the ones up to and including it.
#[inline(always)]
fn prefix_parity(mut word: u32) -> u32 {
    word ^= word << 1;
    word ^= word << 2;
    word ^= word << 4;
    word ^= word << 8;
    word ^ word << 16
}

/// Replaces each bit by the parity of the ones up to and including it in its row.
///
/// **Mapping:** one row per thread; no shared memory. **Traffic** per word: one read, one write.
///
/// # Safety
/// `crossings` hold `bits.words()` elements; `items` is the number of rows.
#[kernel(baseline)]
pub unsafe fn accumulate_parity(bits: BitRows, items: Items, crossings: ViewMut<u32>) {
    items.for_each(|row| {
        let first = row * bits.per_row as usize;
        let mut before = 0;
        let mut in_row = 0;
        while in_row < bits.per_row {
            let word = first + in_row as usize;
            let odd = prefix_parity(crossings.read(word)) ^ before;
            crossings.write(word, odd & bits.voxel_mask(in_row));
            // all ones if the last bit is set
            before = 0u32.wrapping_sub(odd >> 31);
            in_row += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_those_before_them() {
        for word in [0, 1, 2, 0b1011, 0x8000_0000, 0xdead_beef, u32::MAX] {
            for bit in 0..32 {
                let up_to = word & (u32::MAX >> (31 - bit));
                assert_eq!(prefix_parity(word) >> bit & 1, up_to.count_ones() % 2);
            }
        }
    }
}
