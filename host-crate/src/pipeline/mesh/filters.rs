//! Filters of a mesh before it is checked and written.

use super::{MeshFilters, MeshJob};
use crate::{
    device::{Device, Stream},
    grid::{AnyVolume, GridError, Mask, Volume},
    isosurface::{DeviceMesh, counts::PartCounts},
    mesh::TriangleMesh,
    mesh_filter::{
        ComponentFilterReport, MeshFilterError, SimplifyReport, filter_components,
        recompute_normals, simplify, smooth, smooth_mesh, vertex_normals,
    },
    pipeline::{PipelineError, Problem, at, outcome::Stages},
};
use std::path::Path;

impl MeshFilters {
    /// Returns `true` if the filters move vertices, so that normals are computed from the filtered
    /// mesh rather than from the volume.
    pub fn recompute_normals(&self) -> bool {
        self.smooth.is_some() || self.simplify.is_some()
    }

    /// Returns `true` if no filter is set.
    pub(super) fn are_none(&self) -> bool {
        self.first_filter().is_none()
    }

    /// Returns the name of the first filter that is set, for messages.
    fn first_filter(&self) -> Option<&'static str> {
        match (self.components.keeps_all(), self.smooth, self.simplify) {
            (false, _, _) => Some("filter of components"),
            (true, Some(_), _) => Some("smoothing"),
            (true, None, Some(_)) => Some("simplification"),
            (true, None, None) => None,
        }
    }

    /// Checks the parameters of the filters, before anything is read.
    pub(super) fn check(&self, path: &Path) -> Result<(), PipelineError> {
        let smooth = self.smooth.map_or(Ok(()), |params| params.check());
        let simplify = self.simplify.map_or(Ok(()), |target| target.check());
        smooth.and(simplify).map_err(at(path))
    }

    /// Fails if a filter is set, for a mesh that is never in memory as a whole.
    pub(super) fn check_streamable(&self, path: &Path) -> Result<(), PipelineError> {
        match self.first_filter() {
            Some(what) => Err(at(path)(Problem::FilterNeedsWhole { what })),
            None => Ok(()),
        }
    }

    /// Returns the maximum number of bytes that the filters need in addition to the mesh.
    pub(super) fn bytes(&self, counts: PartCounts, index_bytes: u64) -> u64 {
        let vertices = counts.vertices;
        let smooth = vertices
            .saturating_mul(64)
            .saturating_add(index_bytes.saturating_mul(2));
        let simplify = vertices.saturating_mul(400);
        let components = (!self.components.keeps_all()).then(|| {
            let mesh = vertices.saturating_mul(24);
            mesh.saturating_add(vertices.saturating_mul(40))
                .saturating_add(index_bytes)
        });
        let needs = [
            components,
            self.smooth.map(|_| smooth),
            self.simplify.map(|_| simplify),
        ];
        needs.into_iter().flatten().max().unwrap_or(0)
    }

    /// Returns the voxels inside at `iso`, if components are to be chosen.
    pub(super) fn solid(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        iso: f32,
        volume: &AnyVolume,
        mask: Option<&Volume<u8>>,
    ) -> Result<Option<Mask>, PipelineError> {
        if self.components.keeps_all() {
            return Ok(None);
        }
        let inside = job.surface.inside;
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

    /// Removes the surfaces of components that are not chosen.
    pub(super) fn choose(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        mesh: &mut TriangleMesh,
        solid: &Mask,
    ) -> Result<ComponentFilterReport, PipelineError> {
        let (chosen, report) = stages.run("components", || {
            filter_components(mesh, solid, self.components).map_err(at(&job.volume.path))
        })?;
        *mesh = chosen;
        Ok(report)
    }

    /// Applies the filters that run on the device of the mesh. Returns `true` if the mesh was
    /// smoothed.
    pub(super) fn on_device(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        stream: &Stream,
        mesh: &mut DeviceMesh,
    ) -> Result<bool, PipelineError> {
        let params = match &self.smooth {
            // components are chosen on the host, before vertices move
            Some(params) if self.components.keeps_all() => params,
            _ => return Ok(false),
        };
        let mut work = || {
            smooth(stream, &mut mesh.positions, &mesh.triangles, params)?;
            if self.simplify.is_none() && job.surface.normals.is_some() {
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

    /// Applies the filters that run on the host, with the smoothing unless the mesh `is_smooth`
    /// already.
    pub(super) fn on_host(
        &self,
        stages: &mut Stages<'_>,
        job: &MeshJob,
        mesh: &mut TriangleMesh,
        is_smooth: bool,
    ) -> Result<Option<SimplifyReport>, PipelineError> {
        let at = at::<MeshFilterError>;
        let path = &job.volume.path;
        if let Some(params) = self.smooth.filter(|_| !is_smooth) {
            stages.run("smooth", || {
                smooth_mesh(&first_stream(job)?, mesh, &params).map_err(at(path))
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
        if self.recompute_normals() && job.surface.normals.is_some() && mesh.normals.is_none() {
            stages.run("normals", || {
                recompute_normals(&first_stream(job)?, mesh).map_err(at(path))
            })?;
        }
        Ok(report)
    }
}

/// Creates a stream of the first device.
fn first_stream(job: &MeshJob) -> Result<Stream, PipelineError> {
    let first = job.devices.first().cloned().unwrap_or_else(Device::cpu);
    first.stream().map_err(at(&job.volume.path))
}
