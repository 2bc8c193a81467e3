//! The least of all.

use super::{
    filter::Filter,
    tile::{Squared, Tile},
};
use crate::{arith::div_rem_u32, grid::Grid};
use cuda_std::{
    GpuFloat, KernelType, View, ViewMut, async_copy,
    cursor::{CopySource, CopyTarget, WriteCursor},
    float::sqrt_of_whole,
    kernel,
    misc::{max_registers, of_each_lane, opaque},
    thread, warp,
};

/// What a place costs where there is no site: more than any.
const NONE: u32 = 2047 * 2047;

/// How long a side of a voxel is: 1, in 32 bits, or as in 64 bits of floating point.
pub trait Unit: KernelType {
    /// Limits the registers of a kernel: a thread's, of blocks of up to 1024 threads.
    fn limit_registers();

    /// The root of a squared distance in voxels times the unit, rounded as by [`Cost::root`](crate::distance::separable::Cost::root).
    fn distance(self, squared: u32) -> f32;
}

impl Unit for u32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        sqrt_of_whole(squared)
    }
}

impl Unit for f64 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<64>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        (self * GpuFloat::sqrt(squared as f64)) as f32
    }
}

/// For each voxel the distance to the nearest site; `far` where there is none.
///
/// A block has the 32 lines along z of a word of a row: rows of the first word come first. A thread has 32 places of a line. Per voxel 4 bytes are read, but of planes
/// without a site, and 4 are written.
///
/// `squared` and `planes` are what [`near_words`](super::near_words) and [`along_y`](super::along_y) wrote.
///
/// # Safety
/// Sides are up to [`MOST`](super::MOST); there is a block for each word of each row of a plane, with [`threads`](super::tile::threads) of `nz` threads, and
/// [`bytes`](super::tile::bytes) of shared memory; `distances` has an element for each voxel.
#[kernel(U = [u32, f64])]
pub unsafe fn along_z<U: Unit>(
    squared: View<u32>,
    planes: View<u32>,
    grid: Grid,
    unit: U,
    far: f32,
    distances: ViewMut<f32>,
) {
    U::limit_registers();
    let block = thread::block_idx_x();
    let (word, row) = div_rem_u32(block, grid.ny);
    // SAFETY: the caller's promise.
    let tile = unsafe { Tile::of_block(grid.nz) };
    let apart = of_each_lane(grid.ny * 32);
    let output_apart = of_each_lane(grid.ny * grid.nx);
    let from = (word as usize * grid.nz as usize * grid.ny as usize + row as usize) * 32;
    let wins = tile.load_planes(squared, from, apart, planes);
    tile.clear();
    let hull = tile.hull_of_chunk::<Squared>(wins);
    tile.put_hull(tile.chunk, hull);
    let any = thread::sync_threads_or(hull);
    let column = word * 32 + tile.lane;
    let apart = grid.ny as usize * grid.nx as usize;
    let at = tile.first() as usize * apart + row as usize * grid.nx as usize + column as usize;
    if any == 0 {
        if column < grid.nx {
            let mut i = 0;
            while i < 32 && tile.first() + i < grid.nz {
                distances.write(at + i as usize * apart, far);
                i += 1;
            }
        }
        return;
    }
    tile.join::<Squared>();
    tile.scatter();
    thread::sync_threads();
    if column >= grid.nx {
        return;
    }
    let mut out = WriteCursor::new(distances, at, output_apart);
    tile.outputs::<Squared>(|_, least| out.write(unit.distance(least)));
}

impl Tile {
    /// Copies the chunk's rows of costs; which places may win, the first highest.
    #[inline(always)]
    fn load_planes(&self, squared: View<u32>, from: usize, apart: u32, planes: View<u32>) -> u32 {
        let plane = self.first() + self.lane;
        let has = plane < self.len && planes.read(plane as usize) != 0;
        // SAFETY: whole warps.
        let with_sites = unsafe { warp::warp_vote_ballot(u32::MAX, has) };
        if with_sites == 0 {
            return 0;
        }
        let (row, column) = (self.lane / 8, self.lane % 8 * 4);
        let has = with_sites >> row;
        let source = from + (self.first() + row) as usize * apart as usize + column as usize;
        let to = ((self.first() + row) * 32 + column) as usize;
        let target = CopyTarget::new(self.all, to);
        let mut from = CopySource::new(squared, source);
        if with_sites == u32::MAX {
            for_8!(I => {
                target.copy_four(from, 128 * I);
                from.advance(4 * apart);
            });
        } else {
            let mut i = 0;
            while i < 8 {
                if has >> (4 * i) & 1 != 0 {
                    target.copy_four(from, 128 * i);
                } else {
                    self.all.write_vector(to + 128 * i as usize, [NONE; 4]);
                }
                from.advance(4 * apart);
                i = opaque(i + 1);
            }
        }
        async_copy::wait_all();
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut filter = Filter::new(self.first(), self.len);
        for_32!(I => {
            let cost = (self.read_own(I) + I * I) as i32;
            if I == 0 {
                filter.begin(cost);
            } else {
                filter.next::<I>(cost);
            }
        });
        filter.end();
        filter.wins & with_sites.reverse_bits()
    }
}
