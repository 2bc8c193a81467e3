//! What the reports of several commands have in common: the same keys for the same things.

use crate::escape::escape;
use ferrovox::{
    device::Device,
    grid::Geometry,
    monitor::StageTime,
    pipeline::{DeviceRun, Timings},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::{path::Path, time::Duration};

/// Where the samples of a volume are.
#[derive(Serialize)]
pub struct Grid {
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// World units between two of them.
    pub spacing: [f64; 3],
    /// World coordinates of the first.
    pub origin: [f64; 3],
}

impl Grid {
    pub fn new(dims: [usize; 3], geometry: &Geometry) -> Self {
        Self {
            dims,
            spacing: geometry.spacing().into(),
            origin: geometry.origin().into(),
        }
    }
}

/// The devices that did the work.
#[derive(Serialize)]
pub struct Devices {
    /// Their names, with commas between them, as `--device` takes them.
    device: String,
    device_name: String,
    devices: Vec<OneDevice>,
}

#[derive(Serialize)]
struct OneDevice {
    device: String,
    device_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    slabs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Ordered>,
}

impl Devices {
    /// Devices of which nothing more is known.
    pub fn of(devices: &[Device]) -> Self {
        Self::with(devices.iter().map(OneDevice::of).collect())
    }

    /// Devices, and bytes that the buffers of each held at most.
    pub fn with_peaks(devices: &[Device], peaks: &[u64]) -> Self {
        let with_peak = |(device, &peak)| OneDevice {
            peak_bytes: Some(peak),
            ..OneDevice::of(device)
        };
        Self::with(devices.iter().zip(peaks).map(with_peak).collect())
    }

    /// What each device did.
    pub fn of_runs(runs: &[DeviceRun]) -> Self {
        let of_run = |run: &DeviceRun| OneDevice {
            slabs: Some(run.parts),
            peak_bytes: Some(run.peak_bytes),
            stages: Some(Ordered(in_milliseconds(&run.stages))),
            ..OneDevice::of(&run.device)
        };
        Self::with(runs.iter().map(of_run).collect())
    }

    fn with(devices: Vec<OneDevice>) -> Self {
        let joined = |name: fn(&OneDevice) -> &str| {
            let names: Vec<&str> = devices.iter().map(name).collect();
            names.join(", ")
        };
        Self {
            device: joined(|it| &it.device),
            device_name: joined(|it| &it.device_name),
            devices,
        }
    }
}

impl OneDevice {
    fn of(device: &Device) -> Self {
        Self {
            device: device.id(),
            device_name: device.name(),
            slabs: None,
            peak_bytes: None,
            stages: None,
        }
    }
}

/// Times in milliseconds: of each stage on the host, in all, and of the stages on the devices.
#[derive(Serialize)]
pub struct JsonTimings {
    #[serde(flatten)]
    stages: Ordered,
    total: f64,
    #[serde(rename = "stages", skip_serializing_if = "Option::is_none")]
    on_devices: Option<Ordered>,
}

impl JsonTimings {
    pub fn of(timings: &Timings) -> Self {
        Self {
            stages: Ordered(in_milliseconds(&timings.stages)),
            total: milliseconds(timings.total),
            on_devices: None,
        }
    }

    /// Adds the stages of the work that is inside one of the host's stages.
    pub fn with_stages(self, stages: &[StageTime]) -> Self {
        Self {
            on_devices: Some(Ordered(in_milliseconds(stages))),
            ..self
        }
    }
}

/// Names and numbers as an object that keeps their order.
pub struct Ordered(pub Vec<(&'static str, f64)>);

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, number) in &self.0 {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

/// Stages and how long they took, in milliseconds.
pub fn in_milliseconds(stages: &[StageTime]) -> Vec<(&'static str, f64)> {
    let stages = stages.iter();
    stages
        .map(|stage| (stage.stage, milliseconds(stage.time)))
        .collect()
}

/// A time in milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Stages and their times on one line.
pub fn listed(stages: &[StageTime]) -> String {
    let stages = in_milliseconds(stages);
    let stages = stages
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"));
    stages.collect::<Vec<_>>().join(", ")
}

/// The whole time, and that of each stage, on one line.
pub fn timings(timings: &Timings) -> String {
    let total = milliseconds(timings.total);
    format!("{total:.1}: {}", listed(&timings.stages))
}

/// The paths of files that were written.
pub fn paths<'a, P: AsRef<Path> + 'a>(files: impl IntoIterator<Item = &'a P>) -> Vec<String> {
    let shown = |file: &P| file.as_ref().display().to_string();
    files.into_iter().map(shown).collect()
}

/// The path of a file that may be written.
pub fn path(file: Option<&impl AsRef<Path>>) -> Option<String> {
    file.map(|file| file.as_ref().display().to_string())
}

/// Lines of a name and a value.
pub struct Lines {
    width: usize,
    text: String,
}

impl Lines {
    /// Names are filled up to this width.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            text: String::new(),
        }
    }

    pub fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        let width = self.width;
        let value = escape(&value.to_string());
        self.text += &format!("{name:<width$} {value}\n");
    }

    pub fn text(self) -> String {
        self.text
    }
}
