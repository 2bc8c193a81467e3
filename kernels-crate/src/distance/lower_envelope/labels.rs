//! Distances to the nearest voxel with another label.
//!
//! As explained in [`labels`](crate::distance::labels), these distances are also minima along one
//! axis after another, provided that after each axis the result is clamped to the distance to
//! another label along the line itself. The lower-envelope kernels therefore apply, with costs one
//! larger than the distances to label changes along x, and each output clamped by the label changes
//! of its line.
//!
//! | kernel | reads per voxel | writes per voxel |
//! | --- | --- | --- |
//! | [`mark_changes_in_planes`] | its label; labels of every 32nd row again | 2 bits |
//! | [`mark_changes_along_z`] | its label; labels of every 32nd plane again | 1 bit |
//! | `scan_label_changes` | 1 bit, twice | a quarter of a byte |
//! | `label_envelope_along_y` | a quarter of a byte, 1 bit | 4 bytes where any output is in range |
//! | `label_envelope_along_z` | 4 bytes where any output is in range, 1 bit | 4 bytes |
//!
//! [`mark_changes_in_planes`]: super::mark_changes_in_planes
//! [`mark_changes_along_z`]: super::mark_changes_along_z

use super::{
    output::DistanceOutput,
    row_scan::NO_SITE_GAP,
    tile::{CHANGES, Tile},
};
use crate::{arith::div_ceil_u32, grid::Grid, rows::Items};
use cuda_std::{
    View, ViewMut,
    bits::{bfind, bfind_shiftamt},
    kernel, warp,
};

/// Computes, for each word of label changes along x, what [`scan_rows`](super::scan_rows) computes
/// for sites: the word itself, the distance from its first voxel to the last change before it, and
/// the distance from its last voxel to the first change after it ([`NO_SITE_GAP`] if there is
/// none).
///
/// **Mapping:** one row per thread, neighbouring threads on neighbouring rows. **Global memory:**
/// reads each word of the row twice and writes two words. Shared memory is not used.
///
/// # Safety
/// Rows have at most 32 words. `along_x` is the result of
/// [`mark_changes_in_planes`](super::mark_changes_in_planes), `rows` counts the rows, `row_scan`
/// has two elements per word.
#[kernel]
pub unsafe fn scan_label_changes(
    along_x: View<u32>,
    grid: Grid,
    rows: Items,
    row_scan: ViewMut<u32>,
) {
    let words = div_ceil_u32(grid.nx, 32);
    let word_stride = rows.count as usize;
    rows.for_each(|row| {
        let mut with_changes = 0;
        let mut w = 0;
        while w < words {
            let word = along_x.read(w as usize * word_stride + row);
            with_changes |= ((word != 0) as u32) << w;
            w += 1;
        }
        let mut gap_before = NO_SITE_GAP;
        let mut w = 0;
        while w < words {
            let at = w as usize * word_stride + row;
            let word = along_x.read(at);
            let words_after = with_changes >> w >> 1;
            let mut gap_after = NO_SITE_GAP;
            if words_after != 0 {
                let word_gap = words_after.trailing_zeros();
                let next = along_x.read(at + (1 + word_gap as usize) * word_stride);
                gap_after = word_gap * 32 + next.trailing_zeros() + 1;
            }
            row_scan.write_vector(2 * at, [word, gap_before | gap_after << 16]);
            gap_before = if word != 0 {
                word.leading_zeros() + 1
            } else if gap_before < NO_SITE_GAP {
                gap_before + 32
            } else {
                NO_SITE_GAP
            };
            w += 1;
        }
    });
}

/// Distances from a thread's outputs to voxels with other labels on their line.
#[derive(Clone, Copy)]
pub struct LabelClamp {
    /// Label changes of the chunk, one bit per position.
    pub(super) changes: u32,
    /// Distance of output `i` to the last voxel of another label before it, minus `i`.
    step_back: u32,
    /// Distance of output `i` to the first voxel of another label after it, plus `i`.
    step_forward: u32,
    /// Value of `step_forward` after the last change of the chunk.
    step_past_chunk: u32,
}

/// Exceeds every distance; its square exceeds every squared distance.
const FAR_STEP: u32 = 1 << 14;

impl LabelClamp {
    /// No label changes.
    pub const NONE: Self = Self {
        changes: 0,
        step_back: FAR_STEP,
        step_forward: FAR_STEP,
        step_past_chunk: FAR_STEP,
    };

    /// Advances to output `i`.
    #[inline(always)]
    pub fn advance(&mut self, i: u32) {
        if self.changes & 1 << i != 0 {
            let later_changes = self.changes >> i >> 1;
            self.step_back = 1u32.wrapping_sub(i);
            self.step_forward = if later_changes != 0 {
                i + 1 + later_changes.trailing_zeros()
            } else {
                self.step_past_chunk
            };
        }
    }

    /// Returns the smaller of a squared distance at output `i` and the squared distance along the
    /// line.
    #[inline(always)]
    pub fn clamp_squared(&self, i: u32, squared: u32) -> u32 {
        let (step_back, step_forward) = (self.step_back.wrapping_add(i), self.step_forward - i);
        let distance = if step_forward < step_back {
            step_forward
        } else {
            step_back
        };
        let along = distance * distance;
        if along < squared { along } else { squared }
    }

    /// Returns `true` if any output of the chunk may be within `max_step` of another label along
    /// the line.
    #[inline(always)]
    pub fn is_in_range(&self, max_step: u32) -> bool {
        self.changes != 0 || self.step_back <= max_step || self.step_forward - 31 <= max_step
    }
}

impl<O: DistanceOutput> Tile<O> {
    /// Stores the label changes of the thread's chunk in the tile. All lanes of a warp must call
    /// it, after building the chunk's envelope.
    #[inline(always)]
    pub fn set_changes(&self, changes: u32) {
        // The row was used for the reciprocals. SAFETY: all lanes of the warp take part.
        unsafe { warp::sync_warp(u32::MAX) };
        self.set_row(self.chunk, CHANGES, changes);
    }

    /// Returns the distances to label changes on the line for the chunk's outputs. All chunks must
    /// have [stored](Self::set_changes) their changes before.
    #[inline(always)]
    pub fn label_clamp(&self) -> LabelClamp {
        let changes = self.row(self.chunk, CHANGES);
        let chunk_start = self.chunk_start();
        let mut label_clamp = LabelClamp::NONE;
        let mut earlier_chunk = self.chunk;
        while earlier_chunk > 0 {
            earlier_chunk -= 1;
            let chunk_changes = self.row(earlier_chunk, CHANGES);
            if chunk_changes != 0 {
                // The nearest voxel with another label is the one before the change.
                label_clamp.step_back =
                    chunk_start + 1 - (earlier_chunk * 32 + bfind(chunk_changes));
                break;
            }
        }
        let mut later_chunk = self.chunk + 1;
        while later_chunk < self.chunks {
            let chunk_changes = self.row(later_chunk, CHANGES);
            if chunk_changes != 0 {
                label_clamp.step_past_chunk =
                    later_chunk * 32 + chunk_changes.trailing_zeros() - chunk_start;
                break;
            }
            later_chunk += 1;
        }
        label_clamp.changes = changes;
        label_clamp.step_forward = if changes != 0 {
            changes.trailing_zeros()
        } else {
            label_clamp.step_past_chunk
        };
        label_clamp
    }
}

/// Returns the distance along x from a voxel to the nearest voxel with another label. `bits` is its
/// word of label changes, `reversed` the reversed word shifted left by one, and the gaps are the
/// distances from the word to the changes outside.
#[inline(always)]
pub fn row_label_distance(
    [bits, reversed]: [u32; 2],
    [gap_before, gap_after]: [u32; 2],
    lane: u32,
) -> u32 {
    // A change marks the first voxel of a new label. Towards lower x, the voxel before the change
    // has the other label; towards higher x, the voxel at the change does: both are one farther
    // away than the bit distances.
    let step_back = bfind_shiftamt(bits << (31 - lane));
    let step_forward = bfind_shiftamt(reversed << lane);
    let gap_before = gap_before + lane;
    let gap_after = gap_after.wrapping_add(30u32.wrapping_sub(lane));
    let in_word = if step_back < step_forward {
        step_back
    } else {
        step_forward
    };
    let outside_word = if gap_before < gap_after {
        gap_before
    } else {
        gap_after
    };
    (if in_word < outside_word {
        in_word
    } else {
        outside_word
    }) + 1
}
