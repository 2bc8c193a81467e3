//! The nearest sites along x, from bits.

use crate::{arith::quotient_up_u32, grid::Grid};
use cuda_std::{View, ViewMut, kernel, thread};

/// Numbers kept of each word of bits: the word itself, the place of the last site before it, and of the first after it (all ones where
/// there is none), and one that makes their sizes a power of two.
pub const NUMBERS: u32 = 4;

/// Words `first` to `first + count` of each row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// For each word of each row the sites nearest to it, on both sides.
///
/// A thread takes whole rows: once from the end to the beginning, and once from the beginning to the end. Per word of 32 voxels it reads 8 bytes,
/// and writes and reads 16.
///
/// # Safety
/// `bits` hold a word for each 32 voxels of each row, `near` 4 numbers for each of the `words` of each row.
#[kernel]
pub unsafe fn nearest_in_rows(bits: View<u32>, grid: Grid, words: Words, near: ViewMut<u32>) {
    let per_row = quotient_up_u32(grid.nx, 32);
    let rows = grid.ny as u64 * grid.nz as u64;
    let threads = thread::grid_dim_x() as u64 * thread::block_dim_x() as u64;
    let mut row = thread::index_1d_u64();
    while row < rows {
        let bits = bits.slice((row * per_row as u64) as usize, per_row as usize);
        let numbers = (words.count * NUMBERS) as usize;
        let near = near.slice(row as usize * numbers, numbers);
        let end = words.first + words.count;
        let mut word = per_row;
        let mut after = u32::MAX;
        while word > words.first {
            word -= 1;
            if word < end {
                near.write(((word - words.first) * NUMBERS) as usize, after);
            }
            let sites = bits.read(word as usize);
            if sites != 0 {
                after = word * 32 + sites.trailing_zeros();
            }
        }
        let mut before = u32::MAX;
        word = 0;
        while word < end {
            let sites = bits.read(word as usize);
            if word >= words.first {
                let at = ((word - words.first) * NUMBERS) as usize;
                let after = near.read(at);
                near.write_vector(at, [sites, before, after, 0]);
            }
            if sites != 0 {
                before = word * 32 + (31 - sites.leading_zeros());
            }
            word += 1;
        }
        row += threads;
    }
}

/// What is known of the sites nearest to a word.
#[derive(Clone, Copy)]
pub struct Near {
    sites: u32,
    before: u32,
    after: u32,
    first: u32,
}

impl Near {
    /// That of a word of a row whose numbers are `near`; `first` is the word's first voxel.
    #[inline(always)]
    pub fn read(near: View<u32>, word: usize, first: u32) -> Self {
        let [sites, before, after, _] = near.read_vector::<4>(word * NUMBERS as usize);
        Self {
            sites,
            before,
            after,
            first,
        }
    }

    /// The distance of a voxel of the word to the nearest site of the row, and whether it is before or at the voxel; all ones where there
    /// is none.
    #[inline(always)]
    pub fn distance(self, bit: u32) -> (u32, bool) {
        let x = self.first + bit;
        let here_or_before = self.sites << (31 - bit);
        let here_or_after = self.sites >> bit;
        let down = if here_or_before != 0 {
            here_or_before.leading_zeros()
        } else if self.before != u32::MAX {
            x - self.before
        } else {
            u32::MAX
        };
        let up = if here_or_after != 0 {
            here_or_after.trailing_zeros()
        } else if self.after != u32::MAX {
            self.after - x
        } else {
            u32::MAX
        };
        if down <= up {
            (down, true)
        } else {
            (up, false)
        }
    }
}

impl Near {
    /// The x of the site nearest to a voxel of a row that has one; of two the one before.
    #[inline(always)]
    pub fn site(self, bit: u32) -> u32 {
        let (distance, is_before) = self.distance(bit);
        let x = self.first + bit;
        if is_before {
            x - distance
        } else {
            x + distance
        }
    }
}
