//! Connected components, by union-find over the vertices.

use super::VertexIndex;
use super::adjacency::in_topology;

/// The number of sets of vertices joined by the triangles that take part in the topology.
/// `used` is the number of vertices that those triangles name.
pub(super) fn count_components<I: VertexIndex>(
    triangles: &[[I; 3]],
    vertices: usize,
    used: usize,
) -> usize {
    let mut sets = VertexSets::new(triangles, vertices);
    let mut joins = 0;
    for triangle in triangles
        .iter()
        .filter(|triangle| in_topology(triangle, vertices))
    {
        let [a, b, c] = *triangle;
        joins += usize::from(sets.unite(a, b));
        joins += usize::from(sets.unite(b, c));
    }
    used - joins
}

/// A forest over the vertices, with parents stored in the mesh's own index type.
struct VertexSets<I> {
    parents: Vec<I>,
}

impl<I: VertexIndex> VertexSets<I> {
    fn new(triangles: &[[I; 3]], vertices: usize) -> Self {
        // Without triangles no vertex is looked up. With more vertices than the type can name, the
        // last ones are not named by any triangle either.
        let named = if triangles.is_empty() { 0 } else { vertices };
        Self {
            parents: (0..named).map_while(I::from_position).collect(),
        }
    }

    /// Joins two sets; true when they were apart.
    fn unite(&mut self, a: I, b: I) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // Lower roots win: meshes are made in order, so chains stay short without ranks.
        if a < b {
            self.parents[b.position()] = a;
        } else {
            self.parents[a.position()] = b;
        }
        a != b
    }

    /// The root of a vertex's set; halves the path on the way.
    fn find(&mut self, mut at: I) -> I {
        loop {
            let parent = self.parents[at.position()];
            if parent == at {
                return at;
            }
            let grandparent = self.parents[parent.position()];
            self.parents[at.position()] = grandparent;
            at = grandparent;
        }
    }
}
