//! Graphs that fronts run in: the voxels of a component, or connected parts of its blocks.

use super::input::EndSearchInput;
use crate::{
    grid::Metric,
    skeleton::medial::{
        paths::steps::step_lengths,
        voxels::{
            neighbour_bits::NEIGHBOURS,
            object::Object,
            row_index::{ceil, floor},
            word_neighbourhood::set_bits,
        },
    },
};

/// Distance units per unit of the smallest spacing. With 32, the steps of isotropic voxels (32, 45
/// and 55 units) are exact to 0.8 %, and few buckets suffice.
pub const UNITS: f64 = 32.0;

/// Number of elements after those of the nodes in lists that
/// [`for_each_selected`](FrontGraph::for_each_selected) reads.
pub const PADDING: usize = 3;

/// Graph whose nodes are sets of voxels.
pub trait FrontGraph {
    /// Returns the number of nodes.
    fn len(&self) -> usize;

    /// Returns the extent of a node, in units of the smallest spacing.
    fn node_extent(&self) -> f64;

    /// Returns the number of voxels of a node along each axis.
    fn node_sides(&self) -> [f64; 3];

    /// Returns the length of the longest edge, in units of the front.
    fn longest_edge(&self) -> u32;

    /// Calls `visit` for each neighbour of a node, with the length of the edge in units of the
    /// front.
    fn for_each_neighbour(&self, node: usize, visit: impl FnMut(usize, u32)) {
        self.for_each_selected(node, |_| true, visit);
    }

    /// Calls `visit` like [`for_each_neighbour`](Self::for_each_neighbour) for the neighbours for
    /// which a condition holds before the first visit. The condition is also evaluated for other
    /// nodes, and for up to [`PADDING`] numbers after those of the nodes.
    fn for_each_selected(
        &self,
        node: usize,
        is_selected: impl Fn(usize) -> bool,
        visit: impl FnMut(usize, u32),
    );

    /// Returns `true` if the component has voxels next to a node that the graph lacks.
    fn is_open(&self, node: u32) -> bool;

    /// Returns the centroid of a node, in voxels of the frame.
    fn position(&self, node: u32) -> [f64; 3];

    /// Returns the number of voxels of a node, and the sum of their squared distances to its
    /// centroid in units of the smallest spacing squared.
    fn moments(&self, node: u32) -> (f64, f64);

    /// Returns the node of a voxel, which must belong to the graph.
    fn node_at(&self, voxel: u32) -> u32;

    /// Returns the voxel of a node that is farthest from the centroid of another node; a voxel of
    /// the node itself if both are the same.
    fn farthest_voxel(&self, node: u32, from: u32) -> u32;

    /// Returns the voxel farthest from the background among the nodes within a distance of a
    /// voxel, in units of the smallest spacing.
    fn thickest_voxel(&self, input: &EndSearchInput<'_>, around: u32, radius: f64) -> u32;
}

/// Voxels of a component, each of which is a node.
pub struct VoxelGraph<'a> {
    object: &'a Object,
    /// Length of the step to each neighbour, in units of the front.
    step_lengths: [u32; 27],
}

impl<'a> VoxelGraph<'a> {
    /// Creates the graph of a component.
    pub fn new(object: &'a Object, metric: &Metric) -> Self {
        Self {
            object,
            step_lengths: step_lengths(metric).map(|length| (UNITS * length).round() as u32),
        }
    }
}

impl FrontGraph for VoxelGraph<'_> {
    fn len(&self) -> usize {
        self.object.len()
    }

    fn node_extent(&self) -> f64 {
        1.0
    }

    fn node_sides(&self) -> [f64; 3] {
        [1.0; 3]
    }

    fn longest_edge(&self) -> u32 {
        self.step_lengths.into_iter().fold(0, u32::max)
    }

    #[inline(always)]
    fn for_each_selected(
        &self,
        node: usize,
        is_selected: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, u32),
    ) {
        let neighbours = self.object.neighbours(node, NEIGHBOURS);
        let selected = neighbours.select(|first| [0, 1, 2].map(|k| is_selected(first + k)));
        for (bit, other) in selected {
            visit(other, self.step_lengths[bit]);
        }
    }

    fn is_open(&self, _node: u32) -> bool {
        false
    }

    #[inline(always)]
    fn position(&self, node: u32) -> [f64; 3] {
        self.object.position(node as usize).map(f64::from)
    }

    #[inline(always)]
    fn moments(&self, _node: u32) -> (f64, f64) {
        (1.0, 0.0)
    }

    fn node_at(&self, voxel: u32) -> u32 {
        voxel
    }

    fn farthest_voxel(&self, node: u32, _from: u32) -> u32 {
        node
    }

    fn thickest_voxel(&self, input: &EndSearchInput<'_>, around: u32, radius: f64) -> u32 {
        let object = self.object;
        let [x, y, z] = object.position(around as usize);
        let [across_x, across_y, across_z] =
            input.metric.unit_ball_extent().map(|along| along * radius);
        let mut best = (input.squared_distances[around as usize], around);
        for plane in ceil(f64::from(z) - across_z)..=floor(f64::from(z) + across_z) {
            let range = [
                ceil(f64::from(y) - across_y),
                floor(f64::from(y) + across_y),
            ];
            for row in object.rows_between(plane, range) {
                let range = [
                    ceil(f64::from(x) - across_x),
                    floor(f64::from(x) + across_x),
                ];
                for (word, bits) in object.masked_words(row, range[0], range[1]) {
                    let words = &object.words()[word];
                    for bit in set_bits(words.bits & bits) {
                        let voxel = words.voxel_index(bit);
                        let square = input.squared_distances[voxel as usize];
                        if square > best.0 && input.distance(around, voxel) <= radius {
                            best = (square, voxel);
                        }
                    }
                }
            }
        }
        best.1
    }
}
