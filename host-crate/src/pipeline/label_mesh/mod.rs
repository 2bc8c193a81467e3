//! From a label map to meshes: surfaces of the labels with shared walls, as one mesh or one per
//! label.

mod extract;
mod load;
mod run;

use super::{Coordinates, DeviceRun, Timings, VolumeSource, Warning};
use crate::{
    device::Device,
    grid::{Geometry, SampleType},
    io::{LabelTable, MeshSpace},
    label_surface::LabelSurfaceParams,
    mesh::MeshReport,
    mesh_filter::{ComponentFilter, SimplifyReport, SimplifyTarget},
};
use std::path::PathBuf;

pub use run::run;

/// Surfaces of labels to extract, by [`run`].
#[derive(Clone, Debug)]
pub struct LabelMeshJob {
    /// The label map: whole numbers; 0 is background.
    pub volume: VolumeSource,
    /// Labels to extract. All others are background.
    pub labels: LabelSelection,
    /// Mask: a volume of the same grid. Voxels at which it is 0 are background.
    pub mask: Option<VolumeSource>,
    /// Components of each label to extract. The voxels of others are background.
    pub components: ComponentFilter,
    /// The mesh file. Without one the meshes are only described in the outcome. With the
    /// placeholder `{label}` in the path, each label has a closed mesh in a file of its own.
    /// Otherwise all walls are written to one file, `.ply` or `.vtp`, each wall once, with the two
    /// labels of each triangle, or as `.glb`, a scene with a node for each label.
    pub output: Option<PathBuf>,
    /// Coordinates of the mesh files.
    pub coordinates: Coordinates,
    /// Directions of the world axes in the mesh files; no effect on voxel indices.
    pub space: MeshSpace,
    /// Devices that extract the surfaces, each a slab of the volume at a time. The first one
    /// relaxes the vertices of all.
    pub devices: Vec<Device>,
    /// Limit of the bytes of memory of the host and of each device. With a limit, and without one
    /// where the volume does not fit the free memory, the file is read in parts; the runs of labels
    /// along x and the mesh are held as a whole.
    pub memory: Option<u64>,
    /// Smoothing, adaptation of volumes, and rule for voxels that touch in an edge.
    pub surface: LabelSurfaceParams,
    /// Simplification of the walls; both labels keep the same triangles.
    pub simplify: Option<SimplifyTarget>,
    /// `true` to write vertex normals, from the triangles of each mesh file.
    pub normals: bool,
    /// Table of the neighbouring labels with the areas of their walls: `.csv` or `.json`.
    pub wall_table: Option<PathBuf>,
    /// Table of the labels with their voxels, and the area and volume of their surfaces: `.csv` or
    /// `.json`.
    pub measure_table: Option<PathBuf>,
    /// Names and colours of the labels in a scene.
    pub table: LabelTable,
    /// Check of the surface of each label.
    pub check: LabelCheck,
}

/// Selection of the labels of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LabelSelection {
    /// All labels other than 0.
    #[default]
    All,
    /// The labels of a list, in any order.
    Listed(Vec<i64>),
    /// All samples other than 0 as a single label 1: the volume is a binary mask.
    NonZero,
}

impl LabelMeshJob {
    /// Creates a job that extracts the surfaces of all labels on the best device, without an output
    /// or a check.
    pub fn new(volume: VolumeSource) -> Self {
        Self {
            volume,
            labels: LabelSelection::All,
            mask: None,
            components: ComponentFilter::default(),
            output: None,
            coordinates: Coordinates::default(),
            space: MeshSpace::default(),
            devices: vec![Device::best()],
            memory: None,
            surface: LabelSurfaceParams::default(),
            simplify: None,
            normals: false,
            wall_table: None,
            measure_table: None,
            table: LabelTable::default(),
            check: LabelCheck::No,
        }
    }

    /// Sets the mesh file, or the path of the files with the placeholder `{label}`.
    #[must_use]
    pub fn output(self, path: impl Into<PathBuf>) -> Self {
        Self {
            output: Some(path.into()),
            ..self
        }
    }

    /// Sets the directions of the world axes in the mesh files.
    #[must_use]
    pub fn space(self, space: MeshSpace) -> Self {
        Self { space, ..self }
    }

    /// Sets the coordinates of the mesh files.
    #[must_use]
    pub fn coordinates(self, coordinates: Coordinates) -> Self {
        Self {
            coordinates,
            ..self
        }
    }

    /// Sets the labels to extract.
    #[must_use]
    pub fn labels(self, labels: Vec<i64>) -> Self {
        Self {
            labels: LabelSelection::Listed(labels),
            ..self
        }
    }

    /// Sets smoothing, adaptation of volumes, and the rule for voxels that touch in an edge.
    #[must_use]
    pub fn surface(self, surface: LabelSurfaceParams) -> Self {
        Self { surface, ..self }
    }

    /// Sets the mask outside of which voxels are background.
    #[must_use]
    pub fn mask(self, mask: VolumeSource) -> Self {
        Self {
            mask: Some(mask),
            ..self
        }
    }

    /// Sets the devices that extract the surfaces.
    #[must_use]
    pub fn devices(self, devices: Vec<Device>) -> Self {
        Self { devices, ..self }
    }

    /// Sets the limit of memory, in bytes.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Self {
            memory: Some(bytes),
            ..self
        }
    }

    /// Sets the components of each label to extract.
    #[must_use]
    pub fn components(self, components: ComponentFilter) -> Self {
        Self { components, ..self }
    }

    /// Sets the simplification of the walls.
    #[must_use]
    pub fn simplify(self, target: SimplifyTarget) -> Self {
        Self {
            simplify: Some(target),
            ..self
        }
    }

    /// Sets the table of neighbouring labels.
    #[must_use]
    pub fn wall_table(self, path: impl Into<PathBuf>) -> Self {
        Self {
            wall_table: Some(path.into()),
            ..self
        }
    }

    /// Sets the table of the measures of labels.
    #[must_use]
    pub fn measure_table(self, path: impl Into<PathBuf>) -> Self {
        Self {
            measure_table: Some(path.into()),
            ..self
        }
    }

    /// Sets the check.
    #[must_use]
    pub fn check(self, check: LabelCheck) -> Self {
        Self { check, ..self }
    }
}

/// Check of the surfaces of labels before they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelCheck {
    /// The surfaces are not checked.
    #[default]
    No,
    /// The surfaces are checked.
    Yes,
    /// The surfaces are checked, and must be closed, oriented, manifold and free of
    /// self-intersections.
    Required,
}

/// Description of the extracted surfaces.
#[derive(Clone, Debug)]
pub struct LabelMeshOutcome {
    /// Voxels along x, y and z.
    pub dims: [usize; 3],
    /// Position of the voxels in the world.
    pub geometry: Geometry,
    /// Sample type of the file.
    pub sample_type: SampleType,
    /// World position that vertices are relative to before they are written; zero near the world
    /// origin. With [`Coordinates::Local`], the origin of the coordinates in the files.
    pub mesh_origin: [f64; 3],
    /// Number of vertices of all walls.
    pub vertices: u64,
    /// Number of triangles of all walls, each counted once.
    pub triangles: u64,
    /// Number of pairs of neighbouring voxels with two labels whose wall is not shared: each label
    /// has triangles of its own there.
    pub unshared_walls: u64,
    /// Number of slabs that were extracted separately.
    pub slabs: usize,
    /// Result of the simplification, if there was one.
    pub simplified: Option<SimplifyReport>,
    /// Bits of a vertex index: 32 or 64.
    pub index_bits: u32,
    /// Surfaces of the labels, in ascending order.
    pub labels: Vec<LabelSurfaceOutcome>,
    /// Files that were written.
    pub files: Vec<PathBuf>,
    /// Work and memory of the device.
    pub devices: Vec<DeviceRun>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `labels`, `extract`, `download` (part of `extract` if there are
    /// slabs), `simplify`, `check`, `write`.
    pub timings: Timings,
}

/// Surface of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelSurfaceOutcome {
    /// The label.
    pub label: i64,
    /// Number of voxels of the label.
    pub voxels: u64,
    /// Number of triangles of its surface.
    pub triangles: u64,
    /// Area of its surface, in squared world units.
    pub area: f64,
    /// Volume that its surface encloses, in cubed world units.
    pub volume: f64,
    /// Volume of the label's voxels, in cubed world units.
    pub voxel_volume: f64,
    /// Result of the check, if the surface was checked.
    pub checked: Option<LabelChecked>,
}

/// Result of the check of a label's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelChecked {
    /// Number of edges that are not traversed equally often in both directions; 0 if the surface is
    /// closed and oriented.
    pub unbalanced_edges: u64,
    /// Number of pairs of triangles that intersect.
    pub self_intersections: u64,
    /// Topology and measures.
    pub report: MeshReport,
}

impl LabelSurfaceOutcome {
    /// Returns the difference of the enclosed volume from that of the voxels, as a fraction of the
    /// latter.
    pub fn volume_error(&self) -> f64 {
        self.volume / self.voxel_volume - 1.0
    }
}

impl LabelChecked {
    /// Returns `true` if the surface is closed and oriented.
    pub fn is_closed(&self) -> bool {
        self.unbalanced_edges == 0 && self.report.invalid_triangles == 0
    }

    /// Returns `true` if a triangle has no area, or two vertices have the same position.
    pub fn is_degenerate(&self) -> bool {
        self.report.degenerate_triangles + self.report.duplicate_positions > 0
    }
}
