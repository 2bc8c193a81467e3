//! What can be chosen.

use super::IsosurfaceError;
use crate::grid::Inside;
use ferrovox_kernels::isosurface::{table, topology};

/// How the mesh is made. Every method makes the same mesh, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// From one bit per sample, in which a word stands for 32 cells: the fastest, in at most a byte of device memory per voxel.
    #[default]
    Fused,
    /// Every stage of the topology page (2011) as a kernel of its own.
    Staged,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 2] = [Method::Fused, Method::Staged];

    /// The method's name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Fused => "fused",
            Method::Staged => "staged",
        }
    }
}

/// Which surface goes through cells in which signs alone leave that open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// On a face with two corners inside at one diagonal and two outside at the other, those above the isovalue are kept apart. The mesh is closed
    /// and manifold, but its pieces and tunnels are not always those of a field.
    #[default]
    Separated,
    /// As the trilinear interpolant of the samples: in each cell the mesh has the pieces, the loops on the faces and the tunnel of the surface
    /// where the interpolant has the isovalue (Nielson and Hamann 1991; Chernyaev 1995).
    Trilinear,
}

impl Topology {
    /// All of them.
    pub const ALL: [Topology; 2] = [Topology::Separated, Topology::Trilinear];

    /// The rule's name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Topology::Separated => "separated",
            Topology::Trilinear => "trilinear",
        }
    }

    /// Triangles of a cell at most.
    pub(crate) fn most_triangles(self) -> u64 {
        match self {
            Topology::Separated => table::MAX_TRIANGLES as u64,
            Topology::Trilinear => topology::MAX_TRIANGLES as u64,
        }
    }

    /// Vertices for each sample at most: on the three edges that rise from it, and inside its cell.
    pub(crate) fn most_vertices(self) -> u64 {
        match self {
            Topology::Separated => 3,
            Topology::Trilinear => 3 + topology::HEXAGON as u64,
        }
    }
}

/// The width of vertex indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexWidth {
    /// 32 bits if they can number all vertices, else 64.
    #[default]
    Automatic,
    /// 32 bits, or an error.
    Bits32,
    /// 64 bits.
    Bits64,
}

/// What [`extract`](super::extract) is to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsosurfaceParams {
    /// The isovalue.
    pub iso: f32,
    /// Where the solid is.
    pub inside: Inside,
    /// Close the surface where the volume ends, as if it went on outside the solid. [`Method::Staged`] works on a padded copy of
    /// the volume in `f32` for that.
    pub close: bool,
    /// Which surface goes through ambiguous cells.
    pub topology: Topology,
    /// Compute unit normals that point outside, from the gradient of the samples.
    pub normals: bool,
    /// How.
    pub method: Method,
    /// The width of vertex indices.
    pub index_width: IndexWidth,
}

impl IsosurfaceParams {
    /// The width that a mesh's indices have: 32 or 64 bits.
    pub(super) fn width_for(
        &self,
        vertices: u64,
        triangles: u64,
    ) -> Result<IndexWidth, IsosurfaceError> {
        let fits = vertices.max(triangles) <= u32::MAX as u64;
        match (self.index_width, fits) {
            (IndexWidth::Bits32, false) => Err(IsosurfaceError::IndexWidth {
                vertices,
                triangles,
            }),
            (IndexWidth::Bits64, _) | (IndexWidth::Automatic, false) => Ok(IndexWidth::Bits64),
            _ => Ok(IndexWidth::Bits32),
        }
    }
}

impl Default for IsosurfaceParams {
    /// Isovalue 0, inside above, not closed, above samples kept apart, no normals.
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            close: false,
            topology: Topology::default(),
            normals: false,
            method: Method::default(),
            index_width: IndexWidth::default(),
        }
    }
}
