//! Reads volumes for the script `tests/torture/valid_files.py`, which compares them with those that
//! other libraries read: one request per line of standard input, one result per line of standard
//! output, both JSON objects.
//!
//! A request has the file's `path` and, optionally, `volume`, `component` and `axes`. A result has
//! `dims`, the rows of the voxel-to-world map as `affine`, the sample type as `type`, and the
//! reader's `notes`; or an `error`. The samples are written as little-endian `f64`, x fastest, to a
//! file of the same name with the extension `.samples` appended. Reading by planes, backwards, has
//! to give the same samples.

use anyhow::{Context, Result, ensure};
use ferrovox::{
    grid::{AnyVolume, Sample},
    io::{AxisOrder, ReadOptions, VolumeReader, read_volume},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, Write, stdin, stdout},
};

fn main() -> Result<()> {
    for line in stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let result = read(&request).unwrap_or_else(|error| json!({"error": format!("{error:#}")}));
        writeln!(stdout(), "{result}")?;
    }
    Ok(())
}

/// Reads the requested file, writes its samples, and returns the rest of the result.
fn read(request: &Value) -> Result<Value> {
    let path = request["path"].as_str().context("a request without path")?;
    let options = ReadOptions {
        volume: request["volume"].as_u64(),
        component: request["component"].as_u64(),
        axes: match request["axes"].as_str() {
            Some("zyx") => Some(AxisOrder::Zyx),
            Some("xyz") => Some(AxisOrder::Xyz),
            _ => None,
        },
        ..ReadOptions::default()
    };
    let file = read_volume(path, &options)?;
    let samples = match &file.volume {
        AnyVolume::U8(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::I8(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::U16(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::I16(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::I32(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::I64(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::F32(volume) => compare_planes(path, &options, volume.samples()),
        AnyVolume::F64(volume) => compare_planes(path, &options, volume.samples()),
    }?;
    fs::write(format!("{path}.samples"), samples)?;
    let affine = file.volume.geometry().affine();
    let row = |row: usize| [0, 1, 2, 3].map(|column| affine[(row, column)]);
    Ok(json!({
        "dims": file.volume.dims(),
        "affine": [row(0), row(1), row(2)],
        "type": file.volume.sample_type().to_string(),
        "notes": file.header.notes,
    }))
}

/// Compares `samples` with those read plane by plane, last plane first, and returns their bytes as
/// `f64`.
fn compare_planes<T: Sample>(path: &str, options: &ReadOptions, samples: &[T]) -> Result<Vec<u8>> {
    let bytes = |samples: &[T]| -> Vec<u8> {
        let values = samples.iter().map(|&sample| sample.to_f64());
        values.flat_map(f64::to_le_bytes).collect()
    };
    let mut reader = VolumeReader::open(path, options)?;
    let plane = reader.plane_len();
    for z in (0..reader.dims()[2]).rev() {
        let found = reader.read_planes::<T>(z..z + 1)?;
        ensure!(
            bytes(&found) == bytes(&samples[z * plane..(z + 1) * plane]),
            "plane {z} differs when it is read by itself"
        );
    }
    Ok(bytes(samples))
}
