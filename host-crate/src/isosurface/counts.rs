//! Size of a mesh before it is built.

use super::{IndexWidth, IsosurfaceError, IsosurfaceParams, Topology};
use ferrovox_kernels::grid::Grid;

/// Numbers of vertices and triangles of a part, or of all preceding parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartCounts {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of triangles.
    pub triangles: u64,
}

impl PartCounts {
    /// Returns the sum of two counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            vertices: self.vertices + other.vertices,
            triangles: self.triangles + other.triangles,
        }
    }

    /// Returns the index width of a mesh of this size.
    pub(crate) fn width(self, params: &IsosurfaceParams) -> Result<IndexWidth, IsosurfaceError> {
        params.width_for(self.vertices, self.triangles)
    }

    /// Returns the size in bytes of a mesh with these counts.
    pub(crate) fn bytes(self, params: &IsosurfaceParams, width: IndexWidth) -> u64 {
        self.vertices
            .saturating_mul(12 * (1 + params.normals as u64))
            .saturating_add(self.index_bytes(width))
    }

    /// Returns the size in bytes of the triangles.
    pub(crate) fn index_bytes(self, width: IndexWidth) -> u64 {
        let bytes_per_index = match width {
            IndexWidth::Bits64 => 8,
            _ => 4,
        };
        self.triangles.saturating_mul(3 * bytes_per_index)
    }
}

/// Returns `true` if the mesh of a grid may need indices of more than 32 bits.
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

/// Statistics of ambiguous cells, collected with [`Topology::Trilinear`]; all 0 with
/// [`Topology::Separated`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopologyCounts {
    /// Number of cells with an ambiguous face: two diagonally opposite corners below the isovalue,
    /// and the other two not. A cell without such a face that may contain a tunnel is counted in
    /// `tunnel_tests` only.
    pub ambiguous_cells: u64,
    /// Number of cells that were tested for a tunnel.
    pub tunnel_tests: u64,
    /// Number of cells with a tunnel.
    pub tunnels: u64,
    /// Number of vertices inside cells: six around a tunnel, one in a loop of eight or more edges.
    pub inner_vertices: u64,
}

impl TopologyCounts {
    /// Converts the totals counted by kernels.
    pub(super) fn from_totals(totals: &[u64]) -> Self {
        Self {
            ambiguous_cells: totals[0],
            tunnel_tests: totals[1],
            tunnels: totals[2],
            inner_vertices: totals[3],
        }
    }

    /// Returns the sum of the statistics of two parts.
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
