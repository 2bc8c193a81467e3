//! Connected parts of blocks with their moments.

use super::{block_segments::BlockSegments, input::EndSearchInput};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind},
    union_find::UnionFind,
};
use std::ops::Range;

/// Connected part of a block.
pub struct Node {
    /// Index of the first neighbour in the list of neighbours.
    pub first_neighbour: u32,
    /// Number of voxels.
    pub voxels: u32,
    /// Voxel farthest from the background.
    pub thickest_voxel: u32,
    /// Centroid, in voxels of the frame.
    pub centroid: [f64; 3],
    /// Sum of squared distances to the centroid, in units of the smallest spacing squared.
    pub spread: f64,
}

impl Node {
    /// Creates the node that marks the end of a list.
    pub fn end() -> Self {
        Self {
            first_neighbour: 0,
            voxels: 0,
            thickest_voxel: 0,
            centroid: [0.0; 3],
            spread: 0.0,
        }
    }
}

/// Nodes of a slab of blocks. Segments and nodes are numbered from 0 in the slab.
pub struct SlabNodes {
    /// Node of each segment.
    pub segment_nodes: Vec<u32>,
    pub nodes: Vec<Node>,
}

/// Finds the connected parts of the blocks of a slab, in the order of their first voxels.
pub fn find_nodes(
    input: &EndSearchInput<'_>,
    sides: [i32; 3],
    segments: &BlockSegments<'_>,
    rows: &Range<usize>,
) -> SlabNodes {
    let range = segments.rows_segments(rows);
    let mut roots = unwrap_or_unwind(UnionFind::<u32>::try_new(range.len()));
    for row in rows.clone() {
        segments.for_each_pair_within(row, |a, b| {
            roots.join((a - range.start) as u32, (b - range.start) as u32);
        });
    }
    let mut segment_nodes: Vec<u32> = with_capacity_or_unwind(range.len());
    let mut sums: Vec<VoxelSums> = Vec::new();
    for row in rows.clone() {
        let [y, z] = input.object.row_position(row);
        let along = [y % sides[1], z % sides[2]].map(i64::from);
        for segment in segments.row_segments(row) {
            let own = segment - range.start;
            let root = roots.root(own as u32) as usize;
            let run = segments.get(segment);
            if root == own {
                segment_nodes.push_or_unwind(sums.len() as u32);
                let corner = segments.corner([run.start, y, z]);
                sums.push_or_unwind(VoxelSums::new(corner));
            } else {
                segment_nodes.push_or_unwind(segment_nodes[root]);
            }
            let node = &mut sums[segment_nodes[own] as usize];
            let x = i64::from(run.start % sides[0]);
            node.add(run.voxels(), x, along, input.squared_distances);
        }
    }
    let nodes = sums.iter().map(|sums| sums.node(input.metric));
    SlabNodes {
        nodes: nodes.collect_or_unwind(),
        segment_nodes,
    }
}

/// Sums over the voxels of a node, relative to the lowest corner of its block. They are integers,
/// so that the order of the voxels does not matter.
struct VoxelSums {
    corner: [i32; 3],
    voxels: i64,
    positions: [i64; 3],
    /// Sums of the products xx, yy, zz, xy, xz, yz.
    products: [i64; 6],
    thickest_voxel: u32,
    /// Squared distance of the thickest voxel from the background.
    largest_square: f32,
}

impl VoxelSums {
    fn new(corner: [i32; 3]) -> Self {
        Self {
            corner,
            voxels: 0,
            positions: [0; 3],
            products: [0; 6],
            thickest_voxel: 0,
            largest_square: -1.0,
        }
    }

    /// Adds consecutive voxels along x.
    fn add(&mut self, voxels: Range<usize>, x: i64, [y, z]: [i64; 2], squared_distances: &[f32]) {
        let count = voxels.len() as i64;
        // sums of x and of its square
        let sum = count * x + count * (count - 1) / 2;
        let squares =
            count * x * x + x * count * (count - 1) + (count - 1) * count * (2 * count - 1) / 6;
        self.voxels += count;
        for (total, along) in self.positions.iter_mut().zip([sum, count * y, count * z]) {
            *total += along;
        }
        let products = [
            squares,
            count * y * y,
            count * z * z,
            sum * y,
            sum * z,
            count * y * z,
        ];
        for (total, product) in self.products.iter_mut().zip(products) {
            *total += product;
        }
        for (voxel, &square) in voxels.clone().zip(&squared_distances[voxels]) {
            if square > self.largest_square {
                (self.largest_square, self.thickest_voxel) = (square, voxel as u32);
            }
        }
    }

    fn node(&self, metric: &Metric) -> Node {
        let count = self.voxels as f64;
        let mean = self.positions.map(|sum| sum as f64 / count);
        let [xx, yy, zz, xy, xz, yz] = metric.products();
        let weights = [xx, yy, zz, 2.0 * xy, 2.0 * xz, 2.0 * yz];
        let weighted = weights.iter().zip(self.products);
        let squares: f64 = weighted
            .map(|(weight, product)| weight * product as f64)
            .sum();
        Node {
            first_neighbour: 0,
            voxels: self.voxels as u32,
            thickest_voxel: self.thickest_voxel,
            centroid: [0, 1, 2].map(|axis| f64::from(self.corner[axis]) + mean[axis]),
            spread: (squares - count * metric.squared_length(mean)).max(0.0),
        }
    }
}
