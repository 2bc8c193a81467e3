//! Times the force field on every device present: variants, exponents, precisions; and says how
//! right it is.
//!
//! `cargo xtask bench field -- --variants all --exponents 2,6 --precision f32,accurate`; `--help`
//! names the options.
//!
//! With `--solids human:256,animal` whole skeletons are timed instead, with their stages. With
//! `--sizes`, or where `tree` or `auto` are among the variants, the whole field of a hand is timed
//! instead at each size, with its memory, its errors, and the times of the kernels.
//!
//! The targets are voxels of a ball, the sources voxels of a sphere around it. A pair is a source
//! and a target. `force` is the time by the device's clock from the masks to directions and
//! magnitudes at all targets. `pairs/s` are compared with the limit of the arithmetic: what a pair
//! takes of the device's instructions at least, by its clock. Directions are compared with sums in
//! `f64`: at some of the targets, and on the axis of a tube, where forces nearly cancel.

mod accuracy;
mod arguments;
mod hand;
mod limit;
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod whole;

use arguments::Arguments;
use clap::Parser;
use ferrovox::{
    device::{Device, DeviceKind},
    skeleton::potential_field::{self, FieldVariant, Precision, field},
};
use measure::{Record, Report};
use std::process::ExitCode;
use support::Outcome;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new("field", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    let jobs = arguments.jobs()?;
    for device in support::devices(&arguments.common.device)? {
        if !arguments.solids.is_empty() {
            for &object in &arguments.solids {
                for params in &jobs {
                    whole::measure(report, &device, object, params, arguments.common.runs)?;
                }
            }
            continue;
        }
        if arguments.measures_hands(&jobs) {
            hand::measure(
                report,
                &device,
                (&arguments.sizes, arguments.spacing()?),
                &jobs,
                arguments.common.runs,
            )?;
            continue;
        }
        let stream = device.stream()?;
        let [targets, sources] = arguments.counts(device.kind() == DeviceKind::Cpu);
        let mask = shapes::ball(&stream, targets)?;
        let points = shapes::sphere(&stream, targets, sources)?;
        let axis = shapes::axis_of_tube(&stream)?;
        for params in jobs.iter().filter(|job| !arguments::needs_grid(job)) {
            let spread = support::by_events(&stream, arguments.common.runs, 1, || {
                field::forces_at_voxels(&stream, &points, mask.copy(&stream)?, params)?;
                Ok(())
            })?;
            let pairs = (targets * sources) as f64;
            let rate = pairs / (spread.median_ms * 1e-3);
            let error = accuracy::worst_direction(&stream, &mask, &points, params)?;
            let on_axis = accuracy::worst_direction(&stream, &axis.0, &axis.1, params)?;
            let of_limit = match limit::pairs_per_second(&device, params) {
                Some(limit) => format!(", {:.3} of {limit:.3e}", rate / limit),
                None => String::new(),
            };
            let record = Record {
                note: format!(
                    "{rate:.3e} pairs/s{of_limit}, direction within {error:.1e} degrees, on a tube's axis {on_axis:.1e}"
                ),
                ..record(&device, params, targets, sources)
            };
            report.add(record.with_times(spread));
        }
    }
    Ok(())
}

fn record(
    device: &Device,
    params: &potential_field::Params,
    targets: usize,
    sources: usize,
) -> Record {
    Record {
        system: "ferrovox".into(),
        device: device.id(),
        measure: format!("force, m = {}", params.exponent),
        method: params.variant.name().into(),
        element: params.precision.name().into(),
        size: format!("{targets} x {sources}"),
        elements: (targets * sources) as u64,
        ..Record::default()
    }
}

/// All variants, or those of these names.
fn variants(names: &[String]) -> Outcome<Vec<FieldVariant>> {
    chosen(names, &FieldVariant::ALL, FieldVariant::name, "variant")
}

/// All precisions, or those of these names.
fn precisions(names: &[String]) -> Outcome<Vec<Precision>> {
    chosen(names, &Precision::ALL, Precision::name, "precision")
}

fn chosen<T: Copy>(
    names: &[String],
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
) -> Outcome<Vec<T>> {
    if names.iter().any(|name| name == "all") {
        return Ok(all.to_vec());
    }
    let find = |wanted: &String| {
        let found = all.iter().copied().find(|&one| name(one) == wanted);
        found.ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|&one| name(one)).collect();
            let known = known.join(", ");
            format!("no {what} is called {wanted:?}; there are {known} and all").into()
        })
    };
    names.iter().map(find).collect()
}
