//! Zero crossings: points on grid edges at which the linear interpolation equals a level.
//!
//! Two bits per voxel store its side: `above` (sample ≥ level) and `below` (sample < level); a
//! non-finite sample has neither. An edge has a crossing if its ends lie on different sides, so
//! bitwise operations on words classify 32 edges at a time. Points are ordered by [the grid's edge
//! slots](crate::grid::Grid#edge-slots).

use super::sites::{BitRows, TILE};
use crate::{
    arith::div_rem,
    block,
    grid::{X, Y, Z},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Sides of the voxels of a grid, as bit masks.
#[derive(Clone, Copy)]
struct SideBits<'a> {
    /// Samples greater than or equal to the level.
    above: View<'a, u32>,
    /// Samples less than the level.
    below: View<'a, u32>,
    bits: BitRows,
}

/// Crossings on the edges that leave the voxels of a word in the positive x, y and z directions,
/// one bit per voxel.
#[derive(Clone, Copy)]
struct EdgeCrossings {
    x: u32,
    y: u32,
    z: u32,
}

impl EdgeCrossings {
    const NONE: Self = Self { x: 0, y: 0, z: 0 };

    /// Returns two counts packed into one number: crossings along x and y in the low 32 bits,
    /// crossings along z in the high ones. A tile has 256 words, so sums stay below
    /// 2³².
    #[inline(always)]
    fn counts(self) -> u64 {
        (self.x.count_ones() + self.y.count_ones()) as u64 | (self.z.count_ones() as u64) << 32
    }
}

impl SideBits<'_> {
    /// Returns the crossings of the word at index `in_row` of row (`y`, `z`).
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn crossings(&self, in_row: u32, y: u32, z: u32) -> EdgeCrossings {
        let bits = self.bits;
        let voxel = bits.word_index(in_row * 32, y, z);
        let (above, below) = (self.above.read(voxel), self.below.read(voxel));
        if above | below == 0 {
            return EdgeCrossings::NONE;
        }
        let opposite_sides = |to_above: u32, to_below: u32| above & to_below | below & to_above;
        let crossings_towards = |exists: bool, step: usize| {
            if exists {
                opposite_sides(self.above.read(voxel + step), self.below.read(voxel + step))
            } else {
                0
            }
        };
        let (mut next_above, mut next_below) = (0, 0);
        if in_row + 1 < bits.per_row {
            (next_above, next_below) = (self.above.read(voxel + 1), self.below.read(voxel + 1));
        }
        EdgeCrossings {
            // The bits after the end of a row are 0.
            x: opposite_sides(above >> 1 | next_above << 31, below >> 1 | next_below << 31),
            y: crossings_towards(y + 1 < bits.grid.ny, bits.per_row as usize),
            z: crossings_towards(z + 1 < bits.grid.nz, bits.per_plane() as usize),
        }
    }
}

/// Words of one plane that a block processes together.
#[derive(Clone, Copy)]
struct WordTile {
    z: u32,
    first: u32,
    words: u32,
    per_row: u32,
    /// Index of the number of its crossings along x and y in the list of counts.
    xy_count: usize,
    /// Index of the number of its crossings along z in the list of counts.
    z_count: usize,
}

impl WordTile {
    /// Returns the index of a word of the tile within its row, and the y of the row.
    #[inline(always)]
    fn word_position(&self, word: u32) -> (u32, u32) {
        let word = self.first + word;
        let y = word.checked_div(self.per_row).unwrap_or_default();
        (word - y * self.per_row, y)
    }
}

/// Calls `visit` with each tile of the calling block.
#[inline(always)]
fn for_each_tile(bits: BitRows, mut visit: impl FnMut(WordTile)) {
    let per_plane = bits.tiles_per_plane();
    let mut index = thread::block_idx_x() as u64;
    while index < per_plane * bits.grid.nz as u64 {
        let (z, tile) = div_rem(index, per_plane);
        let first = tile * TILE as u64;
        let remaining = bits.per_plane() - first;
        visit(WordTile {
            z: z as u32,
            first: first as u32,
            words: if remaining < TILE as u64 {
                remaining as u32
            } else {
                TILE
            },
            per_row: bits.per_row,
            xy_count: (2 * z * per_plane + tile) as usize,
            z_count: ((2 * z + 1) * per_plane + tile) as usize,
        });
        index += thread::grid_dim_x() as u64;
    }
}

/// Counts the crossings of each tile: for each plane first the crossings along x and y, tile by
/// tile, then the crossings along z.
///
/// **Mapping:** one tile per block, one word per thread, followed by a block-wide sum. **Global
/// memory:** reads up to four words of each mask per thread and writes two counts per tile.
///
/// # Safety
/// `above` and `below` hold `bits.words()` elements, a plane has at most 2³² − 257 of them;
/// `counts` holds two elements for each of `bits.tiles_per_plane() * bits.grid.nz` tiles.
#[kernel]
pub unsafe fn count_crossings(
    above: View<u32>,
    below: View<u32>,
    bits: BitRows,
    counts: ViewMut<u64>,
) {
    let side_bits = SideBits { above, below, bits };
    for_each_tile(bits, |tile| {
        let mut sum = 0u64;
        let mut word = thread::thread_idx_x();
        while word < tile.words {
            let (in_row, y) = tile.word_position(word);
            sum += side_bits.crossings(in_row, y, tile.z).counts();
            word += thread::block_dim_x();
        }
        let total = block::exclusive_sum(sum).total;
        if thread::thread_idx_x() == 0 {
            counts.write(tile.xy_count, total & u32::MAX as u64);
            counts.write(tile.z_count, total >> 32);
        }
    });
}

/// Inputs for computing the points, and the output.
#[derive(Clone, Copy)]
struct PointWriter<'a, T> {
    samples: View<'a, T>,
    bits: BitRows,
    level: f32,
    coordinates: ViewMut<'a, f32>,
}

impl<T: Sample> PointWriter<'_, T> {
    /// Writes point `index`: the position at which the samples take the level on the edge that
    /// leaves voxel `low` along `axis`.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn write(&self, index: u64, axis: u32, low: [u32; 3]) {
        let [x, y, z] = low;
        let grid = self.bits.grid;
        let voxel = grid.sample(x, y, z);
        let step = if axis == X {
            1
        } else if axis == Y {
            grid.nx as usize
        } else {
            grid.nx as usize * grid.ny as usize
        };
        let value = self.samples.read(voxel).value() as f64;
        let next = self.samples.read(voxel + step).value() as f64;
        // Computed in f64 so that differences of finite samples do not overflow. The ends lie on
        // different sides, so they differ.
        let fraction = (self.level as f64 - value) / (next - value);
        let along = |which: u32, low: u32| {
            let start = low as f64;
            (if which == axis {
                start + fraction
            } else {
                start
            }) as f32
        };
        let offset = index as usize * 3;
        self.coordinates.write(offset, along(X, x));
        self.coordinates.write(offset + 1, along(Y, y));
        self.coordinates.write(offset + 2, along(Z, z));
    }
}

/// Writes the points of the crossings, in voxel coordinates.
///
/// **Mapping:** one tile per block, one word per thread; output positions come from `offsets` (the
/// number of points before each tile) and a block-wide exclusive sum. **Global memory:** per point,
/// reads the samples at both ends of the edge and writes three coordinates.
///
/// # Safety
/// The requirements of [`count_crossings`] hold; `samples` holds `bits.grid.samples()` elements,
/// `offsets` the exclusive sums of the counts; the bits belong to `level`; `coordinates` holds
/// three elements per crossing.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_crossings<T: Sample>(
    samples: View<T>,
    above: View<u32>,
    below: View<u32>,
    bits: BitRows,
    level: f32,
    offsets: View<u64>,
    coordinates: ViewMut<f32>,
) {
    let side_bits = SideBits { above, below, bits };
    let point_writer = PointWriter {
        samples,
        bits,
        level,
        coordinates,
    };
    for_each_tile(bits, |tile| {
        let mut xy_offset = offsets.read(tile.xy_count);
        let mut z_offset = offsets.read(tile.z_count);
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let (in_row, y) = tile.word_position(word);
            let mut crossings = EdgeCrossings::NONE;
            if word < tile.words {
                crossings = side_bits.crossings(in_row, y, tile.z);
            }
            let sum = block::exclusive_sum(crossings.counts());
            let mut xy_index = xy_offset + (sum.before & u32::MAX as u64);
            let mut z_index = z_offset + (sum.before >> 32);
            // One loop for all three axes keeps the kernel small: x and y interleaved, then z.
            let (mut pending_xy, mut pending_z) = (crossings.x | crossings.y, crossings.z);
            while pending_xy | pending_z != 0 {
                let is_along_xy = pending_xy != 0;
                let pending = if is_along_xy { pending_xy } else { pending_z };
                let bit = pending.trailing_zeros();
                let low = [in_row * 32 + bit, y, tile.z];
                let mask = 1 << bit;
                if is_along_xy {
                    let axis = if crossings.x & mask != 0 { X } else { Y };
                    point_writer.write(xy_index, axis, low);
                    xy_index += 1;
                    if axis == X {
                        crossings.x &= !mask;
                    } else {
                        crossings.y &= !mask;
                    }
                    pending_xy = crossings.x | crossings.y;
                } else {
                    point_writer.write(z_index, Z, low);
                    z_index += 1;
                    pending_z &= pending_z - 1;
                }
            }
            xy_offset += sum.total & u32::MAX as u64;
            z_offset += sum.total >> 32;
            start += thread::block_dim_x();
        }
    });
}
