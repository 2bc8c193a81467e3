//! Sources in shared memory.

use super::Add;
use cuda_std::{SharedView, View, shared_view, thread};

/// Sources of a tile: 8 KiB, and 16 KiB more where they are needed in `f64`.
pub const TILE: u64 = 512;

/// Sources that are gone through at a time: as many are staged as are a multiple of it.
pub const STEP: usize = 4;

/// So far away that its force is 0, whatever the exponent, and none of its squares infinite.
const NOWHERE: f32 = 1e18;

/// A tile of sources: x, y, z and weight.
#[derive(Clone, Copy)]
pub struct Tile {
    near: SharedView<f32>,
    wide: Option<SharedView<f64>>,
}

impl Tile {
    /// The block's.
    #[inline(always)]
    pub fn of_block<A: Add>() -> Self {
        Self {
            near: shared_view![f32; 4 * TILE as usize],
            wide: A::IS_WIDE.then(|| shared_view![f64; 4 * TILE as usize]),
        }
    }

    /// Stages the sources from `start` on, `end` at most; says how many, filled up with ones that
    /// are nowhere. Without weights, or with none, each weighs 1. All threads of the block call it;
    /// two barriers are in it.
    #[inline(always)]
    pub fn stage(
        &self,
        sources: View<f32>,
        weights: Option<View<f32>>,
        start: u64,
        end: u64,
    ) -> usize {
        let here = if end - start < TILE {
            end - start
        } else {
            TILE
        } as usize;
        let filled = here.next_multiple_of(STEP);
        // the tile before is done with
        thread::sync_threads();
        let mut i = thread::thread_idx_x() as usize;
        while i < filled {
            let mut source = [NOWHERE; 4];
            if i < here {
                let at = 3 * (start as usize + i);
                source = [
                    sources.read(at),
                    sources.read(at + 1),
                    sources.read(at + 2),
                    weight_at(weights, start as usize + i),
                ];
            }
            self.near.write_vector(4 * i, source);
            if let Some(wide) = self.wide {
                let [x, y, z, _] = source;
                wide.write_vector(4 * i, [x as f64, y as f64]);
                wide.write_vector(4 * i + 2, [z as f64, 0.0]);
            }
            i += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        filled
    }

    /// The coordinates of a source.
    #[inline(always)]
    pub fn source(&self, i: usize) -> [f32; 3] {
        let [x, y, z, _] = self.weighted(i);
        [x, y, z]
    }

    /// The coordinates of a source, and its weight.
    #[inline(always)]
    pub fn weighted(&self, i: usize) -> [f32; 4] {
        self.near.read_vector::<4>(4 * i)
    }

    /// The same in the numbers that are added up.
    #[inline(always)]
    pub fn wide_source<A: Add>(&self, i: usize) -> [A; 3] {
        match self.wide {
            Some(wide) => {
                let [x, y] = wide.read_vector::<2>(4 * i);
                [A::narrow(x), A::narrow(y), A::narrow(wide.read(4 * i + 2))]
            }
            None => self.source(i).map(A::of),
        }
    }
}

/// The weight of a source: 1 without weights.
#[inline(always)]
pub fn weight_at(weights: Option<View<f32>>, source: usize) -> f32 {
    match weights {
        Some(weights) if !weights.is_empty() => weights.read(source),
        _ => 1.0,
    }
}
