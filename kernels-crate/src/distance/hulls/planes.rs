//! The least in planes.

use super::{
    NONE,
    filter::Filter,
    goal::{BoundedDistances, Distances, Goal, NearestSites, Within},
    near::FAR,
    tile::{COST_BITS, Distance, Tile},
};
use crate::{arith::div_rem_u32, grid::Grid};
use cuda_std::{KernelType, View, ViewMut, bits::zeros_above, kernel, thread, warp};

/// For each voxel the squared distance to the nearest site of its plane; nothing is written for planes without a site.
///
/// A block has the 32 lines along y of a word of a plane: planes of the first word come first. A thread has 32 places of a line, at which it works out distances
/// along x from two leading-zero counts and what is known of the words beyond. Per voxel a quarter of a byte is read and 4 bytes are written.
///
/// `info` and `planes` are what [`near_words`](super::near_words) wrote, `squared` is `[word][z][y][32]`. Where there is a bound, `reached` is 1 or 0 for each word of each
/// plane, as `[word][z]`: whether there is a site within it along rows, without which nothing else is written; and [`NONE`] is what is beyond. Where nearest sites are asked
/// for, `squared` have their y above the squared distance.
///
/// # Safety
/// Sides are up to [`MOST`](super::MOST); there is a block for each word of each plane, with [`threads`](super::tile::threads) of `ny` threads, and
/// [`bytes`](super::tile::bytes) of shared memory.
#[kernel(G = [Distances, BoundedDistances, NearestSites])]
pub unsafe fn along_y<G: Goal + KernelType>(
    info: View<u32>,
    planes: View<u32>,
    grid: Grid,
    within: Within,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let block = thread::block_idx_x();
    let (word, plane) = div_rem_u32(block, grid.nz);
    if planes.read(plane as usize) == 0 {
        if G::BOUNDED && thread::thread_idx_x() == 0 {
            reached.write(block as usize, 0);
        }
        return;
    }
    // SAFETY: the caller's promise.
    let tile = unsafe { Tile::of_block(grid.ny) };
    let line = (word as usize * grid.nz as usize + plane as usize) * grid.ny as usize;
    let wins = tile.load_rows::<G>(info.slice(2 * line, 2 * grid.ny as usize), within.along);
    tile.clear();
    let hull = tile.hull_of_chunk::<Distance, G>(wins);
    tile.put_hull(tile.chunk, hull);
    if G::BOUNDED {
        let any = thread::sync_threads_or(hull);
        if thread::thread_idx_x() == 0 {
            reached.write(block as usize, (any != 0) as u32);
        }
        if any == 0 {
            return;
        }
    }
    tile.join::<Distance>();
    tile.scatter();
    thread::sync_threads();
    let out = squared.slice(line * 32, grid.ny as usize * 32);
    let at = tile.first() as usize * 32 + tile.lane as usize;
    if G::BOUNDED && !tile.reaches(within.squared) {
        let mut i = 0;
        while i < tile.inside() {
            out.write(at + 32 * i as usize, NONE);
            i += 1;
        }
        return;
    }
    tile.outputs::<Distance>(|i, least, place| {
        let mut kept = least;
        if G::NEAREST {
            kept |= place << COST_BITS;
        }
        if G::BOUNDED && least > within.squared {
            kept = NONE;
        }
        out.write(at + 32 * i as usize, kept);
    });
}

impl Tile {
    /// Puts the distances along x into the tile; which places may win, the first highest: none beyond `most` where there is a bound.
    #[inline(always)]
    fn load_rows<G: Goal>(&self, info: View<u32>, most: u32) -> u32 {
        let row = self.first() + self.lane;
        let [bits, near] = if row < self.len {
            info.read_vector::<2>(2 * row as usize)
        } else {
            [0, FAR | FAR << 16]
        };
        let has = if G::BOUNDED {
            bits != 0 || near & 0xffff <= most || near >> 16 <= most
        } else {
            bits != 0 || near != FAR | FAR << 16
        };
        // SAFETY: whole warps.
        let with_sites = unsafe { warp::warp_vote_ballot(u32::MAX, has) };
        if with_sites == 0 {
            return 0;
        }
        // the chunk's own rows of words are not used yet
        let scratch = self.scratch(0);
        scratch.write_vector(4 * self.lane as usize, [bits, bits.reverse_bits(), near, 0]);
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut filter = Filter::new(self.first(), self.len);
        let beyond = self.lane | (31 - self.lane) << 16;
        let mut counts = 0;
        for_32!(I => {
            let [bits, reversed, near, _] = scratch.read_vector::<4>(4 * I as usize);
            let down = zeros_above(bits << (31 - self.lane));
            let up = zeros_above(reversed << self.lane);
            let near = near + beyond;
            let distance = smaller(smaller(down, up), smaller(near & 0xffff, near >> 16));
            self.write_own(I, distance);
            if G::BOUNDED {
                counts = counts << 1 | distance.wrapping_sub(most + 1) >> 31;
            }
            let cost = (distance * distance + I * I) as i32;
            if I == 0 {
                filter.begin(cost);
            } else {
                filter.next::<I>(cost);
            }
        });
        filter.end();
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        let wins = filter.wins & with_sites.reverse_bits();
        if G::BOUNDED { wins & counts } else { wins }
    }
}

#[inline(always)]
fn smaller(a: u32, b: u32) -> u32 {
    if b < a { b } else { a }
}
