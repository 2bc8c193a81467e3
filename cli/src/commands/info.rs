//! `ferrovox info`: contents of a volume file.

use crate::{
    args::InfoArgs,
    escape::escape,
    numbers::format_dims,
    numbers::{LabelValue, format_count, format_number},
    report::{Grid, paths},
    terminal::{Remark, Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    grid::LabelMeasure,
    pipeline::info::{self, InfoJob, InfoOutcome, MeasuredObjects},
};
use serde::Serialize;
use std::fmt::Write;

/// Maximum number of objects that the readable report lists.
const MAX_LISTED: usize = 30;

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
    /// Directions of the axes, such as `RAS`; null if the file states no geometry.
    orientation: Option<String>,
    /// Length of the volume along its axes, in world units.
    extent: [f64; 3],
    /// Percentages, and the samples that as many percent do not exceed.
    percentiles: Option<Vec<[f64; 2]>>,
    otsu: Option<f64>,
    histogram: Option<HistogramReport>,
    /// `true` if the samples look like labels.
    segmentation: Option<bool>,
    /// Isovalue of the measured object.
    iso: Option<f64>,
    /// Measured objects, or the labels of a segmentation.
    labels: Vec<ObjectReport>,
    outputs: Vec<String>,
    /// Command that may follow.
    #[serde(skip)]
    next: String,
    /// Assumptions of the reader, and fields that it did not understand.
    #[serde(skip)]
    notes: Vec<String>,
}

/// Counts of samples in equal intervals.
#[derive(Serialize)]
struct HistogramReport {
    min: f64,
    max: f64,
    counts: Vec<u64>,
}

/// Size and position of an object.
#[derive(Serialize)]
struct ObjectReport {
    /// Null for an object of an isovalue.
    label: Option<i64>,
    voxels: u64,
    volume: f64,
    /// First index and end index along x, y and z.
    #[serde(rename = "box")]
    bounds: [[usize; 3]; 2],
    /// World coordinates.
    centroid: [f64; 3],
}

/// Prints the contents of a volume file.
pub fn run(args: &InfoArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let object = &args.input.object;
    let name = args.input.name();
    let objects = match (&object.labels, object.level(&name)?) {
        (Some(list), _) => Some(MeasuredObjects::Labels(list.listed())),
        (None, Some(level)) => Some(MeasuredObjects::Level {
            level,
            inside: object.inside.into(),
        }),
        (None, None) => None,
    };
    refuse(&[
        (
            objects.is_none() && args.output.is_some(),
            "--output writes a table of objects: add --labels, --label or --iso",
        ),
        (
            objects.is_none() && (object.largest || object.fill_cavities),
            "--largest and --fill-cavities concern an object: add --label or --iso",
        ),
    ])?;
    let job = InfoJob {
        source: args.input.image_source()?,
        statistics: args.stats,
        objects,
        filter: args.input.filter()?,
        table: args.output.clone(),
    };
    let found = run_monitored(terminal, |monitor| info::run(&job, monitor))?;
    let mut notes = remarks(&found.warnings);
    let report = describe(args, found);
    notes.extend(report.notes.iter().cloned().map(Remark::InText));
    terminal.report(&notes, || &report, || readable(&report))
}

/// Describes the objects that were measured, or the labels that were found.
fn describe_objects(args: &InfoArgs, found: &InfoOutcome) -> Vec<ObjectReport> {
    let object = &args.input.object;
    let measures = if object.labels.is_some() || object.label.is_some() || !object.iso.is_empty() {
        &found.objects[..]
    } else {
        found.labels.as_deref().unwrap_or_default()
    };
    let single = object.label.map(LabelValue::integer);
    let describe = |measure: &LabelMeasure| ObjectReport {
        label: match (object.labels.is_some(), found.iso) {
            (false, Some(_)) => None,
            _ => Some(single.unwrap_or(measure.label)),
        },
        voxels: measure.voxels,
        volume: found.volume(measure),
        bounds: [measure.bounds.start, measure.bounds.end],
        centroid: found.centroid(measure),
    };
    measures.iter().map(describe).collect()
}

/// Suggests the command that follows for most users.
fn suggest(args: &InfoArgs, found: &InfoOutcome) -> String {
    let name = args.input.name();
    let name = if name.contains(|it: char| it.is_whitespace() || "'\"()".contains(it)) {
        format!("'{name}'")
    } else {
        name
    };
    let several = if found.is_chosen {
        ""
    } else {
        " --volume-index 0"
    };
    match (&found.labels, &found.distribution) {
        (Some(_), _) => format!("ferrovox mesh {name} --labels all -o labels.vtp"),
        (None, Some(it)) if it.otsu.is_some() => {
            format!("ferrovox mesh {name} --iso otsu -o surface.ply")
        }
        _ => format!("ferrovox info {name}{several} --stats"),
    }
}

fn describe(args: &InfoArgs, found: InfoOutcome) -> Report {
    let labels = describe_objects(args, &found);
    let next = suggest(args, &found);
    let (extent, orientation) = (found.extent(), found.orientation());
    let has_geometry = found.header.has_spacing || found.header.has_origin;
    let axes = found.geometry.axes();
    let samples = found.samples();
    let is_segmentation = found.labels.is_some();
    let distribution = found.distribution;
    let (header, statistics) = (found.header, found.statistics);
    Report {
        input: args.input.name(),
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
        orientation: has_geometry.then_some(orientation),
        extent,
        percentiles: distribution.as_ref().map(|it| it.percentiles.clone()),
        otsu: distribution.as_ref().and_then(|it| it.otsu),
        histogram: distribution.map(|it| HistogramReport {
            min: it.ends[0],
            max: it.ends[1],
            counts: it.counts,
        }),
        segmentation: statistics.map(|_| is_segmentation),
        iso: found.iso,
        labels,
        outputs: paths(&args.output),
        next,
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
