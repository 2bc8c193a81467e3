//! The builds of the test programs.

use anyhow::Result;

use crate::paths;
use crate::programs::{self, Program};

/// The library's package.
const LIBRARY: &str = "ferrovox";

/// What cargo is asked for, after the tests of all other packages. The library's unit tests take a
/// build of their own, in which the library is not optimised: all of it is compiled into them once
/// more, and optimising that takes longer than they compute. Tests that compute are in
/// `tests/tests/pipelines`, which uses the library as everybody else does.
const BUILDS_OF_THE_LIBRARY: [&[&str]; 2] = [
    &["--package", LIBRARY, "--test", "*"],
    &[
        "--package",
        LIBRARY,
        "--lib",
        "--config",
        "profile.dev.package.ferrovox.opt-level=0",
    ],
];

/// Builds all test programs of the workspace, and the commands of the packages that have tests.
pub fn all() -> Result<Vec<Program>> {
    let workspace = programs::workspace_without_examples()?;
    let mut others: Vec<&str> = workspace.iter().map(String::as_str).collect();
    others.extend(["--exclude", LIBRARY, "--tests"]);
    let mut programs = Vec::new();
    for build in [&others[..]].into_iter().chain(BUILDS_OF_THE_LIBRARY) {
        let arguments: Vec<&str> = ["test", "--no-run"].iter().chain(build).copied().collect();
        programs.extend(programs::build(&paths::root(), &arguments, &[])?);
    }
    Ok(programs)
}
