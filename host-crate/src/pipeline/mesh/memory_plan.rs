//! Estimate of the memory that a mesh job needs, and the choice between in core and streamed.

use super::{MeshCheck, MeshJob};
use crate::{
    device::{Device, DeviceKind},
    grid::SampleType,
    isosurface::{IndexWidth, Method, counts::PartCounts},
    partition::memory_plan::{MemoryEstimate, MemoryPlan},
    pipeline::PipelineError,
};

/// Chooses between [`MemoryPlan::InCore`] and [`MemoryPlan::Streamed`] from the header of the
/// volume.
///
/// The size of the mesh is not known yet. With a limit, the mesh is estimated to be as large as
/// the volume and its scratch memory; without one it is neglected, since the mesh of a volume in
/// core is [counted](MeshLimit) before it is allocated. On several devices it is not
/// counted, so with a limit the largest possible mesh must fit too. A pipe is streamed if there is
/// a limit.
pub(super) fn plan(job: &MeshJob) -> Result<MemoryPlan, PipelineError> {
    if job.surface.method == Method::Staged {
        return Ok(MemoryPlan::InCore);
    }
    let is_streamed = if !job.volume.is_file() {
        // a pipe can be opened only once
        job.memory.is_some()
    } else {
        let (dims, sample_type) = job.volume.shape()?;
        let estimate = volume_estimate(dims, sample_type, job);
        match job.memory {
            Some(limit) => {
                let bytes = estimate.in_one_memory(&job.devices);
                // several devices have a part of the volume each, whose mesh is not counted first
                let is_uncounted = job.devices.len() > 1;
                bytes.saturating_mul(2) > limit
                    || is_uncounted && bytes.saturating_add(max_mesh_bytes(job, dims, true)) > limit
            }
            None => estimate.exceeds_free(&job.devices)?,
        }
    };
    Ok(if is_streamed {
        MemoryPlan::Streamed
    } else {
        MemoryPlan::InCore
    })
}

/// Returns `true` if the job can be done by streaming after the attempt in core ran out of memory.
pub(super) fn can_be_streamed(job: &MeshJob) -> bool {
    job.surface.method != Method::Staged
        && job.volume.is_file()
        && job.check != MeshCheck::Required
        && job.filters.are_none()
}

/// Limit on the memory that the mesh of a volume on a device, its check and its filters may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshLimit {
    /// Bytes that are used already, by the volume.
    used: u64,
    /// Bytes that may be used; `None` for pipes and for [`Method::Staged`], which cannot be
    /// streamed instead.
    limit: Option<u64>,
}

impl MeshLimit {
    /// Determines the limit: that of the job, or the free memory of the host.
    pub fn new(
        job: &MeshJob,
        dims: [usize; 3],
        sample_type: SampleType,
    ) -> Result<Self, PipelineError> {
        if job.surface.method == Method::Staged || !job.volume.is_file() {
            return Ok(Self {
                used: 0,
                limit: None,
            });
        }
        Ok(match job.memory {
            Some(bytes) => {
                let estimate = volume_estimate(dims, sample_type, job);
                Self {
                    used: estimate.in_one_memory(&job.devices),
                    limit: Some(bytes),
                }
            }
            None => Self {
                used: 0,
                limit: Some(Device::cpu().memory()?.free),
            },
        })
    }

    /// Returns `true` if a mesh of this size is within the limit.
    pub fn accepts(&self, job: &MeshJob, counts: PartCounts) -> bool {
        let bytes = || mesh_bytes(job, counts, job.has_surface_normals());
        self.limit
            .is_none_or(|limit| self.used.saturating_add(bytes()) <= limit)
    }
}

/// Returns the bytes of the largest mesh that a grid can have.
fn max_mesh_bytes(job: &MeshJob, dims: [usize; 3], with_normals: bool) -> u64 {
    // a closed surface takes one more sample on each side
    let samples = dims.iter().fold(1, |product: u64, &n| {
        product.saturating_mul((n as u64).saturating_add(2))
    });
    let topology = job.surface.topology;
    let counts = PartCounts {
        vertices: samples.saturating_mul(topology.max_vertices_per_sample()),
        triangles: samples.saturating_mul(topology.max_triangles_per_cell()),
    };
    mesh_bytes(job, counts, with_normals)
}

/// Returns the bytes of a mesh, of its check and of its filters in the memory of the host. If one
/// of the devices is the CPU, its copy of the mesh is included.
fn mesh_bytes(job: &MeshJob, counts: PartCounts, with_normals: bool) -> u64 {
    let is_wide = counts.vertices.max(counts.triangles) > u32::MAX.into();
    let width = if is_wide || job.surface.index_width == IndexWidth::Bits64 {
        IndexWidth::Bits64
    } else {
        IndexWidth::Bits32
    };
    let params = job.surface.params(0.0, with_normals);
    let copies = 1 + u64::from(job.devices.iter().any(|it| it.kind() == DeviceKind::Cpu));
    let mesh = counts.bytes(&params, width).saturating_mul(copies);
    let check = match job.check {
        MeshCheck::No => 0,
        // two indices per triangle corner; per vertex an offset, a set and its faces
        _ => counts.index_bytes(width).saturating_mul(2) + counts.vertices.saturating_mul(17),
    };
    let filters = job.filters.bytes(counts, counts.index_bytes(width));
    mesh.saturating_add(check.max(filters))
}

/// Estimates the bytes of a volume in core: on the host the samples as read and as converted for
/// kernels, on devices the samples and up to one byte of scratch memory per sample.
fn volume_estimate(dims: [usize; 3], sample_type: SampleType, job: &MeshJob) -> MemoryEstimate {
    let samples = dims
        .iter()
        .fold(1, |product: u64, &n| product.saturating_mul(n as u64));
    let (stored, converted) = match sample_type {
        SampleType::U8 | SampleType::I8 => (1, 0),
        SampleType::U16 | SampleType::I16 => (2, 0),
        SampleType::F32 => (4, 0),
        SampleType::I32 => (4, 4),
        SampleType::I64 | SampleType::F64 => (8, 4),
    };
    let converted = if job.level.is_selection() {
        1
    } else {
        converted
    };
    let mask = u64::from(job.mask.is_some());
    let on_device = if converted > 0 { converted } else { stored };
    MemoryEstimate {
        host: samples.saturating_mul(stored + converted + mask),
        device: samples.saturating_mul(on_device + mask + 1),
    }
}
