//! What is minimised along a line, and where it comes from.

use super::{
    cost::Cost,
    places::{Layout, TileAt},
    rows::Near,
};
use cuda_std::View;

/// Costs of what is known of rows: squared distances along x.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcrossRows<C> {
    /// The squared spacing along x.
    pub weight: C,
    /// Words of a row whose numbers are known.
    pub words: u32,
    /// The first of them.
    pub first_word: u32,
    /// The largest distance that counts, in voxels.
    pub most: u32,
    /// Rows of a plane.
    pub rows: u32,
}

impl<C: Cost> AcrossRows<C> {
    /// Where the numbers of the word are in which a voxel of a tile of columns is.
    #[inline(always)]
    pub fn word(&self, at: TileAt, place: u32, column: u32) -> usize {
        let row = at.batch * self.rows as u64 + place as u64;
        (row * self.words as u64 + ((at.column + column) / 32) as u64) as usize
    }

    /// The costs of a column of a tile, from a place on; that of no site where the argument is
    /// false.
    #[inline(always)]
    pub fn line(
        self,
        near: View<u32>,
        at: TileAt,
        (place, column): (u32, u32),
        none: C,
    ) -> impl FnMut(bool) -> C {
        let bit = (at.column + column) % 32;
        let mut word = self.word(at, place, column);
        move |is_inside| {
            let known = if is_inside {
                Near::read(near, word)
            } else {
                Near::NONE
            };
            word += self.words as usize;
            let (distance, _) = known.distance(bit);
            if distance <= self.most {
                C::squared(self.weight, distance)
            } else {
                none
            }
        }
    }
}

/// The costs of a column of a tile, from a place on; that of no site where the argument is false.
#[inline(always)]
pub fn line_of_costs<C: Cost>(
    costs: View<C>,
    layout: Layout,
    at: TileAt,
    (place, column): (u32, u32),
    none: C,
) -> impl FnMut(bool) -> C {
    let mut voxel = layout.at(at, place, column);
    move |is_inside| {
        let cost = if is_inside { costs.read(voxel) } else { none };
        voxel += layout.along as usize;
        cost
    }
}
