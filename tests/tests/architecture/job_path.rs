//! Modules involved in processing a volume, from the command to the output file.

use std::collections::BTreeSet;

use crate::graph::DependencyGraph;

/// Jobs: the submodule of `pipeline`, and the module of the algorithm.
pub const JOBS: [(&str, &str); 6] = [
    ("mesh", "isosurface"),
    ("label_mesh", "label_surface"),
    ("distance", "distance"),
    ("skeleton", "skeleton"),
    ("voxelize", "voxelize"),
    ("render", "render"),
];

/// Utility modules that any code may use, and that process no volumes.
const UTILITIES: [&str; 5] = ["error", "memory", "monitor", "occupancy", "union_find"];

/// Returns the modules involved in a job: the command, `pipeline`, and the dependencies of the
/// job's submodule and of its algorithm.
pub fn modules(graph: &DependencyGraph, job: &str, algorithm: &str) -> BTreeSet<String> {
    let belongs_to_job = |file: &std::path::Path| {
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
    let edges = graph.top_level_edges();
    let named = edges.iter().filter(|((from, _), locations)| {
        from == algorithm
            || from == "pipeline"
                && locations
                    .iter()
                    .any(|location| belongs_to_job(&location.file))
    });
    let fixed = ["cli", "pipeline", algorithm].map(str::to_owned);
    named
        .map(|((_, to), _)| to.clone())
        .filter(|module| !UTILITIES.contains(&module.as_str()))
        .chain(fixed)
        .collect()
}
