//! Test that external crates have the same features in every build, because each set of features
//! would be compiled separately.
//!
//! `cargo xtask`, the library's own tests and the Python module are built alone, apart from the
//! tests of the workspace. The features that any of these builds requests must equal those of the
//! whole workspace; `crates/workspace_features` requests the union.

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

#[test]
fn every_build_has_the_features_of_the_workspace() {
    let root = paths::root();
    if !root.join("Cargo.lock").is_file() {
        test_cases::report_skip(format_args!("the sources are not available"));
        return;
    }
    let all = crates(&root, &["normal,build,dev", "--workspace"]);
    assert!(all.len() > 100, "{all:?}");
    for build in [
        &["normal,build", "--package", "xtask"][..],
        &["normal,build,dev", "--package", "ferrovox"],
        &["normal,build", "--package", crate::programs::PYTHON_MODULE],
        &[
            "normal,build,dev",
            "--workspace",
            "--exclude",
            crate::programs::PYTHON_MODULE,
        ],
    ] {
        let deviations: Vec<String> = crates(&root, build).difference(&all).cloned().collect();
        assert_eq!(
            deviations, [""; 0],
            "{build:?}: see crates/workspace_features/Cargo.toml"
        );
    }
}
