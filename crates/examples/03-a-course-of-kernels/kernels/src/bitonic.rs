//! Lesson 6: many launches, each of which acts as a barrier for all blocks.

use cuda_std::{prelude::*, shared_view};

/// Threads per block of [`sort_within`]: half the number of elements in shared memory.
pub const BLOCK: usize = 128;

/// Performs one step of a bitonic sort: orders pairs of elements `distance` apart, in alternately
/// ascending and descending runs of `span` elements. Each thread has its own pair, so there are no
/// conflicts.
#[kernel]
pub unsafe fn exchange(data: ViewMut<u32>, span: u32, distance: u32) {
    let pair = thread::index_1d();
    let low = lower(pair, distance);
    let high = low + distance;
    if (high as usize) < data.len() {
        let (a, b) = (data.read(low as usize), data.read(high as usize));
        if (a > b) == goes_up(low, span) {
            data.write(low as usize, b);
            data.write(high as usize, a);
        }
    }
}

/// Performs all steps of spans `first` to `last` with distances below 256 in shared memory, in one
/// launch instead of many. The blocks cover the elements exactly, two per thread.
#[kernel]
pub unsafe fn sort_within(data: ViewMut<u32>, first: u32, last: u32) {
    let tile = shared_view![u32; 2 * BLOCK];
    let thread = thread::thread_idx_x();
    let start = thread::block_idx_x() * 256;
    for own in [thread, thread + BLOCK as u32] {
        tile.write(own as usize, data.read((start + own) as usize));
    }
    let mut span = first;
    while span <= last {
        let mut distance = (span / 2).min(BLOCK as u32);
        while distance > 0 {
            thread::sync_threads();
            let low = lower(thread, distance);
            let high = low + distance;
            let (a, b) = (tile.read(low as usize), tile.read(high as usize));
            if (a > b) == goes_up(start + low, span) {
                tile.write(low as usize, b);
                tile.write(high as usize, a);
            }
            distance /= 2;
        }
        span *= 2;
    }
    thread::sync_threads();
    for own in [thread, thread + BLOCK as u32] {
        data.write((start + own) as usize, tile.read(own as usize));
    }
}

/// Returns the first element of a pair.
#[inline(always)]
fn lower(pair: u32, distance: u32) -> u32 {
    2 * distance * (pair / distance) + pair % distance
}

/// Returns `true` if the run that contains the element is ascending.
#[inline(always)]
fn goes_up(element: u32, span: u32) -> bool {
    element & span == 0
}
