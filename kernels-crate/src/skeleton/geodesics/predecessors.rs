//! Shortest paths to the root, from the path costs.

use super::extend_path_cost;
use crate::{distance::sites::BitRows, rows::Rows, skeleton::field::MaskRanks};
use cuda_std::{View, ViewMut, kernel};

/// Finds the predecessor of each voxel on its shortest path to the root.
///
/// Ties are resolved in favour of the first neighbour. The root is its own predecessor.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads up to 27 path costs and edge
/// weights, writes one element per voxel of the object; no shared memory.
///
/// # Safety
/// `words`, `before` and `bits` must describe the object, which must have no voxel at the border of
/// the grid and at most 2^32 voxels. `edge_weights` and `costs` must hold one element per sample of
/// the grid, which `rows` covers; `costs` must be the output of `relax_bricks`. `half_lengths` must
/// hold one element for each of the 27 steps, `predecessors` one per voxel.
#[kernel(baseline)]
pub unsafe fn find_predecessors(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    edge_weights: View<f32>,
    costs: View<f64>,
    half_lengths: View<f64>,
    rows: Rows,
    predecessors: ViewMut<u8>,
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
    });
}

/// Gathers the path costs of the object's voxels, in voxel order.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads and writes one element; no
/// shared memory.
///
/// # Safety
/// As for `find_predecessors`; `voxel_costs` must hold one element per voxel.
#[kernel(baseline)]
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
