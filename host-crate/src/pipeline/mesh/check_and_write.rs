//! Check and output of a mesh in memory.

use super::{MeshCheck, MeshChecked, MeshJob};
use crate::{
    device::no_thread,
    grid::Geometry,
    io::{FileGroup, MeshWriteOptions, is_stream, write_mesh},
    memory::OutOfMemory,
    mesh::{self, MeshReport, TriangleMesh},
    pipeline::{PipelineError, Problem, at, outcome::Stages},
};
use std::{path::Path, thread, time::Instant};

/// A filtered mesh, and the volume it was extracted from.
pub(super) struct MeshInMemory<'a> {
    pub mesh: &'a TriangleMesh,
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    pub geometry: &'a Geometry,
    pub non_finite_cells: u64,
}

impl MeshInMemory<'_> {
    /// Checks and writes the mesh, as the job requires. Nothing is written if the mesh must be an
    /// oriented manifold, and the check finds that it is not.
    ///
    /// Both run concurrently if memory is not limited, since each needs memory of its own, and if
    /// the file can be renamed to its final name once the check has passed.
    pub fn check_and_write(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
    ) -> Result<Option<MeshChecked>, PipelineError> {
        match &job.output {
            Some(output)
                if job.check != MeshCheck::No && job.memory.is_none() && !is_stream(output) =>
            {
                self.check_while_writing(stages, job, output).map(Some)
            }
            output => {
                let checked = match job.check {
                    MeshCheck::No => None,
                    _ => Some(self.check_and_accept(stages, job)?),
                };
                if let Some(output) = output {
                    let options = write_options(job);
                    stages.run("write", || write_mesh(output, self.mesh, &options))?;
                }
                Ok(checked)
            }
        }
    }

    fn check_while_writing(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        output: &Path,
    ) -> Result<MeshChecked, PipelineError> {
        let write = || {
            let start = Instant::now();
            let mut group = FileGroup::new();
            group.write_mesh(output, self.mesh, &write_options(job))?;
            Ok::<_, PipelineError>((group, start.elapsed()))
        };
        thread::scope(|scope| {
            let writer = thread::Builder::new().spawn_scoped(scope, write);
            let writer = writer.map_err(|error| at(output)(no_thread(&error)))?;
            // on failure the group is dropped, and an existing file is left untouched
            let checked = self.check_and_accept(stages, job)?;
            stages.announce("write")?;
            let written = writer.join();
            let (group, time) = written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let start = Instant::now();
            group.finish()?;
            stages.add("write", time + start.elapsed());
            Ok(checked)
        })
    }

    /// Checks the mesh, and fails if it must not be written.
    fn check_and_accept(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
    ) -> Result<MeshChecked, PipelineError> {
        let checked = stages.run("check", || {
            self.check().map_err(at::<OutOfMemory>(&job.volume.path))
        })?;
        if job.check == MeshCheck::Required {
            require_manifold(job, &checked.report, self.non_finite_cells)?;
        }
        Ok(checked)
    }

    fn check(&self) -> Result<MeshChecked, OutOfMemory> {
        let bounds = self.mesh.world_bounds();
        Ok(MeshChecked {
            report: mesh::try_check(self.mesh)?,
            openings: mesh::try_openings(self.mesh, self.dims, self.geometry)?,
            bounds: bounds.map(|(low, high)| [low.into(), high.into()]),
        })
    }
}

/// Fails if the mesh is not an oriented manifold.
fn require_manifold(
    job: &MeshJob,
    report: &MeshReport,
    non_finite_cells: u64,
) -> Result<(), PipelineError> {
    let defects = [
        (
            report.non_manifold_edges,
            "edges with more than two triangles",
        ),
        (
            report.non_manifold_vertices,
            "vertices where separate sheets touch",
        ),
        (
            report.inconsistent_edges,
            "edges with inconsistently oriented triangles",
        ),
        (
            report.invalid_triangles,
            "triangles with an index out of range",
        ),
        (report.non_finite_vertices, "vertices that are not finite"),
        (report.degenerate_triangles, "triangles without area"),
        (
            report.duplicate_positions,
            "vertices at the position of another",
        ),
    ];
    let descriptions: Vec<String> = defects
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, defect)| format!("{count} {defect}"))
        .collect();
    if descriptions.is_empty() {
        return Ok(());
    }
    let is_flat = report.degenerate_triangles + report.duplicate_positions > 0;
    let advice = if is_flat && job.filters.recompute_normals() {
        "smoothing and simplification can cause this; without the check the mesh is written as it is"
    } else if job.mask.is_some() || non_finite_cells > 0 {
        "cells excluded by a mask or by non-finite samples can cause this; without the check the mesh is written as it is"
    } else {
        "this is a defect of ferrovox, please report it; without the check the mesh is written as it is"
    };
    let path = job.output.as_ref().unwrap_or(&job.volume.path);
    Err(at(path)(Problem::Broken {
        defects: descriptions.join(", "),
        advice,
    }))
}

/// Returns the options of writing the mesh of a job.
fn write_options(job: &MeshJob) -> MeshWriteOptions {
    MeshWriteOptions {
        space: job.coordinates.file_space(job.space),
        ..MeshWriteOptions::default()
    }
}
