//! What [`check`](super::check) finds.

/// Topology, measure and defects of a mesh.
///
/// Triangles with an index out of range, or with a repeated index, take no part in the topology:
/// edges, fans, components and the Euler characteristic are those of the other triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshReport {
    /// Vertices in the list.
    pub vertices: usize,
    /// Vertices that no triangle of the topology uses.
    pub unreferenced_vertices: usize,
    /// Triangles in the list.
    pub triangles: usize,
    /// Triangles that take part in the topology.
    pub topological_triangles: usize,
    /// Edges, each pair of joined vertices counted once.
    pub edges: usize,
    /// Edges used by one triangle only.
    pub boundary_edges: usize,
    /// Edges used by three triangles or more.
    pub non_manifold_edges: usize,
    /// Edges used twice in the same direction: their two triangles wind against each other.
    pub inconsistent_edges: usize,
    /// Vertices whose triangles do not form a single fan (a disc, or a half disc at a boundary).
    pub non_manifold_vertices: usize,
    /// Connected components.
    pub components: usize,
    /// Triangles with an index that names no vertex.
    pub invalid_triangles: usize,
    /// Triangles of zero area in f64, or with a repeated index.
    pub degenerate_triangles: usize,
    /// Vertices with a coordinate that is NaN or infinite.
    pub non_finite_vertices: usize,
    /// Surface area. Triangles at non-finite vertices are left out.
    pub area: f64,
    /// Signed enclosed volume, by the divergence theorem, with the centre of the bounding box as
    /// the origin; positive when the triangles wind counter-clockwise seen from outside. It is the
    /// volume of a body only when the mesh is closed and oriented.
    pub volume: f64,
}

impl MeshReport {
    /// Every edge is used by exactly two triangles, and every index names a vertex.
    /// (An empty mesh is closed.)
    pub fn is_closed(&self) -> bool {
        self.boundary_edges == 0 && self.non_manifold_edges == 0 && self.invalid_triangles == 0
    }

    /// No edge is used more than twice, and the triangles at each vertex form a single fan.
    pub fn is_manifold(&self) -> bool {
        self.non_manifold_edges == 0
            && self.non_manifold_vertices == 0
            && self.invalid_triangles == 0
    }

    /// Neighbouring triangles wind the same way: no edge is used twice in one direction.
    pub fn is_oriented(&self) -> bool {
        self.inconsistent_edges == 0 && self.non_manifold_edges == 0
    }

    /// V − E + F, V being the vertices that the topology uses: 2 for a sphere, 0 for a torus.
    pub fn euler_characteristic(&self) -> i64 {
        let used = self.vertices - self.unreferenced_vertices;
        used as i64 - self.edges as i64 + self.topological_triangles as i64
    }
}
