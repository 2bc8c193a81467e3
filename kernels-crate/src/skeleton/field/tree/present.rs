//! Which of the bricks at some offsets are there.

use super::NONE;
use crate::{block, grid::Grid};
use cuda_std::{SharedView, View, shared_view, thread};

/// Threads that a block may have.
pub const MAX_THREADS: u32 = 256;

/// Offsets that a thread looks at in a round, at most.
const MAX_RUN: u32 = 32;

/// Entries that are kept from one round to the next, at most: fewer than go on together.
const KEPT: usize = 8;

/// Entries that there is room for.
const ENTRIES: usize = KEPT + MAX_THREADS as usize;

/// Offsets along each axis are stored with this added.
pub const ZERO: i32 = 32;

/// Where the number of a stored offset begins; before it are x, y and z in six bits each.
pub const NUMBER: u32 = 18;

/// The parts of a stored offset: x, y and z, and what it is the number of.
#[inline(always)]
pub fn unpack(offset: u32) -> ([i32; 3], u32) {
    let along = |shift: u32| (offset >> shift & 63) as i32 - ZERO;
    ([along(0), along(6), along(12)], offset >> NUMBER)
}

/// A list of bricks in shared memory, 2.6 KiB: each with an offset and a number.
#[derive(Clone, Copy)]
pub struct Present {
    entries: SharedView<u32>,
}

impl Present {
    /// The block's.
    #[inline(always)]
    pub fn of_block() -> Self {
        Self {
            entries: shared_view![u32; 2 * ENTRIES],
        }
    }

    /// Entry `at`: an offset as it is stored, and a number.
    #[inline(always)]
    pub fn read(&self, at: usize) -> [u32; 2] {
        self.entries.read_vector::<2>(2 * at)
    }

    /// Sets entry `at`.
    #[inline(always)]
    pub fn write(&self, at: usize, entry: [u32; 2]) {
        self.entries.write_vector(2 * at, entry);
    }

    /// Moves `count` entries to the front. All threads call it; a barrier before and one after it
    /// are the caller's.
    #[inline(always)]
    pub fn keep(&self, from: usize, count: usize) {
        if thread::thread_idx_x() == 0 && from > 0 {
            let mut at = 0;
            while at < count {
                self.write(at, self.read(from + at));
                at += 1;
            }
        }
    }

    /// Adds the bricks that are there among those at some of the offsets from `first` on, behind
    /// the `held` that there are. Says how many were added, and how many offsets were looked at.
    /// All threads call it; a barrier before others read the list is the caller's.
    #[inline(always)]
    pub fn add(
        &self,
        held: usize,
        offsets: View<u32>,
        [first, end]: [u32; 2],
        from: [u32; 3],
        numbers: View<u32>,
        grid: Grid,
    ) -> [u32; 2] {
        let threads = thread::block_dim_x();
        let run = (MAX_THREADS / threads).clamp(1, MAX_RUN);
        let mine = first + thread::thread_idx_x() * run;
        let mut found = 0u32;
        let mut k = 0;
        while k < run && mine + k < end {
            let (offset, _) = unpack(offsets.read((mine + k) as usize));
            found |= ((number_at(numbers, grid, from, offset) != NONE) as u32) << k;
            k += 1;
        }
        let places = block::exclusive_sum(found.count_ones() as u64);
        let mut to = held + places.before as usize;
        while found != 0 {
            let offset = offsets.read((mine + found.trailing_zeros()) as usize);
            let (along, _) = unpack(offset);
            self.write(to, [offset, number_at(numbers, grid, from, along)]);
            found &= found - 1;
            to += 1;
        }
        [places.total as u32, threads * run]
    }
}

/// The number of the brick at an offset; [`NONE`] beyond the grid.
#[inline(always)]
fn number_at(numbers: View<u32>, grid: Grid, [x, y, z]: [u32; 3], [dx, dy, dz]: [i32; 3]) -> u32 {
    // below 0 wraps around to what is not in the grid
    let at = [
        x.wrapping_add(dx as u32),
        y.wrapping_add(dy as u32),
        z.wrapping_add(dz as u32),
    ];
    if at[0] >= grid.nx || at[1] >= grid.ny || at[2] >= grid.nz {
        return NONE;
    }
    numbers.read(super::bricks::number(grid, at))
}
