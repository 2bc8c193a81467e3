//! Connected parts of blocks of voxels, as a graph for fronts in large components.

use super::{
    block_nodes::{Node, find_nodes},
    block_segments::{BlockSegments, VoxelRun},
    graph::{FrontGraph, UNITS},
    input::EndSearchInput,
};
use crate::{
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind, with_capacity_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::voxels::object::Object,
};
use std::ops::Range;

/// Minimum number of nodes per parallel task.
const MIN_PARALLEL_NODES: usize = 1 << 12;

/// Place of a node relative to a part of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Outside,
    /// In the part, next to nodes outside.
    Border,
    Inside,
}

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
    /// Nodes in the order of their first voxels, followed by one that marks the end.
    nodes: Vec<Node>,
    /// First node of each slab of blocks in order of z, followed by the number of nodes.
    slab_nodes: Vec<u32>,
    /// `true` for nodes next to voxels that the graph lacks. Empty for a whole component.
    is_open: Vec<bool>,
    /// Neighbours of all nodes, node by node.
    neighbours: Vec<u32>,
    /// Length of the edge to each neighbour, in units of the front.
    lengths: Vec<u16>,
    longest_edge: u32,
}

/// Returns the numbers of voxels of a block along the axes, which are close to `extent` smallest
/// spacings.
fn block_sides(metric: &Metric, extent: usize) -> [i32; 3] {
    [0, 1, 2].map(|axis| {
        let side = extent as f64 / metric.squared_spacing(axis).sqrt();
        side.round().clamp(1.0, f64::from(u16::MAX)) as i32
    })
}

impl<'a> BlockGraph<'a> {
    /// Builds the graph of a component for blocks of about `extent` smallest spacings, on all
    /// threads. Takes time linear in the number of voxels.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(input: &EndSearchInput<'a>, extent: usize) -> Result<Self, Cancelled> {
        let segments = BlockSegments::new(input.object, block_sides(input.metric, extent));
        Self::from_segments(input, extent, segments)
    }

    /// Builds the graph of the voxels of the nodes of this graph that are not outside, for blocks
    /// of about `extent` smallest spacings. Takes time linear in the number of these voxels and of
    /// the segments of this graph.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn within(
        &self,
        input: &EndSearchInput<'a>,
        extent: usize,
        places: &[Place],
    ) -> Result<Self, Cancelled> {
        let sides = block_sides(input.metric, extent);
        let segments = BlockSegments::from_runs(input.object, sides, |row| {
            let segments = self.segments.row_segments(row);
            let is_inside =
                |&segment: &usize| places[self.segment_nodes[segment] as usize] != Place::Outside;
            let runs = segments.filter(is_inside);
            joined_runs(runs.map(|segment| self.segments.get(segment)))
        });
        let mut graph = Self::from_segments(input, extent, segments)?;
        graph.is_open = filled_or_unwind(false, graph.len());
        for (segment, &node) in graph.segment_nodes.iter().enumerate() {
            let voxels = graph.segments.get(segment).voxels();
            let is_at_border = [voxels.start, voxels.end - 1].map(|voxel| {
                let node = self.node_at(voxel as u32);
                places[node as usize] == Place::Border || self.is_open(node)
            });
            graph.is_open[node as usize] |= is_at_border.contains(&true);
        }
        Ok(graph)
    }

    fn from_segments(
        input: &EndSearchInput<'a>,
        extent: usize,
        segments: BlockSegments<'a>,
    ) -> Result<Self, Cancelled> {
        let EndSearchInput {
            object,
            metric,
            progress,
            ..
        } = *input;
        let sides = block_sides(metric, extent);
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
            segments,
            nodes: Vec::new(),
            slab_nodes: Vec::new(),
            is_open: Vec::new(),
            neighbours: Vec::new(),
            lengths: Vec::new(),
            longest_edge: 1,
        };
        for slab in found {
            let first = graph.nodes.len() as u32;
            graph.slab_nodes.push_or_unwind(first);
            let nodes = slab.segment_nodes.into_iter().map(|node| first + node);
            graph.segment_nodes.extend_or_unwind(nodes);
            graph.nodes.extend_or_unwind(slab.nodes);
        }
        graph.slab_nodes.push_or_unwind(graph.nodes.len() as u32);
        graph.nodes.push_or_unwind(Node::end());
        let pairs = parallel::try_map(slabs.len(), |slab| {
            progress.check()?;
            Ok::<_, Cancelled>(graph.find_pairs(&slabs[slab]))
        })?;
        graph.list_neighbours(pairs);
        Ok(graph)
    }

    /// Returns `true` if a voxel belongs to the graph.
    pub fn has_voxel(&self, voxel: u32) -> bool {
        self.segments.has_voxel(voxel)
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
        self.lengths = parallel::collect(nodes, MIN_PARALLEL_NODES, |range, list| {
            let edges = range.flat_map(|node| self.neighbour_range(node).map(move |at| (node, at)));
            let length =
                |(node, at): (usize, usize)| self.edge_length(node as u32, self.neighbours[at]);
            list.extend_or_unwind(edges.map(length));
        });
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
    fn node_segments(&self, node: u32) -> impl Iterator<Item = usize> {
        let voxel = self.nodes[node as usize].thickest_voxel;
        let corner = self.segments.corner(self.object.position(voxel as usize));
        let segments = self.segments.block_segments(corner);
        segments.filter(move |&segment| self.segment_nodes[segment] == node)
    }
}

/// Joins consecutive runs of a row that touch.
fn joined_runs(runs: impl Iterator<Item = VoxelRun>) -> impl Iterator<Item = VoxelRun> {
    let mut runs = runs.peekable();
    std::iter::from_fn(move || {
        let mut joined = runs.next()?;
        while let Some(next) = runs.next_if(|next| next.start == joined.end()) {
            joined.count += next.count;
        }
        Some(joined)
    })
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
    fn for_each_selected(
        &self,
        node: usize,
        is_selected: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, u32),
    ) {
        for at in self.neighbour_range(node) {
            let other = self.neighbours[at] as usize;
            if is_selected(other) {
                visit(other, self.lengths[at].into());
            }
        }
    }

    fn is_open(&self, node: u32) -> bool {
        self.is_open
            .get(node as usize)
            .is_some_and(|&is_open| is_open)
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
        let voxels = self.node_segments(node).flat_map(|segment| {
            let voxels = self.segments.get(segment).voxels();
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
        let across = radius * self.metric.unit_ball_extent()[2];
        let slab = |z: f64| {
            let slab = (z / f64::from(self.sides[2])).max(0.0) as usize;
            slab.min(self.slab_nodes.len() - 2)
        };
        let [first, last] = [slab(from[2] - across), slab(from[2] + across)];
        let nodes = self.slab_nodes[first] as usize..self.slab_nodes[last + 1] as usize;
        let near = self.nodes[nodes].iter().filter(is_near);
        let voxels = near.map(|node| node.thickest_voxel);
        // of equally thick ones, the first
        voxels.fold(around, |best, voxel| {
            let [square, best_square] =
                [voxel, best].map(|voxel| input.squared_distances[voxel as usize]);
            if square > best_square { voxel } else { best }
        })
    }
}
