//! Test that external crates have the same features in every build, because each set of features
//! would be compiled separately.
//!
//! `cargo xtask` is built alone, before the workspace; the library's own tests and each example are
//! built alone too (see `build_programs`), and some examples are workspaces of their own. The
//! features that any of these builds requests must equal those of the whole workspace.

use std::collections::BTreeSet;
use std::path::Path;

use crate::paths;

/// Returns the crates of a build, each with its version and its features.
fn crates(folder: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let output = paths::cargo(folder)
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p} [{f}]", "--edges"])
        .args(arguments)
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .expect("cargo runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| {
        let line = line.replace(" (proc-macro)", "");
        // paths depend on the checkout
        match (line.find(" (/"), line.rfind(" [")) {
            (Some(start), Some(end)) if start < end => {
                format!("{}{}", &line[..start], &line[end..])
            }
            _ => line,
        }
    });
    lines.collect()
}

/// Returns the crates of a build that have other features in the workspace, or do not occur there.
fn deviations(folder: &str, arguments: &[&str]) -> Vec<String> {
    let root = paths::root();
    let all = crates(
        &root,
        &[
            "normal,build,dev",
            "--workspace",
            "--exclude",
            crate::programs::PYTHON_MODULE,
        ],
    );
    assert!(all.len() > 100, "{all:?}");
    let of_build = crates(&root.join(folder), arguments);
    of_build.difference(&all).cloned().collect()
}

#[test]
fn xtask_and_library_tests_have_the_features_of_the_workspace() {
    if !paths::root().join("Cargo.lock").is_file() {
        test_cases::report_skip(format_args!("the sources are not available"));
        return;
    }
    let xtask = ["normal,build", "--package", "xtask"];
    assert_eq!(deviations("", &xtask), [""; 0], "see xtask/Cargo.toml");
    let library = ["normal,dev", "--package", "ferrovox"];
    assert_eq!(
        deviations("", &library),
        [""; 0],
        "see host-crate/Cargo.toml"
    );
}

#[test]
fn examples_have_the_features_of_the_workspace() {
    if !paths::root().join("Cargo.lock").is_file() {
        test_cases::report_skip(format_args!("the sources are not available"));
        return;
    }
    let members = crate::programs::examples().expect("examples");
    for example in super::steps::example_directories().expect("examples") {
        let name = paths::display_relative(&example).to_string();
        let package = members.iter().find(|(_, it)| **it == example);
        // build scripts are built separately in any case, because they share nothing with programs
        let edges = "normal,no-proc-macro";
        let found = match package {
            Some((package, _)) => deviations(&name, &[edges, "--package", package]),
            None => deviations(&name, &[edges, "--workspace"]),
        };
        // exclude the packages of the example itself
        let found: Vec<&String> = found
            .iter()
            .filter(|one| !one.contains(" v0.0.0 "))
            .collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}
