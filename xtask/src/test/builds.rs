//! The builds of the test programs.

use anyhow::Result;

use crate::paths;
use crate::programs::{self, Program};

/// The library's package.
const LIBRARY: &str = "ferrovox";

/// What cargo is asked for. The library's unit tests take a build of their own, in which the library is not optimised: all of it is
/// compiled into them once more, and optimising that takes longer than they compute. Tests that compute are in `tests/tests/pipelines`,
/// which uses the library as everybody else does.
const BUILDS: [&[&str]; 3] = [
    &["--workspace", "--exclude", LIBRARY, "--tests"],
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
    let mut programs = Vec::new();
    for build in BUILDS {
        let arguments: Vec<&str> = ["test", "--no-run"].iter().chain(build).copied().collect();
        programs.extend(programs::build(&paths::root(), &arguments, &[])?);
    }
    Ok(programs)
}
