//! Result of [`check`](super::check).

/// Topology, measures and defects of a mesh.
///
/// *Topological* triangles have three valid and distinct indices. Only they count for the topology:
/// edges, fans, components and the Euler characteristic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of vertices that no topological triangle uses.
    pub unreferenced_vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of topological triangles.
    pub topological_triangles: usize,
    /// Number of edges, each pair of connected vertices counted once.
    pub edges: usize,
    /// Number of edges used by one triangle only.
    pub boundary_edges: usize,
    /// Number of edges used by three or more triangles.
    pub non_manifold_edges: usize,
    /// Number of edges used twice in the same direction: their two triangles have opposite
    /// orientations.
    pub inconsistent_edges: usize,
    /// Number of vertices whose triangles do not form a single fan (a disc, or a half disc at a
    /// boundary).
    pub non_manifold_vertices: usize,
    /// Number of connected components.
    pub components: usize,
    /// Number of triangles with an index that does not refer to a vertex.
    pub invalid_triangles: usize,
    /// Number of triangles with zero area in `f64`, or with a repeated index.
    pub degenerate_triangles: usize,
    /// Number of vertices at the position of a vertex with a lower index. Of vertices at one
    /// position, all but the first count.
    pub duplicate_positions: usize,
    /// Number of vertices with a NaN or infinite coordinate.
    pub non_finite_vertices: usize,
    /// Surface area, excluding triangles at non-finite vertices.
    pub area: f64,
    /// Signed enclosed volume by the divergence theorem, relative to the centre of the bounding
    /// box; positive if triangles are counter-clockwise as seen from outside. It is the volume of a
    /// solid only if the mesh is closed and oriented.
    pub volume: f64,
}

impl MeshReport {
    /// Returns `true` if every edge is used by exactly two triangles, and every index refers to a
    /// vertex. (An empty mesh is closed.)
    pub fn is_closed(&self) -> bool {
        self.boundary_edges == 0 && self.non_manifold_edges == 0 && self.invalid_triangles == 0
    }

    /// Returns `true` if every edge is known to be used once in each direction. The [balance of
    /// edges](super::EdgeBalance) is then zero; it may be zero otherwise, too.
    pub(crate) fn has_paired_edges(&self) -> bool {
        self.is_closed() && self.is_oriented() && self.topological_triangles == self.triangles
    }

    /// Returns `true` if no edge is used more than twice, and the triangles at each vertex form a
    /// single fan.
    pub fn is_manifold(&self) -> bool {
        self.non_manifold_edges == 0
            && self.non_manifold_vertices == 0
            && self.invalid_triangles == 0
    }

    /// Returns `true` if neighbouring triangles have the same orientation: no edge is used twice in
    /// one direction.
    pub fn is_oriented(&self) -> bool {
        self.inconsistent_edges == 0 && self.non_manifold_edges == 0
    }

    /// Returns V - E + F, where V is the number of vertices in the topology: 2 for a sphere, 0 for
    /// a torus.
    pub fn euler_characteristic(&self) -> i64 {
        let used = self.vertices - self.unreferenced_vertices;
        used as i64 - self.edges as i64 + self.topological_triangles as i64
    }
}
