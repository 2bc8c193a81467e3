//! From moments to series.

use super::{
    LANES, NONE, Pairs, bricks,
    present::{NUMBER, Present, unpack},
    products::Products,
};
use crate::grid::Grid;
use cuda_std::{View, ViewMut, kernel, thread};

/// A level of bricks whose series are made.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Bricks that have targets.
    pub nodes: u64,
    /// The bricks of this level.
    pub grid: Grid,
    /// Those of the level above; none at the top.
    pub coarse: Grid,
    /// The coefficients of a series.
    pub terms: u32,
    /// The products that make a series of moments.
    pub pairs: Pairs,
    /// Where the offsets begin that are far for a brick in each of the eight octants of the brick
    /// above, and where the last ones end.
    pub far: [u32; 9],
    /// What a force is multiplied by that was made in sides of a brick: their power `-m`.
    pub scale: f64,
}

/// What stands in a list for the brick that a brick is a part of.
const WHOLE: u32 = u32::MAX;

/// The series of bricks, and how far the forces that they make can be off.
///
/// A brick has the series of the brick that it is a part of, about its own centre, and those of the
/// bricks that are far from it but near to that one. A block takes bricks; its threads look which
/// of the far bricks have sources, and go through these, eight at a time, sharing the products.
/// 39.3 KiB are shared in the block.
///
/// # Safety
/// `targets` are the bricks of `level.grid` that have targets, `sources` the numbers of those with
/// sources, `moments` their moments. `offsets` and `level.far` are the far bricks: x, y and z in
/// six bits each, and the number of the offset, for which `derivatives` hold `level.terms`
/// elements, and `errors` one: how far the force of one source can be off, in sides of a brick.
/// `wholes` are the numbers of the bricks of `level.coarse` that have targets, `above` their
/// series, and `above_bounds` the bounds of all. `shifts` hold for each of the eight octants
/// `(2 δ)^c / c!`, `δ` from the whole's centre to the part's in sides of the whole, and then
/// `2^-(m - 1 + |c|)`, each for all terms; `tables` are those of `level.pairs`. `series` hold
/// `level.terms` elements for each brick with targets, `bounds` one for each of the grid. Blocks
/// have at most [`MAX_THREADS`](super::MAX_THREADS) threads.
#[kernel]
pub unsafe fn make_series(
    targets: View<u32>,
    sources: View<u32>,
    moments: View<f32>,
    offsets: View<u32>,
    derivatives: View<f32>,
    errors: View<f64>,
    wholes: View<u32>,
    above: View<f32>,
    above_bounds: View<f64>,
    shifts: View<f32>,
    tables: View<u32>,
    level: Level,
    series: ViewMut<f32>,
    bounds: ViewMut<f64>,
) {
    let present = Present::of_block();
    let products = Products::of_block();
    let terms = level.terms as usize;
    let is_first = thread::thread_idx_x() == 0;
    let mut node = thread::block_idx_x() as u64;
    while node < level.nodes {
        let at = bricks::place(level.grid, targets.read(node as usize) as u64);
        let octant = (at[0] & 1 | (at[1] & 1) << 1 | (at[2] & 1) << 2) as usize;
        let (mut whole, mut whole_brick) = (NONE, 0);
        if level.coarse.nx > 0 {
            whole_brick = bricks::number(level.coarse, at.map(|along| along / 2));
            whole = wholes.read(whole_brick);
        }
        products.clear(level.pairs);
        let mut bound = 0.0;
        let mut held = 0;
        if whole != NONE {
            if is_first {
                present.write(0, [WHOLE, whole]);
                bound = above_bounds.read(whole_brick);
            }
            held = 1;
        }
        let group = |first: usize, count: usize, bound: f64| {
            thread::sync_threads();
            products.stage(
                level.terms,
                |lane, term| {
                    if lane >= count {
                        return 0.0;
                    }
                    let [offset, number] = present.read(first + lane);
                    if offset == WHOLE {
                        let coefficient = above.read(number as usize * terms + term);
                        return coefficient * shifts.read(LANES * terms + term);
                    }
                    derivatives.read((offset >> NUMBER) as usize * terms + term)
                },
                |lane, term| {
                    if lane >= count {
                        return 0.0;
                    }
                    let [offset, number] = present.read(first + lane);
                    if offset == WHOLE {
                        return shifts.read(octant * terms + term);
                    }
                    moments.read(number as usize * terms + term)
                },
            );
            thread::sync_threads();
            products.add(tables, level.pairs);
            let mut bound = bound;
            if is_first {
                let mut lane = 0;
                while lane < count {
                    let [offset, _] = present.read(first + lane);
                    if offset != WHOLE {
                        let (_, of) = unpack(offset);
                        // the first moment is the number of sources, or the sum of their weights
                        let sources = products.second.read(lane) as f64;
                        bound += sources * errors.read(of as usize) * level.scale;
                    }
                    lane += 1;
                }
            }
            bound
        };
        let [mut next, end] = far_of(level, octant);
        while next < end {
            let [added, looked_at] =
                present.add(held, offsets, [next, end], at, sources, level.grid);
            held += added as usize;
            next += looked_at;
            let mut first = 0;
            while held - first >= LANES {
                bound = group(first, LANES, bound);
                first += LANES;
            }
            held -= first;
            thread::sync_threads();
            present.keep(first, held);
            thread::sync_threads();
        }
        if held > 0 {
            bound = group(0, held, bound);
        }
        thread::sync_threads();
        let mut term = thread::thread_idx_x() as usize;
        while term < terms {
            let coefficient = products.result(tables, level.pairs, term);
            series.write(node as usize * terms + term, coefficient as f32);
            term += thread::block_dim_x() as usize;
        }
        if is_first {
            bounds.write(targets.read(node as usize) as usize, bound);
        }
        // the next brick's sums come where these are
        thread::sync_threads();
        node += thread::grid_dim_x() as u64;
    }
}

/// Where the far offsets of an octant begin and end.
#[inline(always)]
fn far_of(level: Level, octant: usize) -> [u32; 2] {
    // constants alone index what is in registers
    let mut range = [0; 2];
    let mut k = 0;
    while k < 8 {
        if k == octant {
            range = [level.far[k], level.far[k + 1]];
        }
        k += 1;
    }
    range
}
