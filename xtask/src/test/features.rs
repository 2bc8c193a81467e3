//! Features of other people's crates are the same in every build that has them, or they would be
//! compiled once for each.
//!
//! `cargo xtask` is built alone, before the workspace; the library's own tests are built alone too
//! (see `build_programs`), each example is, and some examples are workspaces of their own. What any
//! of them asks of a crate has to be what the whole workspace asks.

use std::collections::BTreeSet;
use std::path::Path;

use crate::paths;

/// The crates of a build, each with its version and its features.
fn crates(folder: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let output = paths::cargo(folder)
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p} [{f}]", "--edges"])
        .args(arguments)
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| {
        let line = line.replace(" (proc-macro)", "");
        // a path is of this checkout
        match (line.find(" (/"), line.rfind(" [")) {
            (Some(start), Some(end)) if start < end => {
                format!("{}{}", &line[..start], &line[end..])
            }
            _ => line,
        }
    });
    lines.collect()
}

/// Those of a build that the workspace has in another form, or not at all.
fn others(folder: &str, arguments: &[&str]) -> Vec<String> {
    let root = paths::root();
    let all = crates(&root, &["normal,build,dev", "--workspace"]);
    assert!(all.len() > 100, "{all:?}");
    let of_build = crates(&root.join(folder), arguments);
    of_build.difference(&all).cloned().collect()
}

#[test]
fn xtask_and_the_librarys_tests_have_the_workspaces_builds() {
    if !paths::root().join("Cargo.lock").is_file() {
        eprintln!("skipped: the sources are not beside this program");
        return;
    }
    let xtask = ["normal,build", "--package", "xtask"];
    assert_eq!(others("", &xtask), [""; 0], "see xtask/Cargo.toml");
    let library = ["normal,dev", "--package", "ferrovox"];
    assert_eq!(others("", &library), [""; 0], "see host-crate/Cargo.toml");
}

#[test]
fn examples_have_the_workspaces_builds() {
    if !paths::root().join("Cargo.lock").is_file() {
        eprintln!("skipped: the sources are not beside this program");
        return;
    }
    let of_the_workspace = crate::programs::examples().expect("examples");
    for example in super::steps::folders("examples").expect("examples") {
        let name = paths::shown(&example).to_string();
        let package = of_the_workspace.iter().find(|(_, it)| **it == example);
        // build scripts are other builds in any case, since nothing is shared between them and
        // programs
        let edges = "normal,no-proc-macro";
        let found = match package {
            Some((package, _)) => others(&name, &[edges, "--package", package]),
            None => others(&name, &[edges, "--workspace"]),
        };
        // the packages of the example itself
        let found: Vec<&String> = found
            .iter()
            .filter(|one| !one.contains(" v0.0.0 "))
            .collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}
