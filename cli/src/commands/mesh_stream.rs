//! `ferrovox mesh` of a volume that is streamed: read, worked on and written slab by slab.

use super::{
    mesh::tell_conversion,
    mesh_report::{DeviceRun, MeshRun},
    mesh_whole::in_milliseconds,
};
use crate::{
    args::{MeshArgs, MethodName},
    phases::Phases,
};
use anyhow::Context;
use ferrovox::{
    device::{Device, DeviceKind},
    grid::SampleType,
    io::{MeshWriter, MeshWriterOptions, VolumeReader},
    isosurface::IsosurfaceParams,
    monitor::{Monitor, Progress},
    pipeline::stream_mesh::{StreamInputs, StreamOptions, stream_mesh},
};

/// Whether the volume is to be streamed: it needs more memory than it may take, or than there is.
///
/// Only the header is read for it. How large the mesh will be nobody knows; it is taken for as large as the volume and its scratch
/// memory where `--memory` sets a limit, and for nothing where there is none.
pub fn is_needed(args: &MeshArgs, devices: &[Device]) -> anyhow::Result<bool> {
    if args.method == MethodName::Staged {
        return Ok(false);
    }
    if !args.input.is_file() {
        // a pipe can be opened once
        return Ok(args.memory.is_some());
    }
    let need = Need::of(&args.input.open()?, args.mask.is_some());
    Ok(match args.memory {
        Some(bytes) => need.in_one_memory(devices).saturating_mul(2) > bytes,
        None => need.is_more_than_free(devices)?,
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

    fn is_more_than_free(&self, devices: &[Device]) -> anyhow::Result<bool> {
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

/// Streams the volume.
pub fn run<'a>(
    args: &'a MeshArgs,
    devices: Vec<Device>,
    params: &IsosurfaceParams,
) -> anyhow::Result<MeshRun<'a>> {
    anyhow::ensure!(
        !args.check,
        "{}: the volume needs more memory than it may take, so it is streamed, and --check needs the whole mesh; leave --check \
         out, or allow more --memory",
        args.input.name()
    );
    let mut volume = args.input.open()?;
    args.input.tell_notes(volume.header());
    let (dims, sample_type) = (volume.dims(), volume.sample_type());
    let stored_type = volume.header().stored_type.to_string();
    let mut mask = match &args.mask {
        Some(path) => Some(args.input.open_mask(path, dims)?),
        None => None,
    };
    let options = StreamOptions {
        memory: args.memory,
        geometry: args.input.geometry(*volume.geometry())?,
        ..StreamOptions::default()
    };
    let writer_options = MeshWriterOptions {
        normals: params.normals,
        ..MeshWriterOptions::default()
    };
    let writer = MeshWriter::create(&args.output, &writer_options)?;
    let mut phases = Phases::new(1);
    let progress = phases.progress();
    let tell = |slabs: Progress| progress.at(slabs.done, slabs.all);
    let inputs = StreamInputs {
        devices: &devices,
        volume: &mut volume,
        mask: mask.as_mut(),
        writer,
        params,
        options: &options,
    };
    let report = phases.run("stream", || {
        stream_mesh(inputs, &Monitor::silent().on_progress(&tell))
    });
    let report = report.with_context(|| args.input.name())?;
    phases.add("read", report.reading);
    phases.add("write", report.writing);
    let (phase_times, total) = phases.finish();
    tell_conversion(
        &args.input,
        &stored_type,
        sample_type.name(),
        report.inexact_samples,
    );
    let devices = devices.into_iter().zip(&report.devices);
    Ok(MeshRun {
        args,
        iso: params.iso,
        dims,
        sample_type,
        summary: report.samples,
        inexact: report.inexact_samples,
        vertices: report.vertices,
        triangles: report.triangles,
        index_bits: if report.vertices.max(report.triangles) > u32::MAX.into() {
            64
        } else {
            32
        },
        non_finite_cells: report.non_finite_cells,
        slabs: report.slabs,
        devices: devices
            .map(|(device, did)| DeviceRun {
                device,
                slabs: did.slabs,
                stages: in_milliseconds(&did.stages),
            })
            .collect(),
        checked: None,
        phase_times,
        total,
    })
}
