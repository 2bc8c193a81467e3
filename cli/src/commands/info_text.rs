//! Readable report of `ferrovox info`.

use super::info_report::Report;
use crate::{
    escape::escape,
    numbers::format_dims,
    numbers::{format_count, format_number},
};
use std::fmt::Write;

/// Maximum number of objects that the readable report lists.
const MAX_LISTED: usize = 30;

/// Returns the report as text, one property per line.
pub fn readable(report: &Report) -> String {
    let mut lines = vec![("file", report.input.clone())];
    let mut format = report.version.as_ref().unwrap_or(&report.format).clone();
    if let Some(compression) = report.compression {
        let _ = write!(format, ", {compression}");
    }
    lines.push(("format", format));
    lines.extend(report.data_file.clone().map(|file| ("data file", file)));
    if report.data_files > 1 {
        lines.push(("data files", report.data_files.to_string()));
    }
    let last = report.volumes.saturating_sub(1);
    match report.volume_index {
        None => lines.push((
            "volumes",
            format!(
                "{} (all axes: {}); --volume-index 0 to {last} selects one",
                report.volumes,
                report
                    .sizes
                    .iter()
                    .map(u64::to_string)
                    .collect::<Vec<_>>()
                    .join(" x ")
            ),
        )),
        Some(index) if report.volumes > 1 => {
            lines.push(("volume", format!("{index} of 0 to {last}")));
        }
        Some(_) => {}
    }
    let last = report.components.saturating_sub(1);
    match report.component {
        None => lines.push((
            "components",
            format!("{}; --component 0 to {last} selects one", report.components),
        )),
        Some(index) if report.components > 1 => {
            lines.push(("component", format!("{index} of 0 to {last}")));
        }
        Some(_) => {}
    }
    if let (Some(axes), Some(order)) = (report.array_axes, report.array_order) {
        lines.push(("array axes", format!("{axes}, in {order} order")));
    }
    lines.push(("dims", format_dims(report.grid.dims)));
    let mut samples = format!(
        "{} of {}, {}",
        report.samples, report.stored_type, report.byte_order
    );
    if report.sample_type != report.stored_type {
        let _ = write!(samples, ", read as {}", report.sample_type);
    }
    if let Some([slope, intercept]) = report.scaling.map(|by| by.map(format_number)) {
        let _ = write!(samples, ", scaled by {slope} and shifted by {intercept}");
    }
    lines.push(("samples", samples));
    lines.push(("extent", report.extent.map(format_number).join(" x ")));
    if let Some(orientation) = &report.orientation {
        lines.push(("direction", direction(orientation)));
    }
    lines.push(("spacing", three(report.grid.spacing)));
    lines.push(("origin", three(clean(report.grid.origin, &report.axes))));
    let axes = report.axes.map(|row| clean(row, &report.axes));
    if [0, 1, 2].map(|k| axes[k][k]) != report.grid.spacing {
        lines.push(("axes", axes.map(three).join(" / ")));
    }
    let ends = report.min.zip(report.max).zip(report.mean);
    match (report.non_finite_samples, ends) {
        (_, Some(((min, max), mean))) => lines.push((
            "range",
            format!(
                "{} to {}, mean {}",
                format_number(min),
                format_number(max),
                format_number(mean)
            ),
        )),
        (Some(_), None) => lines.push(("range", "no finite sample".to_owned())),
        (None, None) => {}
    }
    if let Some(count @ 1..) = report.non_finite_samples {
        let text = format!("{count} samples are NaN or infinite");
        lines.push(("non-finite", text));
    }
    if let Some(percentiles) = &report.percentiles {
        let texts = percentiles
            .iter()
            .map(|[percent, value]| format!("{percent} %: {}", format_number(*value)));
        lines.push(("percentile", texts.collect::<Vec<_>>().join(", ")));
    }
    if let Some(histogram) = &report.histogram {
        let (min, max) = (format_number(histogram.min), format_number(histogram.max));
        lines.push((
            "histogram",
            format!("{} {min} to {max}", bars(&histogram.counts)),
        ));
    }
    lines.extend(report.otsu.map(|otsu| ("otsu", format_number(otsu))));
    if report.segmentation == Some(true) {
        lines.push((
            "labels",
            format!("{}; the samples look like labels", report.labels.len()),
        ));
    }
    for object in report.labels.iter().take(MAX_LISTED) {
        let name = match object.label {
            Some(label) => format!("label {label}: "),
            None => "object: ".to_owned(),
        };
        let [first, end] = object.bounds;
        let ranges = [0, 1, 2].map(|k| format!("{}:{}", first[k], end[k]));
        lines.push((
            "",
            format!(
                "{name}{}, volume {}, box {}, centroid {}",
                format_count(object.voxels, "voxel"),
                format_number(object.volume),
                ranges.join(","),
                three(object.centroid)
            ),
        ));
    }
    if let Some(more @ 1..) = report.labels.len().checked_sub(MAX_LISTED) {
        lines.push((
            "",
            format!("and {}", format_count(more as u64, "more label")),
        ));
    }
    lines.extend(report.notes.iter().map(|note| ("note", note.clone())));
    lines.push(("next", report.next.clone()));
    lines
        .iter()
        .map(|(name, value)| format!("{name:<10} {}\n", escape(value)))
        .collect()
}

/// Formats an orientation code and its meaning.
fn direction(code: &str) -> String {
    let words = code.chars().map(|letter| match letter {
        'R' => "right",
        'L' => "left",
        'A' => "anterior",
        'P' => "posterior",
        'S' => "superior",
        _ => "inferior",
    });
    let words: Vec<&str> = words.collect();
    format!("{code}: the axes point {}", words.join(", "))
}

/// Draws counts as bars of one character, whose heights are their logarithms.
fn bars(counts: &[u64]) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |count: u64| (count as f64).ln_1p();
    let most = counts.iter().copied().map(height).fold(1.0, f64::max);
    let bar = |&count: &u64| BARS[(height(count) / most * 8.0).ceil() as usize];
    counts.iter().map(bar).collect()
}

/// Sets values to 0 that are rounding errors compared with the steps of the grid.
fn clean(values: [f64; 3], axes: &[[f64; 3]; 3]) -> [f64; 3] {
    let largest = axes
        .as_flattened()
        .iter()
        .fold(0.0_f64, |max, x| max.max(x.abs()));
    values.map(|x| if x.abs() < 1e-9 * largest { 0.0 } else { x })
}

fn three(values: [f64; 3]) -> String {
    values.map(format_number).join(" ")
}
