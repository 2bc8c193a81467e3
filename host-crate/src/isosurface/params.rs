//! What can be chosen.

use super::IsosurfaceError;
use crate::grid::Inside;
use ferrovox_kernels::isosurface::{table, topology};

/// How the mesh is made. Every method makes the same mesh, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// From one bit per sample, in which a word stands for 32 cells: the fastest, in at most a byte
    /// of device memory per voxel.
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
    /// On a face with two corners inside at one diagonal and two outside at the other, those above
    /// the isovalue are kept apart. The mesh is closed and manifold, but its pieces and tunnels are
    /// not always those of a field.
    #[default]
    Separated,
    /// As the trilinear interpolant of the samples: in each cell the mesh has the pieces, the loops
    /// on the faces and the tunnel of the surface where the interpolant has the isovalue (Nielson
    /// and Hamann 1991; Chernyaev 1995).
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
    pub(crate) fn max_triangles_per_cell(self) -> u64 {
        match self {
            Topology::Separated => table::MAX_TRIANGLES as u64,
            Topology::Trilinear => topology::MAX_TRIANGLES as u64,
        }
    }

    /// Vertices for each sample at most: on the three edges that rise from it, and inside its cell.
    pub(crate) fn max_vertices_per_sample(self) -> u64 {
        match self {
            Topology::Separated => 3,
            Topology::Trilinear => 3 + topology::HEXAGON_VERTICES as u64,
        }
    }
}

/// Where between the samples at the ends of its edge a vertex lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexPlacement {
    /// Where the straight line between their values has the isovalue, which is where the trilinear
    /// interpolant has it.
    #[default]
    Linear,
    /// Where the cubic through their values and those of the samples before and after them on the
    /// same line has it: for smooth fields, such as distances, an error of the fourth order of the
    /// voxel's size in place of the second. Where the volume ends, and beside samples that are not
    /// finite, the polynomial is that of the other samples. Where the samples are not smooth, its
    /// slopes are limited so that it does not swing past them.
    Root,
}

impl VertexPlacement {
    /// All of them.
    pub const ALL: [VertexPlacement; 2] = [VertexPlacement::Linear, VertexPlacement::Root];

    /// Its name, as the command line takes it.
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

/// Which gradient normals are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalSource {
    /// That of the samples, by central differences at both ends of a vertex's edge, interpolated
    /// between them: smooth.
    #[default]
    Gradient,
    /// That of the trilinear interpolant at the vertex, on an edge the mean of those of the cells
    /// around it: the direction of the surface that the mesh is made from.
    Trilinear,
}

impl NormalSource {
    /// All of them.
    pub const ALL: [NormalSource; 2] = [NormalSource::Gradient, NormalSource::Trilinear];

    /// Its name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            NormalSource::Gradient => "gradient",
            NormalSource::Trilinear => "trilinear",
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
    /// Close the surface where the volume ends, as if it went on outside the solid.
    /// [`Method::Staged`] works on a padded copy of the volume in `f32` for that.
    pub close: bool,
    /// Which surface goes through ambiguous cells.
    pub topology: Topology,
    /// Where on its edge a vertex lies.
    pub vertices: VertexPlacement,
    /// Compute unit normals that point outside.
    pub normals: bool,
    /// What they are made of.
    pub normal_source: NormalSource,
    /// How.
    pub method: Method,
    /// The width of vertex indices.
    pub index_width: IndexWidth,
    /// Measure how long each stage takes, for
    /// [`DeviceMesh::stage_times`](super::DeviceMesh::stage_times). On a GPU that is an event for
    /// each stage, some microseconds in all.
    pub time_stages: bool,
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
    /// Isovalue 0, inside above, not closed, above samples kept apart, vertices by straight lines,
    /// no normals, stages not timed.
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            close: false,
            topology: Topology::default(),
            vertices: VertexPlacement::default(),
            normals: false,
            normal_source: NormalSource::default(),
            method: Method::default(),
            index_width: IndexWidth::default(),
            time_stages: false,
        }
    }
}
