//! Programs of a bundle, built in the release profile.

use anyhow::Result;

use crate::paths;
use crate::programs::{Program, ProgramKind, build, workspace_without_examples};

/// Packages whose tests need a compiler, which GPU hosts do not have.
const COMPILER_PACKAGES: [&str; 4] = [
    "ferrovox-cuda-builder",
    "ferrovox-cuda-std-macros",
    "ferrovox-cust-derive",
    "xtask",
];

/// Environment variables that omit debug information, which would be stripped anyway.
const STRIP_VARIABLES: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_STRIP", "symbols"),
];

/// Returns `true` if the program's package belongs in a bundle.
pub fn is_bundled(program: &Program) -> bool {
    !COMPILER_PACKAGES.contains(&program.package.as_str())
}

/// Builds all programs of a bundle, sorted by name.
///
/// # Errors
/// A failed build.
pub fn build_all() -> Result<Vec<Program>> {
    let root = paths::root();
    let build =
        |folder: &str, arguments: &[&str]| build(&root.join(folder), arguments, &STRIP_VARIABLES);
    let workspace = workspace_without_examples()?;
    let mut tests = vec!["test", "--release", "--no-run", "--tests"];
    tests.extend(workspace.iter().map(String::as_str));
    for package in COMPILER_PACKAGES {
        tests.extend(["--exclude", package]);
    }
    let has_kind = |kind: ProgramKind| move |program: &Program| program.kind == kind;
    let mut programs = build(
        "",
        &["build", "--release", "--package", "ferrovox-cli", "--bins"],
    )?;
    programs.extend(
        build("", &tests)?
            .into_iter()
            .filter(has_kind(ProgramKind::Test)),
    );
    let mut benches = vec!["bench", "--no-run", "--benches"];
    benches.extend(workspace.iter().map(String::as_str));
    let benches = build("", &benches)?;
    programs.extend(benches.into_iter().filter(has_kind(ProgramKind::Bench)));
    programs.extend(build(
        "crates/tests/conformance/ferrovox",
        &["test", "--workspace", "--release", "--no-run", "--tests"],
    )?);
    // programs that test by being run: host code for the API of Rust-CUDA, and a program outside
    // the workspace that uses the library
    for folder in ["crates/tests/conformance-cust/ours", "tests/scratch"] {
        let binaries = build(folder, &["build", "--release", "--bins"])?;
        programs.extend(binaries.into_iter().map(|program| Program {
            kind: ProgramKind::Test,
            ..program
        }));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}
