//! Refinement of a cell into boxes and tetrahedra, and the surface in them.

use super::{Saddle, SurfaceComponent, saddles::interpolated};

/// Coordinates at which a cell is cut along each axis, including 0 and 1.
pub type Lines = [Vec<f64>; 3];

/// Returns cuts into `parts` parts, graded towards the faces from 16 parts on, and through the
/// saddles.
pub fn lines(parts: usize, saddles: &[Saddle]) -> Lines {
    let mut regular: Vec<f64> = (0..=parts).map(|i| i as f64 / parts as f64).collect();
    let graded = if parts < 16 {
        &[][..]
    } else {
        &[1.0 / 64.0, 1.0 / 512.0, 1.0 / 8192.0]
    };
    for &near in graded {
        regular.extend([near, 1.0 - near]);
    }
    [0, 1, 2].map(|axis| {
        let mut lines = regular.clone();
        lines.extend(saddles.iter().map(|s| s.position[axis]));
        lines.sort_by(f64::total_cmp);
        lines.dedup_by(|a, b| *a - *b < 1e-13);
        if let Some(last) = lines.last_mut() {
            *last = 1.0;
        }
        lines
    })
}

/// The six tetrahedra of a box, as chains of corners from the first to the last.
const TETRAHEDRA: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 1, 5, 7],
    [0, 2, 3, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 4, 6, 7],
];

/// Index of a vertex that has not been numbered.
const NO_INDEX: u32 = u32::MAX;

/// Disjoint sets (union-find).
#[derive(Default)]
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn root(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let parent = self.0[member as usize];
            self.0[member as usize] = self.0[parent as usize];
            member = parent;
        }
        member
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Vertex of the surface, with its contribution to the Euler characteristic.
#[derive(Clone, Copy, Default)]
struct Vertex {
    /// Twice the number of edges minus twice the number of faces counted at this vertex.
    twice_euler_deficit: i64,
    /// Edge of the cell that contains the vertex, as a bit.
    edge: u16,
    on_border: bool,
}

/// Refined cell, reused for many cells because its memory is large.
#[derive(Default)]
pub struct Refinement {
    values: [f64; 8],
    lines: Lines,
    /// Vertex on each edge of the tetrahedra: seven per lattice node.
    vertex_slots: Vec<u32>,
    /// Slots other than [`NO_INDEX`].
    used: Vec<usize>,
    vertices: Vec<Vertex>,
    component_sets: DisjointSets,
    loops: DisjointSets,
}

impl Refinement {
    /// Returns the components of the surface on which the interpolant of `values` vanishes, in
    /// order, for a cell cut at `lines`.
    pub fn surface_components(&mut self, values: &[f64; 8], lines: Lines) -> Vec<SurfaceComponent> {
        self.values = *values;
        self.lines = lines;
        for &slot in &self.used {
            self.vertex_slots[slot] = NO_INDEX;
        }
        self.used.clear();
        self.vertices.clear();
        self.component_sets.0.clear();
        self.loops.0.clear();
        let counts = [0, 1, 2].map(|axis| self.lines[axis].len());
        let slots = counts.iter().product::<usize>() * 7;
        if self.vertex_slots.len() < slots {
            self.vertex_slots.resize(slots, NO_INDEX);
        }
        self.divide([0; 3], counts.map(|count| count - 1));
        self.collect()
    }

    /// Processes the boxes between two nodes.
    fn divide(&mut self, low: [usize; 3], high: [usize; 3]) {
        let mut below = 0;
        for corner in 0..8 {
            let node = [0, 1, 2].map(|k| {
                if corner >> k & 1 == 1 {
                    high[k]
                } else {
                    low[k]
                }
            });
            let position = [0, 1, 2].map(|k| self.lines[k][node[k]]);
            below |= usize::from(interpolated(&self.values, position) < 0.0) << corner;
        }
        if below == 0 || below == 255 {
            return;
        }
        // halve the longest side
        let axis = (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0);
        if high[axis] - low[axis] == 1 {
            return self.cut(low, below);
        }
        let middle = low[axis].midpoint(high[axis]);
        let (mut end, mut start) = (high, low);
        (end[axis], start[axis]) = (middle, middle);
        self.divide(low, end);
        self.divide(start, high);
    }

    /// Adds the surface in the box above a node; bits of `below` are set for corners below the
    /// isovalue.
    fn cut(&mut self, low: [usize; 3], below: usize) {
        // vertices on the box's edges and diagonals, as far as they have been numbered
        let mut vertex_indices = [[NO_INDEX; 8]; 8];
        for corners in TETRAHEDRA {
            let mut vertex_slots = [[NO_INDEX; 4]; 4];
            let mut first = NO_INDEX;
            for i in 0..4 {
                for j in i + 1..4 {
                    let [from, to] = [corners[i], corners[j]];
                    if (below >> from ^ below >> to) & 1 == 0 {
                        continue;
                    }
                    if vertex_indices[from][to] == NO_INDEX {
                        vertex_indices[from][to] = self.vertex_index(low, from, to);
                    }
                    let vertex_index = vertex_indices[from][to];
                    (vertex_slots[i][j], vertex_slots[j][i]) = (vertex_index, vertex_index);
                    if first == NO_INDEX {
                        first = vertex_index;
                    } else {
                        self.component_sets.join(first, vertex_index);
                    }
                }
            }
            if first == NO_INDEX {
                continue;
            }
            let mut twice_euler_deficit = -2;
            for left_out in 0..4 {
                let [i, j, k] = [0, 1, 2].map(|n| n + usize::from(n >= left_out));
                let sides = match [vertex_slots[i][j], vertex_slots[j][k], vertex_slots[k][i]] {
                    [NO_INDEX, NO_INDEX, NO_INDEX] => continue,
                    [a, b, NO_INDEX] | [a, NO_INDEX, b] | [NO_INDEX, a, b] => [a, b],
                    [..] => unreachable!("a triangle has one corner alone"),
                };
                // an edge is shared by two tetrahedra, or on the border
                twice_euler_deficit += 1;
                if self.is_on_border(low, [corners[i], corners[j], corners[k]]) {
                    twice_euler_deficit += 1;
                    self.loops.join(sides[0], sides[1]);
                    for vertex in sides {
                        self.vertices[vertex as usize].on_border = true;
                    }
                }
            }
            self.vertices[first as usize].twice_euler_deficit += twice_euler_deficit;
        }
    }

    fn is_on_border(&self, low: [usize; 3], corners: [usize; 3]) -> bool {
        let all = corners.iter().fold(7, |all, corner| all & corner);
        let any = corners.iter().fold(0, |any, corner| any | corner);
        (0..3).any(|k| {
            low[k] == 0 && any >> k & 1 == 0
                || low[k] + 2 == self.lines[k].len() && all >> k & 1 == 1
        })
    }

    /// Returns the vertex between two corners of a box. All bits of `from` must be set in `to`.
    fn vertex_index(&mut self, low: [usize; 3], from: usize, to: usize) -> u32 {
        let node = [0, 1, 2].map(|k| low[k] + (from >> k & 1));
        let counts = [0, 1, 2].map(|k| self.lines[k].len());
        let direction = from ^ to;
        let slot = (node[0] + counts[0] * (node[1] + counts[1] * node[2])) * 7 + direction - 1;
        if self.vertex_slots[slot] == NO_INDEX {
            let vertex_index = self.vertices.len() as u32;
            self.vertex_slots[slot] = vertex_index;
            self.used.push(slot);
            self.component_sets.0.push(vertex_index);
            self.loops.0.push(vertex_index);
            self.vertices.push(Vertex {
                edge: cell_edge(node, counts, direction),
                ..Vertex::default()
            });
        }
        self.vertex_slots[slot]
    }

    fn collect(&mut self) -> Vec<SurfaceComponent> {
        let mut components: Vec<SurfaceComponent> = Vec::new();
        let mut loops: Vec<(usize, u16)> = Vec::new();
        // a set is represented by its smallest member, which comes first; this is the set's index
        // in the list
        let mut positions = vec![[0; 2]; self.vertices.len()];
        for vertex_index in 0..self.vertices.len() as u32 {
            let vertex = self.vertices[vertex_index as usize];
            let root = self.component_sets.root(vertex_index);
            if root == vertex_index {
                positions[vertex_index as usize][0] = components.len();
                components.push(SurfaceComponent {
                    loops: Vec::new(),
                    euler: 0,
                });
            }
            let component = positions[root as usize][0];
            // twice the characteristic, halved below
            components[component].euler += 2 - vertex.twice_euler_deficit;
            if vertex.on_border {
                let root = self.loops.root(vertex_index);
                if root == vertex_index {
                    positions[vertex_index as usize][1] = loops.len();
                    loops.push((component, 0));
                }
                loops[positions[root as usize][1]].1 |= vertex.edge;
            }
        }
        for (component, edges) in loops {
            components[component].loops.push(edges);
        }
        for component in &mut components {
            component.loops.sort_unstable();
            component.euler /= 2;
        }
        components.sort();
        components
    }
}

/// Returns the edge of the cell that starts at a node in the given direction, as a bit; 0 if there
/// is none.
fn cell_edge(node: [usize; 3], counts: [usize; 3], direction: usize) -> u16 {
    let (axis, others) = match direction {
        1 => (0, [1, 2]),
        2 => (1, [0, 2]),
        4 => (2, [0, 1]),
        _ => return 0,
    };
    let mut vertex_index = 4 * axis;
    for (bit, k) in others.into_iter().enumerate() {
        if node[k] + 1 == counts[k] {
            vertex_index |= 1 << bit;
        } else if node[k] > 0 {
            return 0;
        }
    }
    1 << vertex_index
}
