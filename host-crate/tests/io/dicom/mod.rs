//! DICOM files: geometry of synthetic series with known positions, selection of a series, damaged
//! files, and comparison with pydicom.

mod damaged;
mod geometry;
mod oracle;
mod series;

use ferrovox::grid::AnyVolume;
use ferrovox::io::{FileError, ReadOptions, VolumeFile, read_volume};
use nalgebra::Vector3;
use std::fs;
use std::path::Path;

/// Explicit little-endian.
const EXPLICIT: &str = "1.2.840.10008.1.2.1";

/// A DICOM file in memory.
struct Writer(Vec<u8>);

impl Writer {
    fn element(&mut self, tag: u32, vr: &str, value: &[u8]) {
        self.0.extend(((tag >> 16) as u16).to_le_bytes());
        self.0.extend((tag as u16).to_le_bytes());
        self.0.extend(vr.as_bytes());
        let mut value = value.to_vec();
        if value.len() % 2 == 1 {
            value.push(if vr == "UI" { 0 } else { b' ' });
        }
        if ["OB", "OW", "SQ", "UN"].contains(&vr) {
            self.0.extend([0, 0]);
            self.0.extend((value.len() as u32).to_le_bytes());
        } else {
            self.0.extend((value.len() as u16).to_le_bytes());
        }
        self.0.extend(value);
    }

    fn text(&mut self, tag: u32, vr: &str, value: &str) {
        self.element(tag, vr, value.as_bytes());
    }

    fn short(&mut self, tag: u32, value: u16) {
        self.element(tag, "US", &value.to_le_bytes());
    }

    fn item(content: &[u8]) -> Vec<u8> {
        let mut item = vec![0xFE, 0xFF, 0, 0xE0];
        item.extend((content.len() as u32).to_le_bytes());
        item.extend(content);
        item
    }
}

/// Attributes of a slice of 16-bit samples.
#[derive(Clone)]
struct Slice {
    /// Identifier of the image; empty for one from the instance number and the time.
    uid: String,
    series: String,
    description: String,
    image_type: String,
    position: Vector3<f64>,
    directions: [Vector3<f64>; 2],
    spacing: [f64; 2],
    instance: u32,
    time: u32,
    slope: f64,
    columns: u16,
    rows: u16,
    /// Value of all samples.
    value: i16,
}

impl Slice {
    fn new(position: Vector3<f64>) -> Self {
        Self {
            uid: String::new(),
            series: "1.2.3".to_owned(),
            description: "Thorax".to_owned(),
            image_type: "ORIGINAL\\PRIMARY\\AXIAL".to_owned(),
            position,
            directions: [Vector3::x(), Vector3::y()],
            spacing: [0.5, 0.75],
            instance: 1,
            time: 1,
            slope: 1.0,
            columns: 4,
            rows: 3,
            value: 0,
        }
    }

    fn numbers(numbers: impl IntoIterator<Item = f64>) -> String {
        let numbers: Vec<String> = numbers.into_iter().map(|it| format!("{it:.9}")).collect();
        numbers.join("\\")
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = start(EXPLICIT);
        out.text(0x0008_0008, "CS", &self.image_type);
        let uid = match &self.uid[..] {
            "" => format!("1.2.9.{}.{}", self.instance, self.time),
            uid => uid.to_owned(),
        };
        out.text(0x0008_0018, "UI", &uid);
        out.text(0x0008_0060, "CS", "CT");
        out.text(0x0008_103E, "LO", &self.description);
        out.text(0x0020_000E, "UI", &self.series);
        out.text(0x0020_0011, "IS", "7");
        out.text(0x0020_0013, "IS", &self.instance.to_string());
        out.text(
            0x0020_0032,
            "DS",
            &Self::numbers(self.position.iter().copied()),
        );
        let directions = self.directions.iter().flat_map(|it| it.iter().copied());
        out.text(0x0020_0037, "DS", &Self::numbers(directions));
        out.text(0x0020_0100, "IS", &self.time.to_string());
        self.pixels(&mut out, 1, self.spacing);
        out.0
    }

    /// Writes the attributes of the samples and the samples, all of one value per frame.
    fn pixels(&self, out: &mut Writer, frames: u16, spacing: [f64; 2]) {
        out.short(0x0028_0002, 1);
        out.text(0x0028_0004, "CS", "MONOCHROME2");
        if frames > 1 {
            out.text(0x0028_0008, "IS", &frames.to_string());
        }
        out.short(0x0028_0010, self.rows);
        out.short(0x0028_0011, self.columns);
        out.text(0x0028_0030, "DS", &Self::numbers([spacing[1], spacing[0]]));
        out.short(0x0028_0100, 16);
        out.short(0x0028_0101, 16);
        out.short(0x0028_0102, 15);
        out.short(0x0028_0103, 1);
        out.text(0x0028_1052, "DS", "-1024");
        out.text(0x0028_1053, "DS", &self.slope.to_string());
    }

    fn write(&self, folder: &Path, name: &str) {
        let mut bytes = self.bytes();
        let count = usize::from(self.columns) * usize::from(self.rows);
        append_samples(&mut bytes, &vec![self.value; count]);
        fs::write(folder.join(name), bytes).unwrap();
    }
}

fn start(syntax: &str) -> Writer {
    let mut out = Writer(vec![0; 128]);
    out.0.extend(b"DICM");
    out.text(0x0002_0010, "UI", syntax);
    out
}

fn append_samples(bytes: &mut Vec<u8>, samples: &[i16]) {
    let mut out = Writer(std::mem::take(bytes));
    let samples: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
    out.element(0x7FE0_0010, "OW", &samples);
    *bytes = out.0;
}

fn read(path: &Path) -> Result<VolumeFile, FileError> {
    read_volume(path, &ReadOptions::default())
}

/// Returns the samples as `f64`.
pub fn samples(volume: &AnyVolume) -> Vec<f64> {
    fn list<T: Copy>(samples: &[T], to_f64: impl Fn(T) -> f64) -> Vec<f64> {
        samples.iter().map(|&it| to_f64(it)).collect()
    }
    match volume {
        AnyVolume::U8(volume) => list(volume.samples(), f64::from),
        AnyVolume::I8(volume) => list(volume.samples(), f64::from),
        AnyVolume::U16(volume) => list(volume.samples(), f64::from),
        AnyVolume::I16(volume) => list(volume.samples(), f64::from),
        AnyVolume::I32(volume) => list(volume.samples(), f64::from),
        AnyVolume::I64(volume) => list(volume.samples(), |it| it as f64),
        AnyVolume::F32(volume) => list(volume.samples(), f64::from),
        AnyVolume::F64(volume) => list(volume.samples(), f64::from),
    }
}
