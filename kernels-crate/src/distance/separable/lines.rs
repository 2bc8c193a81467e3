//! The kernels that minimise along lines.

use super::{
    cost::{Axis, Cost},
    groups::Least,
    rows::Near,
    tile::Tile,
    tiling::Tiling,
};
use crate::arith::div_rem;
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// Lines that lie beside one another in batches: of a batch, the first voxels of all lines are neighbours, then come the second ones, and so on.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Lines of a batch.
    pub columns: u64,
    /// Batches.
    pub batches: u64,
}

/// Where a voxel of a line is in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// From a voxel of a line to the next.
    pub along: u64,
    /// From a batch to the next.
    pub batch: u64,
}

/// A tile's place: the lines from `column` on of a batch.
#[derive(Clone, Copy)]
pub struct TileAt {
    /// The batch.
    pub batch: u64,
    /// The first line.
    pub column: u32,
    /// How many lines there are from it on.
    pub columns: u32,
}

impl Lines {
    #[inline(always)]
    fn in_batch(self, tiling: Tiling) -> u64 {
        (self.columns + tiling.width() as u64 - 1) >> tiling.width_log2
    }

    /// How many tiles.
    #[inline(always)]
    pub fn tiles(self, tiling: Tiling) -> u64 {
        self.batches * self.in_batch(tiling)
    }

    /// Where tile `index` is.
    #[inline(always)]
    pub fn tile(self, tiling: Tiling, index: u64) -> TileAt {
        let (batch, in_batch) = div_rem(index, self.in_batch(tiling));
        let column = (in_batch << tiling.width_log2) as u32;
        TileAt {
            batch,
            column,
            columns: self.columns as u32 - column,
        }
    }
}

impl Layout {
    /// The index of a voxel of a tile.
    #[inline(always)]
    pub fn at(self, tile: TileAt, place: u32, column: u32) -> usize {
        let first = tile.batch * self.batch + tile.column as u64;
        (first + place as u64 * self.along + column as u64) as usize
    }
}

/// What the map has where there is no site within the bound, and the unit of the squared distances.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// What a squared distance of 1 is, as a distance.
    pub unit: f64,
    /// The distance where there is no site.
    pub distance: f32,
    /// The largest distance otherwise.
    pub most: f32,
}

impl Far {
    /// The distance of a squared one.
    #[inline(always)]
    pub fn distance<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        if cost >= axis.none {
            return self.distance;
        }
        let distance = cost.root(self.unit);
        if distance > self.most {
            self.most
        } else {
            distance
        }
    }
}

/// Costs of what is known of rows: squared distances along x.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcrossRows<C> {
    /// The squared spacing along x.
    pub weight: C,
    /// Words of a row whose numbers are known.
    pub words: u32,
    /// The first of them.
    pub first_word: u32,
    /// The largest distance that counts, in voxels.
    pub most: u32,
    /// Rows of a plane.
    pub rows: u32,
}

impl<C: Cost> AcrossRows<C> {
    /// What is known of the word in which a voxel of a tile of columns is, and the voxel's bit.
    #[inline(always)]
    pub fn near(&self, near: View<u32>, at: TileAt, place: u32, column: u32) -> (Near, u32) {
        let x = at.column + column;
        let row = at.batch * self.rows as u64 + place as u64;
        let word = row * self.words as u64 + (x / 32) as u64;
        let first = (self.first_word + x / 32) * 32;
        (Near::read(near, word as usize, first), x % 32)
    }

    /// The cost of a voxel of a tile of columns.
    #[inline(always)]
    pub fn cost(&self, near: View<u32>, at: TileAt, place: u32, column: u32, none: C) -> C {
        let (near, bit) = self.near(near, at, place, column);
        let (distance, _) = near.distance(bit);
        if distance > self.most {
            none
        } else {
            C::squared(self.weight, distance)
        }
    }
}

/// For each voxel the least cost along its line, of costs that are squared distances along x.
///
/// A block takes tiles: neighbouring lines of a plane. It works out the costs from what is known of the rows, stores them in
/// shared memory, and finds the least as described in [`rounds`](super::rounds) and [`groups`](super::groups). Per voxel half a byte is read and
/// a cost written.
///
/// # Safety
/// `near` has 4 numbers for each word of the lines' columns, `squared` an element for each voxel; the block has
/// [`Tiling::bytes`] bytes of shared memory.
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
        let cost = |place: u32, column: u32| {
            if place < tiling.len && column < at.columns {
                across.cost(near, at, place, column, axis.none)
            } else {
                axis.none
            }
        };
        write_costs(&tile, at, layout, squared, cost);
        index += thread::grid_dim_x() as u64;
    }
}

/// For each voxel the least cost along its line; may be in place.
///
/// Otherwise as [`least_from_rows`]. Per voxel a cost is read and one written.
///
/// # Safety
/// `costs` and `squared` have an element for each voxel; the block has [`Tiling::bytes`] bytes of shared memory.
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
        let cost = |place: u32, column: u32| {
            if place < tiling.len && column < at.columns {
                costs.read(layout.at(at, place, column))
            } else {
                axis.none
            }
        };
        write_costs(&tile, at, layout, squared, cost);
        index += thread::grid_dim_x() as u64;
    }
}

/// Finds the least costs of a tile and writes them. A barrier is its end.
#[inline(always)]
fn write_costs<C: Cost>(
    tile: &Tile<C>,
    at: TileAt,
    layout: Layout,
    squared: ViewMut<C>,
    cost: impl Fn(u32, u32) -> C,
) {
    let axis = &tile.axis;
    let any = tile.find_least(cost);
    tile.teams.for_each_row(tile.tiling.len, |place, column| {
        if column < at.columns {
            let mut least = axis.none;
            if any {
                least = C::cost(tile.result(place, column), axis, place).least(axis.none);
            }
            squared.write(layout.at(at, place, column), least);
        }
    });
    // before the next tile's costs replace these
    thread::sync_threads();
}

/// For each voxel the distance to the nearest site: the root of the least cost along its line.
///
/// Otherwise as [`least_along`]. Per voxel a cost is read and a distance written.
///
/// # Safety
/// `costs` and `distances` have an element for each voxel; the block has [`Tiling::bytes`] bytes of shared memory.
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
        let any = tile.find_least(|place, column| {
            if place < tiling.len && column < at.columns {
                costs.read(from.at(at, place, column))
            } else {
                axis.none
            }
        });
        tile.teams.for_each_row(tiling.len, |place, column| {
            if column < at.columns {
                let mut distance = far.distance;
                if any {
                    let cost = C::cost(tile.result(place, column), &axis, place);
                    distance = far.distance(cost, &axis);
                }
                distances.write(to.at(at, place, column), distance);
            }
        });
        // before the next tile's costs replace these
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}

impl<C: Cost> Tile<C> {
    /// Finds the least of what is compared for each output, which are the results then; false, and no results, where there is no site. All
    /// threads of the block call it, and end with a barrier.
    #[inline(always)]
    fn find_least(&self, cost: impl Fn(u32, u32) -> C) -> bool {
        if !self.first_round(cost) {
            return false;
        }
        self.later_rounds();
        self.for_each_output(|output, column, Least(least)| {
            self.put_result(output, column, least);
        });
        thread::sync_threads();
        true
    }
}
