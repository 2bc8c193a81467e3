//! Other systems on the same objects.

use crate::{Outcome, answers::Answers, arguments::Arguments, objects::Subject};
use ferrovox::{
    graph::Skeleton,
    grid::{AnyVolume, Geometry},
    io::{VolumeWriteOptions, write_volume},
};
use ferrovox_tests::links;
use measure::{
    Record, Report,
    peers::{self, Peer},
};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// In the order in which they run.
const PEERS: [Peer; 2] = [
    Peer {
        system: "kimimaro",
        script: "kimimaro_skeleton.py",
    },
    Peer {
        system: "skimage",
        script: "skimage_skeleton.py",
    },
];

/// What a script is told of an object.
#[derive(Serialize)]
struct Given {
    name: String,
    volume: String,
    spacing: [f64; 3],
    size: String,
}

/// What a script says of a label.
#[derive(Deserialize)]
struct Made {
    label: u8,
    points: Vec<[f64; 3]>,
    links: Option<Vec<[usize; 2]>>,
}

/// Whether those that are wanted exist.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs those that are wanted, and holds what they made to what is known.
pub fn run(
    report: &mut Report,
    answers: &mut Answers,
    objects: &[Subject],
    arguments: &Arguments,
) -> Outcome<()> {
    if !peers::is_requested(&arguments.common) {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut given = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        let path = folder.path().join(format!("{number}.npy"));
        let volume = AnyVolume::U8(object.known.voxels.clone());
        write_volume(&path, &volume, &VolumeWriteOptions::default())?;
        given.push(Given {
            name: object.name().to_owned(),
            volume: path.display().to_string(),
            spacing: object.known.voxels.geometry().spacing().into(),
            size: object.size(),
        });
    }
    let list = folder.path().join("objects.json");
    std::fs::write(&list, serde_json::to_string(&given)?)?;
    let mut options = Vec::new();
    for (name, value) in [
        ("--objects", list.display().to_string()),
        ("--results", folder.path().display().to_string()),
        ("--runs", arguments.common.runs.to_string()),
    ] {
        options.extend([name.to_owned(), value]);
    }
    peers::run(
        "skeleton",
        &PEERS,
        &options,
        &arguments.common,
        |mut record| {
            let number = objects
                .iter()
                .position(|object| object.name() == record.field);
            if let (Some(number), None) = (number, &record.absent) {
                let path = folder
                    .path()
                    .join(format!("{number}.{}.json", record.system));
                match judged(answers, &objects[number], &record, &path) {
                    Ok(note) => record.note = format!("{note}; {}", record.note),
                    Err(error) => record.absent = Some(error.to_string()),
                }
            }
            report.add(record);
        },
    )?;
    Ok(())
}

fn judged(
    answers: &mut Answers,
    object: &Subject,
    record: &Record,
    path: &Path,
) -> Outcome<String> {
    let made: Vec<Made> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let geometry = *object.known.voxels.geometry();
    let made: Vec<_> = made
        .into_iter()
        .map(|made| (made.label, skeleton(made, geometry)))
        .collect();
    let system = format!("{}, {}", record.system, record.method);
    Ok(answers.add(object, &system, record.median_ms, &made))
}

fn skeleton(made: Made, geometry: Geometry) -> Skeleton {
    let links = made.links.unwrap_or_else(|| {
        let voxels = made.points.iter().map(|point| point.map(|c| c as i64));
        links::of_voxels(&voxels.collect::<Vec<_>>())
    });
    let points: Vec<_> = made.points.into_iter().map(Point3::from).collect();
    links::skeleton(&points, &links, geometry)
}
