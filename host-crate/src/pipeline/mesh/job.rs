//! The job of an isosurface mesh.

use super::MeshFilters;
use crate::{
    device::Device,
    grid::Inside,
    io::MeshSpace,
    isosurface::{
        IndexWidth, IsosurfaceParams, MaskRule, Method, NormalSource, Topology, VertexPlacement,
    },
    pipeline::{
        Coordinates, Level, PipelineError, VolumeSource,
        paths::{self, OutputKind},
    },
};
use std::path::{Path, PathBuf};

/// An isosurface to extract from a volume file and to write to a mesh file, by
/// [`run`](super::run).
///
/// [`new`](Self::new) sets the input and the level; the other methods set what differs from the
/// defaults.
#[derive(Clone, Debug)]
pub struct MeshJob {
    /// The volume.
    pub volume: VolumeSource,
    /// Isovalue, or the samples whose surface is extracted.
    pub level: Level,
    /// A volume of the same grid: there is no surface where it is zero. Headerless masks have
    /// samples of `u8` unless their options name another type.
    pub mask: Option<VolumeSource>,
    /// The mesh file. Without one the mesh is only described in the outcome.
    pub output: Option<PathBuf>,
    /// Properties of the extracted surface.
    pub surface: SurfaceOptions,
    /// Coordinates of the mesh file.
    pub coordinates: Coordinates,
    /// Directions of the world axes in the mesh files; no effect on voxel indices.
    pub space: MeshSpace,
    /// Filters that the mesh passes before it is checked and written. They need the whole mesh:
    /// a volume that must be streamed is an error.
    pub filters: MeshFilters,
    /// Check of the mesh before it is written.
    pub check: MeshCheck,
    /// Devices that extract the surface, each a part of the volume. One may be named more than
    /// once.
    pub devices: Vec<Device>,
    /// Maximum number of bytes used on the host and on each device; `None` for all that is free.
    pub memory: Option<u64>,
}

/// Properties of an isosurface apart from its level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceOptions {
    /// Side of the level on which the solid is. The samples selected by [`Level::Label`],
    /// [`Level::Range`] and [`Level::NonZero`] count as [`Inside::Above`].
    pub inside: Inside,
    /// `true` to close the surface where the volume ends.
    pub close: bool,
    /// Rule for ambiguous cells.
    pub topology: Topology,
    /// Position of vertices on their grid edges.
    pub vertices: VertexPlacement,
    /// Gradient that unit vertex normals are computed from; `None` for a mesh without normals.
    pub normals: Option<NormalSource>,
    /// Implementation of the extraction. All of them produce the same mesh.
    pub method: Method,
    /// Width of the vertex indices.
    pub index_width: IndexWidth,
}

impl SurfaceOptions {
    /// Returns the parameters of the extraction at an isovalue, with normals only if
    /// `with_normals`.
    pub(super) fn params(self, iso: f32, with_normals: bool) -> IsosurfaceParams {
        IsosurfaceParams {
            iso,
            inside: self.inside,
            clockwise: false,
            close: self.close,
            topology: self.topology,
            vertices: self.vertices,
            normals: with_normals && self.normals.is_some(),
            normal_source: self.normals.unwrap_or_default(),
            mask_rule: MaskRule::default(),
            method: self.method,
            index_width: self.index_width,
            time_stages: true,
        }
    }
}

/// Check of a mesh before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshCheck {
    /// The mesh is not checked.
    #[default]
    No,
    /// The mesh is checked, unless it is streamed and so never in memory as a whole.
    IfWhole,
    /// The mesh is checked, and must be an oriented manifold. A volume that must be streamed is an
    /// error.
    Required,
}

impl MeshJob {
    /// Creates a job that extracts the surface at `level` on the best device, without an output,
    /// a check or filters.
    pub fn new(volume: VolumeSource, level: Level) -> Self {
        Self::with_devices(volume, level, vec![Device::best()])
    }

    /// Creates a job like [`new`](Self::new) for these devices.
    pub fn with_devices(volume: VolumeSource, level: Level, devices: Vec<Device>) -> Self {
        Self {
            volume,
            level,
            mask: None,
            output: None,
            surface: SurfaceOptions::default(),
            coordinates: Coordinates::default(),
            space: MeshSpace::default(),
            filters: MeshFilters::default(),
            check: MeshCheck::No,
            devices,
            memory: None,
        }
    }

    /// Sets the mesh file.
    #[must_use]
    pub fn output(self, path: impl Into<PathBuf>) -> Self {
        Self {
            output: Some(path.into()),
            ..self
        }
    }

    /// Sets the mask.
    #[must_use]
    pub fn mask(self, mask: VolumeSource) -> Self {
        Self {
            mask: Some(mask),
            ..self
        }
    }

    /// Sets the properties of the surface.
    #[must_use]
    pub fn surface(self, surface: SurfaceOptions) -> Self {
        Self { surface, ..self }
    }

    /// Adds vertex normals of this source.
    #[must_use]
    pub fn normals(self, source: NormalSource) -> Self {
        let surface = SurfaceOptions {
            normals: Some(source),
            ..self.surface
        };
        Self { surface, ..self }
    }

    /// Sets the coordinates of the mesh file.
    #[must_use]
    pub fn coordinates(self, coordinates: Coordinates) -> Self {
        Self {
            coordinates,
            ..self
        }
    }

    /// Sets the directions of the world axes in the mesh file.
    #[must_use]
    pub fn space(self, space: MeshSpace) -> Self {
        Self { space, ..self }
    }

    /// Sets the filters.
    #[must_use]
    pub fn filters(self, filters: MeshFilters) -> Self {
        Self { filters, ..self }
    }

    /// Sets the check.
    #[must_use]
    pub fn check(self, check: MeshCheck) -> Self {
        Self { check, ..self }
    }

    /// Limits the memory used on the host and on each device to `bytes`.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Self {
            memory: Some(bytes),
            ..self
        }
    }

    /// Checks that the output can be written, and is distinct from the inputs.
    pub(super) fn check_paths(&self) -> Result<(), PipelineError> {
        let volumes = [&self.volume].into_iter().chain(&self.mask);
        let inputs: Vec<&Path> = volumes.map(|volume| volume.path.as_path()).collect();
        let outputs: Vec<_> = self
            .output
            .iter()
            .map(|path| (path.as_path(), OutputKind::Mesh))
            .collect();
        Ok(paths::check(&inputs, &outputs)?)
    }

    /// Returns `true` if normals are computed from the extracted surface, not from the filtered
    /// mesh.
    pub(super) fn has_surface_normals(&self) -> bool {
        self.surface.normals.is_some() && !self.filters.recompute_normals()
    }
}
