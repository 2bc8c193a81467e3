//! Patch of the kernels' tables, and the conditions on it.

use crate::oracle::trilinear::SurfaceComponent;
use ferrovox_kernels::isosurface::{
    table::{CORNERS, EDGES, FACES},
    topology::{
        Disambiguation, FIRST_INNER, Subcase, edge_vertex, table::triangle, unpack_triangle,
    },
};

/// Maximum number of vertices of a patch: the edges and a hexagon.
const VERTICES: usize = 18;

pub struct Patch {
    pub shape: Subcase,
    pub triangles: Vec<[usize; 3]>,
    /// Number of uses of each directed side.
    sides: [[u8; VERTICES]; VERTICES],
}

/// Returns the oracle's index of a corner.
pub fn oracle_corner(corner: usize) -> usize {
    let [x, y, z] = CORNERS[corner];
    (x | y << 1 | z << 2) as usize
}

/// Returns the values of a cell in the oracle's order.
pub fn oracle_values(values: &[f64; 8], shift: f64) -> [f64; 8] {
    let mut moved = [0.0; 8];
    for (corner, value) in values.iter().enumerate() {
        moved[oracle_corner(corner)] = value + shift;
    }
    moved
}

/// Returns the oracle's bit of an edge.
fn oracle_edge(edge: usize) -> u16 {
    let [low, high] = EDGES[edge].map(|corner| oracle_corner(corner as usize));
    let axis = (low ^ high).trailing_zeros() as usize;
    let position = match axis {
        0 => low >> 1,
        1 => low & 1 | (low >> 2) << 1,
        _ => low & 3,
    };
    1 << (4 * axis + position)
}

fn lies_on(edge: usize, face: usize) -> bool {
    edge < 12
        && EDGES[edge]
            .iter()
            .all(|corner| FACES[face].contains(corner))
}

fn share_a_face(a: usize, b: usize) -> bool {
    (0..6).any(|face| lies_on(a, face) && lies_on(b, face))
}

impl Patch {
    pub fn new(values: &[f64; 8], rule: Disambiguation) -> Self {
        let shape = Subcase::from_values(values, rule);
        let (first, count) = shape.triangles();
        let triangles: Vec<[usize; 3]> = (first..first + count)
            .map(|at| unpack_triangle(triangle(at)).map(|corner| corner as usize))
            .collect();
        let mut sides = [[0; VERTICES]; VERTICES];
        for &[a, b, c] in &triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                sides[from][to] += 1;
            }
        }
        Self {
            shape,
            triangles,
            sides,
        }
    }

    /// Returns the sides used in one direction only.
    pub fn border(&self) -> Vec<[usize; 2]> {
        let all = (0..VERTICES).flat_map(|a| (0..VERTICES).map(move |b| [a, b]));
        all.filter(|&[a, b]| self.sides[a][b] > 0 && self.sides[b][a] == 0)
            .collect()
    }

    /// Returns the components of the patch in the oracle's form and order.
    pub fn components(&self) -> Vec<SurfaceComponent> {
        let mut component_labels: [usize; VERTICES] = std::array::from_fn(|vertex| vertex);
        let mut is_used = [false; VERTICES];
        for &[a, b, c] in &self.triangles {
            let min = component_labels[a]
                .min(component_labels[b])
                .min(component_labels[c]);
            for joined in [
                component_labels[a],
                component_labels[b],
                component_labels[c],
            ] {
                component_labels
                    .iter_mut()
                    .filter(|p| **p == joined)
                    .for_each(|p| *p = min);
            }
            for vertex in [a, b, c] {
                is_used[vertex] = true;
            }
        }
        let mut next = [None; VERTICES];
        for [a, b] in self.border() {
            next[a] = Some(b);
        }
        let mut components = Vec::new();
        for component in 0..VERTICES {
            let is_in_component =
                |vertex: usize| is_used[vertex] && component_labels[vertex] == component;
            if !is_in_component(component) {
                continue;
            }
            let vertices = (0..VERTICES).filter(|&v| is_in_component(v)).count();
            let triangles = self
                .triangles
                .iter()
                .filter(|t| is_in_component(t[0]))
                .count();
            let sides = (0..VERTICES)
                .flat_map(|a| (0..a).map(move |b| [a, b]))
                .filter(|&[a, b]| is_in_component(a) && self.sides[a][b] + self.sides[b][a] > 0)
                .count();
            let mut loops = Vec::new();
            let mut seen = 0u16;
            for start in (0..12).filter(|&v| is_in_component(v) && next[v].is_some()) {
                let (mut edges, mut at) = (0, start);
                while seen >> at & 1 == 0 {
                    seen |= 1 << at;
                    edges |= oracle_edge(at);
                    at = next[at].expect("borders go on");
                }
                if edges != 0 {
                    loops.push(edges);
                }
            }
            loops.sort_unstable();
            components.push(SurfaceComponent {
                loops,
                euler: vertices as i64 - sides as i64 + triangles as i64,
            });
        }
        components.sort();
        components
    }

    /// Returns the position of a vertex.
    pub fn position(&self, values: &[f64; 8], vertex: usize) -> [f64; 3] {
        match (vertex as u32).checked_sub(FIRST_INNER) {
            None => edge_vertex(values, vertex as u32),
            Some(number) => self
                .shape
                .inner_box(values)
                .vertex(self.shape.diagonal, number),
        }
    }

    /// Returns the defect of the patch as a surface with a border on the faces of the cell, if any.
    pub fn fault(&self, values: &[f64; 8]) -> Option<String> {
        for a in 0..VERTICES {
            for b in 0..VERTICES {
                let [forward, backward] = [self.sides[a][b], self.sides[b][a]];
                if forward > 1 || (a == b && forward > 0) {
                    return Some(format!("side {a} {b} is used {forward} times"));
                }
                // an adjacent cell could use the side too
                if forward + backward == 2 && share_a_face(a, b) {
                    return Some(format!("side {a} {b} is inside the patch and in a face"));
                }
            }
        }
        let border = self.border();
        for &[a, b] in &border {
            if !share_a_face(a, b) {
                return Some(format!("side {a} {b} of the border is in no face"));
            }
        }
        for (edge, ends) in EDGES.iter().enumerate() {
            let [low, high] = ends.map(|corner| values[corner as usize] < 0.0);
            let sides = |end: usize| border.iter().filter(|side| side[end] == edge).count();
            if [sides(0), sides(1)] != [usize::from(low != high); 2] {
                return Some(format!("the border does not pass once through edge {edge}"));
            }
        }
        border
            .iter()
            .find_map(|&side| reversed_side(side, values))
            .or_else(|| self.without_area(values))
    }

    /// Returns two triangles that intersect, if any.
    pub fn crossing(&self, values: &[f64; 8]) -> Option<[[usize; 3]; 2]> {
        for a in &self.triangles {
            for b in &self.triangles {
                // two triangles with a common side could only overlap
                if a.iter().filter(|vertex| b.contains(vertex)).count() > 1 {
                    continue;
                }
                for side in [[a[0], a[1]], [a[1], a[2]], [a[2], a[0]]] {
                    let is_apart = side.iter().all(|vertex| !b.contains(vertex));
                    let position = |vertex: usize| self.position(values, vertex);
                    if is_apart && goes_through(side.map(position), b.map(position)) {
                        return Some([*a, *b]);
                    }
                }
            }
        }
        None
    }

    /// Returns a triangle that has no area in single precision, if any.
    fn without_area(&self, values: &[f64; 8]) -> Option<String> {
        let used: Vec<[f32; 3]> = (0..VERTICES)
            .map(|vertex| {
                if self.sides[vertex].iter().any(|&uses| uses > 0) {
                    self.position(values, vertex).map(|at| at as f32)
                } else {
                    [f32::NAN; 3]
                }
            })
            .collect();
        self.triangles.iter().find_map(|&[a, b, c]| {
            let [u, v] = [b, c].map(|to| [0, 1, 2].map(|k| used[to][k] - used[a][k]));
            let squared: f32 = cross(u, v).map(|n| n * n).iter().sum();
            let has_area = squared > 1e-14;
            (!has_area).then(|| format!("triangle {a} {b} {c} has an area of {}", squared.sqrt()))
        })
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Returns `true` if a side passes through the interior of a triangle, beyond rounding errors.
fn goes_through([from, to]: [[f64; 3]; 2], triangle: [[f64; 3]; 3]) -> bool {
    const ROUNDING: f64 = 1e-12;
    let [a, b, c] = triangle;
    let normal = cross(minus(b, a), minus(c, a));
    let [before, after] = [from, to].map(|position| dot(normal, minus(position, a)));
    if before.min(after) > -ROUNDING || before.max(after) < ROUNDING {
        return false;
    }
    let t = before / (before - after);
    let position = [0, 1, 2].map(|k| from[k] + t * (to[k] - from[k]));
    [[a, b], [b, c], [c, a]]
        .iter()
        .all(|&[p, q]| dot(cross(minus(q, p), minus(position, p)), normal) > ROUNDING)
}

pub fn cross<T: Copy + std::ops::Mul<Output = T> + std::ops::Sub<Output = T>>(
    u: [T; 3],
    v: [T; 3],
) -> [T; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

/// Returns a side of the border with the wrong orientation on its face, if any: the upper ends of
/// its edges must be on its right, seen from outside.
fn reversed_side([a, b]: [usize; 2], values: &[f64; 8]) -> Option<String> {
    let face = (0..6).find(|&face| lies_on(a, face) && lies_on(b, face))?;
    let position = |corner: u32| CORNERS[corner as usize].map(f64::from);
    let [p, q, r, _] = FACES[face].map(position);
    let outward = cross(
        [0, 1, 2].map(|k| q[k] - p[k]),
        [0, 1, 2].map(|k| r[k] - p[k]),
    );
    let [low, high] = EDGES[a];
    let above = position(if values[low as usize] < 0.0 {
        high
    } else {
        low
    });
    let [from, to] = [a, b].map(|edge| edge_vertex(values, edge as u32));
    let left = cross(outward, [0, 1, 2].map(|k| to[k] - from[k]));
    let side: f64 = (0..3).map(|k| left[k] * (above[k] - from[k])).sum();
    (side >= 0.0).then(|| format!("side {a} {b} of the border has the wrong orientation"))
}
