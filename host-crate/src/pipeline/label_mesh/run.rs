//! Execution of a label mesh job.

use super::{LabelCheck, LabelChecked, LabelMeshJob, LabelMeshOutcome, LabelSurfaceOutcome};
use crate::{
    device::start_threads,
    io::{FileError, FileGroup, FileProblem, MeshFormat, MeshWriteOptions},
    label_surface::{self, LabelField, LabelSurfaceError},
    memory::OutOfMemory,
    mesh::{LabelMesh, LabelledMesh, Triangles, count_self_intersections},
    monitor::Monitor,
    pipeline::{
        DeviceRun, EmptyReason, PipelineError, Problem, Warning, at,
        coordinates::precision_warning,
        label_paths::{expand, has_placeholder},
        outcome::Stages,
        paths::{self, OutputKind},
    },
};
use std::path::{Path, PathBuf};

/// Reads a label map, extracts the surfaces of the labels with shared walls, and writes them. The
/// files are the same, byte for byte, on any device.
///
/// Memory: the volume, the label indices and the mesh are in core: on the host the samples and up
/// to four bytes per voxel, on the device that of [`label_surface::extract`].
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{VolumeSource, label_mesh::{self, LabelCheck, LabelMeshJob}};
///
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("labels.nrrd"), folder.path().join("{label}.stl"));
/// let label = |x: usize, _: usize, _: usize| if x < 3 { 5_u8 } else { 8 };
/// let labels = Volume::from_fn([6, 4, 4], Geometry::default(), label)?;
/// write_volume(&input, &labels.into(), &VolumeWriteOptions::default())?;
///
/// let job = LabelMeshJob::new(VolumeSource::new(&input))
///     .output(output)
///     .check(LabelCheck::Required);
/// let outcome = label_mesh::run(&job, &Monitor::new())?;
/// assert_eq!(outcome.labels.len(), 2);
/// assert_eq!(outcome.labels[1].voxels, 48);
/// assert!(folder.path().join("8.stl").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`] with the name of the file: errors of paths as soon as the paths are known, of
/// files, of samples that are not labels, of the device, of a failed check, and
/// [`PipelineError::Cancelled`]. Existing output files are left untouched then.
pub fn run(job: &LabelMeshJob, monitor: &Monitor<'_>) -> Result<LabelMeshOutcome, PipelineError> {
    start_threads()?;
    job.check_inputs()?;
    job.device.reset_peak_memory();
    let mut stages = Stages::begin(monitor);
    let file = stages.run("read", || job.volume.read())?;
    let mut warnings = job.volume.notes(&file.header);
    let (dims, geometry) = (file.volume.dims(), *file.volume.geometry());
    let sample_type = file.volume.sample_type();
    let path = &job.volume.path;
    let surface_geometry = job.coordinates.surface_geometry(geometry);
    let positions = job
        .coordinates
        .encoding(&surface_geometry, dims, job.output.as_deref())?;
    let volume = file.volume.with_geometry(surface_geometry);
    let field = stages.run("labels", || {
        let field = LabelField::new(&volume, job.labels.as_deref()).map_err(at(path))?;
        // the paths of all labels are known now
        job.check_paths(field.labels())?;
        Ok::<_, PipelineError>(field)
    })?;
    drop(volume);
    let stream = job.device.stream().map_err(at(path))?;
    let extract = || {
        let surface = label_surface::extract(&stream, &field, &job.surface)?;
        stream.synchronize()?;
        Ok(surface)
    };
    let surface = stages.run("extract", || {
        extract().map_err(at::<LabelSurfaceError>(path))
    })?;
    let mut walls = stages.run("download", || {
        surface.download(&stream, &field).map_err(at(path))
    })?;
    let unshared_walls = surface.unshared_wall_count();
    drop(surface);
    let mesh_origin = walls.mesh.origin;
    positions.apply(&mut walls.mesh);
    let out_of_memory = |error: OutOfMemory| at(path)(error);
    let counts = walls.triangle_counts();
    let mut labels = Vec::new();
    for (index, &label) in field.labels().iter().enumerate() {
        labels.push(LabelSurfaceOutcome {
            label,
            voxels: field.voxels()[index],
            triangles: counts[index],
            voxel_volume: field.voxels()[index] as f64 * surface_geometry.determinant().abs(),
            checked: None,
        });
    }
    if job.check != LabelCheck::No {
        stages.run("check", || {
            walls.for_each_label_mesh(|index, part| {
                labels[index].checked = Some(check_part(&part).map_err(out_of_memory)?);
                Ok::<_, PipelineError>(())
            })?;
            job.require_closed(&labels)
        })?;
    }
    let files = match &job.output {
        Some(output) => stages.run("write", || job.write(output, &walls))?,
        None => Vec::new(),
    };
    warnings.extend(precision_warning(path, &surface_geometry, dims));
    if !field.missing().is_empty() {
        warnings.push(Warning::MissingLabels {
            path: path.clone(),
            labels: field.missing().to_vec(),
        });
    }
    if labels.is_empty() {
        warnings.push(Warning::Empty {
            path: path.clone(),
            what: "mesh",
            reason: EmptyReason::NoLabel,
        });
    }
    Ok(LabelMeshOutcome {
        dims,
        geometry,
        sample_type,
        mesh_origin,
        vertices: walls.mesh.vertices.len() as u64,
        triangles: walls.mesh.triangles.len() as u64,
        unshared_walls,
        index_bits: match walls.mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        labels,
        files,
        devices: vec![DeviceRun::new(&job.device, 1, Vec::new())],
        warnings,
        timings: stages.finish(),
    })
}

fn check_part(part: &LabelMesh) -> Result<LabelChecked, OutOfMemory> {
    Ok(LabelChecked {
        unbalanced_edges: part.unbalanced_edges()?,
        self_intersections: count_self_intersections(&part.mesh)?,
        report: part.check()?,
    })
}

impl LabelMeshJob {
    /// Checks the job before the file is read.
    fn check_inputs(&self) -> Result<(), PipelineError> {
        let Some(output) = &self.output else {
            return Ok(());
        };
        if has_placeholder(output) {
            if let Some(labels) = &self.labels {
                return self.check_paths(labels);
            }
            return Ok(paths::refuse_extension(output, OutputKind::Mesh)?);
        }
        self.check_paths(&[])?;
        match MeshFormat::from_output_path(output) {
            Some(format) if !format.holds_face_labels() => Err(FileError::new(
                output,
                FileProblem::NoFaceLabels {
                    format: format.name(),
                    instead: MeshFormat::face_label_extensions(),
                },
            )
            .into()),
            _ => Ok(()),
        }
    }

    /// Checks that each file can be written, and is neither the input nor another output.
    fn check_paths(&self, labels: &[i64]) -> Result<(), PipelineError> {
        let files: Vec<PathBuf> = self
            .output
            .iter()
            .flat_map(|it| expand(it, labels))
            .collect();
        let outputs: Vec<_> = files.iter().map(|it| (&**it, OutputKind::Mesh)).collect();
        Ok(paths::check(&[&self.volume.path], &outputs)?)
    }

    fn require_closed(&self, labels: &[LabelSurfaceOutcome]) -> Result<(), PipelineError> {
        if self.check != LabelCheck::Required {
            return Ok(());
        }
        let with_defect = |has_defect: fn(&LabelChecked) -> bool| {
            let labels = labels
                .iter()
                .filter(|it| it.checked.is_some_and(|checked| has_defect(&checked)));
            let labels: Vec<String> = labels.map(|it| it.label.to_string()).collect();
            labels.join(", ")
        };
        let open = with_defect(|checked| !checked.is_closed());
        let degenerate = with_defect(LabelChecked::is_degenerate);
        let folded = with_defect(|checked| !checked.report.is_manifold());
        let crossed = with_defect(|checked| checked.self_intersections > 0);
        let found = [
            ("open surfaces", open),
            ("surfaces that are not manifolds", folded),
            (
                "triangles without area or vertices at equal positions",
                degenerate,
            ),
            ("triangles that intersect", crossed),
        ];
        let Some((defect, labels)) = found.iter().find(|(_, labels)| !labels.is_empty()) else {
            return Ok(());
        };
        let defects = format!("{defect}, of the labels {labels}");
        let path = self.output.as_ref().unwrap_or(&self.volume.path);
        Err(at(path)(Problem::Broken {
            defects,
            advice: "this is a defect of ferrovox, please report it; without the check the mesh is written as it is",
        }))
    }

    /// Writes all walls to one file, or the surface of each label to a file of its own. All files
    /// appear together.
    fn write(&self, output: &Path, walls: &LabelledMesh) -> Result<Vec<PathBuf>, PipelineError> {
        let mut group = FileGroup::new();
        let options = MeshWriteOptions {
            space: self.coordinates.file_space(self.space),
            ..MeshWriteOptions::default()
        };
        let files = expand(output, &walls.labels);
        if has_placeholder(output) {
            walls.for_each_label_mesh(|index, part| {
                Ok::<_, PipelineError>(group.write_mesh(&files[index], &part.mesh, &options)?)
            })?;
        } else {
            group.write_labelled_mesh(output, walls, &options)?;
        }
        group.finish()?;
        Ok(files)
    }
}
