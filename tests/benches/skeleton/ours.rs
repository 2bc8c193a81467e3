//! The library's own skeletons.

use crate::{Outcome, answers::Answers, arguments::Arguments, objects::Subject};
use ferrovox::{
    device::Device,
    graph::Skeleton,
    grid::DeviceMask,
    monitor::Monitor,
    skeleton::{
        medial,
        potential_field::{self, Hierarchy},
    },
};
use measure::{Record, Report, Spread};
use std::time::{Duration, Instant};

/// What takes longer is run once.
const LONG: Duration = Duration::from_secs(3);

/// Measures an object at the levels that are wanted.
pub fn measure(
    report: &mut Report,
    answers: &mut Answers,
    device: &Device,
    object: &Subject,
    arguments: &Arguments,
) -> Outcome<()> {
    for name in arguments.levels.iter().filter(|name| *name != "none") {
        let made = match name.as_str() {
            "whole" => timed(arguments.common.runs, || whole(device, object)),
            _ => {
                let found = Hierarchy::ALL
                    .into_iter()
                    .find(|level| level.name() == name);
                let hierarchy = found.ok_or_else(|| {
                    format!("no level is called {name:?}; there are whole, core, 1, 2 and none")
                })?;
                let params = potential_field::Params {
                    hierarchy,
                    ..potential_field::Params::default()
                };
                timed(arguments.common.runs, || {
                    one_by_one(device, object, &params)
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
        match made {
            Err(error) => record.absent = Some(error.to_string()),
            Ok((made, spread)) => {
                let system = format!("ferrovox, {name}, {}", record.device);
                record.note = answers.add(object, &system, Some(spread.median_ms), &made);
                record = record.with_times(spread);
            }
        }
        report.add(record);
    }
    Ok(())
}

/// The skeletons of all labels, in one call.
fn whole(device: &Device, object: &Subject) -> Outcome<Vec<(u8, Skeleton)>> {
    let voxels = object.known.voxels.view();
    let params = medial::Params::default();
    let devices = std::slice::from_ref(device);
    let made = medial::extract(devices, voxels, &params, Monitor::silent())?;
    let labels = made.labels.into_iter();
    let labelled = labels.map(|one| Ok((u8::try_from(one.label)?, one.skeleton)));
    labelled.collect()
}

/// What work gives, and its times: of one run if that takes long, else of so many after it.
fn timed<T>(runs: usize, work: impl Fn() -> Outcome<T>) -> Outcome<(T, Spread)> {
    let start = Instant::now();
    let made = work()?;
    let first = start.elapsed();
    let mut times = vec![first];
    if first < LONG {
        times.clear();
        for _ in 0..runs {
            let start = Instant::now();
            work()?;
            times.push(start.elapsed());
        }
    }
    Ok((made, Spread::from_durations(&times)))
}

/// The skeletons of all labels, one call for each.
fn one_by_one(
    device: &Device,
    object: &Subject,
    params: &potential_field::Params,
) -> Outcome<Vec<(u8, Skeleton)>> {
    let stream = device.stream()?;
    let voxels = &object.known.voxels;
    let mut made = Vec::new();
    for (label, _) in &object.labels {
        let bytes: Vec<u8> = voxels
            .samples()
            .iter()
            .map(|v| u8::from(v == label))
            .collect();
        let mask = DeviceMask::upload(&stream, &bytes, voxels.dims(), *voxels.geometry())?;
        made.push((
            *label,
            potential_field::extract(&stream, &mask, params)?.skeleton,
        ));
    }
    Ok(made)
}
