//! Skeletons of this library.

use crate::{Outcome, answers::Answers, arguments::Arguments, objects::Subject};
use ferrovox::{
    device::Device,
    graph::Skeleton,
    grid::DeviceMask,
    monitor::Monitor,
    skeleton::{
        medial::{self, BranchRule},
        potential_field::{self, Hierarchy},
    },
};
use measure::{Record, Report, Spread};
use std::time::{Duration, Instant};

/// Duration above which a call is not repeated.
const MAX_REPEATED: Duration = Duration::from_secs(3);

/// Measures an object by the selected methods.
pub fn measure(
    report: &mut Report,
    answers: &mut Answers,
    device: &Device,
    object: &Subject,
    arguments: &Arguments,
) -> Outcome<()> {
    for name in arguments.methods.iter().filter(|name| *name != "none") {
        let outcome = match branch_rule(name) {
            Some(branches) => timed(arguments.common.runs, || medial(device, object, branches)),
            None => {
                let found = Hierarchy::ALL
                    .into_iter()
                    .find(|level| level.name() == name);
                let hierarchy = found.ok_or_else(|| {
                    format!(
                        "unknown method {name:?}; choose medial, coverage, core, divergence, curvature or none"
                    )
                })?;
                let params = potential_field::Params {
                    hierarchy,
                    ..potential_field::Params::default()
                };
                timed(arguments.common.runs, || {
                    potential_field(device, object, &params)
                })
            }
        };
        let mut record = Record {
            system: "ferrovox".into(),
            device: device.id(),
            measure: "skeleton".into(),
            method: name.clone(),
            element: "u8".into(),
            field: object.name().into(),
            size: object.size(),
            elements: object.known.voxels.samples().len() as u64,
            ..Record::default()
        };
        match outcome {
            Err(error) => record.absent = Some(error.to_string()),
            Ok((skeletons, spread)) => {
                let system = format!("ferrovox, {name}, {}", record.device);
                record.note = answers.add(object, &system, Some(spread.median_ms), &skeletons);
                record = record.with_times(spread);
            }
        }
        report.add(record);
    }
    Ok(())
}

/// Returns the rule for branches of a medial method in `--methods`, or `None` for other methods.
pub fn branch_rule(method: &str) -> Option<BranchRule> {
    match method {
        "medial" | "whole" => Some(BranchRule::default()),
        "coverage" => Some(BranchRule::COVERAGE),
        _ => None,
    }
}

/// Extracts the skeletons of all labels by the medial method, in one call.
fn medial(device: &Device, object: &Subject, branches: BranchRule) -> Outcome<Vec<(u8, Skeleton)>> {
    let voxels = object.known.voxels.view();
    let params = medial::Params {
        branches,
        ..medial::Params::default()
    };
    let devices = std::slice::from_ref(device);
    let skeletons = medial::extract(devices, voxels, &params, Monitor::new())?;
    let labels = skeletons.labels.into_iter();
    let labelled = labels.map(|label| Ok((u8::try_from(label.label)?, label.skeleton)));
    labelled.collect()
}

/// Returns the result of `work` and its durations: of `runs` further runs, or of the first one if
/// it exceeds [`MAX_REPEATED`].
pub fn timed<T>(runs: usize, work: impl Fn() -> Outcome<T>) -> Outcome<(T, Spread)> {
    let start = Instant::now();
    let result = work()?;
    let first = start.elapsed();
    let mut times = vec![first];
    if first < MAX_REPEATED {
        times.clear();
        for _ in 0..runs {
            let start = Instant::now();
            work()?;
            times.push(start.elapsed());
        }
    }
    Ok((result, Spread::from_durations(&times)))
}

/// Extracts the skeletons of all labels by the potential-field method, with one call per label.
fn potential_field(
    device: &Device,
    object: &Subject,
    params: &potential_field::Params,
) -> Outcome<Vec<(u8, Skeleton)>> {
    let stream = device.stream()?;
    let voxels = &object.known.voxels;
    let mut skeletons = Vec::new();
    for (label, _) in &object.labels {
        let bytes: Vec<u8> = voxels
            .samples()
            .iter()
            .map(|v| u8::from(v == label))
            .collect();
        let mask = DeviceMask::upload(&stream, &bytes, voxels.dims(), *voxels.geometry())?;
        skeletons.push((
            *label,
            potential_field::extract(&stream, &mask, params)?.skeleton,
        ));
    }
    Ok(skeletons)
}
