//! A volume's way through the rooms, from the command to the file.

use std::collections::BTreeSet;

use crate::graph::Knowledge;

/// A kind of job: its module of the room `pipeline`, and the room of its algorithm.
pub const JOBS: [(&str, &str); 6] = [
    ("mesh", "isosurface"),
    ("label_mesh", "label_surface"),
    ("distance", "distance"),
    ("skeleton", "skeleton"),
    ("voxelize", "voxelize"),
    ("render", "render"),
];

/// Rooms that any code may ask, and that hold neither a volume nor what is made of it.
const ASKED_BY_ALL: [&str; 4] = ["memory", "monitor", "occupancy", "union_find"];

/// The rooms of a job: the command, `pipeline`, and what the job's module and its algorithm name.
pub fn rooms(knowledge: &Knowledge, job: &str, algorithm: &str) -> BTreeSet<String> {
    let is_of_job = |file: &std::path::Path| {
        let mut below = file
            .components()
            .map(|part| part.as_os_str())
            .skip_while(|part| *part != "pipeline")
            .skip(1);
        below
            .next()
            .and_then(|part| std::path::Path::new(part).file_stem())
            == Some(job.as_ref())
    };
    let edges = knowledge.between_rooms();
    let named = edges.iter().filter(|((from, _), places)| {
        from == algorithm || from == "pipeline" && places.iter().any(|place| is_of_job(&place.file))
    });
    let fixed = ["cli", "pipeline", algorithm].map(str::to_owned);
    named
        .map(|((_, to), _)| to.clone())
        .filter(|room| !ASKED_BY_ALL.contains(&room.as_str()))
        .chain(fixed)
        .collect()
}
