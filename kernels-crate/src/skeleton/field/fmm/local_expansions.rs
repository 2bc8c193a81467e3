//! Downward pass: local expansions (M2L and L2L).

use super::{
    NO_BRICK, ProductTable, TRANSLATIONS,
    brick_list::{BrickList, OFFSET_INDEX_SHIFT, unpack},
    bricks,
    translations::TranslationBatch,
};
use crate::grid::Grid;
use cuda_std::{View, ViewMut, kernel, thread};

/// Parameters of one level of bricks whose local expansions are computed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelParams {
    /// Number of bricks with targets.
    pub bricks: u64,
    /// Grid of bricks of this level.
    pub grid: Grid,
    /// Grid of bricks of the next coarser level; empty at the top.
    pub coarse: Grid,
    /// Number of coefficients per expansion.
    pub terms: u32,
    /// Products that translate moments to a local expansion.
    pub pairs: ProductTable,
    /// Start of the far offsets of each octant of the parent brick, and a final end index.
    pub far: [u32; 9],
    /// Factor from forces in brick units to forces in lattice units: the brick's edge to the power
    /// `-m`.
    pub scale: f64,
}

/// Entry that stands for the parent brick in the list of bricks.
const PARENT: u32 = u32::MAX;

/// Computes the local expansions of bricks, and a bound of the error of the forces derived from
/// them.
///
/// A brick receives its parent's expansion, translated to its own centre (L2L), and those of the
/// bricks that are far from it but near its parent (M2L).
///
/// **Mapping:** one brick per block. **Phases**, separated by barriers: (1) the threads list the
/// far bricks that have sources; (2) eight translations at a time: stage the coefficients of both
/// factors, then accumulate their products, shared among the threads; (3) one coefficient per
/// thread: write the expansion. **Memory:** 39.3 KiB of shared memory; reads one set of moments and
/// one of derivatives per far brick.
///
/// # Safety
/// `targets` must be the bricks of `params.grid` with targets, `sources` the indices of those with
/// sources, `moments` their moments. `offsets` and `params.far` must be the far offsets: x, y and z
/// in six bits each, and the offset's index, for which `derivatives` must hold `params.terms`
/// elements and `errors` one, the error bound of the force of one source in brick units.
/// `parent_indices` must be the indices of the bricks of `params.coarse` with targets,
/// `parent_expansions` their expansions, and `parent_bounds` the bounds of all bricks of
/// `params.coarse`. `shifts` must hold `(2 δ)^c / c!` for all terms of each of the eight octants,
/// where `δ` points from the parent's centre to the child's in units of the parent's edge, followed
/// by `2^-(m - 1 + |c|)` for all terms; `tables` must be those of `params.pairs`.
/// `local_expansions` must hold `params.terms` elements per brick with targets, `bounds` one per
/// brick of the grid. Blocks must have at most [`MAX_THREADS`](super::MAX_THREADS) threads.
#[kernel(baseline)]
pub unsafe fn compute_local_expansions(
    targets: View<u32>,
    sources: View<u32>,
    moments: View<f32>,
    offsets: View<u32>,
    derivatives: View<f32>,
    errors: View<f64>,
    parent_indices: View<u32>,
    parent_expansions: View<f32>,
    parent_bounds: View<f64>,
    shifts: View<f32>,
    tables: View<u32>,
    params: LevelParams,
    local_expansions: ViewMut<f32>,
    bounds: ViewMut<f64>,
) {
    let entries = BrickList::new();
    let batch = TranslationBatch::new();
    let terms = params.terms as usize;
    let is_first = thread::thread_idx_x() == 0;
    let mut brick_index = thread::block_idx_x() as u64;
    while brick_index < params.bricks {
        let at = bricks::brick_coords(params.grid, targets.read(brick_index as usize) as u64);
        let octant = (at[0] & 1 | (at[1] & 1) << 1 | (at[2] & 1) << 2) as usize;
        let (mut parent, mut parent_brick) = (NO_BRICK, 0);
        if params.coarse.nx > 0 {
            parent_brick = bricks::brick_index(params.coarse, at.map(|along| along / 2));
            parent = parent_indices.read(parent_brick);
        }
        batch.clear(params.pairs);
        let mut bound = 0.0;
        let mut len = 0;
        if parent != NO_BRICK {
            if is_first {
                entries.write(0, [PARENT, parent]);
                bound = parent_bounds.read(parent_brick);
            }
            len = 1;
        }
        let translate = |first: usize, count: usize, bound: f64| {
            thread::sync_threads();
            batch.stage(
                params.terms,
                |lane, term| {
                    if lane >= count {
                        return 0.0;
                    }
                    let [offset, index] = entries.read(first + lane);
                    if offset == PARENT {
                        let coefficient = parent_expansions.read(index as usize * terms + term);
                        return coefficient * shifts.read(TRANSLATIONS * terms + term);
                    }
                    derivatives.read((offset >> OFFSET_INDEX_SHIFT) as usize * terms + term)
                },
                |lane, term| {
                    if lane >= count {
                        return 0.0;
                    }
                    let [offset, index] = entries.read(first + lane);
                    if offset == PARENT {
                        return shifts.read(octant * terms + term);
                    }
                    moments.read(index as usize * terms + term)
                },
            );
            thread::sync_threads();
            batch.accumulate(tables, params.pairs);
            let mut bound = bound;
            if is_first {
                let mut lane = 0;
                while lane < count {
                    let [offset, _] = entries.read(first + lane);
                    if offset != PARENT {
                        let (_, offset_index) = unpack(offset);
                        // the zeroth moment is the number of sources, or the sum of their weights
                        let sources = batch.second.read(lane) as f64;
                        bound += sources * errors.read(offset_index as usize) * params.scale;
                    }
                    lane += 1;
                }
            }
            bound
        };
        let [mut next_offset, end] = far_range(params, octant);
        while next_offset < end {
            let [appended, examined] =
                entries.append_occupied(len, offsets, [next_offset, end], at, sources, params.grid);
            len += appended as usize;
            next_offset += examined;
            let mut first = 0;
            while len - first >= TRANSLATIONS {
                bound = translate(first, TRANSLATIONS, bound);
                first += TRANSLATIONS;
            }
            len -= first;
            thread::sync_threads();
            entries.move_to_front(first, len);
            thread::sync_threads();
        }
        if len > 0 {
            bound = translate(0, len, bound);
        }
        thread::sync_threads();
        let mut term = thread::thread_idx_x() as usize;
        while term < terms {
            let coefficient = batch.result(tables, params.pairs, term);
            local_expansions.write(brick_index as usize * terms + term, coefficient as f32);
            term += thread::block_dim_x() as usize;
        }
        if is_first {
            bounds.write(targets.read(brick_index as usize) as usize, bound);
        }
        // the next brick overwrites the sums
        thread::sync_threads();
        brick_index += thread::grid_dim_x() as u64;
    }
}

/// Returns the range of an octant's far offsets.
#[inline(always)]
fn far_range(params: LevelParams, octant: usize) -> [u32; 2] {
    // arrays in registers can be indexed by constants only
    let mut range = [0; 2];
    let mut k = 0;
    while k < 8 {
        if k == octant {
            range = [params.far[k], params.far[k + 1]];
        }
        k += 1;
    }
    range
}
