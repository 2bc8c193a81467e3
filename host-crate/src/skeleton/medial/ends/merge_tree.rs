//! Merge tree of a front: its local maxima, their saddles, and the sections of the front.

use super::{
    front::Front,
    graph::{FrontGraph, PADDING, UNITS},
    section_parts::{Parts, find_root},
};
use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::{ComponentProgress, REPORT_INTERVAL},
};

/// Maximum or part of nodes that belong to none.
const NONE: u32 = u32::MAX;

/// Nodes of one maximum within a range of distances of the extent of a node.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Distance of the section divided by its thickness.
    pub index: u32,
    /// Root of twice the mean squared distance to the centroid, in units of the smallest spacing:
    /// the radius of a disc, 0.82 times the half width of a strip.
    pub width: f32,
    /// `true` if the nodes form at least two parts with a considerable share each; see
    /// [`Parts::is_split`].
    pub is_split: bool,
}

/// Local maximum of the distance.
pub struct Maximum {
    /// Node of the maximum.
    pub node: u32,
    /// Position of the node, in voxels of the frame.
    position: [f64; 3],
    /// Farther maximum that this one meets at its saddle; itself for the global maximum.
    parent: u32,
    /// Node at which the maximum meets its parent, or `None` for the global maximum.
    pub saddle: Option<u32>,
    /// Sections from the maximum to its saddle, without those of the maxima that it absorbed.
    pub sections: Vec<Section>,
    current: SectionSums,
    /// Parts of the current section, for components with tunnels.
    parts: Vec<u32>,
}

/// Sums over the voxels of a section, relative to the position of its maximum.
#[derive(Clone, Copy, Default)]
struct SectionSums {
    index: u32,
    count: f64,
    positions: [f64; 3],
    squares: f64,
}

/// State of a node, kept together for locality: the neighbours of a node are visited at random.
#[derive(Clone, Copy)]
struct NodeState {
    /// Number of the front that visited the node last; the other fields are those of this front.
    front: u32,
    /// Maximum that the node belonged to when it was visited.
    maximum: u32,
    /// Index of the section.
    section: u32,
    /// Part of the section, for components with tunnels.
    part: u32,
}

/// Merge tree of the superlevel sets of a front's distances.
pub struct MergeTree<'a, G> {
    graph: &'a G,
    metric: &'a Metric,
    has_tunnels: bool,
    /// Number of the current front, from 1.
    front: u32,
    /// State of each node, and [`PADDING`] elements.
    states: Vec<NodeState>,
    maxima: Vec<Maximum>,
    /// Union-find forest of the maxima; the roots are the farthest ones.
    roots: Vec<u32>,
    parts: Parts,
}

impl<'a, G: FrontGraph> MergeTree<'a, G> {
    /// Creates an empty tree. `has_tunnels` requests the detection of split sections.
    pub fn new(graph: &'a G, metric: &'a Metric, has_tunnels: bool) -> Self {
        let not_visited = NodeState {
            front: 0,
            maximum: NONE,
            section: 0,
            part: NONE,
        };
        Self {
            graph,
            metric,
            has_tunnels,
            front: 0,
            states: filled_or_unwind(not_visited, graph.len() + PADDING),
            maxima: Vec::new(),
            roots: Vec::new(),
            parts: Parts::default(),
        }
    }

    /// Builds the tree of a front, which replaces the previous one. Where two maxima meet, the one
    /// with the smaller distance ends (elder rule). Takes nearly linear time in the number of
    /// nodes that the front reached.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn build(
        &mut self,
        front: &Front<'_, G>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        self.maxima.clear();
        self.roots.clear();
        self.parts = Parts::default();
        self.front += 1;
        let mut states = std::mem::take(&mut self.states);
        let visited = self.visit_all(&mut states, front, progress);
        self.states = states;
        visited?;
        for maximum in 0..self.maxima.len() {
            self.finish_section(maximum);
        }
        Ok(())
    }

    /// Adds the nodes of a front in order of descending distance.
    fn visit_all(
        &mut self,
        states: &mut [NodeState],
        front: &Front<'_, G>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        for (count, &node) in front.order().iter().rev().enumerate() {
            if count.is_multiple_of(REPORT_INTERVAL) {
                progress.check()?;
            }
            self.visit(states, front, node);
        }
        Ok(())
    }

    /// Adds a node: to the farthest maximum among its visited neighbours, otherwise as a maximum.
    #[inline(always)]
    fn visit(&mut self, states: &mut [NodeState], front: &Front<'_, G>, node: u32) {
        let section = front.distance(node) / self.section_units();
        let (mut own, mut part, mut last) = (NONE, NONE, NONE);
        let (graph, number) = (self.graph, self.front);
        graph.for_each_selected(
            node as usize,
            |other| states[other].front == number,
            |other, _| {
                let state = states[other];
                if state.maximum != last {
                    last = state.maximum;
                    own = self.merge(own, state.maximum, node);
                }
                if self.has_tunnels && state.section == section {
                    let found = find_root(&mut self.parts.roots, state.part);
                    part = if part == NONE {
                        found
                    } else {
                        self.parts.join(part, found)
                    };
                }
            },
        );
        let position = graph.position(node);
        if own == NONE {
            own = self.maxima.len() as u32;
            self.roots.push_or_unwind(own);
            self.maxima.push_or_unwind(Maximum {
                node,
                position,
                parent: own,
                saddle: None,
                sections: Vec::new(),
                current: SectionSums::default(),
                parts: Vec::new(),
            });
        }
        let part = if self.has_tunnels && part == NONE {
            self.parts.add()
        } else {
            part
        };
        states[node as usize] = NodeState {
            front: self.front,
            maximum: own,
            section,
            part,
        };
        self.add_to_section(own as usize, node, position, section, part);
    }

    /// Merges the maximum of a neighbour into that of a node, and returns the remaining one.
    #[inline(always)]
    fn merge(&mut self, own: u32, other: u32, node: u32) -> u32 {
        let root = find_root(&mut self.roots, other);
        if own == NONE || root == own {
            return root;
        }
        // maxima are numbered by descending distance
        let (elder, younger) = (own.min(root), own.max(root));
        self.roots[younger as usize] = elder;
        self.finish_section(younger as usize);
        let ended = &mut self.maxima[younger as usize];
        ended.parent = elder;
        ended.saddle = Some(node);
        elder
    }

    /// Adds a node at a position to the section of a maximum, and to its part if the component has
    /// tunnels.
    #[inline(always)]
    fn add_to_section(
        &mut self,
        number: usize,
        node: u32,
        position: [f64; 3],
        index: u32,
        part: u32,
    ) {
        let current = &self.maxima[number].current;
        if current.count > 0.0 && current.index != index {
            self.finish_section(number);
        }
        let from = self.maxima[number].position;
        let (count, spread) = self.graph.moments(node);
        let offset = self
            .metric
            .to_world([0, 1, 2].map(|axis| position[axis] - from[axis]));
        let maximum = &mut self.maxima[number];
        maximum.current.index = index;
        maximum.current.count += count;
        maximum.current.squares += spread;
        for (sum, along) in maximum.current.positions.iter_mut().zip(offset) {
            *sum += count * along;
            maximum.current.squares += count * along * along;
        }
        if self.has_tunnels {
            if !maximum.parts.contains(&part) {
                maximum.parts.push_or_unwind(part);
            }
            self.parts.counts[part as usize] += count;
        }
    }

    /// Appends the current section of a maximum to its list.
    fn finish_section(&mut self, maximum: usize) {
        let maximum = &mut self.maxima[maximum];
        let SectionSums {
            index,
            count,
            positions,
            squares,
        } = std::mem::take(&mut maximum.current);
        if count == 0.0 {
            return;
        }
        let centre: f64 = positions.iter().map(|sum| (sum / count).powi(2)).sum();
        // a section of blocks is thicker along the front than one of voxels, and so are its nodes
        let thickness = (self.graph.node_extent().powi(2) - 1.0) / 6.0;
        let mean_square = (squares / count - centre - thickness).max(0.0);
        let is_split = self.parts.is_split(&maximum.parts);
        maximum.parts.clear();
        maximum.sections.push_or_unwind(Section {
            index,
            width: (2.0 * mean_square).sqrt() as f32,
            is_split,
        });
    }

    /// Returns the thickness of a section, in units of the front.
    #[inline(always)]
    pub fn section_units(&self) -> u32 {
        (UNITS * self.graph.node_extent()) as u32
    }

    /// Returns the maxima in order of descending distance; the first one is the global maximum.
    pub fn maxima(&self) -> &[Maximum] {
        &self.maxima
    }

    /// Returns `true` if a reached node and a maximum are connected by nodes of at least the
    /// given distance, in units of the front, even if the maximum ended in a farther one.
    pub fn is_connected(
        &self,
        front: &Front<'_, G>,
        node: u32,
        maximum: u32,
        min_distance: f64,
    ) -> bool {
        let is_above = |node: u32| f64::from(front.distance(node)) >= min_distance;
        let elder = |mut maximum: u32| {
            while self.maxima[maximum as usize].saddle.is_some_and(is_above) {
                maximum = self.maxima[maximum as usize].parent;
            }
            maximum
        };
        is_above(node) && elder(self.states[node as usize].maximum) == elder(maximum)
    }

    /// Returns `true` if a reached node is connected with a maximum by nodes of at least the given
    /// distance, in units of the front, without a node of a farther maximum.
    pub fn is_in_region(
        &self,
        front: &Front<'_, G>,
        node: u32,
        maximum: u32,
        min_distance: f64,
    ) -> bool {
        let is_above = |node: u32| f64::from(front.distance(node)) >= min_distance;
        if !is_above(node) {
            return false;
        }
        let mut current = self.states[node as usize].maximum;
        while current != maximum {
            let Maximum { parent, saddle, .. } = self.maxima[current as usize];
            if !saddle.is_some_and(is_above) {
                return false;
            }
            current = parent;
        }
        true
    }
}
