//! Parts of reports that several commands share, with the same keys.

use crate::{escape::escape, numbers::format_count};
use ferrovox::{
    device::Device,
    grid::Geometry,
    monitor::StageTime,
    pipeline::{DeviceRun, SceneObject, Timings},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::{path::Path, time::Duration};

/// Grid of a volume.
#[derive(Serialize)]
pub struct Grid {
    /// Number of samples along x, y and z.
    pub dims: [usize; 3],
    /// Spacing along x, y and z, in world units.
    pub spacing: [f64; 3],
    /// World coordinates of the first sample.
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

/// Object of a picture or a page.
#[derive(Serialize)]
pub struct ObjectReport {
    name: String,
    /// `surface`, `label`, `skeleton`, `volume` or `distances`.
    kind: &'static str,
    /// Number of triangles, curves or samples.
    count: u64,
}

impl ObjectReport {
    pub fn new(object: &SceneObject) -> Self {
        Self {
            name: object.name.clone(),
            kind: object.kind,
            count: object.count,
        }
    }
}

/// Adds a line per object, and counts those beyond the first twelve.
pub fn add_objects(lines: &mut Lines, objects: &[SceneObject]) {
    /// Maximum number of objects that are listed.
    const MAX_LISTED: usize = 12;
    for object in objects.iter().take(MAX_LISTED) {
        let unit = match object.kind {
            "skeleton" => "curve",
            "volume" | "distances" => "sample",
            _ => "triangle",
        };
        let count = format_count(object.count, unit);
        lines.add(object.kind, format!("{}: {count}", object.name));
    }
    let more = objects.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        let count = format_count(more as u64, "more object");
        lines.add("", format!("and {count}"));
    }
}

/// Devices that a command used.
#[derive(Serialize)]
pub struct Devices {
    /// Comma-separated names, in the form that `--device` accepts.
    device: String,
    device_name: String,
    devices: Vec<DeviceReport>,
}

/// Figures of one device.
#[derive(Serialize)]
struct DeviceReport {
    device: String,
    device_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    slabs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<OrderedNumbers>,
}

impl Devices {
    /// Lists devices without further figures.
    pub fn new(devices: &[Device]) -> Self {
        Self::join(devices.iter().map(DeviceReport::new).collect())
    }

    /// Lists devices with the largest number of bytes in the buffers of each.
    pub fn with_peaks(devices: &[Device], peaks: &[u64]) -> Self {
        let with_peak = |(device, &peak)| DeviceReport {
            peak_bytes: Some(peak),
            ..DeviceReport::new(device)
        };
        Self::join(devices.iter().zip(peaks).map(with_peak).collect())
    }

    /// Lists the work of each device.
    pub fn from_runs(runs: &[DeviceRun]) -> Self {
        let report = |run: &DeviceRun| DeviceReport {
            slabs: Some(run.parts),
            peak_bytes: Some(run.peak_bytes),
            stages: Some(OrderedNumbers(in_milliseconds(&run.stages))),
            ..DeviceReport::new(&run.device)
        };
        Self::join(runs.iter().map(report).collect())
    }

    fn join(devices: Vec<DeviceReport>) -> Self {
        let joined = |name: fn(&DeviceReport) -> &str| {
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

impl DeviceReport {
    fn new(device: &Device) -> Self {
        Self {
            device: device.id(),
            device_name: device.name(),
            slabs: None,
            peak_bytes: None,
            stages: None,
        }
    }
}

/// Times in milliseconds: each stage on the host, the total, and the stages on the devices.
#[derive(Serialize)]
pub struct JsonTimings {
    #[serde(flatten)]
    stages: OrderedNumbers,
    total: f64,
    #[serde(rename = "stages", skip_serializing_if = "Option::is_none")]
    on_devices: Option<OrderedNumbers>,
}

impl JsonTimings {
    pub fn new(timings: &Timings) -> Self {
        Self {
            stages: OrderedNumbers(in_milliseconds(&timings.stages)),
            total: milliseconds(timings.total),
            on_devices: None,
        }
    }

    /// Adds the stages on the devices, which run inside a stage on the host.
    pub fn with_stages(self, stages: &[StageTime]) -> Self {
        Self {
            on_devices: Some(OrderedNumbers(in_milliseconds(stages))),
            ..self
        }
    }
}

/// Names and numbers, serialized as an object in this order.
pub struct OrderedNumbers(pub Vec<(&'static str, f64)>);

impl Serialize for OrderedNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, number) in &self.0 {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

/// Returns the stages with their durations in milliseconds.
pub fn in_milliseconds(stages: &[StageTime]) -> Vec<(&'static str, f64)> {
    let stages = stages.iter();
    stages
        .map(|stage| (stage.stage, milliseconds(stage.time)))
        .collect()
}

/// Returns a duration in milliseconds, rounded to microseconds.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Formats the stages and their durations on one line.
pub fn format_stages(stages: &[StageTime]) -> String {
    let stages = in_milliseconds(stages);
    let stages = stages
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"));
    stages.collect::<Vec<_>>().join(", ")
}

/// Formats the total duration and the durations of the stages on one line.
pub fn format_timings(timings: &Timings) -> String {
    let total = milliseconds(timings.total);
    format!("{total:.1}: {}", format_stages(&timings.stages))
}

/// Returns the paths of written files, for display.
pub fn paths<'a, P: AsRef<Path> + 'a>(files: impl IntoIterator<Item = &'a P>) -> Vec<String> {
    let shown = |file: &P| file.as_ref().display().to_string();
    files.into_iter().map(shown).collect()
}

/// Returns the path of an optional file, for display.
pub fn path(file: Option<&impl AsRef<Path>>) -> Option<String> {
    file.map(|file| file.as_ref().display().to_string())
}

/// Text of lines with a name and a value.
pub struct Lines {
    width: usize,
    text: String,
}

impl Lines {
    /// Creates an empty text whose names are padded to `width` characters.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            text: String::new(),
        }
    }

    /// Appends a line.
    pub fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        let width = self.width;
        let value = escape(&value.to_string());
        self.text += &format!("{name:<width$} {value}\n");
    }

    /// Returns the text.
    pub fn text(self) -> String {
        self.text
    }
}
