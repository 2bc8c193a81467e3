//! The kernels that minimise along lines.

use super::{
    cost::{Axis, Cost},
    groups::Least,
    rows::Near,
    tile::Tile,
    tiling::{GROUP, Tiling},
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
    /// Whether all costs are integers below 2^24, whose roots are the distances.
    #[inline(always)]
    pub fn is_small<C: Cost>(&self, axis: &Axis<C>) -> bool {
        C::IS_WHOLE && self.unit == 1.0 && axis.none <= C::of(1 << 24)
    }

    /// The distance of a squared one, whose root is `root`.
    #[inline(always)]
    fn bounded<C: Cost>(&self, cost: C, root: f32, axis: &Axis<C>) -> f32 {
        let bounded = if root > self.most { self.most } else { root };
        if cost < axis.none {
            bounded
        } else {
            self.distance
        }
    }

    /// The distance of a squared one.
    #[inline(always)]
    pub fn distance<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.bounded(cost, cost.root(self.unit), axis)
    }

    /// The distance of a squared one, where all [are small](Self::is_small).
    #[inline(always)]
    pub fn small_distance<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.bounded(cost, cost.small_root(), axis)
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
    /// Where the numbers of the word are in which a voxel of a tile of columns is.
    #[inline(always)]
    pub fn word(&self, at: TileAt, place: u32, column: u32) -> usize {
        let row = at.batch * self.rows as u64 + place as u64;
        (row * self.words as u64 + ((at.column + column) / 32) as u64) as usize
    }

    /// The costs of a column of a tile, from a place on; that of no site where the argument is false.
    #[inline(always)]
    pub fn line(
        self,
        near: View<u32>,
        at: TileAt,
        (place, column): (u32, u32),
        none: C,
    ) -> impl FnMut(bool) -> C {
        let bit = (at.column + column) % 32;
        let mut word = self.word(at, place, column);
        move |is_inside| {
            let known = if is_inside {
                Near::read(near, word)
            } else {
                Near::NONE
            };
            word += self.words as usize;
            let (distance, _) = known.distance(bit);
            if distance <= self.most {
                C::squared(self.weight, distance)
            } else {
                none
            }
        }
    }
}

/// The costs of a column of a tile, from a place on; that of no site where the argument is false.
#[inline(always)]
pub fn line_of_costs<C: Cost>(
    costs: View<C>,
    layout: Layout,
    at: TileAt,
    (place, column): (u32, u32),
    none: C,
) -> impl FnMut(bool) -> C {
    let mut voxel = layout.at(at, place, column);
    move |is_inside| {
        let cost = if is_inside { costs.read(voxel) } else { none };
        voxel += layout.along as usize;
        cost
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
    /// Finds the least of what is compared for each output, which are the results then; false, and no results, where there is no site. All
    /// threads of the block call it, and end with a barrier.
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

    /// Calls `done` with each output of the tile that is in the volume, its result (anything where there are none), and its index.
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
