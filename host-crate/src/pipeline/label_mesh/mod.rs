//! From a volume of labels to a mesh of all of them, or to one for each: surfaces that share their
//! walls.

mod run;

use super::{DeviceRun, Timings, VolumeSource, Warning};
use crate::{
    device::Device,
    grid::{Geometry, SampleType},
    mesh::MeshReport,
};
use std::path::PathBuf;

pub use run::run;

/// What [`run`] is to do.
#[derive(Clone, Debug)]
pub struct LabelMeshJob {
    /// The volume: whole numbers, of which 0 is the background.
    pub volume: VolumeSource,
    /// The labels: all where none are named. Others are background.
    pub labels: Option<Vec<i64>>,
    /// The mesh file; without one the meshes are made and described only. `{label}` in its name
    /// stands for the label: each has a closed mesh of its own then. Else all walls are in one
    /// file, `.ply` or `.vtp`, each once, with the two labels of each triangle.
    pub output: Option<PathBuf>,
    /// Where to run.
    pub device: Device,
    /// Whether each label's surface is looked at.
    pub check: LabelCheck,
}

/// Whether surfaces of labels are looked at before they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelCheck {
    /// They are not.
    #[default]
    No,
    /// They are.
    Yes,
    /// They are, and must be closed and oriented.
    Required,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct LabelMeshOutcome {
    /// Voxels along x, y and z.
    pub dims: [usize; 3],
    /// Where they lie in the world.
    pub geometry: Geometry,
    /// Their type in the file.
    pub sample_type: SampleType,
    /// Vertices of all walls.
    pub vertices: u64,
    /// Triangles of all walls, each counted once.
    pub triangles: u64,
    /// Bits of a vertex index: 32 or 64.
    pub index_bits: u32,
    /// Each label, in ascending order.
    pub labels: Vec<LabelSurfaceOutcome>,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// What the device did.
    pub devices: Vec<DeviceRun>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long it took: `read`, `labels`, `extract`, `download`, `check`, `write`.
    pub timings: Timings,
}

/// The surface of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelSurfaceOutcome {
    /// The label.
    pub label: i64,
    /// Its voxels.
    pub voxels: u64,
    /// Triangles around it.
    pub triangles: u64,
    /// What it is like, if that was looked at.
    pub checked: Option<LabelChecked>,
}

/// What the surface of a label is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelChecked {
    /// Edges that are not gone along as often in one direction as in the other: none where it is
    /// closed and oriented.
    pub unbalanced_edges: u64,
    /// Topology and measures. It counts the edges and vertices in which the surface touches itself.
    pub report: MeshReport,
}

impl LabelChecked {
    /// Whether the surface is closed and oriented. It may touch itself.
    pub fn is_closed(&self) -> bool {
        self.unbalanced_edges == 0 && self.report.invalid_triangles == 0
    }
}
