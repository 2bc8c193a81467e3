//! The programs of a bundle, built in the release profile.

use anyhow::Result;

use crate::paths;
use crate::programs::{Kind, Program, build, workspace_without_examples};

/// Packages whose tests need a compiler, which a GPU host has not.
const NEED_A_COMPILER: [&str; 4] = [
    "ferrovox-cuda-builder",
    "ferrovox-cuda-std-macros",
    "ferrovox-cust-derive",
    "xtask",
];

/// Nothing that is stripped afterwards is made in the first place.
const VARIABLES: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_STRIP", "symbols"),
];

/// Whether a bundle has the tests of this program's package.
pub fn belongs(program: &Program) -> bool {
    !NEED_A_COMPILER.contains(&program.package.as_str())
}

/// Builds everything that a bundle holds, in the order of names.
///
/// # Errors
/// A build that fails.
pub fn build_all() -> Result<Vec<Program>> {
    let root = paths::root();
    let build = |folder: &str, arguments: &[&str]| build(&root.join(folder), arguments, &VARIABLES);
    let workspace = workspace_without_examples()?;
    let mut tests = vec!["test", "--release", "--no-run", "--tests"];
    tests.extend(workspace.iter().map(String::as_str));
    for package in NEED_A_COMPILER {
        tests.extend(["--exclude", package]);
    }
    let of = |kind: Kind| move |program: &Program| program.kind == kind;
    let mut programs = build(
        "",
        &["build", "--release", "--package", "ferrovox-cli", "--bins"],
    )?;
    programs.extend(build("", &tests)?.into_iter().filter(of(Kind::Test)));
    let benches = build("", &["bench", "--workspace", "--no-run", "--benches"])?;
    programs.extend(benches.into_iter().filter(of(Kind::Bench)));
    programs.extend(build(
        "tests/conformance/ferrovox",
        &["test", "--workspace", "--release", "--no-run", "--tests"],
    )?);
    // programs that are tests by running: of the published API's host side, and of the library from
    // outside the workspace
    for folder in ["tests/conformance-cust/ours", "tests/scratch"] {
        let made = build(folder, &["build", "--release", "--bins"])?;
        programs.extend(made.into_iter().map(|program| Program {
            kind: Kind::Test,
            ..program
        }));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}
