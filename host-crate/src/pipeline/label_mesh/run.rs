//! Execution of a label mesh job.

use super::{
    LabelCheck, LabelChecked, LabelMeshJob, LabelMeshOutcome, LabelSelection, LabelSurfaceOutcome,
};
use crate::{
    device::{Stream, start_threads},
    grid::{AnyVolume, Volume},
    io::{
        FileError, FileGroup, FileProblem, MeshFormat, MeshWriteOptions, SCENE_EXTENSION, Table,
        output_extension,
    },
    label_surface::{self, LabelField, LabelSurfaceError},
    memory::OutOfMemory,
    mesh::{LabelMesh, LabelledMesh, TriangleMesh, Triangles, count_self_intersections},
    mesh_filter::{recompute_normals, simplify_walls},
    monitor::Monitor,
    pipeline::{
        DeviceRun, EmptyReason, PipelineError, Problem, Warning, at,
        coordinates::precision_warning,
        label_paths::{expand, has_placeholder},
        mask::{StatedGrid, read_mask},
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
    let (file, file_grid) = stages.run("read", || job.volume.read_with_file_grid())?;
    let mut warnings = job.volume.notes(&file.header);
    let (dims, geometry) = (file.volume.dims(), *file.volume.geometry());
    let sample_type = file.volume.sample_type();
    let path = &job.volume.path;
    let surface_geometry = job.coordinates.surface_geometry(geometry);
    let positions = job
        .coordinates
        .encoding(&surface_geometry, dims, job.output.as_deref())?;
    let mask = match &job.mask {
        Some(mask) => {
            let grid = StatedGrid::new(&job.volume, &file.header, file_grid)?;
            Some(read_mask(mask, &grid, &mut warnings)?)
        }
        None => None,
    };
    let volume = file.volume.with_geometry(surface_geometry);
    let (field, removed) = stages.run("labels", || {
        let (field, removed) = job.select_labels(volume, mask)?;
        // the paths of all labels are known now
        job.check_paths(field.labels())?;
        Ok::<_, PipelineError>((field, removed))
    })?;
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
        Some(output) => stages.run("write", || job.write(output, &mut walls, &stream))?,
        None => stages.run("write", || job.write_table(&walls))?,
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
    /// Returns the label field of the volume within the mask, without components that the job does
    /// not keep, and the labels of which no voxel remains, in ascending order.
    fn select_labels(
        &self,
        volume: AnyVolume,
        mask: Option<Volume<u8>>,
    ) -> Result<(LabelField, Vec<i64>), PipelineError> {
        let path = &self.volume.path;
        let field = match &self.labels {
            LabelSelection::All => LabelField::new(&volume, None),
            LabelSelection::Listed(labels) => LabelField::new(&volume, Some(labels)),
            LabelSelection::NonZero => {
                let binary = volume.try_where_not_zero().map_err(at(path))?;
                LabelField::new(&binary.into(), None)
            }
        };
        let mut field = field.map_err(at(path))?;
        drop(volume);
        let mut removed = match mask {
            Some(mask) => field.apply_mask(&mask).map_err(at(path))?,
            None => Vec::new(),
        };
        let filtered = field.filter_components(self.components, self.surface.contact);
        removed.extend(filtered.map_err(at(path))?);
        removed.sort_unstable();
        Ok((field, removed))
    }

    /// Returns `true` if the volume is a mask, whose only surface needs no labels.
    fn is_binary(&self) -> bool {
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
    fn check_paths(&self, labels: &[i64]) -> Result<(), PipelineError> {
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
        outputs.extend(self.wall_table.iter().map(|it| (&**it, OutputKind::Table)));
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
    /// table of walls. All files appear together.
    fn write(
        &self,
        output: &Path,
        walls: &mut LabelledMesh,
        stream: &Stream,
    ) -> Result<Vec<PathBuf>, PipelineError> {
        let mut group = FileGroup::new();
        let options = MeshWriteOptions {
            space: self.coordinates.file_space(self.space),
            ..MeshWriteOptions::default()
        };
        let add_normals = |mesh: &mut TriangleMesh| {
            if self.normals {
                recompute_normals(stream, mesh).map_err(at(&self.volume.path))
            } else {
                Ok(())
            }
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
        if let Some(table) = &self.wall_table {
            group.write_table(table, &wall_table(walls))?;
            files.push(table.clone());
        }
        group.finish()?;
        Ok(files)
    }

    /// Writes the table of walls, if the job has one.
    fn write_table(&self, walls: &LabelledMesh) -> Result<Vec<PathBuf>, PipelineError> {
        let Some(table) = &self.wall_table else {
            return Ok(Vec::new());
        };
        let mut group = FileGroup::new();
        group.write_table(table, &wall_table(walls))?;
        group.finish()?;
        Ok(vec![table.clone()])
    }
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
