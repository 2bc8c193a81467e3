//! Connected parts of blocks of voxels, as a graph for fronts in large components.

use super::{
    block_segments::BlockSegments,
    graph::{FrontGraph, UNITS},
    input::EndSearchInput,
};
use crate::{
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind, unwrap_or_unwind,
        with_capacity_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::voxels::object::Object,
    union_find::UnionFind,
};
use std::ops::Range;

/// Connected parts of the blocks of a component. Thin parts of the component remain connected, and
/// parts side by side remain apart, however large the blocks are.
pub struct BlockGraph<'a> {
    object: &'a Object,
    metric: &'a Metric,
    sides: [i32; 3],
    /// Extent of a block, in units of the smallest spacing.
    extent: f64,
    segments: BlockSegments<'a>,
    /// Node of each segment.
    segment_nodes: Vec<u32>,
    /// Segments of all nodes, node by node, in ascending order.
    node_segments: Vec<u32>,
    nodes: Vec<Node>,
    /// Neighbours of all nodes, node by node.
    neighbours: Vec<u32>,
    /// Length of the edge to each neighbour, in units of the front.
    lengths: Vec<u16>,
    longest_edge: u32,
}

struct Node {
    /// Index of the first segment in the list of segments.
    first_segment: u32,
    /// Index of the first neighbour in the list of neighbours.
    first_neighbour: u32,
    /// Number of voxels.
    voxels: u32,
    /// Voxel farthest from the background.
    thickest_voxel: u32,
    /// Centroid, in voxels of the frame.
    centroid: [f64; 3],
    /// Sum of squared distances to the centroid, in units of the smallest spacing squared.
    spread: f64,
}

/// Returns the numbers of voxels of a block along the axes, which are close to `extent` smallest
/// spacings.
fn block_sides(metric: &Metric, extent: usize) -> [i32; 3] {
    [0, 1, 2].map(|axis| {
        let side = extent as f64 / metric.squared_spacing(axis).sqrt();
        side.round().clamp(1.0, f64::from(u16::MAX)) as i32
    })
}

/// Nodes of a slab of blocks. Segments and nodes are numbered from 0 in the slab.
struct SlabNodes {
    segment_nodes: Vec<u32>,
    nodes: Vec<Node>,
}

impl<'a> BlockGraph<'a> {
    /// Builds the graph for blocks of about `extent` smallest spacings, on all threads. Takes time
    /// linear in the number of voxels.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(input: &EndSearchInput<'a>, extent: usize) -> Result<Self, Cancelled> {
        let EndSearchInput {
            object,
            metric,
            progress,
            ..
        } = *input;
        let sides = block_sides(metric, extent);
        let segments = BlockSegments::new(object, sides);
        let slabs = slab_rows(object, sides[2]);
        let found = parallel::try_map(slabs.len(), |slab| {
            progress.check()?;
            Ok::<_, Cancelled>(find_nodes(input, sides, &segments, &slabs[slab]))
        })?;
        let mut graph = Self {
            object,
            metric,
            sides,
            extent: extent as f64,
            segment_nodes: with_capacity_or_unwind(segments.len()),
            node_segments: Vec::new(),
            segments,
            nodes: Vec::new(),
            neighbours: Vec::new(),
            lengths: Vec::new(),
            longest_edge: 1,
        };
        for slab in found {
            let first = graph.nodes.len() as u32;
            let nodes = slab.segment_nodes.into_iter().map(|node| first + node);
            graph.segment_nodes.extend_or_unwind(nodes);
            graph.nodes.extend_or_unwind(slab.nodes);
        }
        graph.list_segments();
        let pairs = parallel::try_map(slabs.len(), |slab| {
            progress.check()?;
            Ok::<_, Cancelled>(graph.find_pairs(&slabs[slab]))
        })?;
        graph.list_neighbours(pairs);
        Ok(graph)
    }

    /// Lists the segments of each node, and appends a node that marks the end.
    fn list_segments(&mut self) {
        let nodes = self.nodes.len();
        let keys = |segment: usize| self.segment_nodes[segment];
        let (starts, segments) = group_items(
            nodes,
            (0..self.segments.len()).map(|at| (keys(at), at as u32)),
        );
        self.node_segments = segments;
        self.nodes.push_or_unwind(Node {
            first_segment: 0,
            first_neighbour: 0,
            voxels: 0,
            thickest_voxel: 0,
            centroid: [0.0; 3],
            spread: 0.0,
        });
        for (node, start) in self.nodes.iter_mut().zip(starts) {
            node.first_segment = start;
        }
    }

    /// Finds the pairs of neighbouring nodes of which one has a segment in the given rows, and the
    /// other one in them or in the following rows; each pair once.
    fn find_pairs(&self, rows: &Range<usize>) -> Vec<(u32, u32)> {
        // recent pairs by slot: most segments have the neighbours of the segment before
        const SLOTS: usize = 256;
        let mut recent = [(0, 0); SLOTS];
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for row in rows.clone() {
            self.segments.for_each_pair(row, |a, b| {
                let [a, b] = [a, b].map(|segment| self.segment_nodes[segment]);
                let pair = (a.min(b), a.max(b));
                let slot = &mut recent[(pair.0.wrapping_mul(31) ^ pair.1) as usize % SLOTS];
                if a != b && *slot != pair {
                    *slot = pair;
                    pairs.push_or_unwind(pair);
                }
            });
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        pairs
    }

    /// Lists the neighbours of each node, with the lengths of the edges.
    fn list_neighbours(&mut self, pairs: Vec<Vec<(u32, u32)>>) {
        let nodes = self.nodes.len() - 1;
        let both = pairs.iter().flatten().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let (starts, neighbours) = group_items(nodes, both);
        drop(pairs);
        for (node, start) in self.nodes.iter_mut().zip(starts) {
            node.first_neighbour = start;
        }
        self.neighbours = neighbours;
        self.lengths = with_capacity_or_unwind(self.neighbours.len());
        for node in 0..nodes {
            for at in self.neighbour_range(node) {
                let length = self.edge_length(node as u32, self.neighbours[at]);
                self.lengths.push_or_unwind(length);
            }
        }
        self.longest_edge = self.lengths.iter().copied().max().unwrap_or(1).into();
    }

    /// Returns the indices of the neighbours of a node.
    #[inline(always)]
    fn neighbour_range(&self, node: usize) -> Range<usize> {
        let start = |node: usize| self.nodes[node].first_neighbour as usize;
        start(node)..start(node + 1)
    }

    /// Returns the distance between the centroids of two nodes in units of the front, at least 1.
    /// Blocks of a component of 2^32 voxels have edges of some thousand units.
    fn edge_length(&self, a: u32, b: u32) -> u16 {
        let [a, b] = [a, b].map(|node| self.nodes[node as usize].centroid);
        let length = self.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]));
        ((UNITS * length).round() as u16).max(1)
    }

    /// Returns the segments of a node.
    fn node_segments(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let [start, end] = [node, node + 1].map(|node| self.nodes[node].first_segment as usize);
        &self.node_segments[start..end]
    }
}

/// Groups items by their number below `count`, which precedes each item. Returns the index of the
/// first item of each group, followed by the number of items, and the items of all groups; within a
/// group they keep their order.
fn group_items<T: Copy + Default>(
    count: usize,
    items: impl Iterator<Item = (u32, T)> + Clone,
) -> (Vec<u32>, Vec<T>) {
    let mut starts = filled_or_unwind(0u32, count + 1);
    for (group, _) in items.clone() {
        starts[group as usize + 1] += 1;
    }
    for group in 0..count {
        starts[group + 1] += starts[group];
    }
    let mut next = copy_or_unwind(&starts);
    let mut list = filled_or_unwind(T::default(), starts[count] as usize);
    for (group, item) in items {
        let at = &mut next[group as usize];
        list[*at as usize] = item;
        *at += 1;
    }
    (starts, list)
}

/// Returns the ranges of rows of the slabs of blocks, in order of z.
fn slab_rows(object: &Object, planes: i32) -> Vec<Range<usize>> {
    let starts = (0..object.plane_count()).step_by(planes as usize);
    let mut starts: Vec<usize> = starts
        .map(|z| object.plane_rows(z).start)
        .collect_or_unwind();
    starts.push_or_unwind(object.row_count());
    starts
        .windows(2)
        .map(|pair| pair[0]..pair[1])
        .collect_or_unwind()
}

/// Finds the connected parts of the blocks of a slab, in the order of their first voxels.
fn find_nodes(
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
            let start = segments.start(segment);
            if root == own {
                segment_nodes.push_or_unwind(sums.len() as u32);
                sums.push_or_unwind(VoxelSums::new([
                    start - start % sides[0],
                    y - y % sides[1],
                    z - z % sides[2],
                ]));
            } else {
                segment_nodes.push_or_unwind(segment_nodes[root]);
            }
            let node = &mut sums[segment_nodes[own] as usize];
            let x = i64::from(start % sides[0]);
            node.add(segments.voxels(segment), x, along, input.squared_distances);
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
            first_segment: 0,
            first_neighbour: 0,
            voxels: self.voxels as u32,
            thickest_voxel: self.thickest_voxel,
            centroid: [0, 1, 2].map(|axis| f64::from(self.corner[axis]) + mean[axis]),
            spread: (squares - count * metric.squared_length(mean)).max(0.0),
        }
    }
}

impl FrontGraph for BlockGraph<'_> {
    fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    fn node_extent(&self) -> f64 {
        self.extent
    }

    fn node_sides(&self) -> [f64; 3] {
        self.sides.map(f64::from)
    }

    fn longest_edge(&self) -> u32 {
        self.longest_edge
    }

    #[inline(always)]
    fn for_each_neighbour(&self, node: usize, mut visit: impl FnMut(usize, u32)) {
        for at in self.neighbour_range(node) {
            visit(self.neighbours[at] as usize, self.lengths[at].into());
        }
    }

    fn position(&self, node: u32) -> [f64; 3] {
        self.nodes[node as usize].centroid
    }

    fn moments(&self, node: u32) -> (f64, f64) {
        let Node { voxels, spread, .. } = self.nodes[node as usize];
        (f64::from(voxels), spread)
    }

    fn node_at(&self, voxel: u32) -> u32 {
        self.segment_nodes[self.segments.segment_at(voxel)]
    }

    fn farthest_voxel(&self, node: u32, from: u32) -> u32 {
        let from = self.nodes[from as usize].centroid;
        // the ends of a segment are farther than all voxels between them
        let segments = self.node_segments(node).iter();
        let voxels = segments.flat_map(|&segment| {
            let voxels = self.segments.voxels(segment as usize);
            [voxels.start, voxels.end - 1]
        });
        let mut best = (-1.0, 0);
        for voxel in voxels {
            let at = self.object.position(voxel).map(f64::from);
            let offset = [0, 1, 2].map(|axis| at[axis] - from[axis]);
            let square = self.metric.squared_length(offset);
            // of equally far ones, the first
            if square > best.0 {
                best = (square, voxel as u32);
            }
        }
        best.1
    }

    fn thickest_voxel(&self, input: &EndSearchInput<'_>, around: u32, radius: f64) -> u32 {
        let from = self.object.position(around as usize).map(f64::from);
        let is_near = |node: &&Node| {
            let offset = [0, 1, 2].map(|axis| node.centroid[axis] - from[axis]);
            self.metric.squared_length(offset) <= radius * radius
        };
        let near = self.nodes[..self.len()].iter().filter(is_near);
        let voxels = near.map(|node| node.thickest_voxel);
        // of equally thick ones, the first
        voxels.fold(around, |best, voxel| {
            let [square, best_square] =
                [voxel, best].map(|voxel| input.squared_distances[voxel as usize]);
            if square > best_square { voxel } else { best }
        })
    }
}
