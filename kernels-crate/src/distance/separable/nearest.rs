//! Which site is the nearest.
//!
//! Of several sites at the same distance the one with the smallest index counts: the least z, then
//! the least y, then the least x. Axes are taken in the order x, y, z, and along each the first of
//! several equally good places counts: so that is what is found.

use super::{
    cost::{Axis, Cost, Fan},
    far::Far,
    groups::LeastAt,
    places::{Layout, Lines, TileAt},
    rows::Near,
    source::{AcrossRows, line_of_costs},
    tile::Tile,
    tiling::{GROUP, Tiling},
};
use crate::{grid::Grid, sample::Count};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// As [`least_from_rows`](super::least_from_rows), with the y of the site: 4 bytes more are written
/// for each voxel.
///
/// # Safety
/// As there; `ys` has an element for each voxel.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn sites_from_rows<C: Cost + KernelType>(
    near: View<u32>,
    across: AcrossRows<C>,
    lines: Lines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
    ys: ViewMut<u32>,
) {
    // SAFETY: the caller gives the block the memory.
    let tile = unsafe { Tile::of_block(tiling, axis) };
    let mut index = thread::block_idx_x() as u64;
    while index < lines.tiles(tiling) {
        let at = lines.tile(tiling, index);
        let any = tile.find_places(at.columns, |place, column| {
            across.line(near, at, (place, column), axis.none)
        });
        tile.for_each_place(any, at, layout, |y, column, place, voxel| {
            let mut cost = axis.none;
            if let Some(place) = place {
                ys.write(voxel, place);
                cost = tile.cost_at(place, y, column);
            }
            squared.write(voxel, cost);
        });
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

/// What [`nearest_along`] needs to know of the grid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteAt {
    /// Voxels of the whole grid.
    pub grid: Grid,
    /// A number that makes the size a multiple of 8.
    pub zero: u32,
}

/// As [`distances_along`](super::distances_along), with the index of the site, all ones where there
/// is none within the bound. Per voxel besides that the y of a site and what is known of its row
/// are read, and an index is written.
///
/// # Safety
/// As there; `near` and `ys` are what [`nearest_in_rows`](super::nearest_in_rows) and
/// [`sites_from_rows`] wrote, `nearest` has an element for each voxel.
#[kernel(C = [u32, u64, f64], I = [u32, u64])]
pub unsafe fn nearest_along<C: Cost + KernelType, I: Count>(
    costs: View<C>,
    ys: View<u32>,
    near: View<u32>,
    across: AcrossRows<C>,
    site: SiteAt,
    lines: Lines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    far: Far,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    // SAFETY: the caller gives the block the memory.
    let tile = unsafe { Tile::of_block(tiling, axis) };
    let [from, to] = layouts;
    let mut index = thread::block_idx_x() as u64;
    while index < lines.tiles(tiling) {
        let at = lines.tile(tiling, index);
        let any = tile.find_places(at.columns, |place, column| {
            line_of_costs(costs, from, at, (place, column), axis.none)
        });
        tile.for_each_place(any, at, to, |output, column, place, voxel| {
            let (mut distance, mut found) = (far.distance, u64::MAX);
            if let Some(z) = place {
                let cost = tile.cost_at(z, output, column);
                if cost < axis.none {
                    distance = far.distance(cost, &axis);
                    let y = ys.read(from.at(at, z, column));
                    let plane = TileAt {
                        batch: z as u64,
                        ..at
                    };
                    let near = Near::read(near, across.word(plane, y, column));
                    let x = near.site(across.first_word * 32 + at.column + column) as u64;
                    let row = z as u64 * site.grid.ny as u64 + y as u64;
                    found = row * site.grid.nx as u64 + x;
                }
            }
            distances.write(voxel, distance);
            nearest.write(voxel, I::narrow(found));
        });
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

impl<C: Cost> Tile<C> {
    /// Finds the place of the least cost for each output, which are proposals then; otherwise as
    /// with the least costs.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn find_places<N: FnMut(bool) -> C>(&self, columns: u32, line: impl Fn(u32, u32) -> N) -> bool {
        if !self.first_round(columns, line) {
            return false;
        }
        self.later_rounds();
        self.for_each_group(|group, column, [first, second]: [[LeastAt<C>; 8]; 2]| {
            self.put_places(group, column, 0, first.map(|least| least.place));
            self.put_places(group, column, 1, second.map(|least| least.place));
        });
        thread::sync_threads();
        true
    }

    /// Calls `done` with each output of the tile that is in the volume, its column, its place if
    /// there are any, and its index.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_place(
        &self,
        any: bool,
        at: TileAt,
        layout: Layout,
        done: impl Fn(u32, u32, Option<u32>, usize),
    ) {
        self.teams
            .for_each_row(self.tiling.groups(), |group, column| {
                if column >= at.columns {
                    return;
                }
                let first = group * GROUP;
                let mut voxel = layout.at(at, first, column);
                let inside = self.tiling.len - first;
                let mut k = 0;
                while k < GROUP {
                    if k < inside {
                        let place = any.then(|| self.place(group, column, k));
                        done(first + k, column, place, voxel);
                    }
                    voxel += layout.along as usize;
                    k += 1;
                }
            });
    }

    /// The cost of getting from a place to an output, at most that of none.
    #[inline(always)]
    fn cost_at(&self, place: u32, output: u32, column: u32) -> C {
        let fan = Fan::new(&self.axis, output, 1);
        let stored = self.cost(place, column);
        let [[along], _] = C::along(&self.axis, &fan, [stored; 2], place);
        C::cost(along, &self.axis, output).least(self.axis.none)
    }
}
