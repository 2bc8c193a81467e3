//! How much of a mesh there is, before it is made.

use super::{IndexWidth, IsosurfaceError, IsosurfaceParams, Topology};
use ferrovox_kernels::grid::Grid;

/// Vertices and triangles of a part, or of all parts before one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartCounts {
    pub vertices: u64,
    pub triangles: u64,
}

impl PartCounts {
    /// Of two parts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            vertices: self.vertices + other.vertices,
            triangles: self.triangles + other.triangles,
        }
    }

    /// The width of the indices of a mesh that has so much.
    pub fn width(self, params: &IsosurfaceParams) -> Result<IndexWidth, IsosurfaceError> {
        params.width_for(self.vertices, self.triangles)
    }

    /// Bytes of so much of a mesh.
    pub fn bytes(self, params: &IsosurfaceParams, width: IndexWidth) -> u64 {
        self.vertices
            .saturating_mul(12 * (1 + params.normals as u64))
            .saturating_add(self.index_bytes(width))
    }

    /// Bytes of the triangles.
    pub fn index_bytes(self, width: IndexWidth) -> u64 {
        let bytes_per_index = match width {
            IndexWidth::Bits64 => 8,
            _ => 4,
        };
        self.triangles.saturating_mul(3 * bytes_per_index)
    }
}

/// Whether the mesh of a grid might need more than 32 bits for its numbers.
pub(crate) fn may_need_wide_indices(grid: Grid, topology: Topology) -> bool {
    let max = u32::MAX as u64;
    grid.samples()
        .saturating_mul(topology.max_vertices_per_sample())
        > max
        || grid
            .cells()
            .saturating_mul(topology.max_triangles_per_cell())
            > max
}

/// What [`Topology::Trilinear`] found in a mesh's cells. All 0 with [`Topology::Separated`], which
/// does not look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopologyCounts {
    /// Cells with a face that has two corners below the isovalue at one diagonal, and two that are
    /// not at the other.
    pub ambiguous_cells: u64,
    /// Cells in which pieces can be joined by a tunnel, so that it was looked for.
    pub tunnel_tests: u64,
    /// Cells with a tunnel.
    pub tunnels: u64,
    /// Vertices inside cells: six round a tunnel, one in a loop of eight edges or more.
    pub inner_vertices: u64,
}

impl TopologyCounts {
    /// Of what kernels counted.
    pub(super) fn from_totals(totals: &[u64]) -> Self {
        Self {
            ambiguous_cells: totals[0],
            tunnel_tests: totals[1],
            tunnels: totals[2],
            inner_vertices: totals[3],
        }
    }

    /// Of two parts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            ambiguous_cells: self.ambiguous_cells + other.ambiguous_cells,
            tunnel_tests: self.tunnel_tests + other.tunnel_tests,
            tunnels: self.tunnels + other.tunnels,
            inner_vertices: self.inner_vertices + other.inner_vertices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_vertices_for_the_width_are_refused() {
        let params = IsosurfaceParams {
            index_width: IndexWidth::Bits32,
            ..Default::default()
        };
        let half = PartCounts {
            vertices: 1 << 31,
            triangles: 1,
        };
        assert_eq!(half.width(&params).unwrap(), IndexWidth::Bits32);
        match half.plus(half).width(&params) {
            Err(IsosurfaceError::IndexWidth { vertices, .. }) => assert_eq!(vertices, 1 << 32),
            other => panic!("{other:?}"),
        }
    }
}
