//! `ferrovox info`: contents of a volume file.

use crate::{
    args::InfoArgs,
    escape::escape,
    input::format_dims,
    numbers::format_number,
    report::Grid,
    terminal::{Remark, Terminal},
    watch::run_monitored,
};
use ferrovox::pipeline::info::{self, InfoJob, InfoOutcome};
use serde::Serialize;
use std::fmt::Write;

/// JSON object. Statistics of the samples are null without `--stats`.
#[derive(Serialize)]
struct Report {
    input: String,
    format: String,
    version: Option<String>,
    compression: Option<&'static str>,
    data_file: Option<String>,
    /// Number of data files, if the samples are not in the file itself.
    data_files: usize,
    /// Sizes of all axes, as the file states them.
    sizes: Vec<u64>,
    volumes: u64,
    /// Null if there are several and none is selected.
    volume_index: Option<u64>,
    /// Number of components per sample.
    components: u64,
    /// Null if there are several and none is selected.
    component: Option<u64>,
    /// Meaning of the axes of an array of NumPy, `zyx` or `xyz`; null for other formats.
    array_axes: Option<&'static str>,
    /// Memory order of an array of NumPy, `C` or `Fortran`; null for other formats.
    array_order: Option<&'static str>,
    #[serde(flatten)]
    grid: Grid,
    stored_type: String,
    byte_order: String,
    scaling: Option<[f64; 2]>,
    sample_type: String,
    /// Steps between samples in world coordinates, row by row, with axes in columns.
    axes: [[f64; 3]; 3],
    /// Number of samples of one volume.
    samples: usize,
    non_finite_samples: Option<usize>,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    /// Assumptions of the reader, and fields that it did not understand.
    #[serde(skip)]
    notes: Vec<String>,
}

/// Prints the contents of a volume file.
pub fn run(args: &InfoArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let job = InfoJob {
        source: args.input.source()?,
        statistics: args.stats,
    };
    let found = run_monitored(terminal, |monitor| info::run(&job, monitor))?;
    let report = describe(args.input.name(), found);
    let notes: Vec<Remark> = report.notes.iter().cloned().map(Remark::InText).collect();
    terminal.report(&notes, || &report, || readable(&report))
}

fn describe(name: String, found: InfoOutcome) -> Report {
    let axes = found.geometry.axes();
    let samples = found.samples();
    let (header, statistics) = (found.header, found.statistics);
    Report {
        input: name,
        format: header.format.to_string(),
        version: header.version,
        compression: header.compression.name(),
        data_file: header.data_file.map(|path| path.display().to_string()),
        data_files: header.data_files.len(),
        sizes: header.sizes,
        volumes: header.volumes,
        volume_index: found.is_chosen.then_some(header.volume),
        components: header.components,
        component: found.is_component_chosen.then_some(header.component),
        array_axes: header.array.map(|array| array.axes.name()),
        array_order: header
            .array
            .map(|array| if array.fortran_order { "Fortran" } else { "C" }),
        grid: Grid::new(found.dims, &found.geometry),
        stored_type: header.stored_type.to_string(),
        byte_order: header.byte_order.to_string(),
        scaling: header.scaling.map(|by| [by.slope, by.intercept]),
        sample_type: found.sample_type.to_string(),
        axes: [0, 1, 2].map(|row| [0, 1, 2].map(|column| axes[(row, column)])),
        samples,
        non_finite_samples: statistics.map(|it| it.non_finite),
        min: statistics.and_then(|it| it.min),
        max: statistics.and_then(|it| it.max),
        mean: statistics.and_then(|it| it.mean),
        notes: header.notes,
    }
}

fn readable(report: &Report) -> String {
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
    lines.extend(report.notes.iter().map(|note| ("note", note.clone())));
    lines
        .iter()
        .map(|(name, value)| format!("{name:<10} {}\n", escape(value)))
        .collect()
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
