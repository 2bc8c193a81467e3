//! Skeletons of other systems on the same objects.

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

/// Systems in the order of their runs.
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

/// Description of an object for a script.
#[derive(Serialize)]
struct ObjectInput {
    name: String,
    volume: String,
    spacing: [f64; 3],
    size: String,
}

/// Skeleton of a label from a script.
#[derive(Deserialize)]
struct PeerSkeleton {
    label: u8,
    points: Vec<[f64; 3]>,
    links: Option<Vec<[usize; 2]>>,
}

/// Checks that the requested systems are available.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs the requested systems, and compares their skeletons with the ground truth.
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
    let mut inputs = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        let path = folder.path().join(format!("{number}.npy"));
        let volume = AnyVolume::U8(object.known.voxels.clone());
        write_volume(&path, &volume, &VolumeWriteOptions::default())?;
        inputs.push(ObjectInput {
            name: object.name().to_owned(),
            volume: path.display().to_string(),
            spacing: object.known.voxels.geometry().spacing().into(),
            size: object.size(),
        });
    }
    let list = folder.path().join("objects.json");
    std::fs::write(&list, serde_json::to_string(&inputs)?)?;
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
                match check_result(answers, &objects[number], &record, &path) {
                    Ok(note) => record.note = format!("{note}; {}", record.note),
                    Err(error) => record.absent = Some(error.to_string()),
                }
            }
            report.add(record);
        },
    )?;
    Ok(())
}

/// Checks the skeletons in a result file, and returns a summary.
fn check_result(
    answers: &mut Answers,
    object: &Subject,
    record: &Record,
    path: &Path,
) -> Outcome<String> {
    let skeletons: Vec<PeerSkeleton> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let geometry = *object.known.voxels.geometry();
    let skeletons: Vec<_> = skeletons
        .into_iter()
        .map(|peer| (peer.label, skeleton(peer, geometry)))
        .collect();
    let system = format!("{}, {}", record.system, record.method);
    Ok(answers.add(object, &system, record.median_ms, &skeletons))
}

fn skeleton(peer: PeerSkeleton, geometry: Geometry) -> Skeleton {
    let links = peer.links.unwrap_or_else(|| {
        let voxels = peer.points.iter().map(|point| point.map(|c| c as i64));
        links::voxel_links(&voxels.collect::<Vec<_>>())
    });
    let points: Vec<_> = peer.points.into_iter().map(Point3::from).collect();
    links::skeleton_from_links(&points, &links, geometry)
}
