//! Report of `ferrovox distance --compare`.

use super::distance_report::sites_from;
use crate::{
    args::DistanceArgs,
    report::{Devices, Grid, milliseconds, paths},
};
use ferrovox::pipeline::distance::{ComparisonOutcome, MethodComparison};
use serde::Serialize;
use std::fmt::Write;

/// Ends of the distance bands by which errors are reported: the guaranteed and the target distance
/// of the distance map article.
pub const BANDS: [f64; 2] = [10.0, 36.0];

/// JSON object of a comparison. Times are in milliseconds, errors in world units.
#[derive(Serialize)]
pub struct ComparisonReport {
    input: String,
    outputs: Vec<String>,
    sites_from: &'static str,
    sites: u64,
    #[serde(flatten)]
    grid: Grid,
    exact: &'static str,
    isoline_step: f32,
    #[serde(flatten)]
    devices: Devices,
    methods: Vec<MethodReport>,
}

#[derive(Serialize)]
struct MethodReport {
    method: &'static str,
    picture: String,
    milliseconds: f64,
    max_error: f64,
    /// Exact distance at the voxel with the largest error.
    distance_at_max_error: f64,
    mean_error: f64,
    voxels_with_errors: u64,
    bands: Vec<BandReport>,
}

#[derive(Serialize)]
struct BandReport {
    from: f64,
    /// End of the band; `None` for the last one.
    to: Option<f64>,
    max_error: f64,
    mean_error: f64,
}

/// Creates the JSON object of a comparison.
pub fn comparison_json(args: &DistanceArgs, outcome: &ComparisonOutcome) -> ComparisonReport {
    ComparisonReport {
        input: args.input.name(),
        outputs: paths(outcome.methods.iter().map(|method_row| &method_row.picture)),
        sites_from: sites_from(args),
        sites: outcome.sites,
        grid: Grid::new(outcome.dims, &outcome.geometry),
        exact: outcome.methods[0].method.name(),
        isoline_step: outcome.isoline_step,
        devices: Devices::new(std::slice::from_ref(&outcome.device)),
        methods: outcome.methods.iter().map(method_report).collect(),
    }
}

fn method_report(method_row: &MethodComparison) -> MethodReport {
    let bands = method_row.difference.bands.iter().map(|band| BandReport {
        from: band.start,
        to: Some(band.end).filter(|to| to.is_finite()),
        max_error: band.max,
        mean_error: band.mean,
    });
    MethodReport {
        method: method_row.method.name(),
        picture: method_row.picture.display().to_string(),
        milliseconds: milliseconds(method_row.time),
        max_error: method_row.difference.max,
        distance_at_max_error: method_row.difference.distance_at_max,
        mean_error: method_row.difference.mean,
        voxels_with_errors: method_row.difference.differing,
        bands: bands.collect(),
    }
}

/// Formats the comparison as a Markdown table.
pub fn comparison_table(args: &DistanceArgs, outcome: &ComparisonOutcome) -> String {
    let [near, far] = BANDS;
    let mut text = format!(
        "{}: {} sites; errors relative to {}; pictures with an isoline every {}; {}\n\n\
         | method | largest error | at distance | mean error | largest up to {near} | {near} to {far} | beyond | ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        args.input.name(),
        outcome.sites,
        outcome.methods[0].method.name(),
        outcome.isoline_step,
        outcome.device.name()
    );
    for method in &outcome.methods {
        let (name, difference) = (method.method.name(), &method.difference);
        let at = match difference.max {
            0.0 => String::new(),
            _ => format!("{:.1}", difference.distance_at_max),
        };
        let (max, mean) = (format_error(difference.max), format_error(difference.mean));
        let _ = write!(text, "| `{name}` | {max} | {at} | {mean} |");
        for band in &difference.bands {
            let _ = write!(text, " {} |", format_error(band.max));
        }
        let _ = writeln!(text, " {:.1} |", milliseconds(method.time));
    }
    text
}

fn format_error(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        _ if error < 0.001 => format!("{error:.1e}"),
        _ => format!("{error:.3}"),
    }
}
