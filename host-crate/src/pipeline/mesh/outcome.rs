//! The outcome of an isosurface mesh.

use super::MeshJob;
use crate::{
    grid::{Geometry, SampleSummary, SampleType},
    isosurface::TopologyCounts,
    mesh::{MeshReport, Opening},
    mesh_filter::{ComponentFilterReport, SimplifyReport},
    monitor::StageTime,
    pipeline::{
        DeviceRun, OpenReason, Timings, Warning, coordinates::precision_warning,
        level::ResolvedLevel, outcome::longest,
    },
};

/// Description of an extracted mesh.
#[derive(Clone, Debug)]
pub struct MeshOutcome {
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Sample type of the file.
    pub sample_type: SampleType,
    /// Isovalue; 0.5 for a selection of samples.
    pub iso: f64,
    /// Statistics of the samples as they are stored in the file.
    pub samples: SampleSummary,
    /// Number of samples that were rounded to `f32`.
    pub inexact_samples: usize,
    /// World position that vertices are relative to before they are written: zero unless the volume
    /// is far from the world origin. With [`Coordinates::Local`](crate::pipeline::Coordinates), the
    /// origin of the coordinates in the file.
    pub mesh_origin: [f64; 3],
    /// Number of vertices.
    pub vertices: u64,
    /// Number of triangles.
    pub triangles: u64,
    /// Bits of a vertex index: 32 or 64.
    pub index_bits: u32,
    /// Number of cells that were left out because of a corner that is NaN or infinite.
    pub non_finite_cells: u64,
    /// Resolution of the ambiguous cells.
    pub topology: TopologyCounts,
    /// Number of parts in which the surface was extracted.
    pub slabs: u64,
    /// Report of the choice of components, if some were chosen.
    pub component_filter: Option<ComponentFilterReport>,
    /// Report of the simplification, if the mesh was simplified.
    pub simplified: Option<SimplifyReport>,
    /// Result of the check, if the mesh was checked.
    pub checked: Option<MeshChecked>,
    /// Work and memory of each device.
    pub devices: Vec<DeviceRun>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `upload`, `extract`, `smooth`, `download`, `simplify`,
    /// `normals`, `check`, `write` (which may overlap with the check); or `stream`, with its
    /// shares `read` and `write`.
    pub timings: Timings,
}

/// Topology, measures and extent of a mesh.
#[derive(Clone, Debug)]
pub struct MeshChecked {
    /// Topology and measures.
    pub report: MeshReport,
    /// Boundaries of the mesh in the faces of the volume.
    pub openings: Vec<Opening>,
    /// Minimum and maximum vertex position along x, y and z in the coordinates of the file; `None`
    /// for a mesh without vertices.
    pub bounds: Option<[[f64; 3]; 2]>,
}

impl MeshOutcome {
    /// Returns the time of each stage on the device where it took longest: devices work
    /// concurrently.
    pub fn device_stages(&self) -> Vec<StageTime> {
        longest(&self.devices)
    }

    /// Adds the warnings about the result.
    pub(super) fn warn(&mut self, job: &MeshJob, level: ResolvedLevel, is_closed: bool) {
        let path = || job.volume.path.clone();
        let mesh_path = || job.output.clone().unwrap_or_else(path);
        let geometry = job.coordinates.surface_geometry(self.geometry);
        self.warnings
            .extend(precision_warning(&job.volume.path, &geometry, self.dims));
        if !is_closed {
            self.warnings.push(Warning::OpenMesh {
                path: mesh_path(),
                reason: self.open_reason(job),
            });
        }
        if let Some(MeshChecked { report, .. }) = &self.checked
            && !report.is_manifold()
        {
            self.warnings.push(Warning::NonManifoldMesh {
                path: mesh_path(),
                edges: report.non_manifold_edges,
                vertices: report.non_manifold_vertices,
            });
        }
        if self.samples.non_finite > 0 {
            self.warnings.push(Warning::NonFinite {
                path: path(),
                non_finite: self.samples.non_finite,
                count: self.samples.count,
                cells: self.non_finite_cells,
            });
        }
        if self.triangles == 0 {
            self.warnings.push(Warning::Empty {
                path: path(),
                what: "mesh",
                reason: level.empty_reason(&self.samples, self.dims),
            });
        }
    }

    /// Returns where the surface can end, given that it is open.
    fn open_reason(&self, job: &MeshJob) -> OpenReason {
        let has_exclusions = job.mask.is_some() || self.non_finite_cells > 0;
        match (job.surface.close, has_exclusions) {
            (false, false) => OpenReason::Border,
            (false, true) => OpenReason::BorderOrExcluded,
            (true, _) => OpenReason::Excluded,
        }
    }
}
