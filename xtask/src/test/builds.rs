//! Builds of the test programs.

use anyhow::Result;

use crate::paths;
use crate::programs::{self, Program};

/// Package name of the library.
const LIBRARY: &str = "ferrovox";

/// Arguments for cargo after the tests of all other packages. The library's unit tests need a build
/// of their own with an unoptimized library: compiling and optimizing the library once more takes
/// longer than these tests run. Tests with long computations are in `tests/tests/pipelines`, which
/// uses the library like any other program.
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
pub fn build_test_programs() -> Result<Vec<Program>> {
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
