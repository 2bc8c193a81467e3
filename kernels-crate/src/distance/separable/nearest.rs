//! Which site is the nearest: once more along y and along x, with an eye on ties.
//!
//! Of several sites at the same distance the one with the smallest index counts: the least z, then the least y, then the
//! least x. Where costs are equal these are looked up; everywhere else nothing but costs is compared.

use super::{
    along_z::Place,
    cost::{Axis, Cost},
    line::{COLUMNS, GROUP, Store, Tile},
    tiles::{Columns, Rows},
};
use crate::{arith::div_rem, grid::Grid, sample::Count};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

impl<C: Cost, R: Store<C>, B: Store<u32>> Tile<C, R, B> {
    /// The place with the least cost for an output, and of several the one with the least `rank`.
    #[inline(always)]
    fn search_ranked(&self, output: u32, column: u32, rank: impl Fn(u32) -> u64) -> u32 {
        let axis = &self.axis;
        let group = output / GROUP;
        let (low, high) = self.range(group, column);
        let slope = C::slope(axis, output);
        let cost = |place: u32| {
            let stored = self.costs.get(self.shape.at(place, column));
            C::along(axis, stored, C::place(axis, place), slope)
        };
        let (mut best, mut least, mut at) = (low, cost(low), low + 1);
        while at <= high {
            let here = cost(at);
            if here < least || (here == least && rank(at) < rank(best)) {
                (best, least) = (at, here);
            }
            at += 1;
        }
        best
    }
}

/// For each voxel the y of the site that [`least_along_y`](super::least_along_y) measures to; anything where there is none.
///
/// A block loads tiles as that kernel does; a thread works out single outputs. Per voxel a place is read, and where costs are equal two
/// more; 4 bytes are written.
///
/// # Safety
/// As [`least_along_y`](super::least_along_y); `found` has an element for each voxel.
#[kernel(P = [u16, u32], C = [u32, u64, f64])]
pub unsafe fn sites_along_y<P: Place, C: Cost + KernelType>(
    places: View<P>,
    grid: Grid,
    across: C,
    axis: Axis<C>,
    found: ViewMut<u32>,
) {
    let columns = Columns { grid, across, axis };
    let tile = columns.tile();
    let mut index = thread::block_idx_x() as u64;
    while index < columns.tiles() {
        let at = columns.place(index);
        let rest = grid.nx - at.first_x;
        if columns.load(&tile, places, at) {
            tile.find_bests();
            tile.teams.for_each(grid.ny, |y, column| {
                if column < rest {
                    let rank = |y: u32| places.read(columns.voxel(at, y, column)).get() as u64;
                    let best = tile.search_ranked(y, column, rank);
                    found.write(columns.voxel(at, y, column), best);
                }
            });
            // before the next tile's costs replace these
            thread::sync_threads();
        }
        index += thread::grid_dim_x() as u64;
    }
}

/// For each voxel the index of its nearest site, all ones where there is none within the bound.
///
/// A block loads tiles as [`least_along_x`](super::least_along_x) does; a thread works out single outputs. Per voxel a cost is read, the
/// place and the y of the site that was found, and where costs are equal those of two more; an index is written.
///
/// # Safety
/// As [`least_along_x`](super::least_along_x); `places` and `ys` are what [`nearest_along_z`](super::nearest_along_z) and
/// [`sites_along_y`] wrote, `nearest` has an element for each voxel.
#[kernel(P = [u16, u32], C = [u32, u64, f64], I = [u32, u64])]
pub unsafe fn sites_along_x<P: Place, C: Cost + KernelType, I: Count>(
    squared: View<C>,
    places: View<P>,
    ys: View<u32>,
    grid: Grid,
    axis: Axis<C>,
    nearest: ViewMut<I>,
) {
    let rows = Rows { grid, axis };
    let tile = rows.tile();
    let plane = grid.nx as usize * grid.ny as usize;
    let mut index = thread::block_idx_x() as u64;
    while index < rows.tiles() {
        let first_row = index * COLUMNS as u64;
        let rest = rows.rows() - first_row;
        let any = rows.load(&tile, squared, first_row);
        if any {
            tile.find_bests();
        }
        tile.teams.for_each(grid.nx, |x, row| {
            if row as u64 >= rest {
                return;
            }
            let here = rows.voxel(first_row, row, x);
            let (z, _) = div_rem(first_row + row as u64, grid.ny as u64);
            // the index of the site that voxel (place, row) found along z and y
            let site = |place: u32| {
                let voxel = rows.voxel(first_row, row, place);
                if squared.read(voxel) >= axis.none {
                    return u64::MAX;
                }
                let y = ys.read(voxel);
                let column = z as usize * plane + y as usize * grid.nx as usize + place as usize;
                let site_z = places.read(column).get() as u64;
                (site_z * grid.ny as u64 + y as u64) * grid.nx as u64 + place as u64
            };
            let mut found = u64::MAX;
            if any {
                let best = tile.search_ranked(x, row, site);
                let distance = C::squared(axis.weight, best.abs_diff(x));
                let cost = squared
                    .read(rows.voxel(first_row, row, best))
                    .plus(distance);
                if cost < axis.none {
                    found = site(best);
                }
            }
            nearest.write(here, I::narrow(found));
        });
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
