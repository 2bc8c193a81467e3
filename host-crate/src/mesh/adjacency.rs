//! Which triangles meet at which vertex, by a counting sort over the corners.

use super::VertexIndex;
use crate::memory::{self, OutOfMemory};

/// What memory is for that holds wedges.
const WEDGES: &str = "a check of the mesh";

/// One triangle as one of its vertices sees it: the two other corners in winding order.
/// The triangle (v, next, previous) has the directed edges v → next and previous → v.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wedge<I> {
    pub next: I,
    pub previous: I,
}

/// The wedges of every vertex, grouped by vertex. Memory: 8 bytes per vertex, and two indices
/// per corner.
pub(super) struct Wedges<I> {
    /// The wedges of vertex v are `wedges[starts[v]..starts[v + 1]]`.
    starts: Vec<usize>,
    wedges: Vec<Wedge<I>>,
}

impl<I: VertexIndex> Wedges<I> {
    /// Sorts the corners of those `triangles` that take part in the topology.
    pub fn new(triangles: &[[I; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let mut starts = memory::zeroed(WEDGES, vertices + 1)?;
        let mut corners = 0;
        for triangle in triangles
            .iter()
            .filter(|triangle| in_topology(triangle, vertices))
        {
            for corner in triangle {
                starts[corner.position()] += 1;
            }
            corners += 3;
        }
        // Inclusive sums: starts[v] is the end of vertex v's wedges, and filling backwards from
        // there turns it into their start.
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let Some(filler) = triangles
            .iter()
            .find(|triangle| in_topology(triangle, vertices))
        else {
            return Ok(Self {
                starts,
                wedges: Vec::new(),
            });
        };
        let filler = Wedge {
            next: filler[0],
            previous: filler[0],
        };
        let mut wedges = memory::filled(WEDGES, corners, filler)?;
        for triangle in triangles
            .iter()
            .rev()
            .filter(|triangle| in_topology(triangle, vertices))
        {
            let [a, b, c] = *triangle;
            for (corner, next, previous) in [(a, b, c), (b, c, a), (c, a, b)] {
                let slot = &mut starts[corner.position()];
                *slot -= 1;
                wedges[*slot] = Wedge { next, previous };
            }
        }
        Ok(Self { starts, wedges })
    }

    /// The wedges at one vertex.
    pub fn at(&self, vertex: usize) -> &[Wedge<I>] {
        &self.wedges[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// How many triangles take part in the topology.
    pub fn triangles(&self) -> usize {
        self.wedges.len() / 3
    }
}

/// True when all three indices name a vertex.
pub(super) fn is_valid<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    triangle.iter().all(|corner| corner.position() < vertices)
}

/// True when two corners are the same vertex.
pub(super) fn repeats<I: VertexIndex>([a, b, c]: &[I; 3]) -> bool {
    a == b || b == c || c == a
}

/// True when a triangle takes part in the topology: valid and without a repeated index.
pub(super) fn in_topology<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    is_valid(triangle, vertices) && !repeats(triangle)
}
