//! Connected parts of blocks of voxels, as a graph for fronts in large components.

use super::{
    graph::{FrontGraph, UNITS},
    input::EndSearchInput,
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::ComponentProgress,
        voxels::{
            neighbour_bits::{NEIGHBOURS, SIDES},
            object::Object,
        },
    },
};
use std::ops::Range;

/// Node of voxels that have none yet.
const NONE: u32 = u32::MAX;

/// Connected parts of the blocks of a component. Thin parts of the component remain connected, and
/// parts side by side remain apart, however large the blocks are.
pub struct BlockGraph<'a> {
    object: &'a Object,
    metric: &'a Metric,
    shape: BlockShape,
    /// Extent of a block, in units of the smallest spacing.
    extent: f64,
    /// Node of each voxel.
    voxel_nodes: Vec<u32>,
    /// Voxels of all nodes, node by node.
    voxels: Vec<u32>,
    nodes: Vec<Node>,
    /// Neighbours of all nodes, node by node, with the length of the edge in units of the front.
    edges: Vec<(u32, u32)>,
    longest_edge: u32,
}

struct Node {
    /// Index of the first voxel in the list of voxels.
    first_voxel: u32,
    /// Index of the first edge in the list of edges.
    first_edge: u32,
    /// Centroid, in voxels of the frame.
    centroid: [f64; 3],
    /// Sum of squared distances to the centroid, in units of the smallest spacing squared.
    spread: f64,
    /// Voxel farthest from the background.
    thickest_voxel: u32,
}

/// Number of voxels of blocks along the axes of the frame.
#[derive(Clone, Copy)]
struct BlockShape {
    sides: [i32; 3],
}

impl BlockShape {
    /// Returns the shape whose sides are close to `extent` smallest spacings.
    fn new(metric: &Metric, extent: usize) -> Self {
        let sides = [0, 1, 2].map(|axis| {
            let side = extent as f64 / metric.squared_spacing(axis).sqrt();
            side.round().clamp(1.0, f64::from(u16::MAX)) as i32
        });
        Self { sides }
    }

    /// Returns the neighbours of a voxel that are in its block.
    #[inline(always)]
    fn neighbours_within(self, position: [i32; 3]) -> u32 {
        let mut within = NEIGHBOURS;
        for axis in 0..3 {
            let along = position[axis] % self.sides[axis];
            if along == 0 {
                within &= !SIDES[axis][0];
            }
            if along == self.sides[axis] - 1 {
                within &= !SIDES[axis][1];
            }
        }
        within
    }
}

/// Nodes of a slab of blocks. Numbers of voxels and nodes, and indices, are relative to the slab.
struct SlabNodes {
    voxel_nodes: Vec<u32>,
    voxels: Vec<u32>,
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
        let shape = BlockShape::new(metric, extent);
        let slabs = slab_voxels(object, shape);
        let found = parallel::try_map(slabs.len(), |slab| {
            progress.check()?;
            Ok::<_, Cancelled>(find_nodes(input, shape, slabs[slab].clone()))
        })?;
        let mut graph = Self {
            object,
            metric,
            shape,
            extent: extent as f64,
            voxel_nodes: Vec::new(),
            voxels: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            longest_edge: 1,
        };
        for (range, slab) in slabs.iter().zip(&found) {
            let (voxel, node) = (range.start as u32, graph.nodes.len() as u32);
            let first = graph.voxels.len() as u32;
            let voxel_nodes = slab.voxel_nodes.iter().map(|own| node + own);
            graph.voxel_nodes.extend_or_unwind(voxel_nodes);
            let voxels = slab.voxels.iter().map(|own| voxel + own);
            graph.voxels.extend_or_unwind(voxels);
            let nodes = slab.nodes.iter().map(|own| Node {
                first_voxel: first + own.first_voxel,
                thickest_voxel: voxel + own.thickest_voxel,
                ..*own
            });
            graph.nodes.extend_or_unwind(nodes);
        }
        let end = Node {
            first_voxel: graph.voxels.len() as u32,
            first_edge: 0,
            centroid: [0.0; 3],
            spread: 0.0,
            thickest_voxel: 0,
        };
        graph.nodes.push_or_unwind(end);
        graph.connect(progress)?;
        Ok(graph)
    }

    /// Finds the edges of all nodes.
    fn connect(&mut self, progress: &ComponentProgress<'_>) -> Result<(), Cancelled> {
        const NODES_PER_TASK: usize = 1 << 10;
        let tasks = self.len().div_ceil(NODES_PER_TASK);
        let found = parallel::try_map(tasks, |task| {
            progress.check()?;
            let first = task * NODES_PER_TASK;
            let nodes = first..self.len().min(first + NODES_PER_TASK);
            Ok::<_, Cancelled>(nodes.map(|node| self.edges_from(node)).collect_or_unwind())
        })?;
        let lists = found.into_iter().flat_map(|lists: Vec<_>| lists);
        for (node, list) in lists.enumerate() {
            self.nodes[node].first_edge = self.edges.len() as u32;
            self.edges.extend_or_unwind(list);
        }
        let end = self.nodes.len() - 1;
        self.nodes[end].first_edge = self.edges.len() as u32;
        let lengths = self.edges.iter().map(|&(_, length)| length);
        self.longest_edge = lengths.max().unwrap_or(1);
        Ok(())
    }

    /// Returns the neighbours of a node with the lengths of the edges.
    fn edges_from(&self, node: usize) -> Vec<(u32, u32)> {
        // one recent neighbour per slot: most voxels find the neighbours of the voxel before
        const SLOTS: usize = 64;
        let mut recent = [NONE; SLOTS];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for &voxel in self.node_voxels(node) {
            let position = self.object.position(voxel as usize);
            let outside = NEIGHBOURS & !self.shape.neighbours_within(position);
            if outside == 0 {
                continue;
            }
            for (_, other) in self.object.neighbours(voxel as usize, outside) {
                let found = self.voxel_nodes[other];
                let slot = &mut recent[found as usize % SLOTS];
                if *slot != found {
                    *slot = found;
                    if !edges.iter().any(|&(known, _)| known == found) {
                        edges.push_or_unwind((found, self.edge_length(node as u32, found)));
                    }
                }
            }
        }
        edges
    }

    fn edge_length(&self, a: u32, b: u32) -> u32 {
        let [a, b] = [a, b].map(|node| self.nodes[node as usize].centroid);
        let length = self.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]));
        ((UNITS * length).round() as u32).max(1)
    }

    fn node_voxels(&self, node: usize) -> &[u32] {
        let [start, end] = [node, node + 1].map(|node| self.nodes[node].first_voxel as usize);
        &self.voxels[start..end]
    }
}

/// Returns the ranges of voxels of the slabs of blocks, in order of z.
fn slab_voxels(object: &Object, shape: BlockShape) -> Vec<Range<usize>> {
    let planes = shape.sides[2] as usize;
    let starts = (0..object.plane_count()).step_by(planes).map(|plane| {
        let rows = object.plane_rows(plane);
        if rows.start < object.row_count() {
            object.row_voxels(rows.start).start
        } else {
            object.len()
        }
    });
    let mut starts: Vec<usize> = starts.collect_or_unwind();
    starts.push_or_unwind(object.len());
    starts
        .windows(2)
        .map(|pair| pair[0]..pair[1])
        .collect_or_unwind()
}

/// Finds the connected parts of the blocks of a slab, in the order of their first voxels.
fn find_nodes(input: &EndSearchInput<'_>, shape: BlockShape, slab: Range<usize>) -> SlabNodes {
    let (object, metric) = (input.object, input.metric);
    let mut found = SlabNodes {
        voxel_nodes: filled_or_unwind(NONE, slab.len()),
        voxels: Vec::new(),
        nodes: Vec::new(),
    };
    for voxel in slab.clone() {
        if found.voxel_nodes[voxel - slab.start] != NONE {
            continue;
        }
        let node = found.nodes.len() as u32;
        let first = found.voxels.len();
        let origin = object.position(voxel);
        let (mut sum, mut world_sum, mut squares) = ([0; 3], [0.0; 3], 0.0);
        found.voxel_nodes[voxel - slab.start] = node;
        found.voxels.push_or_unwind((voxel - slab.start) as u32);
        let mut visited = first;
        let mut thickest = voxel;
        while visited < found.voxels.len() {
            let at = slab.start + found.voxels[visited] as usize;
            visited += 1;
            if input.squared_distances[at] > input.squared_distances[thickest] {
                thickest = at;
            }
            let position = object.position(at);
            let offset = [0, 1, 2].map(|axis| position[axis] - origin[axis]);
            let world = metric.to_world(offset.map(f64::from));
            for axis in 0..3 {
                sum[axis] += offset[axis];
                world_sum[axis] += world[axis];
                squares += world[axis] * world[axis];
            }
            for (_, other) in object.neighbours(at, shape.neighbours_within(position)) {
                if found.voxel_nodes[other - slab.start] == NONE {
                    found.voxel_nodes[other - slab.start] = node;
                    found.voxels.push_or_unwind((other - slab.start) as u32);
                }
            }
        }
        let count = (found.voxels.len() - first) as f64;
        let centroid = [0, 1, 2].map(|axis| f64::from(origin[axis]) + f64::from(sum[axis]) / count);
        let mean_part: f64 = world_sum.iter().map(|sum| sum * sum / count).sum();
        found.nodes.push_or_unwind(Node {
            first_voxel: first as u32,
            first_edge: 0,
            centroid,
            spread: (squares - mean_part).max(0.0),
            thickest_voxel: (thickest - slab.start) as u32,
        });
    }
    found
}

impl FrontGraph for BlockGraph<'_> {
    fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    fn node_extent(&self) -> f64 {
        self.extent
    }

    fn node_sides(&self) -> [f64; 3] {
        self.shape.sides.map(f64::from)
    }

    fn longest_edge(&self) -> u32 {
        self.longest_edge
    }

    #[inline(always)]
    fn for_each_neighbour(&self, node: usize, mut visit: impl FnMut(usize, u32)) {
        let [start, end] = [node, node + 1].map(|node| self.nodes[node].first_edge as usize);
        for &(other, length) in &self.edges[start..end] {
            visit(other as usize, length);
        }
    }

    fn position(&self, node: u32) -> [f64; 3] {
        self.nodes[node as usize].centroid
    }

    fn moments(&self, node: u32) -> (f64, f64) {
        let voxels = self.node_voxels(node as usize).len();
        (voxels as f64, self.nodes[node as usize].spread)
    }

    fn node_at(&self, voxel: u32) -> u32 {
        self.voxel_nodes[voxel as usize]
    }

    fn farthest_voxel(&self, node: u32, from: u32) -> u32 {
        let from = self.nodes[from as usize].centroid;
        let voxels = self.node_voxels(node as usize).iter();
        let distance = |voxel: u32| {
            let at = self.object.position(voxel as usize).map(f64::from);
            self.metric
                .squared_length([0, 1, 2].map(|axis| at[axis] - from[axis]))
        };
        // of equally far ones, the first
        voxels
            .rev()
            .copied()
            .max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0)
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
