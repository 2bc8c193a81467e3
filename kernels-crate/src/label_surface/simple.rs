//! Cells that need a single vertex, found by a table of corner masks.

use super::cell::{face_corner, lower_corner, upper_corner};

/// Set of the simple corner masks, one bit per mask; see [`is_simple_mask`].
static SIMPLE_MASKS: [u32; 8] = {
    let mut table = [0; 8];
    let mut mask = 0;
    while mask < 256 {
        if derive_simple(mask) {
            table[(mask >> 5) as usize] |= 1 << (mask & 31);
        }
        mask += 1;
    }
    table
};

/// Returns `true` if the corners of `mask` and all others are each connected by edges of the cell,
/// and no face has exactly the ends of a diagonal in `mask`. The boundary of such a mask is a
/// single disc.
#[inline(always)]
pub fn is_simple_mask(mask: u32) -> bool {
    SIMPLE_MASKS[(mask >> 5 & 7) as usize] >> (mask & 31) & 1 == 1
}

/// Returns `true` if the corner masks of all labels of a cell, including the background, are
/// simple. One vertex then represents all boundaries in the cell.
#[inline(always)]
pub fn is_simple_cell(labels: &[u32; 8]) -> bool {
    let mut pending = 0xff_u32;
    let mut corner = 0;
    while corner < 8 {
        if pending >> corner & 1 == 1 {
            let mut mask = 0;
            let mut other = 0;
            while other < 8 {
                mask |= ((labels[other] == labels[corner]) as u32) << other;
                other += 1;
            }
            if !is_simple_mask(mask) {
                return false;
            }
            pending &= !mask;
        }
        corner += 1;
    }
    true
}

/// Derives an entry of the table.
const fn derive_simple(mask: u32) -> bool {
    let mut face = 0;
    while face < 6 {
        let mut ends = 0;
        let mut index = 0;
        while index < 4 {
            ends |= (mask >> face_corner(face, index) & 1) << index;
            index += 1;
        }
        if ends == 0b0101 || ends == 0b1010 {
            return false;
        }
        face += 1;
    }
    is_connected(mask) && is_connected(!mask & 0xff)
}

/// Returns `true` if edges of the cell connect the corners of `mask`.
const fn is_connected(mask: u32) -> bool {
    let mut found = mask & mask.wrapping_neg();
    let mut round = 0;
    while round < 8 {
        let mut edge = 0;
        while edge < 12 {
            let ends = 1 << lower_corner(edge) | 1 << upper_corner(edge);
            if found & ends != 0 {
                found |= ends & mask;
            }
            edge += 1;
        }
        round += 1;
    }
    found == mask
}
