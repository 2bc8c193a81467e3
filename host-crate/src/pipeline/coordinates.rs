//! Coordinates of mesh files.

use super::{PipelineError, Warning};
use crate::{
    grid::Geometry,
    io::{FileError, FileProblem, MeshFormat, MeshSpace},
    mesh::TriangleMesh,
};
use std::path::Path;

/// Maximum rounding error of positions in files, in voxels, before it is an error or a warning.
const MAX_ERROR: f64 = 1.0 / 100.0;

/// Coordinates in which a mesh is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// World coordinates: `f64` far from the world origin, where `f32` is imprecise. Formats
    /// without `f64` are an error there.
    #[default]
    World,
    /// World units relative to the [local origin](Geometry::local_origin) of the volume, which the
    /// outcome states. Equal to world coordinates near the world origin.
    Local,
    /// Voxel indices: the centre of the first voxel is the origin.
    Voxel,
}

impl Coordinates {
    /// All coordinates.
    pub const ALL: [Self; 3] = [Self::World, Self::Local, Self::Voxel];

    /// Returns the name: `world`, `local` or `voxel`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Local => "local",
            Self::Voxel => "voxel",
        }
    }

    /// Returns the space of a file with these coordinates: none for voxel indices.
    pub(super) fn file_space(self, space: MeshSpace) -> Option<MeshSpace> {
        (self != Self::Voxel).then_some(space)
    }

    /// Returns the geometry with which the surface of a volume is extracted.
    pub(super) fn surface_geometry(self, world: Geometry) -> Geometry {
        match self {
            Self::World | Self::Local => world,
            Self::Voxel => Geometry::default(),
        }
    }

    /// Determines how the positions of a mesh are written to `output`, given the geometry and the
    /// dims of the volume of its surface.
    ///
    /// # Errors
    /// [`FileProblem::CoordinatePrecision`] if the format stores `f32` only, whose world
    /// coordinates are off by more than 1/100 voxel.
    pub(super) fn encoding(
        self,
        geometry: &Geometry,
        dims: [usize; 3],
        output: Option<&Path>,
    ) -> Result<PositionEncoding, PipelineError> {
        if self == Self::Local {
            return Ok(PositionEncoding::Local);
        }
        let format = output.and_then(MeshFormat::from_output_path);
        let f32_output = output.zip(format.filter(|format| !format.stores_f64()));
        let Some((output, format)) = f32_output else {
            return Ok(PositionEncoding::World);
        };
        let error = geometry.f32_error(dims);
        if error <= MAX_ERROR {
            return Ok(PositionEncoding::RoundedWorld);
        }
        let problem = FileProblem::CoordinatePrecision {
            format: format.name(),
            error,
            instead: MeshFormat::f64_extensions(),
        };
        Err(FileError::new(output, problem).into())
    }
}

/// Encoding of the positions of a mesh with a local origin. Near the world origin, where that is
/// zero, all encodings are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// World positions, as `f64`.
    #[default]
    World,
    /// World positions, rounded to `f32`.
    RoundedWorld,
    /// Positions relative to the local origin, as `f32`.
    Local,
}

impl PositionEncoding {
    /// Prepares a mesh for writing.
    pub(super) fn apply(self, mesh: &mut TriangleMesh) {
        match self {
            Self::World => {}
            Self::RoundedWorld => mesh.round_to_world(),
            Self::Local => mesh.origin = [0.0; 3],
        }
    }

    /// Returns the geometry of the coordinates in which a mesh is written.
    pub(super) fn geometry(self, geometry: Geometry, origin: [f64; 3]) -> Geometry {
        match self {
            Self::World | Self::RoundedWorld => geometry,
            Self::Local => geometry.relative_to(origin.into()),
        }
    }
}

/// Returns a warning if even positions relative to the local origin are off by more than 1/100
/// voxel, as in volumes with more than 500,000 voxels along an axis.
pub(super) fn precision_warning(
    path: &Path,
    geometry: &Geometry,
    dims: [usize; 3],
) -> Option<Warning> {
    let local = geometry.relative_to(geometry.local_origin(dims));
    let error = local.f32_error(dims);
    (error > MAX_ERROR).then(|| Warning::CoordinatePrecision {
        path: path.to_owned(),
        error,
    })
}
