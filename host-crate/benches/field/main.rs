//! Times the force field on every device present, for combinations of variants, exponents and
//! precisions, and reports its accuracy.
//!
//! `cargo xtask bench field --variants all --exponents 2,6 --precision f32,accurate`; `--help`
//! lists the options.
//!
//! With `--solids human:256,animal` entire skeletons are timed instead, stage by stage. With
//! `--sizes`, or if `multipole` or `auto` are among the variants, the force field of a hand is
//! timed at each size, with its memory, errors and kernel times.
//!
//! The targets are voxels of a ball, the sources voxels of a sphere around it. `force` is the
//! device time from the masks to directions and magnitudes at all targets. `pairs/s` (source–target
//! pairs per second) are compared with the limit of the arithmetic: the minimum number of
//! instructions per pair at the device's clock. Directions are compared with sums in `f64`: at some
//! of the targets, and on the axis of a tube, where forces nearly cancel.

mod accuracy;
mod arguments;
mod hand;
mod limit;
mod shapes;
mod skeletons;
#[path = "../support/mod.rs"]
mod support;

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
                    skeletons::measure_skeleton(
                        report,
                        &device,
                        object,
                        params,
                        arguments.common.runs,
                    )?;
                }
            }
            continue;
        }
        if arguments.times_hands(&jobs) {
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
            let spread = support::time_by_events(&stream, arguments.common.runs, 1, || {
                field::forces_at_voxels(&stream, &points, mask.copy(&stream)?, params)?;
                Ok(())
            })?;
            let pairs = (targets * sources) as f64;
            let rate = pairs / (spread.median_ms * 1e-3);
            let error = accuracy::max_direction_error(&stream, &mask, &points, params)?;
            let on_axis = accuracy::max_direction_error(&stream, &axis.0, &axis.1, params)?;
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

/// Returns the named variants, or all.
fn variants(names: &[String]) -> Outcome<Vec<FieldVariant>> {
    select(names, &FieldVariant::ALL, FieldVariant::name, "variant")
}

/// Returns the named precisions, or all.
fn precisions(names: &[String]) -> Outcome<Vec<Precision>> {
    select(names, &Precision::ALL, Precision::name, "precision")
}

fn select<T: Copy>(
    names: &[String],
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
) -> Outcome<Vec<T>> {
    if names.iter().any(|name| name == "all") {
        return Ok(all.to_vec());
    }
    let find = |requested: &String| {
        let value = all.iter().copied().find(|&one| name(one) == requested);
        value.ok_or_else(|| {
            let names_available: Vec<_> = all.iter().map(|&one| name(one)).collect();
            let names_available = names_available.join(", ");
            format!("unknown {what} {requested:?}; choose from {names_available}, all").into()
        })
    };
    names.iter().map(find).collect()
}
