//! The least of all.

use super::{
    NONE,
    filter::Filter,
    goal::{BoundedDistances, Distances, Goal, NearestSites, ToOtherLabels, Within},
    labels::Clamp,
    level::{Level, Spaced, Spacing, Squared},
    near::site_of_row,
    tile::{CHUNK, COST_BITS, Tile, cost},
};
use crate::{
    arith::{div_rem_u32, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{
    GpuFloat, KernelType, View, ViewMut, async_copy,
    cursor::{CopySource, CopyTarget, WriteCursor},
    float::sqrt_of_whole,
    kernel,
    misc::{max_registers, of_each_lane, opaque},
    thread, warp,
};

/// What the root of a squared distance is multiplied with: 1 in 32 bits, a power of two in 32 bits of floating point, or whatever it is in 64.
pub trait Unit: KernelType + Copy {
    /// Limits the registers of a kernel: a thread's, of blocks of up to 1024 threads.
    fn limit_registers();

    /// The root of a squared distance times the unit, rounded as by [`Cost::root`](crate::distance::separable::Cost::root).
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

/// Of squares below 2^24: then a root is rounded once, as one in 64 bits that is rounded again (there are more than twice as many bits), and the product is not.
impl Unit for f32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        self * sqrt_of_whole(squared)
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

/// For each voxel the distance to the nearest site; `far` where there is none. Where they are asked for, also the sites' indices, all ones where there is none.
///
/// A block has the 32 lines along z of a word of a row: rows of the first word come first. A thread has 32 places of a line. Per voxel 4 bytes are read, but of planes
/// without a site, and 4 are written; with nearest sites 16 and 8.
///
/// `info`, `squared` and `planes` are what [`near_words`](super::near_words) and [`along_y`](super::along_y) wrote: where there is a bound, `planes` are what is reached, and
/// `far` is the bound.
///
/// # Safety
/// Sides are up to [`MOST`](super::MOST); there is a block for each word of each row of a plane, with [`threads`](super::tile::threads) of `nz` threads, and
/// [`bytes`](super::tile::bytes) of shared memory; `distances` has an element for each voxel, and so has `nearest` where sites are asked for.
#[kernel(U = [u32, f64], G = [Distances, BoundedDistances, NearestSites])]
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
    // SAFETY: the caller's promise.
    unsafe { job.least::<Squared, G>(Squared) };
}

/// The same of voxels that are longer along z than along x and y, or shorter: squared distances are in a unit of which `spacing` has multiples.
///
/// # Safety
/// As [`along_z`], and `spacing` and sides are such that numbers [fit](Spaced).
#[kernel(U = [f32, f64], G = [Distances, BoundedDistances, NearestSites])]
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

/// For each voxel the distance to the nearest voxel of another label. Otherwise as [`along_z`] with a bound; per voxel a bit is read besides.
///
/// `squared` and `reached` are of [`along_y_to_labels`](super::along_y_to_labels), `changes` of [`mark_changes_along_z`](super::mark_changes_along_z).
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
        let block = thread::block_idx_x();
        let (word, row) = div_rem_u32(block, grid.ny);
        // SAFETY: the caller's promise.
        let tile = unsafe { Tile::of_block(grid.nz) };
        let apart = of_each_lane(grid.ny * 32);
        let output_apart = of_each_lane(grid.ny * grid.nx);
        let from = (word as usize * grid.nz as usize * grid.ny as usize + row as usize) * 32;
        let planes = if G::BOUNDED {
            let chunks = quotient_up_u32(grid.ny, CHUNK);
            let first = word as usize * grid.nz as usize * chunks as usize;
            Planes {
                of: self.planes,
                first: first + (row / CHUNK) as usize,
                apart: chunks,
            }
        } else {
            Planes {
                of: self.planes,
                first: 0,
                apart: 1,
            }
        };
        let wins = tile.load_planes::<L, G>(level, self.squared, from, apart, planes, within.cost);
        tile.clear();
        let hull = tile.hull_of_chunk::<L, G>(level, wins);
        tile.put_hull(tile.chunk, hull);
        let mut changes = 0;
        if G::LABELS {
            let first = block as usize * tile.chunks as usize * 32;
            changes = self.changes.read(first + thread::thread_idx_x() as usize);
            tile.put_changes(changes);
        }
        let any = thread::sync_threads_or(hull | changes);
        let column = word * 32 + tile.lane;
        let apart = grid.ny as usize * grid.nx as usize;
        let at = tile.first() as usize * apart + row as usize * grid.nx as usize + column as usize;
        let write_far = || {
            let mut i = 0;
            while i < tile.inside() {
                self.distances.write(at + i as usize * apart, far);
                if let (true, Some(nearest)) = (G::NEAREST, self.nearest) {
                    nearest.write(at + i as usize * apart, u32::MAX);
                }
                i += 1;
            }
        };
        if any == 0 {
            if column < grid.nx {
                write_far();
            }
            return;
        }
        tile.join(level);
        tile.scatter();
        thread::sync_threads();
        if column >= grid.nx {
            return;
        }
        let mut out = WriteCursor::new(self.distances, at, output_apart);
        if !G::BOUNDED {
            tile.outputs::<L, G>(level, Clamp::NONE, |_, least, _| {
                out.write(unit.distance(least));
            });
            return;
        }
        let clamp = if G::LABELS { tile.clamp() } else { Clamp::NONE };
        if !(tile.reaches(within) || G::LABELS && clamp.reaches(within.apart)) {
            write_far();
            return;
        }
        let (true, Some(nearest)) = (G::NEAREST, self.nearest) else {
            tile.outputs::<L, G>(level, clamp, |_, least, _| {
                out.write(within.distance(least, unit, far));
            });
            return;
        };
        let mut sites = WriteCursor::new(nearest, at, output_apart);
        let from = from + tile.lane as usize;
        tile.outputs::<L, G>(level, clamp, |_, least, z| {
            out.write(within.distance(least, unit, far));
            let mut site = u32::MAX;
            if least <= within.squared {
                let y = self
                    .squared
                    .read(from + z as usize * (grid.ny as usize * 32))
                    >> COST_BITS;
                let line = (word * grid.nz + z) as usize * grid.ny as usize;
                let row = self.info.read_vector::<2>(2 * (line + y as usize));
                site = (z * grid.ny + y) * grid.nx + site_of_row(row, column);
            }
            sites.write(site);
        });
    }
}

/// Which planes have anything, for the lines of a block.
#[derive(Clone, Copy)]
struct Planes<'a> {
    of: View<'a, u32>,
    first: usize,
    apart: u32,
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
    /// Copies the chunk's rows of costs; which places may win, the first highest: none beyond `most` where there is a bound.
    #[inline(always)]
    fn load_planes<L: Level, G: Goal>(
        &self,
        level: L,
        squared: View<u32>,
        from: usize,
        apart: u32,
        planes: Planes<'_>,
        most: u32,
    ) -> u32 {
        let plane = self.first() + self.lane;
        let at = planes.first + plane as usize * planes.apart as usize;
        let has = plane < self.len && planes.of.read(at) != 0;
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
