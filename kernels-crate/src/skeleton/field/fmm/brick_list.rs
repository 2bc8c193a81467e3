//! List of the occupied bricks at given offsets, in shared memory.

use super::NO_BRICK;
use crate::{block, grid::Grid};
use cuda_std::{SharedView, View, shared_view, thread};

/// Maximum number of threads per block.
pub const MAX_THREADS: u32 = 256;

/// Maximum number of offsets that a thread examines per call.
const MAX_OFFSETS_PER_THREAD: u32 = 32;

/// Maximum number of entries carried over to the next call: fewer than one batch of translations.
const MAX_CARRIED: usize = 8;

/// Capacity of the list.
const CAPACITY: usize = MAX_CARRIED + MAX_THREADS as usize;

/// Bias added to each axis of a stored offset.
pub const OFFSET_BIAS: i32 = 32;

/// Bit position of a stored offset's index; the bits below hold x, y and z, six bits each.
pub const OFFSET_INDEX_SHIFT: u32 = 18;

/// Unpacks a stored offset into x, y and z, and its index.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn unpack(offset: u32) -> ([i32; 3], u32) {
    let axis = |shift: u32| (offset >> shift & 63) as i32 - OFFSET_BIAS;
    ([axis(0), axis(6), axis(12)], offset >> OFFSET_INDEX_SHIFT)
}

/// List of bricks in shared memory (2.6 KiB); each entry is an offset and a brick index.
#[derive(Clone, Copy)]
pub struct BrickList {
    entries: SharedView<u32>,
}

impl BrickList {
    /// Allocates the list in the block's shared memory.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            entries: shared_view![u32; 2 * CAPACITY],
        }
    }

    /// Returns entry `at`: the packed offset and the brick index.
    #[inline(always)]
    pub fn read(&self, at: usize) -> [u32; 2] {
        self.entries.read_vector::<2>(2 * at)
    }

    /// Writes entry `at`.
    #[inline(always)]
    pub fn write(&self, at: usize, entry: [u32; 2]) {
        self.entries.write_vector(2 * at, entry);
    }

    /// Moves `count` entries starting at `from` to the front. All threads of the block must call
    /// this; the caller provides a barrier before and after.
    #[inline(always)]
    pub fn move_to_front(&self, from: usize, count: usize) {
        if thread::thread_idx_x() == 0 && from > 0 {
            let mut at = 0;
            while at < count {
                self.write(at, self.read(from + at));
                at += 1;
            }
        }
    }

    /// Examines the offsets from index `first` on, as many as the block can process in one call,
    /// and appends the occupied bricks at these offsets from brick `from` to the first `len`
    /// entries. Returns the number of entries appended and of offsets examined. All threads of the
    /// block must call this; the caller provides a barrier before the list is read.
    #[inline(always)]
    pub fn append_occupied(
        &self,
        len: usize,
        offsets: View<u32>,
        [first, end]: [u32; 2],
        from: [u32; 3],
        indices: View<u32>,
        grid: Grid,
    ) -> [u32; 2] {
        let threads = thread::block_dim_x();
        let per_thread = (MAX_THREADS / threads).clamp(1, MAX_OFFSETS_PER_THREAD);
        let thread_first = first + thread::thread_idx_x() * per_thread;
        let mut occupied = 0u32;
        let mut k = 0;
        while k < per_thread && thread_first + k < end {
            let (offset, _) = unpack(offsets.read((thread_first + k) as usize));
            occupied |= ((index_at(indices, grid, from, offset) != NO_BRICK) as u32) << k;
            k += 1;
        }
        let slots = block::exclusive_sum(occupied.count_ones() as u64);
        let mut slot = len + slots.before as usize;
        while occupied != 0 {
            let offset = offsets.read((thread_first + occupied.trailing_zeros()) as usize);
            let (axes, _) = unpack(offset);
            self.write(slot, [offset, index_at(indices, grid, from, axes)]);
            occupied &= occupied - 1;
            slot += 1;
        }
        [slots.total as u32, threads * per_thread]
    }
}

/// Returns the index of the brick at an offset, or [`NO_BRICK`] if it is empty or outside the grid.
#[inline(always)]
fn index_at(indices: View<u32>, grid: Grid, [x, y, z]: [u32; 3], [dx, dy, dz]: [i32; 3]) -> u32 {
    // coordinates below 0 wrap around and fail the bounds test
    let at = [
        x.wrapping_add(dx as u32),
        y.wrapping_add(dy as u32),
        z.wrapping_add(dz as u32),
    ];
    if at[0] >= grid.nx || at[1] >= grid.ny || at[2] >= grid.nz {
        return NO_BRICK;
    }
    indices.read(super::bricks::brick_index(grid, at))
}
