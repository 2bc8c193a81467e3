//! From meshes, skeletons and volumes to a page that shows them.

mod page_work;

use super::{
    DeviceRun, PipelineError, SceneContent, SceneObject, Timings, Warning, at,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, start_threads},
    io::FileGroup,
    monitor::Monitor,
    viewer::Page,
};
use page_work::PageWork;
use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

/// Default of [`ViewJob::max_triangles`]: what browsers draw fluently.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// A page to write, by [`run`].
#[derive(Clone, Debug)]
pub struct ViewJob {
    /// Contents of the page, in the order of its lists.
    pub contents: Vec<SceneContent>,
    /// Title of the page.
    pub title: String,
    /// Unit of lengths; `None` for that of the files, if a format defines one.
    pub unit: Option<String>,
    /// Maximum number of triangles of a surface, or of all labels together; larger ones are
    /// simplified.
    pub max_triangles: usize,
    /// Page to write: `.html`.
    pub output: PathBuf,
    /// Device that extracts surfaces.
    pub device: Device,
}

impl ViewJob {
    /// Creates a job for the best device, with the title `ferrovox` and the unit of the files.
    pub fn new(contents: Vec<SceneContent>, output: impl Into<PathBuf>) -> Self {
        Self {
            contents,
            title: "ferrovox".to_owned(),
            unit: None,
            max_triangles: MAX_TRIANGLES,
            output: output.into(),
            device: Device::best(),
        }
    }
}

/// Description of a page that was written.
#[derive(Clone, Debug)]
pub struct ViewOutcome {
    /// Objects of the page, in the order of its lists.
    pub objects: Vec<SceneObject>,
    /// Size of the page in bytes.
    pub bytes: u64,
    /// Remarks that the page shows, such as a simplification.
    pub notes: Vec<String>,
    /// Work and memory of the device.
    pub device: DeviceRun,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `threshold`, `filter`, `extract`, `simplify`, `encode`, `write`.
    pub timings: Timings,
}

/// Reads files, extracts surfaces, and writes a self-contained page.
///
/// ```
/// use ferrovox::{io::{MeshWriteOptions, write_mesh}, mesh::TriangleMesh, monitor::Monitor};
/// use ferrovox::{mesh::Triangles, pipeline::{SceneContent, view::{self, ViewJob}}};
///
/// let folder = tempfile::tempdir()?;
/// let [mesh, page] = ["corner.ply", "corner.html"].map(|name| folder.path().join(name));
/// let corner = TriangleMesh {
///     vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: Triangles::U32(vec![[0, 1, 2]]),
///     ..TriangleMesh::default()
/// };
/// write_mesh(&mesh, &corner, &MeshWriteOptions::default())?;
/// let job = ViewJob::new(vec![SceneContent::Mesh(mesh)], &page);
/// let outcome = view::run(&job, &Monitor::new())?;
/// assert_eq!(outcome.objects[0].count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`] with the name of the file: errors of paths before anything is read, of files,
/// of the device, of a page that would be too large, and [`PipelineError::Cancelled`].
pub fn run(job: &ViewJob, monitor: &Monitor<'_>) -> Result<ViewOutcome, PipelineError> {
    start_threads()?;
    let inputs: Vec<&Path> = job.contents.iter().flat_map(SceneContent::inputs).collect();
    paths::check(&inputs, &[(&job.output, OutputKind::Page)])?;
    job.device.reset_peak_memory();
    let mut work = PageWork {
        page: Page::new(&*job.title),
        stream: job.device.stream()?,
        device: &job.device,
        max_triangles: job.max_triangles,
        stages: Stages::begin(monitor),
        warnings: Vec::new(),
        objects: Vec::new(),
        unit: None,
        surfaces: 0,
    };
    for content in &job.contents {
        work.add(content)?;
    }
    let PageWork {
        mut page,
        mut stages,
        warnings,
        objects,
        unit,
        ..
    } = work;
    if let Some(unit) = job.unit.clone().or(unit.map(str::to_owned)) {
        page.set_unit(unit);
    }
    page.check_size().map_err(at(&job.output))?;
    let mut bytes = 0;
    stages.run("write", || {
        let mut group = FileGroup::new();
        group.write(&job.output, |file| {
            let mut out = CountingWriter {
                out: BufWriter::new(file),
                bytes: 0,
            };
            page.write(&mut out)?;
            bytes = out.bytes;
            out.flush()
        })?;
        group.finish()
    })?;
    Ok(ViewOutcome {
        objects,
        bytes,
        notes: page.notes().to_vec(),
        device: DeviceRun::new(&job.device, 1, Vec::new()),
        warnings,
        timings: stages.finish(),
    })
}

/// Writer that counts bytes.
struct CountingWriter<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
