//! `ferrovox distance --compare`: every method beside the exact map.

use super::{
    distance::params, distance_input, distance_map, distance_report::sites_from, distance_slice,
};
use crate::{
    args::DistanceArgs,
    numbers::PlaneChoice,
    phases::{Phases, milliseconds},
    terminal,
};
use anyhow::Context;
use ferrovox::{
    device::{Device, Stream},
    distance::{self, Difference, DistanceError, DistanceParams, Method, Sites},
    grid::Volume,
    pipeline::write_picture,
};
use serde::Serialize;
use std::{fmt::Write, fs, path::Path, time::Instant};

/// Where the bands end for which errors are told apart: up to there `cubes` is exact, and a good estimate.
const BANDS: [f64; 2] = [10.0, 36.0];

#[derive(Serialize)]
struct Report {
    input: String,
    sites_from: &'static str,
    sites: u64,
    dims: [usize; 3],
    spacing: [f64; 3],
    exact: &'static str,
    isoline_step: f32,
    device: String,
    device_name: String,
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

/// Makes the map by every method, draws each into a folder, and says how far they are from the exact one.
pub fn run(args: &DistanceArgs, folder: &Path, devices: &[Device]) -> anyhow::Result<()> {
    let device = distance_map::one(devices, args)?;
    let stream = device.stream()?;
    let mut phases = Phases::new(9);
    let input = phases.run("read", || distance_input::read(args))?;
    let named = || input.name.clone();
    let slice = args.slice.unwrap_or(PlaneChoice {
        axis: 2,
        index: input.dims[2] / 2,
    });
    distance_slice::check(slice, input.dims)?;
    let placed = phases
        .run("sites", || distance_map::place(&stream, args, &input))
        .with_context(named)?;
    let sites = placed.count(&stream).with_context(named)?;
    let given = placed.sites().expect("labels are not compared");
    let methods = methods(given);
    let (exact, time) = phases
        .run("exact", || map(&stream, given, args, methods[0]))
        .with_context(named)?;
    fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    let (_, isoline_step) = distance_slice::draw(&exact, slice, None, args.size)?;
    let mut rows = Vec::new();
    for &method in methods {
        let (made, time) = match rows.is_empty() {
            true => (exact.clone(), time),
            false => phases
                .run(method.name(), || map(&stream, given, args, method))
                .with_context(named)?,
        };
        let (picture, _) = distance_slice::draw(&made, slice, Some(isoline_step), args.size)?;
        let path = folder.join(format!("{}.png", method.name()));
        write_picture(&path, &picture)?;
        let difference = distance::compare(&exact, &made, &BANDS).unwrap_or_default();
        rows.push(row(method, &path, time, &difference));
    }
    phases.finish();
    let report = Report {
        input: input.name.clone(),
        sites_from: sites_from(args),
        sites,
        dims: input.dims,
        spacing: input.geometry.spacing().into(),
        exact: methods[0].name(),
        isoline_step,
        device: device.id(),
        device_name: device.name(),
        methods: rows,
    };
    if args.json {
        terminal::print_json(&report)
    } else {
        terminal::print(&table(&report))
    }
}

/// The methods that take such sites, the exact one first.
fn methods(sites: Sites<'_>) -> &'static [Method] {
    match sites {
        Sites::Voxels(_) => &[
            Method::Separable,
            Method::Cubes,
            Method::CenterPoint,
            Method::Chessboard,
            Method::CityBlock,
        ],
        Sites::Points(_) => &[Method::BruteForce, Method::Cubes],
    }
}

/// A map on the host, and the milliseconds it took on the device. A method may take other memory or time the first time.
fn map(
    stream: &Stream,
    sites: Sites<'_>,
    args: &DistanceArgs,
    method: Method,
) -> Result<(Volume<f32>, f64), DistanceError> {
    let params = DistanceParams {
        method,
        ..params(args)
    };
    let start = Instant::now();
    let map = distance::map(stream, sites, &params)?;
    stream.synchronize()?;
    let time = milliseconds(start.elapsed());
    Ok((map.download(stream)?, time))
}

fn row(method: Method, picture: &Path, milliseconds: f64, difference: &Difference) -> Row {
    let bands = difference.bands.iter().map(|band| BandRow {
        from: band.from,
        to: Some(band.to).filter(|to| to.is_finite()),
        max_error: band.max,
        mean_error: band.mean,
    });
    Row {
        method: method.name(),
        picture: picture.display().to_string(),
        milliseconds,
        max_error: difference.max,
        max_error_at: difference.max_at,
        mean_error: difference.mean,
        voxels_with_errors: difference.different,
        bands: bands.collect(),
    }
}

/// A table that documents can take as it is.
fn table(report: &Report) -> String {
    let [near, far] = BANDS;
    let mut text = format!(
        "{}: {} sites; errors beside {}; pictures with an isoline every {}; {}\n\n\
         | method | largest error | at distance | mean error | largest up to {near} | {near} to {far} | beyond | ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        report.input, report.sites, report.exact, report.isoline_step, report.device_name
    );
    for row in &report.methods {
        let _ = write!(
            text,
            "| `{}` | {} | {} | {} |",
            row.method,
            number(row.max_error),
            match row.max_error {
                0.0 => String::new(),
                _ => format!("{:.1}", row.max_error_at),
            },
            number(row.mean_error)
        );
        for band in &row.bands {
            let _ = write!(text, " {} |", number(band.max_error));
        }
        let _ = writeln!(text, " {:.1} |", row.milliseconds);
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
