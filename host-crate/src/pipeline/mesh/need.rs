//! Whether a volume has to be streamed.

use super::{MeshCheck, MeshJob};
use crate::{
    device::{Device, DeviceKind},
    grid::SampleType,
    isosurface::{IndexWidth, Method, counts::PartCounts},
    pipeline::PipelineError,
};

/// Whether the volume is to be streamed: it needs more memory than it may take, or than there is.
///
/// Only the header is read for it. The size of the mesh is not known yet; it is estimated to be as
/// large as the volume and its scratch memory where the job sets a limit, and for nothing where
/// there is none. Of a volume that is not streamed for that the mesh is
/// [counted](has_too_large_a_mesh) before it is made.
pub(super) fn streaming(job: &MeshJob) -> Result<bool, PipelineError> {
    if job.params.method == Method::Staged {
        return Ok(false);
    }
    if !job.volume.is_file() {
        // a pipe can be opened once
        return Ok(job.memory.is_some());
    }
    let volume = job.volume.open()?;
    let need = Need::of(volume.dims(), volume.sample_type(), job);
    Ok(match job.memory {
        Some(bytes) => {
            let taken = need.in_one_memory(&job.devices);
            // several devices have each a part of the volume, which is not counted before the mesh
            // is made
            let is_unknown = job.devices.len() > 1;
            taken.saturating_mul(2) > bytes
                || is_unknown && taken.saturating_add(largest_mesh(job, volume.dims())) > bytes
        }
        None => need.is_more_than_free(&job.devices)?,
    })
}

/// Whether a volume that is on a device has a mesh that is more than the job may take, or than the
/// host has free. `count` counts it, which is done only where it matters.
pub(super) fn has_too_large_a_mesh(
    job: &MeshJob,
    (dims, sample_type): ([usize; 3], SampleType),
    count: impl FnOnce() -> Result<PartCounts, PipelineError>,
) -> Result<bool, PipelineError> {
    let need = Need::of(dims, sample_type, job);
    let (taken, limit) = match job.memory {
        Some(bytes) => (need.in_one_memory(&job.devices), bytes),
        None => (0, Device::cpu().memory()?.free),
    };
    let fits = |mesh: u64| taken.saturating_add(mesh) <= limit;
    if job.params.method == Method::Staged || !job.volume.is_file() || fits(largest_mesh(job, dims))
    {
        return Ok(false);
    }
    Ok(!fits(mesh_bytes(job, count()?)))
}

/// Bytes of the largest mesh that a grid can have.
fn largest_mesh(job: &MeshJob, dims: [usize; 3]) -> u64 {
    // with the border around a volume whose surface is closed
    let samples = dims.iter().fold(1, |product: u64, &n| {
        product.saturating_mul((n as u64).saturating_add(2))
    });
    let most = PartCounts {
        vertices: samples.saturating_mul(job.params.topology.max_vertices_per_sample()),
        triangles: samples.saturating_mul(job.params.topology.max_triangles_per_cell()),
    };
    mesh_bytes(job, most)
}

/// Bytes of a mesh in the memory that has most of it: on a device that is the CPU and on the host,
/// and what its check takes.
fn mesh_bytes(job: &MeshJob, counts: PartCounts) -> u64 {
    let is_wide = counts.vertices.max(counts.triangles) > u32::MAX.into();
    let width = if is_wide || job.params.index_width == IndexWidth::Bits64 {
        IndexWidth::Bits64
    } else {
        IndexWidth::Bits32
    };
    let copies = 1 + u64::from(job.devices.iter().any(|it| it.kind() == DeviceKind::Cpu));
    let mesh = counts.bytes(&job.params, width).saturating_mul(copies);
    let check = match job.check {
        MeshCheck::No => 0,
        // two indices for each corner; where those of a vertex begin, its set, and its faces
        _ => counts.index_bytes(width).saturating_mul(2) + counts.vertices.saturating_mul(17),
    };
    let filters = job.filters.bytes(counts, counts.index_bytes(width));
    mesh.saturating_add(check.max(filters))
}

/// Bytes that a volume takes as a whole.
struct Need {
    /// Samples as they are read, and as kernels take them.
    host: u64,
    /// Samples, and up to a byte for each.
    device: u64,
}

impl Need {
    fn of(dims: [usize; 3], sample_type: SampleType, job: &MeshJob) -> Self {
        let samples = dims
            .iter()
            .fold(1, |product: u64, &n| product.saturating_mul(n as u64));
        let (read, taken) = match sample_type {
            SampleType::U8 | SampleType::I8 => (1, 0),
            SampleType::U16 | SampleType::I16 => (2, 0),
            SampleType::F32 => (4, 0),
            SampleType::I32 => (4, 4),
            SampleType::F64 => (8, 4),
        };
        // of a label devices are given bytes
        let taken = if job.label.is_some() { 1 } else { taken };
        let mask = u64::from(job.mask.is_some());
        let on_device = if taken > 0 { taken } else { read };
        Self {
            host: samples.saturating_mul(read + taken + mask),
            device: samples.saturating_mul(on_device + mask + 1),
        }
    }

    /// Bytes of the memory that needs most: the host's, where the CPU is a device, or a device's.
    fn in_one_memory(&self, devices: &[Device]) -> u64 {
        if devices
            .iter()
            .any(|device| device.kind() == DeviceKind::Cpu)
        {
            return self.host.saturating_add(self.device);
        }
        self.host.max(self.device)
    }

    fn is_more_than_free(&self, devices: &[Device]) -> Result<bool, PipelineError> {
        let is_cpu = |device: &&Device| device.kind() == DeviceKind::Cpu;
        let share = self.device / devices.len().max(1) as u64;
        let on_host = self
            .host
            .saturating_add(share.saturating_mul(devices.iter().filter(is_cpu).count() as u64));
        if on_host > Device::cpu().memory()?.free {
            return Ok(true);
        }
        for device in devices.iter().filter(|device| !is_cpu(device)) {
            let same = devices.iter().filter(|other| other.id() == device.id());
            if share.saturating_mul(same.count() as u64) > device.memory()?.free {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
