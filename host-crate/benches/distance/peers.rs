//! Comparison with other systems on the same kinds of sites.

use crate::{
    arguments::{Arguments, size_label},
    field::Field,
    support::Outcome,
};
use measure::{
    Report,
    peers::{self, Peer},
};

/// Peer systems, in order of execution.
const PEERS: [Peer; 3] = [
    Peer {
        system: "cupy",
        script: "cupy_distance.py",
    },
    Peer {
        system: "edt",
        script: "edt_distance.py",
    },
    Peer {
        system: "scipy",
        script: "scipy_distance.py",
    },
];

/// Checks that the requested peer systems are available.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs the requested peer systems.
pub fn run(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    if !peers::is_requested(&arguments.common) {
        return Ok(());
    }
    let sizes: Vec<String> = arguments.sizes().into_iter().map(size_label).collect();
    let fields: Vec<String> = arguments.fields()?.into_iter().map(Field::name).collect();
    let options = [
        ("--volumes", sizes.join(",")),
        ("--sites", fields.join(",")),
        ("--runs", arguments.common.runs.to_string()),
    ];
    let options: Vec<String> = options
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect();
    peers::run("distance", &PEERS, &options, &arguments.common, |record| {
        report.add(record)
    })?;
    Ok(())
}
