//! What `ferrovox distance --compare` says when it is done.

use super::distance_report::sites_from;
use crate::{
    args::DistanceArgs,
    report::{Devices, Grid, milliseconds, paths},
};
use ferrovox::pipeline::distance::{ComparisonOutcome, MethodRow};
use serde::Serialize;
use std::fmt::Write;

/// Where bands end for which errors are told apart: up to there `cubes` is exact, and a good
/// estimate.
pub const BANDS: [f64; 2] = [10.0, 36.0];

/// The JSON object of a comparison. Times are in milliseconds, errors in the world's units.
#[derive(Serialize)]
pub struct Compared {
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
    methods: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    method: &'static str,
    picture: String,
    milliseconds: f64,
    max_error: f64,
    /// The exact distance where the error is largest.
    max_error_at: f64,
    mean_error: f64,
    voxels_with_errors: u64,
    bands: Vec<BandRow>,
}

#[derive(Serialize)]
struct BandRow {
    from: f64,
    /// None for the last.
    to: Option<f64>,
    max_error: f64,
    mean_error: f64,
}

/// The JSON object of a comparison.
pub fn compared_json(args: &DistanceArgs, outcome: &ComparisonOutcome) -> Compared {
    Compared {
        input: args.input.name(),
        outputs: paths(outcome.methods.iter().map(|made| &made.picture)),
        sites_from: sites_from(args),
        sites: outcome.sites,
        grid: Grid::new(outcome.dims, &outcome.geometry),
        exact: outcome.methods[0].method.name(),
        isoline_step: outcome.isoline_step,
        devices: Devices::of(std::slice::from_ref(&outcome.device)),
        methods: outcome.methods.iter().map(row).collect(),
    }
}

fn row(made: &MethodRow) -> Row {
    let bands = made.difference.bands.iter().map(|band| BandRow {
        from: band.start,
        to: Some(band.end).filter(|to| to.is_finite()),
        max_error: band.max,
        mean_error: band.mean,
    });
    Row {
        method: made.method.name(),
        picture: made.picture.display().to_string(),
        milliseconds: milliseconds(made.time),
        max_error: made.difference.max,
        max_error_at: made.difference.distance_at_max,
        mean_error: made.difference.mean,
        voxels_with_errors: made.difference.differing,
        bands: bands.collect(),
    }
}

/// A table that documents can take as it is.
pub fn compared_table(args: &DistanceArgs, outcome: &ComparisonOutcome) -> String {
    let [near, far] = BANDS;
    let mut text = format!(
        "{}: {} sites; errors beside {}; pictures with an isoline every {}; {}\n\n\
         | method | largest error | at distance | mean error | largest up to {near} | {near} to {far} | beyond | ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        args.input.name(),
        outcome.sites,
        outcome.methods[0].method.name(),
        outcome.isoline_step,
        outcome.device.name()
    );
    for row in &outcome.methods {
        let (name, difference) = (row.method.name(), &row.difference);
        let at = match difference.max {
            0.0 => String::new(),
            _ => format!("{:.1}", difference.distance_at_max),
        };
        let (max, mean) = (number(difference.max), number(difference.mean));
        let _ = write!(text, "| `{name}` | {max} | {at} | {mean} |");
        for band in &difference.bands {
            let _ = write!(text, " {} |", number(band.max));
        }
        let _ = writeln!(text, " {:.1} |", milliseconds(row.time));
    }
    text
}

fn number(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        _ if error < 0.001 => format!("{error:.1e}"),
        _ => format!("{error:.3}"),
    }
}
