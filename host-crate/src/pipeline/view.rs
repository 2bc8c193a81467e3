//! From meshes, skeletons and volumes to a page that shows them.

use super::{
    DeviceRun, Level, ObjectFilter, PipelineError, Timings, VolumeSource, Warning, at,
    label_mesh::LabelSelection,
    object_volume::LeveledVolume,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, Stream, start_threads},
    grid::{AnyDeviceVolume, AnyVolume, Inside},
    io::{
        FileGroup, HeaderInfo, LabelTable, VolumeFormat, distinct_color, read_mesh, read_skeleton,
    },
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    label_surface::{self, LabelField, LabelSurfaceError, LabelSurfaceParams},
    mesh::TriangleMesh,
    mesh_filter::{MeshFilterError, SimplifyTarget, simplify, simplify_walls},
    monitor::Monitor,
    viewer::{MapScale, Page, SurfaceStyle, VolumeStyle},
    with_device_volume,
};
use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

/// Maximum number of triangles of a surface, or of all labels, on a page; larger ones are
/// simplified.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// Colours of surfaces in sRGB, in the order of the files.
const COLORS: [[u8; 3]; 6] = [
    [226, 150, 124],
    [112, 164, 216],
    [140, 188, 118],
    [222, 186, 96],
    [172, 146, 206],
    [112, 188, 188],
];

/// A page to write, by [`run`].
#[derive(Clone, Debug)]
pub struct ViewJob {
    /// Contents of the page, in the order of its lists.
    pub contents: Vec<ViewContent>,
    /// Title of the page.
    pub title: String,
    /// Unit of lengths; `None` for that of the files, if a format defines one.
    pub unit: Option<String>,
    /// Page to write: `.html`.
    pub output: PathBuf,
    /// Device that extracts surfaces.
    pub device: Device,
}

/// An object of a page.
#[derive(Clone, Debug)]
pub enum ViewContent {
    /// A mesh file.
    Mesh(PathBuf),
    /// A skeleton file.
    Skeleton(PathBuf),
    /// A volume, shown as slices, and the surface at a level, if there is one.
    Volume {
        /// The volume.
        source: Box<VolumeSource>,
        /// Definition of the surface.
        level: Option<Level>,
        /// Side of an isovalue on which the object is.
        inside: Inside,
        /// Filter of the object.
        filter: Box<ObjectFilter>,
    },
    /// A segmentation, shown as one surface per label.
    Labels {
        /// The label map.
        source: Box<VolumeSource>,
        /// Labels that are shown.
        labels: LabelSelection,
        /// Names and colours of the labels.
        table: Box<LabelTable>,
    },
    /// A distance map, shown as slices with a colour bar.
    DistanceMap(Box<VolumeSource>),
}

impl ViewContent {
    fn path(&self) -> &Path {
        match self {
            Self::Mesh(path) | Self::Skeleton(path) => path,
            Self::Volume { source, .. }
            | Self::Labels { source, .. }
            | Self::DistanceMap(source) => &source.path,
        }
    }

    /// Returns the paths of the files that are read.
    fn inputs(&self) -> Vec<&Path> {
        let mut inputs = vec![self.path()];
        if let Self::Volume { filter, .. } = self {
            inputs.extend(filter.inputs());
        }
        inputs
    }
}

impl ViewJob {
    /// Creates a job for the best device, with the title `ferrovox` and the unit of the files.
    pub fn new(contents: Vec<ViewContent>, output: impl Into<PathBuf>) -> Self {
        Self {
            contents,
            title: "ferrovox".to_owned(),
            unit: None,
            output: output.into(),
            device: Device::best(),
        }
    }
}

/// Description of a page that was written.
#[derive(Clone, Debug)]
pub struct ViewOutcome {
    /// Objects of the page, in the order of its lists.
    pub objects: Vec<ViewObject>,
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

/// Object of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewObject {
    /// Name in the list of the page.
    pub name: String,
    /// Kind of the object: `surface`, `label`, `skeleton`, `volume` or `distances`.
    pub kind: &'static str,
    /// Number of triangles, curves or samples.
    pub count: u64,
}

/// Reads files, extracts surfaces, and writes a self-contained page.
///
/// ```
/// use ferrovox::{io::{MeshWriteOptions, write_mesh}, mesh::TriangleMesh, monitor::Monitor};
/// use ferrovox::{mesh::Triangles, pipeline::view::{self, ViewContent, ViewJob}};
///
/// let folder = tempfile::tempdir()?;
/// let [mesh, page] = ["corner.ply", "corner.html"].map(|name| folder.path().join(name));
/// let corner = TriangleMesh {
///     vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: Triangles::U32(vec![[0, 1, 2]]),
///     ..TriangleMesh::default()
/// };
/// write_mesh(&mesh, &corner, &MeshWriteOptions::default())?;
/// let job = ViewJob::new(vec![ViewContent::Mesh(mesh)], &page);
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
    let inputs: Vec<&Path> = job.contents.iter().flat_map(ViewContent::inputs).collect();
    paths::check(&inputs, &[(&job.output, OutputKind::Page)])?;
    job.device.reset_peak_memory();
    let mut work = PageWork {
        page: Page::new(&*job.title),
        stream: job.device.stream()?,
        device: &job.device,
        stages: Stages::begin(monitor),
        warnings: Vec::new(),
        objects: Vec::new(),
        notes: Vec::new(),
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
        notes,
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
        notes,
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

/// A page under construction, and the results so far.
struct PageWork<'a> {
    page: Page,
    stream: Stream,
    device: &'a Device,
    stages: Stages<'a>,
    warnings: Vec<Warning>,
    objects: Vec<ViewObject>,
    notes: Vec<String>,
    unit: Option<&'static str>,
    /// Number of surfaces that are not labels so far.
    surfaces: usize,
}

impl PageWork<'_> {
    fn add(&mut self, content: &ViewContent) -> Result<(), PipelineError> {
        let path = content.path();
        let name = file_stem(path);
        match content {
            ViewContent::Mesh(path) => {
                let mesh = self.stages.run("read", || read_mesh(path))?;
                self.add_surface(&mesh, &name, path)
            }
            ViewContent::Skeleton(path) => {
                let skeleton = self.stages.run("read", || read_skeleton(path))?;
                self.page
                    .add_skeleton(&skeleton, &*name)
                    .map_err(at(path))?;
                self.list(&name, "skeleton", skeleton.edges.len());
                Ok(())
            }
            ViewContent::Volume {
                source,
                level,
                inside,
                filter,
            } => self.add_volume(source, *level, *inside, filter, &name),
            ViewContent::Labels {
                source,
                labels,
                table,
            } => self.add_labels(source, labels, table),
            ViewContent::DistanceMap(source) => {
                let file = self.stages.run("read", || source.read())?;
                self.warnings.extend(source.notes(&file.header));
                self.set_conventions(&file.header);
                self.add_slices(&file.volume, &name, Some(0.0), MapScale::Colors, path)
            }
        }
    }

    fn list(&mut self, name: &str, kind: &'static str, count: usize) {
        self.objects.push(ViewObject {
            name: name.to_owned(),
            kind,
            count: count as u64,
        });
    }

    fn note(&mut self, note: String) {
        self.page.add_note(note.clone());
        self.notes.push(note);
    }

    /// Sets the directions and the unit that the format of a volume defines.
    fn set_conventions(&mut self, header: &HeaderInfo) {
        let unit = match header.format {
            VolumeFormat::Nifti | VolumeFormat::Dicom | VolumeFormat::Mgh => Some("mm"),
            VolumeFormat::Mrc => Some("Å"),
            _ => None,
        };
        self.unit = self.unit.or(unit.filter(|_| header.has_spacing));
        let is_anatomical = matches!(
            header.format,
            VolumeFormat::Nifti | VolumeFormat::Dicom | VolumeFormat::Mgh | VolumeFormat::MetaImage
        );
        if is_anatomical && header.has_spacing {
            self.page.set_anatomical_axes();
        }
    }

    fn add_surface(
        &mut self,
        mesh: &TriangleMesh,
        name: &str,
        path: &Path,
    ) -> Result<(), PipelineError> {
        let color = COLORS[self.surfaces % COLORS.len()];
        self.surfaces += 1;
        let count = mesh.triangles.len();
        let simplified;
        let shown = match display_target(count) {
            Some(target) => {
                let monitor = self.stages.monitor();
                (simplified, _) = self.stages.run("simplify", || {
                    simplify(mesh, target, &monitor).map_err(at::<MeshFilterError>(path))
                })?;
                self.note_simplification(name, count, simplified.triangles.len());
                &simplified
            }
            None => mesh,
        };
        let page = &mut self.page;
        self.stages.run("encode", || {
            page.add_mesh(shown, &SurfaceStyle::new(name, color))
                .map_err(at(path))
        })?;
        self.list(name, "surface", shown.triangles.len());
        Ok(())
    }

    fn note_simplification(&mut self, name: &str, before: usize, after: usize) {
        self.note(format!(
            "{name}: {before} triangles are simplified to {after} for display"
        ));
    }

    fn add_slices(
        &mut self,
        volume: &AnyVolume,
        name: &str,
        iso: Option<f64>,
        scale: MapScale,
        path: &Path,
    ) -> Result<(), PipelineError> {
        let style = VolumeStyle {
            name: name.to_owned(),
            iso,
            scale,
        };
        let page = &mut self.page;
        self.stages.run("encode", || {
            page.add_volume(volume, &style).map_err(at(path))
        })?;
        let kind = if scale == MapScale::Gray {
            "volume"
        } else {
            "distances"
        };
        self.list(name, kind, volume.len());
        Ok(())
    }

    fn add_volume(
        &mut self,
        source: &VolumeSource,
        level: Option<Level>,
        inside: Inside,
        filter: &ObjectFilter,
        name: &str,
    ) -> Result<(), PipelineError> {
        let path = &source.path;
        let Some(level) = level else {
            let file = self.stages.run("read", || source.read())?;
            self.warnings.extend(source.notes(&file.header));
            self.set_conventions(&file.header);
            return self.add_slices(&file.volume, name, None, MapScale::Gray, path);
        };
        level.check().map_err(source.error())?;
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let file = LeveledVolume::read(source, level, filter, stages, warnings)?;
        self.set_conventions(&file.header);
        let iso = level.is_isovalue().then(|| file.level.isovalue());
        let samples = file.volume.summary();
        let (dims, resolved) = (file.volume.dims(), file.level);
        self.add_slices(&file.volume, name, iso, MapScale::Gray, path)?;
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let object = file.into_object(source, inside, filter, self.device, stages, warnings)?;
        let params = IsosurfaceParams {
            iso: object.iso,
            inside: object.inside,
            normals: true,
            ..IsosurfaceParams::default()
        };
        let stream = &self.stream;
        let extract = || {
            let on_device = AnyDeviceVolume::upload(stream, &object.volume)?;
            let surface = with_device_volume!(&on_device, volume => isosurface::extract(stream, volume, None, &params))?;
            Ok(surface.download(stream)?)
        };
        let mesh = self
            .stages
            .run("extract", || extract().map_err(at::<IsosurfaceError>(path)))?;
        if mesh.triangles.is_empty() {
            self.warnings.push(Warning::Empty {
                path: path.clone(),
                what: "surface",
                reason: resolved.empty_reason(&samples, dims),
            });
        }
        let surface_name = match iso {
            Some(iso) => format!("{name} at {iso}"),
            None => format!("{name}, surface"),
        };
        self.add_surface(&mesh, &surface_name, path)
    }

    fn add_labels(
        &mut self,
        source: &VolumeSource,
        labels: &LabelSelection,
        table: &LabelTable,
    ) -> Result<(), PipelineError> {
        let path = &source.path;
        let file = self.stages.run("read", || source.read())?;
        self.warnings.extend(source.notes(&file.header));
        self.set_conventions(&file.header);
        let chosen = match labels {
            LabelSelection::Listed(labels) => Some(labels.as_slice()),
            LabelSelection::All | LabelSelection::NonZero => None,
        };
        let stream = &self.stream;
        let extract = || {
            let field = LabelField::new(&file.volume, chosen)?;
            let surface = label_surface::extract(stream, &field, &LabelSurfaceParams::default())?;
            let walls = surface.download(stream, &field)?;
            Ok((walls, field.missing().to_vec()))
        };
        let (mut walls, missing) = self.stages.run("extract", || {
            extract().map_err(at::<LabelSurfaceError>(path))
        })?;
        if !missing.is_empty() {
            self.warnings.push(Warning::MissingLabels {
                path: path.clone(),
                labels: missing,
            });
        }
        let count = walls.mesh.triangles.len();
        if let Some(target) = display_target(count) {
            let monitor = self.stages.monitor();
            (walls, _) = self.stages.run("simplify", || {
                simplify_walls(&walls, target, &monitor).map_err(at::<MeshFilterError>(path))
            })?;
            self.note_simplification(&file_stem(path), count, walls.mesh.triangles.len());
        }
        let (page, listed) = (&mut self.page, &mut self.objects);
        self.stages.run("encode", || {
            walls.for_each_label_mesh(|index, part| {
                let label = walls.labels[index];
                let style = table.style(label);
                let name = match style {
                    Some(style) if !style.name.is_empty() => format!("{label} {}", style.name),
                    _ => format!("label {label}"),
                };
                let color = style.and_then(|style| style.color);
                let style = SurfaceStyle {
                    name: name.clone(),
                    color: color.unwrap_or_else(|| label_color(index)),
                    is_label: true,
                };
                page.add_mesh(&part.mesh, &style).map_err(at(path))?;
                listed.push(ViewObject {
                    name,
                    kind: "label",
                    count: part.mesh.triangles.len() as u64,
                });
                Ok::<_, PipelineError>(())
            })
        })
    }
}

/// Returns the simplification of a surface of more than [`MAX_TRIANGLES`].
fn display_target(triangles: usize) -> Option<SimplifyTarget> {
    let fraction = MAX_TRIANGLES as f64 / triangles.max(1) as f64;
    (triangles > MAX_TRIANGLES).then_some(SimplifyTarget::Fraction(fraction))
}

/// Returns the sRGB colour of a label that has none in the table.
pub(super) fn label_color(index: usize) -> [u8; 3] {
    distinct_color(index).map(|linear| (linear.sqrt() * 255.0).round() as u8)
}

/// Returns the name of a file without its folder and extensions.
fn file_stem(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}
