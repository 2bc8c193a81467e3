//! Scans of the same sizes and types by other systems.

use crate::{arguments::Arguments, support::Outcome};
use measure::{
    Report,
    peers::{self, Peer},
};

/// The peers, in the order in which they run.
const PEERS: [Peer; 2] = [
    Peer {
        system: "cub",
        script: "cub_scan.cu",
    },
    Peer {
        system: "cupy",
        script: "cupy_scan.py",
    },
];

/// Checks that the requested peers exist.
pub fn check(arguments: &Arguments) -> Outcome<()> {
    Ok(peers::check(&PEERS, &arguments.common)?)
}

/// Runs the requested peers, which use the GPU.
pub fn run(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    if !peers::is_requested(&arguments.common) {
        return Ok(());
    }
    let sizes = arguments.sizes(true)?;
    let numbers: Vec<String> = sizes.iter().map(|size| size.elements.to_string()).collect();
    let host_sizes = if arguments.no_table {
        Vec::new()
    } else {
        arguments.host_sizes()?
    };
    let table: Vec<String> = host_sizes
        .iter()
        .map(|size| size.elements.to_string())
        .collect();
    // peers do not widen types
    let types: Vec<&str> = arguments
        .types()?
        .into_iter()
        .filter(|name| !name.contains(':'))
        .collect();
    let given = [
        ("--sizes", numbers.join(",")),
        ("--types", types.join(",")),
        ("--operators", arguments.operators.join(",")),
        ("--runs", arguments.common.runs.to_string()),
        ("--host-sizes", table.join(",")),
    ];
    let given: Vec<String> = given
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect();
    let labels: Vec<(u64, String)> = sizes
        .iter()
        .chain(&host_sizes)
        .map(|size| (size.elements as u64, size.label.clone()))
        .collect();
    peers::run("scan", &PEERS, &given, &arguments.common, |mut record| {
        // sizes as requested
        if let Some((_, label)) = labels
            .iter()
            .find(|(elements, _)| *elements == record.elements)
        {
            record.size.clone_from(label);
        }
        report.add(record);
    })?;
    Ok(())
}
