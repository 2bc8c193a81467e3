//! Sources as moments.

use super::{LANES, NONE, Pairs, bricks, products::Products};
use crate::{grid::Grid, skeleton::field::tile::weight_at};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// What moments are made of.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// Bricks that have sources.
    pub nodes: u64,
    /// The order of the series.
    pub order: u32,
    /// Its coefficients.
    pub terms: u32,
    /// The products that make moments of those of parts.
    pub pairs: Pairs,
    /// The bricks of this level.
    pub grid: Grid,
    /// The bricks of the level below.
    pub fine: Grid,
}

/// The moments of bricks from their sources: `Σ (-v)^q / q!` for each triple `q` of powers, `v`
/// from the brick's centre in sides of a brick, times the source's weight; in `f64`, rounded once.
///
/// A block takes bricks, its threads share the moments: each goes through all sources, and reads
/// one or two numbers for each and three powers. Nothing is shared in the block.
///
/// # Safety
/// `list` and `starts` are what `list_sources` leaves, `weights` what `list_weights` does, or
/// empty: then each weighs 1; `terms` hold the powers of each triple in a byte each; `powers` have
/// for each place along a side of a brick all `(-v)^k / k!` up to the order; `moments` hold
/// `sums.terms` elements for each brick.
#[kernel]
pub unsafe fn moments_of_bricks(
    list: View<u32>,
    weights: View<f32>,
    starts: View<u64>,
    terms: View<u32>,
    powers: View<f64>,
    sums: Sums,
    moments: ViewMut<f32>,
) {
    let stride = sums.order as usize + 1;
    let mut node = thread::block_idx_x() as u64;
    while node < sums.nodes {
        let [start, end] = [starts.read(node as usize), starts.read(node as usize + 1)];
        let mut term = thread::thread_idx_x();
        while term < sums.terms {
            let powers_of = terms.read(term as usize);
            let (i, j, k) = (
                (powers_of & 0xff) as usize,
                (powers_of >> 8 & 0xff) as usize,
                (powers_of >> 16) as usize,
            );
            let mut sum = 0.0;
            let mut source = start;
            while source < end {
                let at = list.read(source as usize);
                let along = |place: u32, power: usize| {
                    powers.read((place & 0xff) as usize * stride + power)
                };
                let term = along(at, i) * along(at >> 8, j) * along(at >> 16, k);
                sum += term * weight_at(Some(weights), source as usize) as f64;
                source += 1;
            }
            let to = node as usize * sums.terms as usize + term as usize;
            moments.write(to, sum as f32);
            term += thread::block_dim_x();
        }
        node += thread::grid_dim_x() as u64;
    }
}

/// The moments of bricks from those of their eight parts.
///
/// A block takes bricks, its threads share the products; the eight parts are the eight translations
/// that are made at a time. 36.7 KiB are shared in the block.
///
/// # Safety
/// `bricks` are those of `sums.grid` with sources, `parts` the numbers of those of `sums.fine`,
/// `below` their moments; `shifts` hold, for each of the eight octants, `(-δ / 2)^c / c!`, `δ` from
/// the whole's centre to the part's in sides of a part, and then `2^-|c|`, each for all terms;
/// `tables` are those of `sums.pairs`, `moments` hold `sums.terms` elements for each brick.
#[kernel]
pub unsafe fn moments_up(
    bricks: View<u32>,
    parts: View<u32>,
    below: View<f32>,
    shifts: View<f32>,
    tables: View<u32>,
    sums: Sums,
    moments: ViewMut<f32>,
) {
    let products = Products::of_block();
    let numbers = shared_view![u32; LANES];
    let terms = sums.terms as usize;
    let mut node = thread::block_idx_x() as u64;
    while node < sums.nodes {
        let whole = bricks::place(sums.grid, bricks.read(node as usize) as u64);
        let mut octant = thread::thread_idx_x() as usize;
        while octant < LANES {
            numbers.write(
                octant,
                number_of_part(parts, sums.fine, whole, octant as u32),
            );
            octant += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
        products.clear(sums.pairs);
        products.stage(
            sums.terms,
            |lane, term| {
                let number = numbers.read(lane);
                if number == NONE {
                    return 0.0;
                }
                let moment = below.read(number as usize * terms + term);
                moment * shifts.read(LANES * terms + term)
            },
            |lane, term| shifts.read(lane * terms + term),
        );
        thread::sync_threads();
        products.add(tables, sums.pairs);
        thread::sync_threads();
        let mut term = thread::thread_idx_x() as usize;
        while term < terms {
            let moment = products.result(tables, sums.pairs, term);
            moments.write(node as usize * terms + term, moment as f32);
            term += thread::block_dim_x() as usize;
        }
        // the next brick's parts come where these are
        thread::sync_threads();
        node += thread::grid_dim_x() as u64;
    }
}

/// The number of the brick that is a part of another, if it has sources.
#[inline(always)]
fn number_of_part(parts: View<u32>, fine: Grid, [x, y, z]: [u32; 3], octant: u32) -> u32 {
    let (x, y, z) = (
        2 * x + (octant & 1),
        2 * y + (octant >> 1 & 1),
        2 * z + (octant >> 2),
    );
    if x < fine.nx && y < fine.ny && z < fine.nz {
        parts.read(bricks::number(fine, [x, y, z]))
    } else {
        NONE
    }
}
