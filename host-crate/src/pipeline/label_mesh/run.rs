//! Execution of a label mesh job.

use super::{
    LabelCheck, LabelChecked, LabelMeshJob, LabelMeshOutcome, LabelSelection, LabelSurfaceOutcome,
    extract::ExtractedWalls, load::LoadedLabels,
};
use crate::{
    device::start_threads,
    io::{
        FileError, FileGroup, FileProblem, MeshFormat, MeshWriteOptions, SCENE_EXTENSION, Table,
        output_extension,
    },
    memory::OutOfMemory,
    mesh::{LabelMesh, LabelledMesh, TriangleMesh, Triangles, count_self_intersections},
    mesh_filter::{recompute_normals, simplify_walls},
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
/// Memory: on the host the samples while they are read, eight bytes per run of labels along x, and
/// the mesh, on the device that of [`label_surface::extract`](crate::label_surface::extract). With
/// a limit of memory or several devices, and where the volume does not fit the memory otherwise, it
/// is read and extracted in slabs
/// ([`label_surface::extract_parts`](crate::label_surface::extract_parts)).
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
    for device in &job.devices {
        device.reset_peak_memory();
    }
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let path = &job.volume.path;
    let LoadedLabels {
        field,
        removed,
        sample_type,
        geometry,
    } = job.load(&mut stages, &mut warnings)?;
    let (dims, surface_geometry) = (field.dims(), *field.geometry());
    let positions = job
        .coordinates
        .encoding(&surface_geometry, dims, job.output.as_deref())?;
    let ExtractedWalls {
        mut walls,
        unshared_walls,
        slabs,
    } = job.extract(&field, &mut stages, monitor)?;
    let simplified = match job.simplify {
        Some(target) => {
            let (simple, report) = stages.run("simplify", || {
                simplify_walls(&walls, target, monitor).map_err(at(path))
            })?;
            walls = simple;
            Some(report)
        }
        None => None,
    };
    let mesh_origin = walls.mesh.origin;
    positions.apply(&mut walls.mesh);
    let out_of_memory = |error: OutOfMemory| at(path)(error);
    let mut labels = Vec::new();
    let measures = walls.label_measures().map_err(out_of_memory)?;
    for (measure, &voxels) in measures.iter().zip(field.voxels()) {
        labels.push(LabelSurfaceOutcome {
            label: measure.label,
            voxels,
            triangles: measure.triangles,
            area: measure.area,
            volume: measure.volume.abs(),
            voxel_volume: voxels as f64 * surface_geometry.determinant().abs(),
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
        Some(output) => stages.run("write", || job.write(output, &mut walls, &labels))?,
        None => stages.run("write", || {
            let mut group = FileGroup::new();
            let files = job.write_tables(&walls, &labels, &mut group)?;
            group.finish()?;
            Ok::<_, PipelineError>(files)
        })?,
    };
    warnings.extend(precision_warning(path, &surface_geometry, dims));
    if !field.missing().is_empty() {
        warnings.push(Warning::MissingLabels {
            path: path.clone(),
            labels: field.missing().to_vec(),
        });
    }
    if !removed.is_empty() {
        warnings.push(Warning::RemovedLabels {
            path: path.clone(),
            labels: removed,
        });
    }
    if labels.is_empty() {
        warnings.push(Warning::Empty {
            path: path.clone(),
            what: "mesh",
            reason: EmptyReason::NoLabel,
        });
    }
    let devices = job.devices.iter().enumerate().map(|(index, device)| {
        let slabs = slabs.saturating_sub(index).div_ceil(job.devices.len());
        DeviceRun::new(device, slabs as u64, Vec::new())
    });
    Ok(LabelMeshOutcome {
        dims,
        geometry,
        sample_type,
        mesh_origin,
        vertices: walls.mesh.vertices.len() as u64,
        triangles: walls.mesh.triangles.len() as u64,
        unshared_walls,
        simplified,
        index_bits: match walls.mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        labels,
        files,
        slabs,
        devices: devices.collect(),
        warnings,
        timings: stages.finish(),
    })
}

fn check_part(part: &LabelMesh) -> Result<LabelChecked, OutOfMemory> {
    let report = part.check()?;
    Ok(LabelChecked {
        unbalanced_edges: if report.has_paired_edges() {
            0
        } else {
            part.unbalanced_edges()?
        },
        self_intersections: count_self_intersections(&part.mesh)?,
        report,
    })
}

impl LabelMeshJob {
    /// Returns `true` if the volume is a mask, whose only surface needs no labels.
    pub(super) fn is_binary(&self) -> bool {
        self.labels == LabelSelection::NonZero
    }

    /// Returns `true` if all labels are written to a scene with a node for each.
    fn is_scene(&self) -> bool {
        let is_glb = |path: &PathBuf| output_extension(path, "") == SCENE_EXTENSION;
        self.output
            .as_ref()
            .is_some_and(|path| !has_placeholder(path) && is_glb(path))
    }

    /// Checks the job before the file is read.
    fn check_inputs(&self) -> Result<(), PipelineError> {
        if let Some(target) = &self.simplify {
            target.check().map_err(at(&self.volume.path))?;
        }
        let Some(output) = &self.output else {
            return self.check_paths(&[]);
        };
        if has_placeholder(output) {
            if let LabelSelection::Listed(labels) = &self.labels {
                return self.check_paths(labels);
            }
            return Ok(paths::refuse_extension(output, OutputKind::Mesh)?);
        }
        self.check_paths(&[])?;
        match MeshFormat::from_output_path(output) {
            Some(format) if !self.is_binary() && !format.holds_face_labels() => {
                Err(FileError::new(
                    output,
                    FileProblem::NoFaceLabels {
                        format: format.name(),
                        instead: MeshFormat::face_label_extensions(),
                    },
                )
                .into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that each file can be written, and is neither the input nor another output.
    pub(super) fn check_paths(&self, labels: &[i64]) -> Result<(), PipelineError> {
        let files: Vec<PathBuf> = self
            .output
            .iter()
            .flat_map(|it| expand(it, labels))
            .collect();
        let kind = if self.is_scene() {
            OutputKind::LabelScene
        } else {
            OutputKind::Mesh
        };
        let mut outputs: Vec<_> = files.iter().map(|it| (&**it, kind)).collect();
        let tables = self.wall_table.iter().chain(&self.measure_table);
        outputs.extend(tables.map(|it| (&**it, OutputKind::Table)));
        let inputs = [Some(&self.volume), self.mask.as_ref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(|it| &*it.path).collect();
        Ok(paths::check(&inputs, &outputs)?)
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

    /// Writes all walls to one file, or the surface of each label to a file of its own, and the
    /// tables. All files appear together.
    fn write(
        &self,
        output: &Path,
        walls: &mut LabelledMesh,
        labels: &[LabelSurfaceOutcome],
    ) -> Result<Vec<PathBuf>, PipelineError> {
        let mut group = FileGroup::new();
        let options = MeshWriteOptions {
            space: self.coordinates.file_space(self.space),
            ..MeshWriteOptions::default()
        };
        let stream = match self.devices.first() {
            Some(device) if self.normals => Some(device.stream().map_err(at(output))?),
            _ => None,
        };
        let add_normals = |mesh: &mut TriangleMesh| match &stream {
            Some(stream) => recompute_normals(stream, mesh).map_err(at(&self.volume.path)),
            None => Ok(()),
        };
        let mut files = expand(output, &walls.labels);
        if has_placeholder(output) {
            walls.for_each_label_mesh(|index, mut part| {
                add_normals(&mut part.mesh)?;
                Ok::<_, PipelineError>(group.write_mesh(&files[index], &part.mesh, &options)?)
            })?;
        } else if self.is_scene() {
            group.write_label_scene(output, walls, &self.table, options.space)?;
        } else if self.is_binary() {
            let mut part = walls.label_mesh(1).map_err(at(&self.volume.path))?;
            add_normals(&mut part.mesh)?;
            group.write_mesh(output, &part.mesh, &options)?;
        } else {
            add_normals(&mut walls.mesh)?;
            group.write_labelled_mesh(output, walls, &options)?;
        }
        files.extend(self.write_tables(walls, labels, &mut group)?);
        group.finish()?;
        Ok(files)
    }

    /// Writes the tables of walls and of measures, if the job has them.
    fn write_tables(
        &self,
        walls: &LabelledMesh,
        labels: &[LabelSurfaceOutcome],
        group: &mut FileGroup,
    ) -> Result<Vec<PathBuf>, PipelineError> {
        let mut files = Vec::new();
        if let Some(path) = &self.wall_table {
            group.write_table(path, &wall_table(walls))?;
            files.push(path.clone());
        }
        if let Some(path) = &self.measure_table {
            group.write_table(path, &measure_table(labels))?;
            files.push(path.clone());
        }
        Ok(files)
    }
}

/// Returns the table of the measures of labels.
fn measure_table(labels: &[LabelSurfaceOutcome]) -> Table {
    let columns = [
        "label",
        "voxels",
        "triangles",
        "area",
        "volume",
        "volume_error",
    ];
    let mut table = Table::new(columns);
    for label in labels {
        table.add([
            label.label.into(),
            label.voxels.into(),
            label.triangles.into(),
            label.area.into(),
            label.volume.into(),
            label.volume_error().into(),
        ]);
    }
    table
}

/// Returns the table of the walls between labels.
fn wall_table(walls: &LabelledMesh) -> Table {
    let mut table = Table::new(["label", "neighbour", "triangles", "area"]);
    for wall in walls.wall_areas() {
        let [label, neighbour] = wall.labels;
        table.add([
            label.into(),
            neighbour.into(),
            wall.triangles.into(),
            wall.area.into(),
        ]);
    }
    table
}
