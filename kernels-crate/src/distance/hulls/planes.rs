//! The least in planes.

use super::{
    NONE,
    filter::Filter,
    goal::{BoundedDistances, Distances, Goal, NarrowBand, NearestSites, ToOtherLabels, Within},
    labels::{Clamp, along_row},
    level::{Distance, Level, Spaced, Spacing},
    near::FAR,
    outputs::Winners,
    tile::{CHUNK, COST_BITS, Tile},
};
use crate::{
    arith::{div_rem_u32, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{KernelType, View, ViewMut, bits::bfind_shiftamt, kernel, thread, warp};

/// For each voxel the squared distance to the nearest site of its plane; nothing is written for
/// planes without a site.
///
/// A block has the 32 lines along y of a word of a plane: planes of the first word come first. A
/// thread has 32 places of a line, at which it works out distances along x from two leading-zero
/// counts and what is known of the words beyond. Per voxel a quarter of a byte is read and 4 bytes
/// are written.
///
/// `info` and `planes` are what [`near_words`](super::near_words) wrote, `squared` is
/// `[word][z][y][32]`. Where there is a bound, `reached` is 1 or 0 for each 32 lines of each word
/// of each plane, as `[word][y / 32][z]`: whether there may be a site within it in the plane,
/// without which nothing else is written; and what is beyond it is more than it. Where nearest
/// sites are asked for, `squared` have their y above the squared distance.
///
/// # Safety
/// Sides are up to [`MOST`](super::MOST); there is a block for each word of each plane, with
/// [`threads`](super::tile::threads) of `ny` threads, and [`bytes`](super::tile::bytes) of shared
/// memory. For a narrow band there is one for each [segment](super::segment) of the lines, with
/// those of [`places`](super::segment::places).
#[kernel(G = [Distances, BoundedDistances, NarrowBand, NearestSites])]
pub unsafe fn along_y<G: Goal + KernelType>(
    info: View<u32>,
    planes: View<u32>,
    grid: Grid,
    within: Within,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let job = Job {
        info,
        planes,
        changes: planes,
        grid,
        within,
        squared,
        reached,
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Distance, G>(Distance) };
}

/// The same of voxels that are longer along y than along x, or shorter: squared distances are in a
/// unit of which `spacing` has multiples.
///
/// # Safety
/// As [`along_y`], and `spacing` and sides are such that numbers [fit](Spaced).
#[kernel(G = [Distances, BoundedDistances, NarrowBand, NearestSites])]
pub unsafe fn along_y_spaced<G: Goal + KernelType>(
    info: View<u32>,
    planes: View<u32>,
    grid: Grid,
    spacing: Spacing,
    within: Within,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let job = Job {
        info,
        planes,
        changes: planes,
        grid,
        within,
        squared,
        reached,
    };
    let level = Spaced {
        of: Distance,
        spacing,
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Spaced<Distance>, G>(level) };
}

/// For each voxel the squared distance to the nearest voxel of another label in its plane.
/// Otherwise as [`along_y`] with a bound; per voxel a bit is read besides.
///
/// `info` are of [`near_changes`](super::near_changes), `changes` of
/// [`mark_changes_in_planes`](super::mark_changes_in_planes) along y.
///
/// # Safety
/// As [`along_y`].
#[kernel]
pub unsafe fn along_y_to_labels(
    info: View<u32>,
    changes: View<u32>,
    grid: Grid,
    within: Within,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let job = Job {
        info,
        // not read
        planes: changes,
        changes,
        grid,
        within,
        squared,
        reached,
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Distance, ToOtherLabels>(Distance) };
}

/// What the kernels have in common.
#[derive(Clone, Copy)]
struct Job<'a> {
    info: View<'a, u32>,
    planes: View<'a, u32>,
    changes: View<'a, u32>,
    grid: Grid,
    within: Within,
    squared: ViewMut<'a, u32>,
    reached: ViewMut<'a, u32>,
}

impl Job<'_> {
    /// # Safety
    /// That of the kernels.
    #[inline(always)]
    unsafe fn least<L: Level, G: Goal>(self, level: L) {
        let (grid, within) = (self.grid, self.within);
        // SAFETY: the caller's promise.
        let (tile, lines) = unsafe { Tile::of_goal::<G>(grid.ny) };
        let (word, plane) = div_rem_u32(lines, grid.nz);
        let has_outputs = tile.has_outputs::<G>();
        let chunks = quotient_up_u32(grid.ny, CHUNK);
        let put_reached = |any: bool| {
            // a chunk is 32 lines of the next pass
            if tile.lane == 0 && has_outputs {
                let chunk = tile.first_of_line() / CHUNK;
                let at = (word * chunks + chunk) as usize * grid.nz as usize + plane as usize;
                self.reached.write(at, any as u32);
            }
        };
        if !G::LABELS && self.planes.read(plane as usize) == 0 {
            if G::BOUNDED {
                put_reached(false);
            }
            return;
        }
        let line = (word as usize * grid.nz as usize + plane as usize) * grid.ny as usize;
        let info = self.info.slice(2 * line, 2 * grid.ny as usize);
        let wins = tile.load_rows::<L, G>(level, info, grid.ny, within);
        tile.clear();
        let hull = tile.hull_of_chunk::<L, G>(level, wins);
        tile.put_own_hull(hull);
        let mut changes = 0;
        if G::LABELS {
            let first = lines as usize * tile.chunks as usize * 32;
            changes = self.changes.read(first + thread::thread_idx_x() as usize);
            tile.put_changes(changes);
        }
        if G::BOUNDED && thread::sync_threads_or(hull | changes) == 0 {
            put_reached(false);
            return;
        }
        if !G::BOUNDED {
            thread::sync_threads();
        }
        if G::LABELS {
            tile.join(level);
        } else {
            tile.join_few(level);
        }
        tile.scatter();
        thread::sync_threads();
        if !has_outputs {
            return;
        }
        let out = self.squared.slice(line * 32, grid.ny as usize * 32);
        let at = tile.first_of_line() as usize * 32 + tile.lane as usize;
        let clamp = if G::LABELS { tile.clamp() } else { Clamp::NONE };
        if G::BOUNDED {
            let counts = tile.reaches(within) || G::LABELS && clamp.reaches(within.apart);
            // SAFETY: whole warps.
            let any = unsafe { warp::warp_vote_ballot(u32::MAX, counts) } != 0;
            put_reached(any);
            if !any {
                return;
            }
        }
        tile.outputs::<L, G, Places>(level, clamp, Places, |i, least, place| {
            let mut kept = least;
            if G::NEAREST {
                kept |= place << COST_BITS;
            }
            // of cubes it fits in a word's bits, and what is beyond the bound is left out by the
            // next pass
            if G::BOUNDED && !L::CUBES && least > within.squared {
                kept = NONE;
            }
            out.write(at + 32 * i as usize, kept);
        });
    }
}

/// Winners are known by their places.
#[derive(Clone, Copy)]
struct Places;

impl Winners for Places {
    type First = ();
    type Second = ();
    type Name = u32;

    #[inline(always)]
    fn first(self, _place: u32) {}

    #[inline(always)]
    fn second(self, _place: u32, _first: ()) {}

    #[inline(always)]
    fn name(self, place: u32, _second: ()) -> u32 {
        place
    }
}

impl Tile {
    /// Puts the distances along x into the tile; which places may win, the first highest: none
    /// beyond the bound where there is one.
    #[inline(always)]
    fn load_rows<L: Level, G: Goal>(
        &self,
        level: L,
        info: View<u32>,
        rows: u32,
        within: Within,
    ) -> u32 {
        let most = within.cost;
        let row = self.first_of_line().wrapping_add(self.lane);
        let [bits, near] = if row < rows {
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
        let mut with_sites = unsafe { warp::warp_vote_ballot(u32::MAX, has) };
        if G::SEGMENTED {
            with_sites &= self.near_segment(within.apart);
        }
        if with_sites == 0 {
            return 0;
        }
        // the chunk's own rows of words are not used yet
        let scratch = self.scratch(0);
        let reversed = bits.reverse_bits() << G::LABELS as u32;
        scratch.write_vector(4 * self.lane as usize, [bits, reversed, near, 0]);
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut filter = Filter::new(level, self.first(), self.len);
        let beyond = self.lane | (31 - self.lane) << 16;
        let mut counts = 0;
        for_32!(I => {
            let [bits, reversed, near, _] = scratch.read_vector::<4>(4 * I as usize);
            let distance = if G::LABELS {
                along_row(bits, reversed, near, self.lane)
            } else {
                let down = bfind_shiftamt(bits << (31 - self.lane));
                let up = bfind_shiftamt(reversed << self.lane);
                let near = near + beyond;
                smaller(smaller(down, up), smaller(near & 0xffff, near >> 16))
            };
            self.write_own(I, distance);
            if G::BOUNDED {
                counts = counts << 1 | distance.wrapping_sub(most + 1) >> 31;
            }
            let cost = level.in_chunk(distance, I);
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
