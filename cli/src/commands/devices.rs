//! `ferrovox devices`: list of the available devices.

use crate::terminal::{Remark, Terminal};
use ferrovox::device::{Device, DeviceInfo, DeviceKind};
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Report {
    devices: Vec<DeviceReport>,
    /// Reason why there is no CUDA device.
    cuda_error: Option<String>,
}

#[derive(Serialize)]
struct DeviceReport {
    device: String,
    device_name: String,
    kind: &'static str,
    /// Multiprocessors of a GPU, or threads of the CPU.
    multiprocessors: u32,
    memory_bytes: Option<u64>,
    free_memory_bytes: Option<u64>,
}

/// Lists the devices: CUDA devices by number, then the CPU.
pub fn run(terminal: &Terminal) -> anyhow::Result<()> {
    let report = Report {
        devices: DeviceInfo::all().into_iter().map(describe).collect(),
        cuda_error: match Device::cuda_count() {
            Ok(0) => Some("the driver reports no CUDA device".to_owned()),
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        },
    };
    let remarks: Vec<Remark> = report
        .cuda_error
        .clone()
        .map(Remark::Note)
        .into_iter()
        .collect();
    terminal.report(&remarks, || &report, || readable(&report))
}

fn readable(report: &Report) -> String {
    let mut text = String::new();
    for device in &report.devices {
        let memory = match (device.free_memory_bytes, device.memory_bytes) {
            (Some(free), Some(total)) => format!(", {} of {} GiB free", gib(free), gib(total)),
            _ => String::new(),
        };
        let _ = writeln!(text, "{:<8} {}{memory}", device.device, device.device_name);
    }
    text
}

fn describe(device: DeviceInfo) -> DeviceReport {
    DeviceReport {
        device: device.id,
        device_name: device.name,
        kind: match device.kind {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Cuda => "cuda",
        },
        multiprocessors: device.multiprocessors,
        memory_bytes: device.memory.map(|memory| memory.total),
        free_memory_bytes: device.memory.map(|memory| memory.free),
    }
}

fn gib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1u64 << 30) as f64)
}
