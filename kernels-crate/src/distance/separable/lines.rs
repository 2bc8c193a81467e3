//! The kernels that minimise along lines.

use super::{
    cost::{Axis, Cost},
    far::Far,
    groups::Least,
    places::{Layout, Lines, TileAt},
    source::{AcrossRows, line_of_costs},
    tile::Tile,
    tiling::{GROUP, Tiling},
};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// For each voxel the least cost along its line, of costs that are squared distances along x.
///
/// A block takes tiles: neighbouring lines of a plane. It works out the costs from what is known of
/// the rows, stores them in shared memory, and finds the least as described in
/// [`rounds`](super::rounds) and [`groups`](super::groups). Per voxel half a byte is read and a
/// cost written.
///
/// # Safety
/// `near` has 4 numbers for each word of the lines' columns, `squared` an element for each voxel;
/// the block has [`Tiling::bytes`] bytes of shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn least_from_rows<C: Cost + KernelType>(
    near: View<u32>,
    across: AcrossRows<C>,
    lines: Lines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller gives the block the memory.
    let tile = unsafe { Tile::of_block(tiling, axis) };
    let mut index = thread::block_idx_x() as u64;
    while index < lines.tiles(tiling) {
        let at = lines.tile(tiling, index);
        let any = tile.find_least(at.columns, |place, column| {
            across.line(near, at, (place, column), axis.none)
        });
        write_costs(&tile, any, at, layout, squared);
        index += thread::grid_dim_x() as u64;
    }
}

/// For each voxel the least cost along its line; may be in place.
///
/// Otherwise as [`least_from_rows`]. Per voxel a cost is read and one written.
///
/// # Safety
/// `costs` and `squared` have an element for each voxel; the block has [`Tiling::bytes`] bytes of
/// shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn least_along<C: Cost + KernelType>(
    costs: View<C>,
    lines: Lines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller gives the block the memory.
    let tile = unsafe { Tile::of_block(tiling, axis) };
    let mut index = thread::block_idx_x() as u64;
    while index < lines.tiles(tiling) {
        let at = lines.tile(tiling, index);
        let any = tile.find_least(at.columns, |place, column| {
            line_of_costs(costs, layout, at, (place, column), axis.none)
        });
        write_costs(&tile, any, at, layout, squared);
        index += thread::grid_dim_x() as u64;
    }
}

/// Writes the least costs of a tile, if there are any. A barrier is its end.
#[inline(always)]
fn write_costs<C: Cost>(
    tile: &Tile<C>,
    any: bool,
    at: TileAt,
    layout: Layout,
    squared: ViewMut<C>,
) {
    let axis = &tile.axis;
    if any {
        tile.for_each_result(true, at, layout, |place, least, voxel| {
            squared.write(voxel, C::cost(least, axis, place).least(axis.none));
        });
    } else {
        tile.for_each_result(false, at, layout, |_, _, voxel| {
            squared.write(voxel, axis.none)
        });
    }
    // before the next tile's costs replace these
    thread::sync_threads();
}

/// For each voxel the distance to the nearest site: the root of the least cost along its line.
///
/// Otherwise as [`least_along`]. Per voxel a cost is read and a distance written.
///
/// # Safety
/// `costs` and `distances` have an element for each voxel; the block has [`Tiling::bytes`] bytes of
/// shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn distances_along<C: Cost + KernelType>(
    costs: View<C>,
    lines: Lines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    far: Far,
    distances: ViewMut<f32>,
) {
    // SAFETY: the caller gives the block the memory.
    let tile = unsafe { Tile::of_block(tiling, axis) };
    let [from, to] = layouts;
    let mut index = thread::block_idx_x() as u64;
    while index < lines.tiles(tiling) {
        let at = lines.tile(tiling, index);
        let any = tile.find_least(at.columns, |place, column| {
            line_of_costs(costs, from, at, (place, column), axis.none)
        });
        if !any {
            tile.for_each_result(false, at, to, |_, _, voxel| {
                distances.write(voxel, far.distance);
            });
        } else if far.is_small(&axis) {
            tile.for_each_result(true, at, to, |place, least, voxel| {
                let cost = C::cost(least, &axis, place);
                distances.write(voxel, far.small_distance(cost, &axis));
            });
        } else {
            tile.for_each_result(true, at, to, |place, least, voxel| {
                let cost = C::cost(least, &axis, place);
                distances.write(voxel, far.distance(cost, &axis));
            });
        }
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

impl<C: Cost> Tile<C> {
    /// Finds the least of what is compared for each output, which are the results then; false, and
    /// no results, where there is no site. All threads of the block call it, and end with a
    /// barrier.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn find_least<N: FnMut(bool) -> C>(&self, columns: u32, line: impl Fn(u32, u32) -> N) -> bool {
        if !self.first_round(columns, line) {
            return false;
        }
        self.later_rounds();
        self.for_each_group(|group, column, [first, second]| {
            self.put_results(group, column, 0, first.map(|Least(least)| least));
            self.put_results(group, column, 1, second.map(|Least(least)| least));
        });
        thread::sync_threads();
        true
    }

    /// Calls `done` with each output of the tile that is in the volume, its result (anything where
    /// there are none), and its index.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_result(&self, any: bool, at: TileAt, layout: Layout, done: impl Fn(u32, C, usize)) {
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
                    let results = if any {
                        self.results(group, column, k)
                    } else {
                        [C::MOST; 4]
                    };
                    // mostly all are in the volume: one question for four
                    if inside - k >= 4 {
                        let mut i = 0;
                        while i < 4 {
                            done(first + k + i, results[i as usize], voxel);
                            voxel += layout.along as usize;
                            i += 1;
                        }
                    } else {
                        let mut i = 0;
                        while i < 4 {
                            if k + i < inside {
                                done(first + k + i, results[i as usize], voxel);
                            }
                            voxel += layout.along as usize;
                            i += 1;
                        }
                        return;
                    }
                    k += 4;
                    if k >= inside {
                        return;
                    }
                }
            });
    }
}
