//! What is done with a mesh before it is checked and written.

use super::MeshJob;
use crate::{
    device::{Device, Stream},
    isosurface::{DeviceMesh, counts::PartCounts},
    mesh::TriangleMesh,
    mesh_filter::{
        MeshFilterError, SimplifyReport, SimplifyTarget, SmoothParams, renew_normals, simplify,
        smooth, smooth_mesh, vertex_normals,
    },
    pipeline::{PipelineError, Problem, at, outcome::Stages},
};

/// What is done with a mesh before it is checked and written, in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshFilters {
    /// Smoothing, on the device that made the mesh, or the first of several.
    pub smooth: Option<SmoothParams>,
    /// Simplification, on the host.
    pub simplify: Option<SimplifyTarget>,
}

impl MeshFilters {
    /// Whether anything is done, so that normals of the volume are none of the mesh.
    pub fn any(&self) -> bool {
        self.smooth.is_some() || self.simplify.is_some()
    }

    /// What needs the whole mesh, as messages name it.
    fn needs_whole(&self) -> Option<&'static str> {
        match (self.smooth, self.simplify) {
            (Some(_), _) => Some("smoothing"),
            (None, Some(_)) => Some("simplification"),
            (None, None) => None,
        }
    }

    /// Fails for numbers that make no sense, before anything is read.
    pub(super) fn check(&self, job: &MeshJob) -> Result<(), PipelineError> {
        let smooth = self.smooth.map_or(Ok(()), |params| params.check());
        let simplify = self.simplify.map_or(Ok(()), |target| target.check());
        smooth.and(simplify).map_err(at(&job.volume.path))
    }

    /// Fails for a mesh that is made in slabs.
    pub(super) fn refuse_slabs(&self, job: &MeshJob) -> Result<(), PipelineError> {
        match self.needs_whole() {
            Some(what) => Err(at(&job.volume.path)(Problem::FilterNeedsWhole { what })),
            None => Ok(()),
        }
    }

    /// Bytes that they take beyond a mesh, at most.
    pub(super) fn bytes(&self, counts: PartCounts, bytes_of_indices: u64) -> u64 {
        let vertices = counts.vertices;
        let smooth = vertices
            .saturating_mul(64)
            .saturating_add(bytes_of_indices.saturating_mul(2));
        let simplify = vertices.saturating_mul(400);
        let taken = [self.smooth.map(|_| smooth), self.simplify.map(|_| simplify)];
        taken.into_iter().flatten().max().unwrap_or(0)
    }

    /// What is done while the mesh is on its device.
    pub(super) fn on_device(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        stream: &Stream,
        mesh: &mut DeviceMesh,
    ) -> Result<(), PipelineError> {
        let Some(params) = &self.smooth else {
            return Ok(());
        };
        let mut work = || {
            smooth(stream, &mut mesh.positions, &mesh.triangles, params)?;
            if self.simplify.is_none() && job.params.normals {
                mesh.normals = Some(vertex_normals(stream, &mesh.positions, &mesh.triangles)?);
            }
            stream.synchronize()?;
            Ok(())
        };
        stages.run("smooth", || {
            work().map_err(at::<MeshFilterError>(&job.volume.path))
        })
    }

    /// What is done on the host; of `smoothed` meshes what is left.
    pub(super) fn on_host(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        mesh: &mut TriangleMesh,
        smoothed: bool,
    ) -> Result<Option<SimplifyReport>, PipelineError> {
        let at = at::<MeshFilterError>;
        let path = &job.volume.path;
        if let Some(params) = self.smooth.filter(|_| !smoothed) {
            stages.run("smooth", || {
                smooth_mesh(&stream_of(job)?, mesh, &params).map_err(at(path))
            })?;
        }
        let report = match self.simplify {
            Some(target) => {
                let monitor = stages.monitor();
                let (simple, report) = stages.run("simplify", || {
                    simplify(mesh, target, &monitor).map_err(at(path))
                })?;
                *mesh = simple;
                Some(report)
            }
            None => None,
        };
        if self.any() && job.params.normals && mesh.normals.is_none() {
            stages.run("normals", || {
                renew_normals(&stream_of(job)?, mesh).map_err(at(path))
            })?;
        }
        Ok(report)
    }
}

/// A stream of the first device.
fn stream_of(job: &MeshJob) -> Result<Stream, PipelineError> {
    let first = job.devices.first().cloned().unwrap_or_else(Device::cpu);
    first.stream().map_err(at(&job.volume.path))
}
