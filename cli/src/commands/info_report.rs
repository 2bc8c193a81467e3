//! JSON object of `ferrovox info`.

use crate::{
    args::InfoArgs,
    numbers::{LabelValue, VolumeIndex},
    report::{Grid, paths},
};
use ferrovox::{grid::LabelMeasure, pipeline::info::InfoOutcome};
use serde::Serialize;

/// JSON object. Statistics of the samples are null without `--stats`.
#[derive(Serialize)]
pub struct Report {
    pub input: String,
    pub format: String,
    pub version: Option<String>,
    pub compression: Option<&'static str>,
    pub data_file: Option<String>,
    /// Number of data files, if the samples are not in the file itself.
    pub data_files: usize,
    /// Sizes of all axes, as the file states them.
    pub sizes: Vec<u64>,
    pub volumes: u64,
    /// Null if there are several and none is selected.
    pub volume_index: Option<u64>,
    /// Number of components per sample.
    pub components: u64,
    /// Null if there are several and none is selected.
    pub component: Option<u64>,
    /// Meaning of the axes of an array of NumPy, `zyx` or `xyz`; null for other formats.
    pub array_axes: Option<&'static str>,
    /// Memory order of an array of NumPy, `C` or `Fortran`; null for other formats.
    pub array_order: Option<&'static str>,
    #[serde(flatten)]
    pub grid: Grid,
    pub stored_type: String,
    pub byte_order: String,
    pub scaling: Option<[f64; 2]>,
    pub sample_type: String,
    /// Steps between samples in world coordinates, row by row, with axes in columns.
    pub axes: [[f64; 3]; 3],
    /// Number of samples of one volume.
    pub samples: usize,
    pub non_finite_samples: Option<usize>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub mean: Option<f64>,
    /// Directions of the axes, such as `RAS`; null if the file states none.
    pub orientation: Option<String>,
    /// Length of the volume along its axes, in world units.
    pub extent: [f64; 3],
    /// Percentages, and the samples that as many percent do not exceed.
    pub percentiles: Option<Vec<[f64; 2]>>,
    pub otsu: Option<f64>,
    pub histogram: Option<HistogramReport>,
    /// `true` if the samples look like labels.
    pub segmentation: Option<bool>,
    /// Isovalue of the measured object.
    pub iso: Option<f64>,
    /// Measured objects, or the labels of a segmentation.
    pub labels: Vec<ObjectReport>,
    pub outputs: Vec<String>,
    /// Command that may follow.
    #[serde(skip)]
    pub next: String,
    /// Assumptions of the reader, and fields that it did not understand.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Counts of samples in equal intervals.
#[derive(Serialize)]
pub struct HistogramReport {
    pub min: f64,
    pub max: f64,
    pub counts: Vec<u64>,
}

/// Size and position of an object.
#[derive(Serialize)]
pub struct ObjectReport {
    /// Null for an object of an isovalue.
    pub label: Option<i64>,
    pub voxels: u64,
    pub volume: f64,
    /// First index and end index along x, y and z.
    #[serde(rename = "box")]
    pub bounds: [[usize; 3]; 2],
    /// World coordinates.
    pub centroid: [f64; 3],
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
    let name = name + &selection(args, found.is_chosen);
    match (&found.labels, &found.distribution) {
        (Some(_), _) => format!("ferrovox mesh {name} --labels all -o labels.vtp"),
        (None, Some(it)) if it.otsu.is_some() => {
            format!("ferrovox mesh {name} --iso otsu -o surface.ply")
        }
        _ => format!("ferrovox info {name} --stats"),
    }
}

/// Returns the options that select what was read, each after a space.
fn selection(args: &InfoArgs, is_chosen: bool) -> String {
    let file = &args.input.file;
    let mut options = String::new();
    let mut append = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            options += &format!(" --{name} {value}");
        }
    };
    let series = file.series.as_ref().map(|text| format!("'{text}'"));
    append("series", series);
    append("scale-level", file.scale_level.map(|it| it.to_string()));
    append("component", file.component.map(|it| it.to_string()));
    let volume = match file.volume_index {
        Some(VolumeIndex::One(index)) => Some(index),
        _ => (!is_chosen).then_some(0),
    };
    append("volume-index", volume.map(|it| it.to_string()));
    let dims = file.raw.dims.map(|[nx, ny, nz]| format!("{nx}x{ny}x{nz}"));
    append("dims", dims);
    append("type", file.raw.sample_type.map(|it| it.to_string()));
    options
}

/// Describes the contents of a file.
pub fn describe(args: &InfoArgs, found: InfoOutcome) -> Report {
    let labels = describe_objects(args, &found);
    let next = suggest(args, &found);
    let (extent, orientation) = (found.extent(), found.orientation());
    let has_geometry = found.header.has_spacing || found.header.has_origin;
    let has_directions = has_geometry && found.header.format.has_world_directions();
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
        orientation: has_directions.then_some(orientation),
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
