//! Whether a volume has to be streamed.

use super::MeshJob;
use crate::{
    device::{Device, DeviceKind},
    grid::SampleType,
    io::VolumeReader,
    isosurface::Method,
    pipeline::PipelineError,
};

/// Whether the volume is to be streamed: it needs more memory than it may take, or than there is.
///
/// Only the header is read for it. The size of the mesh is not known yet; it is estimated to be as large as the volume and its scratch
/// memory where the job sets a limit, and for nothing where there is none.
pub(super) fn streaming(job: &MeshJob) -> Result<bool, PipelineError> {
    if job.params.method == Method::Staged {
        return Ok(false);
    }
    if !job.volume.is_file() {
        // a pipe can be opened once
        return Ok(job.memory.is_some());
    }
    let need = Need::of(&job.volume.open()?, job.mask.is_some());
    Ok(match job.memory {
        Some(bytes) => need.in_one_memory(&job.devices).saturating_mul(2) > bytes,
        None => need.is_more_than_free(&job.devices)?,
    })
}

/// Bytes that a volume takes as a whole.
struct Need {
    /// Samples as they are read, and as kernels take them.
    host: u64,
    /// Samples, and up to a byte for each.
    device: u64,
}

impl Need {
    fn of(volume: &VolumeReader<'_>, masked: bool) -> Self {
        let samples = volume
            .dims()
            .iter()
            .fold(1, |product: u64, &n| product.saturating_mul(n as u64));
        let (read, taken) = match volume.sample_type() {
            SampleType::U8 | SampleType::I8 => (1, 0),
            SampleType::U16 | SampleType::I16 => (2, 0),
            SampleType::F32 => (4, 0),
            SampleType::I32 => (4, 4),
            SampleType::F64 => (8, 4),
        };
        let mask = u64::from(masked);
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
