//! The least of all.

use super::{
    NONE,
    filter::Filter,
    goal::{BoundedDistances, Distances, Goal, NarrowBand, NearestSites, ToOtherLabels, Within},
    labels::Clamp,
    level::{Level, Spaced, Spacing, Squared},
    sites::Sites,
    tile::{CHUNK, Tile, cost},
    unit::Unit,
};
use crate::{
    arith::{div_rem_u32, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{
    KernelType, View, ViewMut, async_copy,
    cfg::ComputeCapability,
    cursor::{CopySource, CopyTarget, WriteCursor},
    kernel,
    misc::{max_registers, non_uniform, opaque},
    thread, warp,
};

/// For each voxel the distance to the nearest site; `far` where there is none. Where they are asked
/// for, also the sites' indices, all ones where there is none.
///
/// A block has the 32 lines along z of a word of a row: rows of the first word come first. A thread
/// has 32 places of a line. Per voxel 4 bytes are read, but of planes without a site, and 4 are
/// written; with nearest sites 16 and 8.
///
/// `info`, `squared` and `planes` are what [`near_words`](super::near_words) and
/// [`along_y`](super::along_y) wrote: where there is a bound, `planes` are what is reached, and
/// `far` is the bound.
///
/// # Safety
/// Sides are up to [`MOST`](super::MOST); there is a block for each word of each row of a plane,
/// with [`threads`](super::tile::threads) of `nz` threads, and [`bytes`](super::tile::bytes) of
/// shared memory; for a narrow band one for each [segment](super::segment) of the lines, with those
/// of [`places`](super::segment::places). `distances` has an element for each voxel, and so has
/// `nearest` where sites are asked for.
#[kernel(U = [u32, f64], G = [Distances, BoundedDistances, NarrowBand, NearestSites])]
pub unsafe fn along_z<U: Unit, G: Goal + KernelType>(
    info: View<u32>,
    squared: View<u32>,
    planes: View<u32>,
    grid: Grid,
    unit: U,
    within: Within,
    far: f32,
    distances: ViewMut<f32>,
    nearest: ViewMut<u32>,
) {
    if G::NEAREST
        && (ComputeCapability::from_cuda_arch_env() as u32) < ComputeCapability::Compute80 as u32
    {
        // older assemblers' allocation needs more
        max_registers::<64>();
    } else {
        U::limit_registers();
    }
    let job = Job {
        info,
        squared,
        planes,
        changes: planes,
        grid,
        unit,
        within,
        far,
        distances,
        nearest: Some(nearest),
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Squared, G>(Squared) };
}

/// The same of voxels that are longer along z than along x and y, or shorter: squared distances are
/// in a unit of which `spacing` has multiples.
///
/// # Safety
/// As [`along_z`], and `spacing` and sides are such that numbers [fit](Spaced).
#[kernel(U = [f32, f64], G = [Distances, BoundedDistances, NarrowBand, NearestSites])]
pub unsafe fn along_z_spaced<U: Unit, G: Goal + KernelType>(
    info: View<u32>,
    squared: View<u32>,
    planes: View<u32>,
    grid: Grid,
    spacing: Spacing,
    unit: U,
    within: Within,
    far: f32,
    distances: ViewMut<f32>,
    nearest: ViewMut<u32>,
) {
    if G::NEAREST {
        max_registers::<64>();
    } else {
        U::limit_registers();
    }
    let job = Job {
        info,
        squared,
        planes,
        changes: planes,
        grid,
        unit,
        within,
        far,
        distances,
        nearest: Some(nearest),
    };
    let level = Spaced {
        of: Squared,
        spacing,
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Spaced<Squared>, G>(level) };
}

/// For each voxel the distance to the nearest voxel of another label. Otherwise as [`along_z`] with
/// a bound; per voxel a bit is read besides.
///
/// `squared` and `reached` are of [`along_y_to_labels`](super::along_y_to_labels), `changes` of
/// [`mark_changes_along_z`](super::mark_changes_along_z).
///
/// # Safety
/// As [`along_z`].
#[kernel(U = [u32, f64])]
pub unsafe fn along_z_to_labels<U: Unit>(
    squared: View<u32>,
    reached: View<u32>,
    changes: View<u32>,
    grid: Grid,
    unit: U,
    within: Within,
    far: f32,
    distances: ViewMut<f32>,
) {
    U::limit_registers();
    let job = Job {
        // not read
        info: squared,
        squared,
        planes: reached,
        changes,
        grid,
        unit,
        within,
        far,
        distances,
        nearest: None,
    };
    // SAFETY: the caller's promise.
    unsafe { job.least::<Squared, ToOtherLabels>(Squared) };
}

/// What the kernels have in common.
#[derive(Clone, Copy)]
struct Job<'a, U> {
    info: View<'a, u32>,
    squared: View<'a, u32>,
    planes: View<'a, u32>,
    changes: View<'a, u32>,
    grid: Grid,
    unit: U,
    within: Within,
    far: f32,
    distances: ViewMut<'a, f32>,
    nearest: Option<ViewMut<'a, u32>>,
}

impl<U: Unit> Job<'_, U> {
    /// # Safety
    /// That of the kernels.
    #[inline(always)]
    unsafe fn least<L: Level, G: Goal>(self, level: L) {
        let (grid, unit, within, far) = (self.grid, self.unit, self.within, self.far);
        // SAFETY: the caller's promise.
        let (tile, lines) = unsafe { Tile::of_goal::<G>(grid.nz) };
        let (word, row) = div_rem_u32(lines, grid.ny);
        let has_outputs = tile.has_outputs::<G>();
        let apart = non_uniform(grid.ny * 32);
        let output_apart = non_uniform(grid.ny * grid.nx);
        let from = (word as usize * grid.nz as usize * grid.ny as usize + row as usize) * 32;
        let planes = if G::BOUNDED {
            let chunks = quotient_up_u32(grid.ny, CHUNK);
            let lines = (word * chunks + row / CHUNK) as usize;
            self.planes
                .slice(lines * grid.nz as usize, grid.nz as usize)
        } else {
            self.planes
        };
        let wins =
            tile.load_planes::<L, G>(level, self.squared, (from, apart), planes, grid.nz, within);
        tile.clear();
        let hull = tile.hull_of_chunk::<L, G>(level, wins);
        tile.put_own_hull(hull);
        let mut changes = 0;
        if G::LABELS {
            let first = lines as usize * tile.chunks as usize * 32;
            changes = self.changes.read(first + thread::thread_idx_x() as usize);
            tile.put_changes(changes);
        }
        let any = thread::sync_threads_or(hull | changes);
        let column = word * 32 + tile.lane;
        let apart = grid.ny as usize * grid.nx as usize;
        let at = tile.first_of_line() as usize * apart
            + row as usize * grid.nx as usize
            + column as usize;
        let write_far = || {
            let mut out = WriteCursor::new(self.distances, at, output_apart);
            for_each_output(tile.inside(), || out.write(far));
            if let (true, Some(nearest)) = (G::NEAREST, self.nearest) {
                let mut out = WriteCursor::new(nearest, at, output_apart);
                for_each_output(tile.inside(), || out.write(u32::MAX));
            }
        };
        if any == 0 {
            if column < grid.nx && has_outputs {
                write_far();
            }
            return;
        }
        if G::BOUNDED && !G::LABELS && !G::NEAREST {
            tile.join_few(level);
        } else {
            tile.join(level);
        }
        tile.scatter();
        thread::sync_threads();
        if !has_outputs {
            return;
        }
        let is_inside = column < grid.nx;
        let mut clamp = Clamp::NONE;
        if G::BOUNDED {
            if G::LABELS {
                clamp = tile.clamp();
            }
            let counts =
                is_inside && (tile.reaches(within) || G::LABELS && clamp.reaches(within.apart));
            // SAFETY: whole warps.
            let any = unsafe { warp::warp_vote_ballot(u32::MAX, counts) } != 0;
            if !any {
                if is_inside {
                    write_far();
                }
                return;
            }
        }
        if !is_inside {
            return;
        }
        let mut out = WriteCursor::new(self.distances, at, output_apart);
        if !G::BOUNDED {
            let done = |_, least, ()| out.write(unit.distance(least));
            tile.outputs::<L, G, ()>(level, clamp, (), done);
            return;
        }
        let (true, Some(nearest)) = (G::NEAREST, self.nearest) else {
            let done = |_, least, ()| {
                // the host has made the bound one of distances
                let distance = unit.distance(least);
                out.write(if least > within.squared {
                    far
                } else {
                    distance
                });
            };
            tile.outputs::<L, G, ()>(level, clamp, (), done);
            return;
        };
        let mut sites = WriteCursor::new(nearest, at, output_apart);
        let squares = (self.squared, from + tile.lane as usize);
        let winners = Sites::new(self.info, squares, grid, (word, column));
        tile.outputs::<L, G, Sites<'_>>(level, clamp, winners, |_, least, site| {
            out.write(within.distance(least, unit, far));
            let counts = least <= within.squared;
            sites.write(if counts { site } else { u32::MAX });
        });
    }
}

/// Calls `done` so often, up to 32 times.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_output(count: u32, mut done: impl FnMut()) {
    if count == 32 {
        for_32!(I => { done(); });
        return;
    }
    let mut i = 0;
    while i < count {
        done();
        i = opaque(i + 1);
    }
}

impl Within {
    /// A distance, or `far` if it does not count.
    #[inline(always)]
    fn distance<U: Unit>(self, squared: u32, unit: U, far: f32) -> f32 {
        let distance = unit.distance(squared);
        if squared > self.squared || distance > far {
            far
        } else {
            distance
        }
    }
}

impl Tile {
    /// Copies the chunk's rows of costs, of lines that begin at `from` and whose places lie
    /// `apart`; which places may win, the first highest: none beyond the bound where there is one.
    #[inline(always)]
    fn load_planes<L: Level, G: Goal>(
        &self,
        level: L,
        squared: View<u32>,
        (from, apart): (usize, u32),
        planes: View<u32>,
        len: u32,
        within: Within,
    ) -> u32 {
        let most = within.cost;
        let plane = self.first_of_line().wrapping_add(self.lane);
        let has = plane < len && planes.read(plane as usize) != 0;
        // SAFETY: whole warps.
        let mut with_sites = unsafe { warp::warp_vote_ballot(u32::MAX, has) };
        if G::SEGMENTED {
            with_sites &= self.near_segment(within.apart);
        }
        if with_sites == 0 {
            return 0;
        }
        let (row, column) = (self.lane / 8, self.lane % 8 * 4);
        let has = with_sites >> row;
        let source =
            from + (self.first_of_line() + row) as usize * apart as usize + column as usize;
        let to = ((self.first() + row) * 32 + column) as usize;
        let target = CopyTarget::new(self.all, to);
        let mut from = CopySource::new(squared, source);
        if with_sites == u32::MAX {
            for_8!(I => {
                target.copy_4(from, 128 * I);
                from.advance(4 * apart);
            });
        } else {
            let mut i = 0;
            while i < 8 {
                if has >> (4 * i) & 1 != 0 {
                    target.copy_4(from, 128 * i);
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
        let mut filter = Filter::new(level, self.first(), self.len);
        let mut counts = 0;
        for_32!(I => {
            let mut squared = self.read_own(I);
            if G::NEAREST {
                squared = cost(squared);
            }
            if G::BOUNDED {
                counts = counts << 1 | squared.wrapping_sub(most + 1) >> 31;
            }
            let cost = level.in_chunk(squared, I);
            if I == 0 {
                filter.begin(cost);
            } else {
                filter.next::<I>(cost);
            }
        });
        filter.end();
        let wins = filter.wins & with_sites.reverse_bits();
        if G::BOUNDED { wins & counts } else { wins }
    }
}
