//! What is done with a mesh before it is checked and written.

use super::MeshJob;
use crate::{
    device::{Device, Stream},
    grid::{AnyVolume, GridError, Mask, Volume},
    isosurface::{DeviceMesh, IsosurfaceParams, counts::PartCounts},
    mesh::TriangleMesh,
    mesh_filter::{
        MeshFilterError, PieceChoice, PiecesReport, SimplifyReport, SimplifyTarget, SmoothParams,
        choose_pieces, renew_normals, simplify, smooth, smooth_mesh, vertex_normals,
    },
    pipeline::{PipelineError, Problem, at, outcome::Stages},
};

/// What is done with a mesh before it is checked and written, in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshFilters {
    /// Which pieces are kept, on the host.
    pub pieces: PieceChoice,
    /// Smoothing, on the device that made the mesh, or the first of several.
    pub smooth: Option<SmoothParams>,
    /// Simplification, on the host.
    pub simplify: Option<SimplifyTarget>,
}

impl MeshFilters {
    /// Whether vertices are moved, so that normals of the volume are none of the mesh.
    pub fn renew_normals(&self) -> bool {
        self.smooth.is_some() || self.simplify.is_some()
    }

    /// What needs the whole mesh, as messages name it.
    fn needs_whole(&self) -> Option<&'static str> {
        match (self.pieces.is_all(), self.smooth, self.simplify) {
            (false, _, _) => Some("choice of pieces"),
            (true, Some(_), _) => Some("smoothing"),
            (true, None, Some(_)) => Some("simplification"),
            (true, None, None) => None,
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
    pub(super) fn bytes(&self, counts: PartCounts, index_bytes: u64) -> u64 {
        let vertices = counts.vertices;
        let smooth = vertices
            .saturating_mul(64)
            .saturating_add(index_bytes.saturating_mul(2));
        let simplify = vertices.saturating_mul(400);
        let pieces = (!self.pieces.is_all()).then(|| {
            let mesh = vertices.saturating_mul(24);
            mesh.saturating_add(vertices.saturating_mul(40))
                .saturating_add(index_bytes)
        });
        let taken = [
            pieces,
            self.smooth.map(|_| smooth),
            self.simplify.map(|_| simplify),
        ];
        taken.into_iter().flatten().max().unwrap_or(0)
    }

    /// The voxels inside, if pieces are to be chosen.
    pub(super) fn solid(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        volume: &AnyVolume,
        mask: Option<&Volume<u8>>,
    ) -> Result<Option<Mask>, PipelineError> {
        if self.pieces.is_all() {
            return Ok(None);
        }
        let IsosurfaceParams { iso, inside, .. } = job.params;
        let solid = || {
            let mut solid = Mask::from_threshold(volume, iso, inside)?;
            if let Some(mask) = mask {
                let mut kept = Mask::new(mask.dims(), *mask.geometry())?;
                kept.set_planes(0, mask.samples(), |sample| sample != 0.0);
                solid.intersect(&kept);
            }
            Ok(solid)
        };
        let solid = stages.run("solid", || {
            solid().map_err(at::<GridError>(&job.volume.path))
        })?;
        Ok(Some(solid))
    }

    /// Leaves out the surfaces of pieces that are not chosen.
    pub(super) fn choose(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        mesh: &mut TriangleMesh,
        solid: &Mask,
    ) -> Result<PiecesReport, PipelineError> {
        let (chosen, report) = stages.run("pieces", || {
            choose_pieces(mesh, solid, self.pieces).map_err(at(&job.volume.path))
        })?;
        *mesh = chosen;
        Ok(report)
    }

    /// What is done while the mesh is on its device; whether it is smoothed.
    pub(super) fn on_device(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        stream: &Stream,
        mesh: &mut DeviceMesh,
    ) -> Result<bool, PipelineError> {
        let params = match &self.smooth {
            // pieces are chosen on the host, before vertices move
            Some(params) if self.pieces.is_all() => params,
            _ => return Ok(false),
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
        })?;
        Ok(true)
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
        if self.renew_normals() && job.params.normals && mesh.normals.is_none() {
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
