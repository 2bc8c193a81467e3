//! Other systems on the same field, in `f32`.

use crate::{arguments::Arguments, support::Outcome};
use measure::{
    Report,
    peers::{self, Peer},
};

/// The peers, in the order in which they run.
const PEERS: [Peer; 3] = [
    Peer {
        system: "warp",
        script: "warp_mesh.py",
    },
    Peer {
        system: "vtk",
        script: "vtk_mesh.py",
    },
    Peer {
        system: "skimage",
        script: "skimage_mesh.py",
    },
];

/// Checks that the requested peers exist.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs the requested peers.
pub fn run(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    if !peers::is_requested(&arguments.common) {
        return Ok(());
    }
    let sizes: Vec<String> = arguments.sizes().iter().map(usize::to_string).collect();
    let given = [
        ("--sizes", sizes.join(",")),
        ("--field", arguments.field().name().to_owned()),
        ("--periods", arguments.periods.to_string()),
        ("--runs", arguments.common.runs.to_string()),
    ];
    let given: Vec<String> = given
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect();
    peers::run("mesh", &PEERS, &given, &arguments.common, |record| {
        report.add(record)
    })?;
    Ok(())
}
