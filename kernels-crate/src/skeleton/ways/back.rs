//! The ways themselves, from their costs.

use super::cost_after;
use crate::{
    distance::sites::BitRows,
    rows::{Items, Rows},
    skeleton::field::Ranks,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel};

/// What is known of a way: the number of a voxel on it, and how long the part to that is.
#[inline(always)]
fn packed(voxel: u64, length: u32) -> u64 {
    voxel << 32 | length as u64
}

/// Writes which of the voxels around is before each voxel on its cheapest way, and as the beginning
/// of its chain that voxel and the length of the step.
///
/// Of several voxels the first is taken. The root is before itself.
///
/// A thread takes single samples of the grid: it reads up to 27 costs and prices, and writes two
/// numbers for a voxel of the object. Nothing is shared in the block.
///
/// # Safety
/// `words`, `before` and `bits` are the object's, which has no voxel at the border of the grid and
/// at most 2^32; `prices` and `costs` hold an element for each sample of the grid, which `rows`
/// count: the costs are those that `relax_bricks` leaves. `halves` and `lengths` hold an element
/// for each of the 27 steps, `backs` and `chains` one for each voxel.
#[kernel]
pub unsafe fn trace_back(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    prices: View<f32>,
    costs: View<f64>,
    halves: View<f64>,
    lengths: View<u32>,
    rows: Rows,
    backs: ViewMut<u8>,
    chains: ViewMut<u64>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    let grid = bits.grid;
    ranks.for_each_in(rows, |[x, y, z], number| {
        let here = grid.sample(x, y, z);
        let (cost, price) = (costs.read(here), prices.read(here) as f64);
        let mut found = 13;
        let mut bit = 0;
        while bit < 27 && found == 13 {
            let (dx, dy, dz) = (bit % 3, bit / 3 % 3, bit / 9);
            let there = grid.sample(x + dx - 1, y + dy - 1, z + dz - 1);
            let cost_there = costs.read(there);
            if cost_there < cost {
                let both = price + prices.read(there) as f64;
                if cost_after(cost_there, halves.read(bit as usize), both) == cost {
                    found = bit;
                }
            }
            bit += 1;
        }
        backs.write(number, found as u8);
        let (dx, dy, dz) = (found % 3, found / 3 % 3, found / 9);
        let next = match ranks.of([x + dx - 1, y + dy - 1, z + dz - 1]) {
            Some(next) => next,
            None => number as u64,
        };
        chains.write(number, packed(next, lengths.read(found as usize)));
    });
}

/// Chains that are looked at by a thread before others are.
const HOPS: u32 = 16;

/// Leads each chain on, to where the chain of its end leads, until all end at the root;
/// `unfinished[0]` becomes 1 if some do not yet.
///
/// A thread takes single voxels: it reads up to 16 chains and writes one. Others' chains may be
/// read before or after they are led on: both are right. Nothing is shared in the block.
///
/// # Safety
/// `chains` hold `items.count` elements that `trace_back` or this kernel has left, `unfinished`
/// one.
#[kernel]
pub unsafe fn follow(items: Items, chains: ViewMut<u64>, unfinished: ViewMut<u32>) {
    items.for_each(|item| {
        let mut chain = chains.atomic_load(item, Relaxed);
        let mut hops = 0;
        let mut ends = false;
        while hops < HOPS && !ends {
            let next = (chain >> 32) as usize;
            let there = chains.atomic_load(next, Relaxed);
            ends = there >> 32 == next as u64;
            if !ends {
                chain = packed(there >> 32, (chain as u32).wrapping_add(there as u32));
            }
            hops += 1;
        }
        if hops > 1 {
            chains.atomic_store(item, chain, Relaxed);
        }
        if !ends {
            unfinished.atomic_store(0, 1, Relaxed);
        }
    });
}

/// Writes the lengths of chains.
///
/// A thread takes single voxels: it reads a chain and writes a length. Nothing is shared in the
/// block.
///
/// # Safety
/// `chains` and `lengths` hold `items.count` elements.
#[kernel]
pub unsafe fn chain_lengths(chains: View<u64>, items: Items, lengths: ViewMut<u32>) {
    items.for_each(|item| lengths.write(item, chains.read(item) as u32));
}

/// Lists the costs of voxels in their order.
///
/// A thread takes single samples of the grid: it reads a number and writes one. Nothing is shared
/// in the block.
///
/// # Safety
/// As `trace_back`; `costs_of_voxels` hold an element for each voxel.
#[kernel]
pub unsafe fn list_costs(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    costs: View<f64>,
    rows: Rows,
    costs_of_voxels: ViewMut<f64>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    ranks.for_each_in(rows, |[x, y, z], number| {
        costs_of_voxels.write(number, costs.read(bits.grid.sample(x, y, z)));
    });
}
