//! `ferrovox info`.

use crate::{args::InfoArgs, input::by, terminal};
use ferrovox::io::{Compression, VolumeFile};
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Report {
    file: String,
    format: String,
    version: Option<String>,
    compression: Option<&'static str>,
    data_file: Option<String>,
    volumes: u64,
    volume_index: u64,
    dims: [usize; 3],
    stored_type: String,
    byte_order: String,
    scaling: Option<[f64; 2]>,
    sample_type: String,
    spacing: [f64; 3],
    origin: [f64; 3],
    /// World steps along the grid's axes: row by row, axes in columns.
    axes: [[f64; 3]; 3],
    samples: usize,
    non_finite_samples: usize,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    notes: Vec<String>,
}

/// Reads the volume and says what it is.
pub fn run(args: &InfoArgs) -> anyhow::Result<()> {
    let file = args.input.read()?;
    let report = describe(args.input.name(), &file);
    if args.json {
        terminal::print_json(&report)
    } else {
        terminal::print(&readable(&report))
    }
}

fn describe(name: String, file: &VolumeFile) -> Report {
    let VolumeFile { volume, header } = file;
    let geometry = volume.geometry();
    let summary = volume.summary();
    let axes = geometry.axes();
    Report {
        file: name,
        format: header.format.to_string(),
        version: header.version.clone(),
        compression: match header.compression {
            Compression::None => None,
            Compression::Gzip => Some("gzip"),
            Compression::Zlib => Some("zlib"),
        },
        data_file: header
            .data_file
            .as_ref()
            .map(|path| path.display().to_string()),
        volumes: header.volumes,
        volume_index: header.volume,
        dims: volume.dims(),
        stored_type: header.stored_type.to_string(),
        byte_order: header.byte_order.to_string(),
        scaling: header
            .scaling
            .map(|scaling| [scaling.slope, scaling.intercept]),
        sample_type: volume.sample_type().to_string(),
        spacing: geometry.spacing().into(),
        origin: geometry.origin().into(),
        axes: [0, 1, 2].map(|row| [0, 1, 2].map(|column| axes[(row, column)])),
        samples: summary.count,
        non_finite_samples: summary.non_finite,
        min: summary.min,
        max: summary.max,
        mean: summary.mean,
        notes: header.notes.clone(),
    }
}

fn readable(report: &Report) -> String {
    let mut lines = vec![("file", report.file.clone())];
    let mut format = report
        .version
        .clone()
        .unwrap_or_else(|| report.format.clone());
    if let Some(compression) = report.compression {
        let _ = write!(format, ", {compression}");
    }
    lines.push(("format", format));
    if let Some(data_file) = &report.data_file {
        lines.push(("data file", data_file.clone()));
    }
    if report.volumes > 1 {
        lines.push((
            "volume",
            format!("{} of 0 to {}", report.volume_index, report.volumes - 1),
        ));
    }
    lines.push(("dims", by(report.dims)));
    let mut samples = format!(
        "{} of {}, {}",
        report.samples, report.stored_type, report.byte_order
    );
    if report.sample_type != report.stored_type {
        let _ = write!(samples, ", read as {}", report.sample_type);
    }
    if let Some([slope, intercept]) = report.scaling {
        let _ = write!(samples, ", scaled by {slope} and shifted by {intercept}");
    }
    lines.push(("samples", samples));
    lines.push(("spacing", three(report.spacing)));
    lines.push(("origin", three(report.origin)));
    let diagonal = [0, 1, 2].map(|k| report.axes[k][k]);
    if diagonal != report.spacing {
        lines.push(("axes", report.axes.map(three).join(" / ")));
    }
    lines.push((
        "range",
        match (report.min, report.max, report.mean) {
            (Some(min), Some(max), Some(mean)) => format!("{min} to {max}, mean {mean:.6}"),
            _ => "no finite sample".to_owned(),
        },
    ));
    if report.non_finite_samples > 0 {
        lines.push((
            "non-finite",
            format!("{} samples are NaN or infinite", report.non_finite_samples),
        ));
    }
    lines.extend(report.notes.iter().map(|note| ("note", note.clone())));
    lines
        .iter()
        .map(|(name, value)| format!("{name:<10} {value}\n"))
        .collect()
}

fn three(values: [f64; 3]) -> String {
    values.map(|value| value.to_string()).join(" ")
}
