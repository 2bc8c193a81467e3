//! Parameters of isosurface extraction.

use super::IsosurfaceError;
use crate::grid::Inside;
use ferrovox_kernels::isosurface::{table, topology};

/// Implementation of the extraction. All methods compute the same mesh in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Packs one bit per sample into words of 32 samples. Fastest, with at most one byte of device
    /// memory per voxel.
    #[default]
    Fused,
    /// Runs one kernel per stage, as the page on marching cubes with topology information (2011)
    /// does.
    Staged,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 2] = [Method::Fused, Method::Staged];

    /// Returns the name of the method, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Fused => "fused",
            Method::Staged => "staged",
        }
    }
}

/// Resolution of ambiguous cells, in which the signs at the corners admit several topologies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// On an ambiguous face, the corners above the isovalue are separated. The mesh is closed and
    /// manifold, but its components and tunnels may differ from those of the trilinear
    /// interpolant.
    #[default]
    Separated,
    /// The topology of the trilinear interpolant: in each cell the mesh has the connected
    /// components, the loops on the faces and the tunnel of the interpolant's level set (Nielson
    /// and Hamann 1991; Chernyaev 1995).
    Trilinear,
}

impl Topology {
    /// All resolutions.
    pub const ALL: [Topology; 2] = [Topology::Separated, Topology::Trilinear];

    /// Returns the name of the resolution, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Topology::Separated => "separated",
            Topology::Trilinear => "trilinear",
        }
    }

    /// Returns the maximum number of triangles per cell.
    pub(crate) fn max_triangles_per_cell(self) -> u64 {
        match self {
            Topology::Separated => table::MAX_TRIANGLES as u64,
            Topology::Trilinear => topology::MAX_TRIANGLES as u64,
        }
    }

    /// Returns the maximum number of vertices per sample: on the three edges that rise from it, and
    /// inside its cell.
    pub(crate) fn max_vertices_per_sample(self) -> u64 {
        match self {
            Topology::Separated => 3,
            Topology::Trilinear => 3 + topology::HEXAGON_VERTICES as u64,
        }
    }
}

/// Interpolation of a vertex along its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexPlacement {
    /// Linear interpolation of the two samples at the ends, which is where the trilinear
    /// interpolant equals the isovalue.
    #[default]
    Linear,
    /// The root of the cubic through these samples and the next ones on the same grid line. For
    /// smooth fields, such as distances, the error is of fourth instead of second order in the
    /// voxel size. At the boundary of the volume, and next to non-finite samples, the polynomial
    /// interpolates the remaining samples. For non-smooth samples, its slopes are limited to avoid
    /// overshoot.
    Root,
}

impl VertexPlacement {
    /// All placements.
    pub const ALL: [VertexPlacement; 2] = [VertexPlacement::Linear, VertexPlacement::Root];

    /// Returns the name of the placement, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            VertexPlacement::Linear => "linear",
            VertexPlacement::Root => "root",
        }
    }

    pub(super) fn is_cubic(self) -> bool {
        self == VertexPlacement::Root
    }
}

/// Gradient from which normals are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalSource {
    /// The gradient of the samples by central differences at both ends of a vertex's edge,
    /// interpolated between them. Smooth.
    #[default]
    Gradient,
    /// The gradient of the trilinear interpolant at the vertex, averaged over the cells around its
    /// edge: perpendicular to the surface that the mesh approximates.
    Trilinear,
}

impl NormalSource {
    /// All sources.
    pub const ALL: [NormalSource; 2] = [NormalSource::Gradient, NormalSource::Trilinear];

    /// Returns the name of the source, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            NormalSource::Gradient => "gradient",
            NormalSource::Trilinear => "trilinear",
        }
    }
}

/// Rule that decides which cells a mask excludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MaskRule {
    /// A cell is meshed if the mask is not zero at all of its eight corners.
    #[default]
    AllCorners,
    /// A cell is meshed if the mask is not zero at its corner with the largest indices, as in
    /// scikit-image. Only [`Method::Fused`] supports it.
    LastCorner,
}

/// Width of vertex indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexWidth {
    /// 32 bits if they can address all vertices and triangles, else 64 bits.
    #[default]
    Automatic,
    /// 32 bits; extraction fails if they do not suffice.
    Bits32,
    /// 64 bits.
    Bits64,
}

/// Parameters of [`extract`](super::extract) and its variants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsosurfaceParams {
    /// Isovalue, in the units of the samples.
    pub iso: f32,
    /// Side of the isovalue on which the solid is.
    pub inside: Inside,
    /// `true` for triangles that are clockwise as seen from outside of the solid, instead of
    /// counter-clockwise. Normals point outward in both cases.
    pub clockwise: bool,
    /// `true` to close the surface at the boundary of the volume, as if all samples beyond it were
    /// outside of the solid. [`Method::Staged`] extracts from a padded `f32` copy of the volume in
    /// this case.
    pub close: bool,
    /// Resolution of ambiguous cells.
    pub topology: Topology,
    /// Interpolation of a vertex along its edge.
    pub vertices: VertexPlacement,
    /// `true` to compute outward unit normals.
    pub normals: bool,
    /// Gradient from which normals are computed.
    pub normal_source: NormalSource,
    /// Rule that decides which cells a mask excludes.
    pub mask_rule: MaskRule,
    /// Implementation of the extraction.
    pub method: Method,
    /// Width of vertex indices.
    pub index_width: IndexWidth,
    /// `true` to measure the time of each stage, for
    /// [`DeviceMesh::stage_times`](super::DeviceMesh::stage_times). On a GPU this takes an event
    /// per stage, some microseconds in total.
    pub time_stages: bool,
}

impl IsosurfaceParams {
    /// Returns `true` if triangles face the side of the isovalue above it, in a grid that does not
    /// mirror.
    pub(super) fn faces_above(&self) -> bool {
        (self.inside == Inside::Below) != self.clockwise
    }

    /// Returns the index width of a mesh of this size: 32 or 64 bits.
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
    /// Returns the defaults: isovalue 0, solid above it, surface open at the boundary, above
    /// corners separated, linear interpolation, no normals, no timing.
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            clockwise: false,
            close: false,
            topology: Topology::default(),
            vertices: VertexPlacement::default(),
            normals: false,
            normal_source: NormalSource::default(),
            mask_rule: MaskRule::default(),
            method: Method::default(),
            index_width: IndexWidth::default(),
            time_stages: false,
        }
    }
}
