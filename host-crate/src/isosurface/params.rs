//! What can be chosen.

use super::IsosurfaceError;
use crate::grid::Inside;

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
    /// Isovalue 0, inside above, not closed, no normals.
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            close: false,
            normals: false,
            method: Method::default(),
            index_width: IndexWidth::default(),
        }
    }
}
