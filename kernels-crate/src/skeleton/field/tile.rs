//! Tiles of sources in shared memory.

use super::Accumulator;
use cuda_std::{SharedView, View, shared_view, thread};

/// Sources per tile: 8 KiB of shared memory, and 16 KiB more if coordinates are also needed in
/// `f64`.
pub const TILE_SOURCES: u64 = 512;

/// Unrolling factor of loops over a tile; tiles are padded to a multiple of it.
pub const UNROLL: usize = 4;

/// Coordinate of padding sources: so far away that the force is 0 for every exponent, yet its
/// square is finite.
const FAR_AWAY: f32 = 1e18;

/// A tile of sources: x, y, z and weight of each.
#[derive(Clone, Copy)]
pub struct Tile {
    single: SharedView<f32>,
    double: Option<SharedView<f64>>,
}

impl Tile {
    /// Allocates the tile in the block's shared memory.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn new<A: Accumulator>() -> Self {
        Self {
            single: shared_view![f32; 4 * TILE_SOURCES as usize],
            double: A::IS_WIDE.then(|| shared_view![f64; 4 * TILE_SOURCES as usize]),
        }
    }

    /// Stages the sources from `start` to at most `end` and returns their number, including
    /// padding. Each source weighs 1 if `weights` is absent or empty. All threads of the block must
    /// call this; it contains two barriers.
    #[inline(always)]
    pub fn stage(
        &self,
        sources: View<f32>,
        weights: Option<View<f32>>,
        start: u64,
        end: u64,
    ) -> usize {
        let count = if end - start < TILE_SOURCES {
            end - start
        } else {
            TILE_SOURCES
        } as usize;
        let padded = count.next_multiple_of(UNROLL);
        // wait until the previous tile has been consumed
        thread::sync_threads();
        let mut i = thread::thread_idx_x() as usize;
        while i < padded {
            let mut source = [FAR_AWAY; 4];
            if i < count {
                let first = 3 * (start as usize + i);
                source = [
                    sources.read(first),
                    sources.read(first + 1),
                    sources.read(first + 2),
                    weight_at(weights, start as usize + i),
                ];
            }
            self.single.write_vector(4 * i, source);
            if let Some(double) = self.double {
                let [x, y, z, _] = source;
                double.write_vector(4 * i, [x as f64, y as f64]);
                double.write_vector(4 * i + 2, [z as f64, 0.0]);
            }
            i += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        padded
    }

    /// Returns the coordinates of a source.
    #[inline(always)]
    pub fn source(&self, i: usize) -> [f32; 3] {
        let [x, y, z, _] = self.weighted(i);
        [x, y, z]
    }

    /// Returns the coordinates and the weight of a source.
    #[inline(always)]
    pub fn weighted(&self, i: usize) -> [f32; 4] {
        self.single.read_vector::<4>(4 * i)
    }

    /// Returns the coordinates of a source in the accumulator's type.
    #[inline(always)]
    pub fn source_as<A: Accumulator>(&self, i: usize) -> [A; 3] {
        match self.double {
            Some(double) => {
                let [x, y] = double.read_vector::<2>(4 * i);
                [
                    A::from_f64(x),
                    A::from_f64(y),
                    A::from_f64(double.read(4 * i + 2)),
                ]
            }
            None => self.source(i).map(A::from_f32),
        }
    }
}

/// Returns the weight of a source, or 1 without weights.
#[inline(always)]
pub fn weight_at(weights: Option<View<f32>>, source: usize) -> f32 {
    match weights {
        Some(weights) if !weights.is_empty() => weights.read(source),
        _ => 1.0,
    }
}
