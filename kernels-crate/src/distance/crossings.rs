//! Zero crossings: the points of grid edges where linear interpolation takes a level.
//!
//! Two bits of each voxel say on which side it is: `above` (the sample is the level or more) and
//! `below`; a sample that is not finite is on neither. An edge has a crossing if its ends are on
//! different sides, so 32 edges at a time come from ands of words. Points go in the order of
//! [the grid's edge slots](crate::grid::Grid#edge-slots).

use super::sites::{BitRows, TILE};
use crate::{
    arith::div_rem,
    block,
    grid::{X, Y, Z},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// The sides of the voxels of a grid.
#[derive(Clone, Copy)]
struct Sides<'a> {
    above: View<'a, u32>,
    below: View<'a, u32>,
    bits: BitRows,
}

/// Which edges that leave a word's voxels along x, y and z have crossings.
#[derive(Clone, Copy)]
struct Crossed {
    x: u32,
    y: u32,
    z: u32,
}

impl Crossed {
    const NONE: Self = Self { x: 0, y: 0, z: 0 };

    /// Two counts in one number: of crossings in the plane, and above it. A tile has 256 words, so
    /// they are below 2³².
    #[inline(always)]
    fn counts(self) -> u64 {
        (self.x.count_ones() + self.y.count_ones()) as u64 | (self.z.count_ones() as u64) << 32
    }
}

impl Sides<'_> {
    /// The crossings of the word at `in_row` of row (y, z).
    #[inline(always)]
    fn crossed(&self, in_row: u32, y: u32, z: u32) -> Crossed {
        let bits = self.bits;
        let at = bits.word_of(in_row * 32, y, z);
        let (above, below) = (self.above.read(at), self.below.read(at));
        if above | below == 0 {
            return Crossed::NONE;
        }
        let with = |to_above: u32, to_below: u32| above & to_below | below & to_above;
        let to = |exists: bool, step: usize| {
            if exists {
                with(self.above.read(at + step), self.below.read(at + step))
            } else {
                0
            }
        };
        let (mut next_above, mut next_below) = (0, 0);
        if in_row + 1 < bits.per_row {
            (next_above, next_below) = (self.above.read(at + 1), self.below.read(at + 1));
        }
        Crossed {
            // there is no bit after a row's end
            x: with(above >> 1 | next_above << 31, below >> 1 | next_below << 31),
            y: to(y + 1 < bits.grid.ny, bits.per_row as usize),
            z: to(z + 1 < bits.grid.nz, bits.per_plane() as usize),
        }
    }
}

/// Words of one plane that a block takes together.
#[derive(Clone, Copy)]
struct Tile {
    z: u32,
    first: u32,
    words: u32,
    per_row: u32,
    /// Where the counts of its crossings in the plane, and above it, are.
    in_plane: usize,
    above: usize,
}

impl Tile {
    /// The place of a word of the tile in its row, and the row.
    #[inline(always)]
    fn place(&self, word: u32) -> (u32, u32) {
        let word = self.first + word;
        let y = word.checked_div(self.per_row).unwrap_or_default();
        (word - y * self.per_row, y)
    }
}

/// Calls `visit` with each tile of the calling block.
#[inline(always)]
fn for_each_tile(bits: BitRows, mut visit: impl FnMut(Tile)) {
    let per_plane = bits.tiles_per_plane();
    let mut index = thread::block_idx_x() as u64;
    while index < per_plane * bits.grid.nz as u64 {
        let (z, tile) = div_rem(index, per_plane);
        let first = tile * TILE as u64;
        let rest = bits.per_plane() - first;
        visit(Tile {
            z: z as u32,
            first: first as u32,
            words: if rest < TILE as u64 {
                rest as u32
            } else {
                TILE
            },
            per_row: bits.per_row,
            in_plane: (2 * z * per_plane + tile) as usize,
            above: ((2 * z + 1) * per_plane + tile) as usize,
        });
        index += thread::grid_dim_x() as u64;
    }
}

/// Counts the crossings of each tile: for each plane those in it, tile by tile, then those above
/// it.
///
/// A block takes whole tiles, a thread single words: it reads up to four of each sort. Two counts
/// of a tile are written.
///
/// # Safety
/// `above` and `below` hold `bits.words()` elements, a plane has no more than 2³² − 257 of them;
/// `counts` hold two for each of `bits.tiles_per_plane() * bits.grid.nz`.
#[kernel]
pub unsafe fn count_crossings(
    above: View<u32>,
    below: View<u32>,
    bits: BitRows,
    counts: ViewMut<u64>,
) {
    let sides = Sides { above, below, bits };
    for_each_tile(bits, |tile| {
        let mut sum = 0u64;
        let mut word = thread::thread_idx_x();
        while word < tile.words {
            let (in_row, y) = tile.place(word);
            sum += sides.crossed(in_row, y, tile.z).counts();
            word += thread::block_dim_x();
        }
        let total = block::exclusive_sum(sum).total;
        if thread::thread_idx_x() == 0 {
            counts.write(tile.in_plane, total & u32::MAX as u64);
            counts.write(tile.above, total >> 32);
        }
    });
}

/// What points are made from.
#[derive(Clone, Copy)]
struct Points<'a, T> {
    samples: View<'a, T>,
    bits: BitRows,
    level: f32,
    coordinates: ViewMut<'a, f32>,
}

impl<T: Sample> Points<'_, T> {
    /// Writes point number `number`: where the samples take the level on the edge that leaves `low`
    /// along `axis`.
    #[inline(always)]
    fn write(&self, number: u64, axis: u32, low: [u32; 3]) {
        let [x, y, z] = low;
        let grid = self.bits.grid;
        let at = grid.sample(x, y, z);
        let step = if axis == X {
            1
        } else if axis == Y {
            grid.nx as usize
        } else {
            grid.nx as usize * grid.ny as usize
        };
        let here = self.samples.read(at).value() as f64;
        let there = self.samples.read(at + step).value() as f64;
        // in f64, so that no finite samples overflow; one end is on the level or beyond, the other
        // is not, so they differ
        let part = (self.level as f64 - here) / (there - here);
        let along = |which: u32, low: u32| {
            let start = low as f64;
            (if which == axis { start + part } else { start }) as f32
        };
        let to = number as usize * 3;
        self.coordinates.write(to, along(X, x));
        self.coordinates.write(to + 1, along(Y, y));
        self.coordinates.write(to + 2, along(Z, z));
    }
}

/// Writes the crossings' points, in voxels.
///
/// A block takes whole tiles, a thread single words, whose points it writes one after the other: it
/// reads the samples at both ends of the edge, and writes three coordinates. `places` says how many
/// points come before each tile's.
///
/// # Safety
/// As [`count_crossings`]; `samples` hold `bits.grid.samples()` elements, `places` the exclusive
/// sums of the counts; the bits are those of `level`; `coordinates` hold three elements for each
/// crossing.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_crossings<T: Sample>(
    samples: View<T>,
    above: View<u32>,
    below: View<u32>,
    bits: BitRows,
    level: f32,
    places: View<u64>,
    coordinates: ViewMut<f32>,
) {
    let sides = Sides { above, below, bits };
    let points = Points {
        samples,
        bits,
        level,
        coordinates,
    };
    for_each_tile(bits, |tile| {
        let mut in_plane = places.read(tile.in_plane);
        let mut over = places.read(tile.above);
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let (in_row, y) = tile.place(word);
            let mut crossed = Crossed::NONE;
            if word < tile.words {
                crossed = sides.crossed(in_row, y, tile.z);
            }
            let sum = block::exclusive_sum(crossed.counts());
            let mut number = in_plane + (sum.before & u32::MAX as u64);
            let mut above = over + (sum.before >> 32);
            // the three axes in one loop, so that the kernel has its code once: x and y by turns,
            // then z
            let mut left = (crossed.x | crossed.y, crossed.z);
            while left.0 | left.1 != 0 {
                let flat = left.0 != 0;
                let from = if flat { left.0 } else { left.1 };
                let bit = from.trailing_zeros();
                let low = [in_row * 32 + bit, y, tile.z];
                let one = 1 << bit;
                if flat {
                    let axis = if crossed.x & one != 0 { X } else { Y };
                    points.write(number, axis, low);
                    number += 1;
                    if axis == X {
                        crossed.x &= !one;
                    } else {
                        crossed.y &= !one;
                    }
                    left.0 = crossed.x | crossed.y;
                } else {
                    points.write(above, Z, low);
                    above += 1;
                    left.1 &= left.1 - 1;
                }
            }
            in_plane += sum.total & u32::MAX as u64;
            over += sum.total >> 32;
            start += thread::block_dim_x();
        }
    });
}
