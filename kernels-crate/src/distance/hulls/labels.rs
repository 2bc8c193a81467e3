//! Distances to the nearest voxel of another label.
//!
//! As [`labels`](crate::distance::labels) says, such a distance is the least along each axis in
//! turn, as that to sites is, if after each axis what is nearer along the line itself is taken: so
//! these are hulls too, of costs that are one more than distances to changes along x, and each
//! output is held to the changes of its line.
//!
//! | kernel | reads and writes for each voxel |
//! | --- | --- |
//! | [`mark_changes_in_planes`](super::mark_changes_in_planes) | its label once, and once more those of every 32nd row; two bits written |
//! | [`mark_changes_along_z`](super::mark_changes_along_z) | its label once, and once more those of every 32nd plane; a bit written |
//! | `near_changes` | a bit, twice; a quarter of a byte written |
//! | `along_y_to_labels` | a quarter of a byte and a bit, 4 bytes written where anything counts |
//! | `along_z_to_labels` | 4 bytes where anything counts and a bit, 4 written |

use super::{
    near::FAR,
    tile::{CHANGES, Tile},
};
use crate::{arith::quotient_up_u32, grid::Grid, rows::Items};
use cuda_std::{
    View, ViewMut,
    bits::{bfind, bfind_shiftamt},
    kernel, warp,
};

/// For each word of changes along x what [`near_words`](super::near_words) has of sites: the word,
/// and how far the last change before it is from its first voxel and the first after it from its
/// last ([`FAR`] where there is none).
///
/// A thread takes single rows, neighbouring threads neighbouring ones: it goes through a row's
/// words twice. Nothing is shared in the block.
///
/// # Safety
/// Rows have up to 32 words. `along_x` are those of
/// [`mark_changes_in_planes`](super::mark_changes_in_planes), `rows` counts the rows, `info` has
/// two numbers for each word.
#[kernel]
pub unsafe fn near_changes(along_x: View<u32>, grid: Grid, rows: Items, info: ViewMut<u32>) {
    let words = quotient_up_u32(grid.nx, 32);
    let apart = rows.count as usize;
    rows.for_each(|row| {
        let mut with_changes = 0;
        let mut w = 0;
        while w < words {
            let word = along_x.read(w as usize * apart + row);
            with_changes |= ((word != 0) as u32) << w;
            w += 1;
        }
        let mut before = FAR;
        let mut w = 0;
        while w < words {
            let at = w as usize * apart + row;
            let word = along_x.read(at);
            let later = with_changes >> w >> 1;
            let mut after = FAR;
            if later != 0 {
                let words_apart = later.trailing_zeros();
                let next = along_x.read(at + (1 + words_apart as usize) * apart);
                after = words_apart * 32 + next.trailing_zeros() + 1;
            }
            info.write_vector(2 * at, [word, before | after << 16]);
            before = if word != 0 {
                word.leading_zeros() + 1
            } else if before < FAR {
                before + 32
            } else {
                FAR
            };
            w += 1;
        }
    });
}

/// How far a thread's outputs are from voxels of other labels on their line.
#[derive(Clone, Copy)]
pub struct Clamp {
    /// Where labels change in the chunk, a bit each.
    pub(super) changes: u32,
    /// The distance of output `i` to the last one before, less `i`.
    down: u32,
    /// That to the first one after, and `i`.
    up: u32,
    /// The same if there is no change in the rest of the chunk.
    beyond: u32,
}

/// Farther than anything, and its square is more than any.
const NOWHERE: u32 = 1 << 14;

impl Clamp {
    /// No changes.
    pub const NONE: Self = Self {
        changes: 0,
        down: NOWHERE,
        up: NOWHERE,
        beyond: NOWHERE,
    };

    /// Goes on to output `i`.
    #[inline(always)]
    pub fn pass(&mut self, i: u32) {
        if self.changes & 1 << i != 0 {
            let rest = self.changes >> i >> 1;
            self.down = 1u32.wrapping_sub(i);
            self.up = if rest != 0 {
                i + 1 + rest.trailing_zeros()
            } else {
                self.beyond
            };
        }
    }

    /// The lesser of a squared distance at output `i` and that along the line.
    #[inline(always)]
    pub fn least(&self, i: u32, squared: u32) -> u32 {
        let (down, up) = (self.down.wrapping_add(i), self.up - i);
        let distance = if up < down { up } else { down };
        let along = distance * distance;
        if along < squared { along } else { squared }
    }

    /// Whether any output of a chunk may be within a distance.
    #[inline(always)]
    pub fn reaches(&self, apart: u32) -> bool {
        self.changes != 0 || self.down <= apart || self.up - 31 <= apart
    }
}

impl Tile {
    /// Puts into the tile where labels change in the thread's chunk. Whole warps call it, once they
    /// have their hulls.
    #[inline(always)]
    pub fn put_changes(&self, changes: u32) {
        // the row was that of inverses
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        self.put_row(self.chunk, CHANGES, changes);
    }

    /// What is to be known of changes on the line for the chunk's outputs, once all chunks have
    /// [put](Self::put_changes) theirs.
    #[inline(always)]
    pub fn clamp(&self) -> Clamp {
        let changes = self.row(self.chunk, CHANGES);
        let first = self.first();
        let mut clamp = Clamp::NONE;
        let mut earlier = self.chunk;
        while earlier > 0 {
            earlier -= 1;
            let others = self.row(earlier, CHANGES);
            if others != 0 {
                // the voxel before a change is the one of another label
                clamp.down = first + 1 - (earlier * 32 + bfind(others));
                break;
            }
        }
        let mut later = self.chunk + 1;
        while later < self.chunks {
            let others = self.row(later, CHANGES);
            if others != 0 {
                clamp.beyond = later * 32 + others.trailing_zeros() - first;
                break;
            }
            later += 1;
        }
        clamp.changes = changes;
        clamp.up = if changes != 0 {
            changes.trailing_zeros()
        } else {
            clamp.beyond
        };
        clamp
    }
}

/// The distance along x of a voxel to the nearest one of another label, from what is known of its
/// word of changes: `reversed` is the word reversed and one bit up.
#[inline(always)]
pub fn along_row(bits: u32, reversed: u32, near: u32, lane: u32) -> u32 {
    // the voxel before a change is of another label than that at the change, and so is the one at a
    // change after a voxel: both one farther than places say
    let down = bfind_shiftamt(bits << (31 - lane));
    let up = bfind_shiftamt(reversed << lane);
    let near = near.wrapping_add(lane.wrapping_add(30u32.wrapping_sub(lane) << 16));
    let (before, after) = (near & 0xffff, near >> 16);
    let words = if down < up { down } else { up };
    let beyond = if before < after { before } else { after };
    (if words < beyond { words } else { beyond }) + 1
}
