//! Shortest paths to the root, from the path costs: predecessors and path lengths.

use super::extend_path_cost;
use crate::{
    distance::sites::BitRows,
    rows::{Items, Rows},
    skeleton::field::MaskRanks,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel};

/// Packs a link of a path: a voxel on the path to the root, and the length of the path up to it.
#[inline(always)]
fn pack_link(voxel: u64, length: u32) -> u64 {
    voxel << 32 | length as u64
}

/// Finds the predecessor of each voxel on its shortest path to the root, and initialises the
/// voxel's link with that predecessor and the length of the step.
///
/// Ties are resolved in favour of the first neighbour. The root is its own predecessor.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads up to 27 path costs and edge
/// weights, writes two elements per voxel of the object; no shared memory.
///
/// # Safety
/// `words`, `before` and `bits` must describe the object, which must have no voxel at the border of
/// the grid and at most 2^32 voxels. `edge_weights` and `costs` must hold one element per sample of
/// the grid, which `rows` covers; `costs` must be the output of `relax_bricks`. `half_lengths` and
/// `step_lengths` must hold one element for each of the 27 steps, `predecessors` and `links` one
/// per voxel.
#[kernel]
pub unsafe fn find_predecessors(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    edge_weights: View<f32>,
    costs: View<f64>,
    half_lengths: View<f64>,
    step_lengths: View<u32>,
    rows: Rows,
    predecessors: ViewMut<u8>,
    links: ViewMut<u64>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    let grid = bits.grid;
    ranks.for_each_voxel(rows, |[x, y, z], rank| {
        let index = grid.sample(x, y, z);
        let (cost, edge_weight) = (costs.read(index), edge_weights.read(index) as f64);
        let mut step = 13;
        let mut bit = 0;
        while bit < 27 && step == 13 {
            let (dx, dy, dz) = (bit % 3, bit / 3 % 3, bit / 9);
            let neighbour = grid.sample(x + dx - 1, y + dy - 1, z + dz - 1);
            let neighbour_cost = costs.read(neighbour);
            if neighbour_cost < cost {
                let weight_sum = edge_weight + edge_weights.read(neighbour) as f64;
                if extend_path_cost(neighbour_cost, half_lengths.read(bit as usize), weight_sum)
                    == cost
                {
                    step = bit;
                }
            }
            bit += 1;
        }
        predecessors.write(rank, step as u8);
        let (dx, dy, dz) = (step % 3, step / 3 % 3, step / 9);
        let next = match ranks.rank([x + dx - 1, y + dy - 1, z + dz - 1]) {
            Some(next) => next,
            None => rank as u64,
        };
        links.write(rank, pack_link(next, step_lengths.read(step as usize)));
    });
}

/// Maximum number of links that a thread follows per launch.
const HOPS: u32 = 16;

/// Extends each link by the link of its end (pointer jumping), until all links end at the root.
/// Sets `unfinished[0]` to 1 if another launch is needed.
///
/// **Mapping:** one voxel per thread. **Memory:** reads up to 16 links and writes one; no shared
/// memory. Concurrent updates are benign: a link may be read before or after its extension.
///
/// # Safety
/// `links` must hold the `items.count` elements written by `find_predecessors` or this kernel,
/// `unfinished` one element.
#[kernel]
pub unsafe fn jump_pointers(items: Items, links: ViewMut<u64>, unfinished: ViewMut<u32>) {
    items.for_each(|item| {
        let mut link = links.atomic_load(item, Relaxed);
        let mut hops = 0;
        let mut ends = false;
        while hops < HOPS && !ends {
            let next = (link >> 32) as usize;
            let next_link = links.atomic_load(next, Relaxed);
            ends = next_link >> 32 == next as u64;
            if !ends {
                link = pack_link(
                    next_link >> 32,
                    (link as u32).wrapping_add(next_link as u32),
                );
            }
            hops += 1;
        }
        if hops > 1 {
            links.atomic_store(item, link, Relaxed);
        }
        if !ends {
            unfinished.atomic_store(0, 1, Relaxed);
        }
    });
}

/// Extracts the path lengths from links that end at the root.
///
/// **Mapping:** one voxel per thread. **Memory:** reads a link and writes a length; no shared
/// memory.
///
/// # Safety
/// `links` and `lengths` must hold `items.count` elements.
#[kernel]
pub unsafe fn extract_path_lengths(links: View<u64>, items: Items, lengths: ViewMut<u32>) {
    items.for_each(|item| lengths.write(item, links.read(item) as u32));
}

/// Gathers the path costs of the object's voxels, in voxel order.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads and writes one element; no
/// shared memory.
///
/// # Safety
/// As for `find_predecessors`; `voxel_costs` must hold one element per voxel.
#[kernel]
pub unsafe fn gather_costs(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    costs: View<f64>,
    rows: Rows,
    voxel_costs: ViewMut<f64>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    ranks.for_each_voxel(rows, |[x, y, z], rank| {
        voxel_costs.write(rank, costs.read(bits.grid.sample(x, y, z)));
    });
}
