//! Sheets of a cell, and the vertices that represent them.

use super::cell::{
    NODES, corner_label, face_labels, for_each_arc, lower_corner, node_corner, upper_corner,
};

/// Vertex number of an inactive node.
pub const NO_VERTEX: u32 = 15;

/// Number of words per cell in which vertex numbers are stored.
pub const NODE_WORDS: usize = 3;

/// Vertex number of each node of a cell, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellNodes {
    /// Eight nodes per word, the first node in the lowest bits.
    pub words: [u32; NODE_WORDS],
    /// Number of vertices.
    pub vertices: u32,
}

impl CellNodes {
    /// Returns the vertex number of a node, [`NO_VERTEX`] for an inactive node.
    #[inline(always)]
    pub const fn vertex(&self, node: u32) -> u32 {
        let word = match node >> 3 {
            0 => self.words[0],
            1 => self.words[1],
            _ => self.words[2],
        };
        word >> (4 * (node & 7)) & 15
    }

    /// Returns the edges with a node of a vertex, one bit per edge.
    #[inline(always)]
    pub const fn vertex_edges(&self, vertex: u32) -> u32 {
        let mut edges = 0;
        let mut edge = 0;
        while edge < NODES / 2 {
            let has_node = self.vertex(2 * edge) == vertex || self.vertex(2 * edge + 1) == vertex;
            edges |= (has_node as u32) << edge;
            edge += 1;
        }
        edges
    }
}

/// Returns the edges between different labels, one bit per edge.
#[inline(always)]
pub fn crossed_edges(labels: &[u32; 8]) -> u32 {
    let mut edges = 0;
    let mut edge = 0;
    while edge < 12 {
        let [low, high] = edge_labels(labels, edge);
        edges |= ((low != high) as u32) << edge;
        edge += 1;
    }
    edges
}

/// Returns the mean of the midpoints of the edges of a non-empty set, in coordinates from 0 to 1.
///
/// Midpoints are summed exactly, as integers in units of half an edge.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn mean_midpoint(edges: u32) -> [f32; 3] {
    let count = |mask: u32| (edges & mask).count_ones();
    // edges along the axis count one half, edges along others two halves at the upper end
    let sums = [
        count(0x00f) + 2 * count(0xac0),
        count(0x0f0) + 2 * count(0xc0a),
        count(0xf00) + 2 * count(0x0ac),
    ];
    let halves = (2 * edges.count_ones()) as f32;
    [
        sums[0] as f32 / halves,
        sums[1] as f32 / halves,
        sums[2] as f32 / halves,
    ]
}

#[inline(always)]
fn edge_labels(labels: &[u32; 8], edge: u32) -> [u32; 2] {
    [
        corner_label(labels, lower_corner(edge)),
        corner_label(labels, upper_corner(edge)),
    ]
}

/// Small number for each node of a cell, of `BITS` bits: in registers, since a GPU keeps an array
/// that is indexed by a variable in memory.
#[derive(Clone, Copy)]
struct NodeNumbers<const BITS: u32> {
    bits: u128,
}

impl<const BITS: u32> NodeNumbers<BITS> {
    const MASK: u128 = (1 << BITS) - 1;

    #[inline(always)]
    const fn get(self, node: u32) -> u32 {
        (self.bits >> (BITS * node) & Self::MASK) as u32
    }

    #[inline(always)]
    const fn set(&mut self, node: u32, number: u32) {
        let shift = BITS * node;
        self.bits = self.bits & !(Self::MASK << shift) | (number as u128) << shift;
    }
}

/// Disjoint sets of the nodes of a cell; the first node of a set represents it.
#[derive(Clone, Copy)]
struct NodeSets {
    parents: NodeNumbers<5>,
}

impl NodeSets {
    #[inline(always)]
    const fn new() -> Self {
        let mut parents = NodeNumbers { bits: 0 };
        let mut node = 0;
        while node < NODES {
            parents.set(node, node);
            node += 1;
        }
        Self { parents }
    }

    #[inline(always)]
    fn first(&self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents.get(node);
            if parent == node {
                return node;
            }
            node = parent;
        }
    }

    #[inline(always)]
    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first(one), self.first(other));
        if one < other {
            self.parents.set(other, one);
        } else {
            self.parents.set(one, other);
        }
    }
}

/// Assigns the active nodes of a cell to vertices, numbered by their first nodes.
///
/// Nodes of one label that share an arc on a face form a *sheet*; sheets that share an edge, one at
/// each end, form a *component*, which has one vertex. Of several sheets of one label in a
/// component, the one with the most edges keeps that vertex (the one with the first node, of
/// several), and each other sheet has a vertex of its own: a vertex then represents at most one
/// sheet of each label.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn assign_vertices(labels: &[u32; 8], contacts: u32) -> CellNodes {
    let mut sheets = NodeSets::new();
    let mut face = 0;
    while face < 6 {
        for_each_arc(face, face_labels(labels, face), contacts, |one, other| {
            sheets.join(one, other);
        });
        face += 1;
    }
    let mut components = sheets;
    let mut active = 0_u32;
    let mut edge = 0;
    while edge < 12 {
        let [low, high] = edge_labels(labels, edge);
        if low != high {
            active |= (((low != 0) as u32) | ((high != 0) as u32) << 1) << (2 * edge);
            if low != 0 && high != 0 {
                components.join(2 * edge, 2 * edge + 1);
            }
        }
        edge += 1;
    }
    let mut sizes = NodeNumbers::<5> { bits: 0 };
    let mut node = 0;
    while node < NODES {
        if active >> node & 1 == 1 {
            let sheet = sheets.first(node);
            sizes.set(sheet, sizes.get(sheet) + 1);
        }
        node += 1;
    }
    let label = |node: u32| corner_label(labels, node_corner(node));
    // sheets that do not keep the vertex of their component
    let mut detached = 0_u32;
    let mut first = 0;
    while first < NODES {
        let size = sizes.get(first);
        let mut other = 0;
        while size > 0 && other < NODES {
            let other_size = sizes.get(other);
            let is_preferred = other_size > size || other_size == size && other < first;
            if is_preferred
                && label(other) == label(first)
                && components.first(other) == components.first(first)
            {
                detached |= 1 << first;
            }
            other += 1;
        }
        first += 1;
    }
    // vertex numbers of detached sheets and of components, by their first nodes
    let mut sheet_numbers = NodeNumbers::<4> { bits: u128::MAX };
    let mut component_numbers = sheet_numbers;
    let mut words = [0_u32; NODE_WORDS];
    let mut vertices = 0;
    let mut node = 0;
    while node < NODES {
        let mut number = NO_VERTEX;
        if active >> node & 1 == 1 {
            let sheet = sheets.first(node);
            let component = components.first(node);
            let is_detached = detached >> sheet & 1 == 1;
            number = if is_detached {
                sheet_numbers.get(sheet)
            } else {
                component_numbers.get(component)
            };
            if number == NO_VERTEX {
                number = vertices;
                vertices += 1;
                if is_detached {
                    sheet_numbers.set(sheet, number);
                } else {
                    component_numbers.set(component, number);
                }
            }
        }
        let shifted = number << (4 * (node & 7));
        match node >> 3 {
            0 => words[0] |= shifted,
            1 => words[1] |= shifted,
            _ => words[2] |= shifted,
        }
        node += 1;
    }
    CellNodes { words, vertices }
}

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
