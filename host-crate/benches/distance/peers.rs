//! Other systems on the same kinds of sites.

use crate::{
    arguments::{Arguments, shown},
    field::Field,
    support::Outcome,
};
use measure::{
    Report,
    peers::{self, Peer},
};

/// In the order in which they run.
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

/// Whether those that are wanted exist.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs those that are wanted.
pub fn run(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    if !peers::is_requested(&arguments.common) {
        return Ok(());
    }
    let sizes: Vec<String> = arguments.sizes().into_iter().map(shown).collect();
    let fields: Vec<String> = arguments.fields()?.into_iter().map(Field::name).collect();
    let given = [
        ("--volumes", sizes.join(",")),
        ("--sites", fields.join(",")),
        ("--runs", arguments.common.runs.to_string()),
    ];
    let given: Vec<String> = given
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect();
    peers::run("distance", &PEERS, &given, &arguments.common, |record| {
        report.add(record)
    })?;
    Ok(())
}
