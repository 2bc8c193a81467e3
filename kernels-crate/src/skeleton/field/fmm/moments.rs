//! Upward pass: moments of bricks (P2M and M2M).

use super::{NO_BRICK, ProductTable, TRANSLATIONS, bricks, translations::TranslationBatch};
use crate::{grid::Grid, skeleton::field::tile::weight_at};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Parameters of the moment kernels for one level.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MomentParams {
    /// Number of bricks with sources.
    pub bricks: u64,
    /// Order of the expansions.
    pub order: u32,
    /// Number of coefficients per expansion.
    pub terms: u32,
    /// Products that translate moments from a child to its parent.
    pub pairs: ProductTable,
    /// Grid of bricks of this level.
    pub grid: Grid,
    /// Grid of bricks of the next finer level.
    pub fine: Grid,
}

/// Computes the moments of bricks from their sources (P2M): `Σ w (-v)^q / q!` for each multi-index
/// `q`, where `v` points from the brick's centre to the source in units of the brick's edge and `w`
/// is the source's weight. Sums are in `f64` and rounded once.
///
/// **Mapping:** one brick per block, one moment per thread at a time. **Memory:** per moment, reads
/// one element (two with weights) and three powers per source; writes one element; no shared
/// memory.
///
/// # Safety
/// `sources` and `starts` must be the output of `list_sources_by_brick`, `weights` that of
/// `list_weights_by_brick`, or empty if every source weighs 1. `terms` must hold the multi-index of
/// each coefficient, one byte per axis. `powers` must hold `(-v)^k / k!` for each position along a
/// brick's edge and each `k` up to the order. `moments` must hold `params.terms` elements per
/// brick.
#[kernel(baseline)]
pub unsafe fn compute_moments(
    sources: View<u32>,
    weights: View<f32>,
    starts: View<u64>,
    terms: View<u32>,
    powers: View<f64>,
    params: MomentParams,
    moments: ViewMut<f32>,
) {
    let stride = params.order as usize + 1;
    let mut brick_index = thread::block_idx_x() as u64;
    while brick_index < params.bricks {
        let [start, end] = [
            starts.read(brick_index as usize),
            starts.read(brick_index as usize + 1),
        ];
        let mut term = thread::thread_idx_x();
        while term < params.terms {
            let multi_index = terms.read(term as usize);
            let (i, j, k) = (
                (multi_index & 0xff) as usize,
                (multi_index >> 8 & 0xff) as usize,
                (multi_index >> 16) as usize,
            );
            let mut sum = 0.0;
            let mut source = start;
            while source < end {
                let at = sources.read(source as usize);
                let power_along = |position: u32, power: usize| {
                    powers.read((position & 0xff) as usize * stride + power)
                };
                let term = power_along(at, i) * power_along(at >> 8, j) * power_along(at >> 16, k);
                sum += term * weight_at(Some(weights), source as usize) as f64;
                source += 1;
            }
            let output = brick_index as usize * params.terms as usize + term as usize;
            moments.write(output, sum as f32);
            term += thread::block_dim_x();
        }
        brick_index += thread::grid_dim_x() as u64;
    }
}

/// Computes the moments of bricks from those of their eight children (M2M).
///
/// **Mapping:** one brick per block; the threads share the products, and the eight children form
/// one batch of translations. **Memory:** 36.7 KiB of shared memory; reads the moments of the
/// children, writes those of the brick.
///
/// # Safety
/// `bricks` must be the bricks of `params.grid` with sources, `children` the indices of those of
/// `params.fine`, `child_moments` their moments. `shifts` must hold `(-δ / 2)^c / c!` for all terms
/// of each of the eight octants, where `δ` points from the parent's centre to the child's in units
/// of the child's edge, followed by `2^-|c|` for all terms. `tables` must be those of
/// `params.pairs`; `moments` must hold `params.terms` elements per brick.
#[kernel(baseline)]
pub unsafe fn translate_moments(
    bricks: View<u32>,
    children: View<u32>,
    child_moments: View<f32>,
    shifts: View<f32>,
    tables: View<u32>,
    params: MomentParams,
    moments: ViewMut<f32>,
) {
    let batch = TranslationBatch::new();
    let child_indices = shared_view![u32; TRANSLATIONS];
    let terms = params.terms as usize;
    let mut brick_index = thread::block_idx_x() as u64;
    while brick_index < params.bricks {
        let parent = bricks::brick_coords(params.grid, bricks.read(brick_index as usize) as u64);
        let mut octant = thread::thread_idx_x() as usize;
        while octant < TRANSLATIONS {
            child_indices.write(
                octant,
                child_index(children, params.fine, parent, octant as u32),
            );
            octant += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        batch.clear(params.pairs);
        batch.stage(
            params.terms,
            |lane, term| {
                let child = child_indices.read(lane);
                if child == NO_BRICK {
                    return 0.0;
                }
                let moment = child_moments.read(child as usize * terms + term);
                moment * shifts.read(TRANSLATIONS * terms + term)
            },
            |lane, term| shifts.read(lane * terms + term),
        );
        thread::sync_threads();
        batch.accumulate(tables, params.pairs);
        thread::sync_threads();
        let mut term = thread::thread_idx_x() as usize;
        while term < terms {
            let moment = batch.result(tables, params.pairs, term);
            moments.write(brick_index as usize * terms + term, moment as f32);
            term += thread::block_dim_x() as usize;
        }
        // the next brick overwrites the staged children
        thread::sync_threads();
        brick_index += thread::grid_dim_x() as u64;
    }
}

/// Returns the index of a brick's child among the bricks with sources, or [`NO_BRICK`].
#[inline(always)]
fn child_index(children: View<u32>, fine: Grid, [x, y, z]: [u32; 3], octant: u32) -> u32 {
    let (x, y, z) = (
        2 * x + (octant & 1),
        2 * y + (octant >> 1 & 1),
        2 * z + (octant >> 2),
    );
    if x < fine.nx && y < fine.ny && z < fine.nz {
        children.read(bricks::brick_index(fine, [x, y, z]))
    } else {
        NO_BRICK
    }
}
