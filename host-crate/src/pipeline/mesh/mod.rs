//! From a volume file to a mesh file: the isosurface.

mod filters;
mod finish;
mod need;
mod otsu;
mod streamed;
mod whole;

use super::{
    DeviceRun, PipelineError, Timings, VolumeSource, Warning,
    outcome::Stages,
    paths::{self, OutputKind},
    warning::WhyEmpty,
};
use crate::{
    device::{Device, start_threads},
    grid::{Geometry, SampleSummary, SampleType, Selection},
    isosurface::{IsosurfaceError, IsosurfaceParams, TopologyCounts},
    mesh::{MeshReport, Opening},
    mesh_filter::{PiecesReport, SimplifyReport},
    monitor::Monitor,
};
use std::path::{Path, PathBuf};

pub use filters::MeshFilters;

/// What [`run`] is to do.
#[derive(Clone, Debug)]
pub struct MeshJob {
    /// The volume.
    pub volume: VolumeSource,
    /// A volume of the same grid: where it is zero there is no surface. Headerless, it is of `u8`
    /// unless its options name another type.
    pub mask: Option<VolumeSource>,
    /// The mesh file; without one the mesh is made and described only.
    pub output: Option<PathBuf>,
    /// Which surface, and how it is made.
    pub params: IsosurfaceParams,
    /// The devices that compute it: several each take a part. One may be named more than once.
    pub devices: Vec<Device>,
    /// Bytes that the work may take of the host's memory, and of each device's; `None` is what
    /// there is.
    pub memory: Option<u64>,
    /// Whether the mesh is checked.
    pub check: MeshCheck,
    /// The isovalue where it is no number of `f32`: in place of that of `params`, for samples of
    /// `i32` that `f32` does not hold.
    pub level: Option<f64>,
    /// The isovalue is the [threshold by Otsu](crate::grid::otsu_threshold) of the samples, within
    /// the mask, in place of those of `params` and `level`.
    pub otsu: bool,
    /// What is done with the mesh before it is checked and written. It needs the whole mesh: a
    /// volume that must be streamed is an error.
    pub filters: MeshFilters,
    /// The surface of the samples that are exactly this, whatever the isovalue: that of 1 for those
    /// and 0 for others, at 0.5. Samples are compared as the file has them.
    pub label: Option<f64>,
}

/// Whether a mesh is looked at before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshCheck {
    /// It is not.
    #[default]
    No,
    /// It is, unless it is streamed and never there as a whole.
    IfWhole,
    /// It is, and must be an oriented manifold. A volume that must be streamed is an error.
    Required,
}

/// What a mesh is like.
#[derive(Clone, Debug)]
pub struct MeshOutcome {
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// Where they lie in the world.
    pub geometry: Geometry,
    /// Their type in the file.
    pub sample_type: SampleType,
    /// The isovalue.
    pub iso: f64,
    /// The samples, as the file has them.
    pub samples: SampleSummary,
    /// Samples that were rounded to become `f32`.
    pub inexact_samples: usize,
    /// Vertices of the mesh.
    pub vertices: u64,
    /// Its triangles.
    pub triangles: u64,
    /// Bits of a vertex index: 32 or 64.
    pub index_bits: u32,
    /// Cells left out because a corner of theirs is NaN or infinite.
    pub non_finite_cells: u64,
    /// What ambiguous cells were found to be.
    pub topology: TopologyCounts,
    /// Parts in which it was made.
    pub slabs: u64,
    /// Which pieces were kept, if some were chosen.
    pub pieces: Option<PiecesReport>,
    /// What was simplified, if the mesh was.
    pub simplified: Option<SimplifyReport>,
    /// The result of the check, if the mesh was checked.
    pub checked: Option<MeshChecked>,
    /// What each device did.
    pub devices: Vec<DeviceRun>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long it took: `read`, `upload`, `extract`, `smooth`, `download`, `simplify`, `normals`,
    /// `check`, `write` (which may go on while the mesh is checked); or `stream`, and of it `read`
    /// and `write`.
    pub timings: Timings,
}

/// The check of a mesh, where it is open, and where it lies.
#[derive(Clone, Debug)]
pub struct MeshChecked {
    /// Topology and measures.
    pub report: MeshReport,
    /// Boundaries in the faces of the volume.
    pub openings: Vec<Opening>,
    /// The least and the largest position along x, y and z; `None` for a mesh without vertices.
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// Reads a volume, extracts its isosurface and writes the mesh. The file is the same, byte for
/// byte, on any devices and in any memory.
///
/// The volume is read as a whole if it, its scratch memory and its mesh, which is counted before it
/// is made, fit the memory; else it is [streamed](crate::pipeline::stream_mesh::stream_mesh). If a
/// device has room for the volume but not for all of the mesh with it, the mesh is made and
/// downloaded in parts.
///
/// ```
/// use ferrovox::{device::Device, grid::{Geometry, Volume}, io::{VolumeWriteOptions, write_volume}};
/// use ferrovox::{isosurface::IsosurfaceParams, monitor::Monitor, pipeline::{VolumeSource, mesh::{self, MeshCheck, MeshJob}}};
///
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("ramp.nrrd"), folder.path().join("ramp.ply"));
/// let ramp = Volume::from_fn([4, 4, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let job = MeshJob {
///     volume: VolumeSource::new(&input),
///     mask: None,
///     output: Some(output),
///     params: IsosurfaceParams { iso: 3.5, ..IsosurfaceParams::default() },
///     devices: vec![Device::cpu()],
///     memory: None,
///     check: MeshCheck::Required,
///     level: None,
///     otsu: false,
///     filters: Default::default(),
///     label: None,
/// };
/// let outcome = mesh::run(&job, &Monitor::silent())?;
/// assert_eq!((outcome.vertices, outcome.triangles), (16, 18));
/// assert!(outcome.warnings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`], which names the file: of paths before anything is read, of files, of a mask
/// with another grid, of the extraction, of a check that failed, and [`PipelineError::Cancelled`].
/// What stood under the output's name is untouched then.
pub fn run(job: &MeshJob, monitor: &Monitor<'_>) -> Result<MeshOutcome, PipelineError> {
    start_threads()?;
    job.check_paths()?;
    if let Some(label) = job.label {
        let check = Selection::Label(label).check();
        check.map_err(job.volume.error())?;
    }
    if job.devices.is_empty() {
        return Err(job.volume.error()(IsosurfaceError::NoDevices));
    }
    job.filters.check(job)?;
    for device in &job.devices {
        device.reset_peak_memory();
    }
    let stages = Stages::begin(monitor);
    let mut outcome = if need::streaming(job)? {
        streamed::run(job, stages, monitor)?
    } else {
        match whole::run(job, stages)? {
            Some(outcome) => outcome,
            None => streamed::run(job, Stages::begin(monitor), monitor)?,
        }
    };
    outcome.warn(job);
    Ok(outcome)
}

impl MeshJob {
    /// The isovalue, unless the samples give it.
    fn level(&self) -> f64 {
        self.level.unwrap_or(self.params.iso.into())
    }

    /// The same job with an isovalue that was found.
    fn at_level(&self, level: f64) -> Self {
        Self {
            params: IsosurfaceParams {
                iso: level as f32,
                ..self.params
            },
            level: Some(level),
            ..self.clone()
        }
    }

    fn check_paths(&self) -> Result<(), PipelineError> {
        let volumes = [&self.volume].into_iter().chain(&self.mask);
        let inputs: Vec<&Path> = volumes.map(|volume| volume.path.as_path()).collect();
        let output = self.output.as_deref();
        let outputs: Vec<_> = output
            .map(|path| (path, OutputKind::Mesh))
            .into_iter()
            .collect();
        Ok(paths::check(&inputs, &outputs)?)
    }
}

impl MeshOutcome {
    /// The time of each stage on the devices, where it took longest: they work at the same time.
    pub fn device_stages(&self) -> Vec<crate::monitor::StageTime> {
        super::outcome::longest(&self.devices)
    }

    /// Adds the warnings about the result.
    fn warn(&mut self, job: &MeshJob) {
        let path = || job.volume.path.clone();
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
                why: match job.label {
                    Some(label) => WhyEmpty::Label { label },
                    None => WhyEmpty::of(&self.samples, self.dims, self.iso as f32),
                },
            });
        }
    }
}
