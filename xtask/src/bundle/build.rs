//! The programs of a bundle, built in the release profile.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::paths;

/// Packages whose tests need a compiler, which a GPU host has not.
const NEED_A_COMPILER: [&str; 3] = ["ferrovox-cuda-builder", "ferrovox-cuda-std-macros", "xtask"];

/// What a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Command,
    Test,
    Bench,
}

/// A program that was built.
pub struct Program {
    /// Its name in the bundle: package and target.
    pub name: String,
    pub kind: Kind,
    pub path: PathBuf,
}

/// Builds everything that a bundle holds.
pub fn programs() -> Result<Vec<Program>> {
    let root = paths::root();
    let mut tests = vec![
        "test",
        "--workspace",
        "--release",
        "--no-run",
        "--lib",
        "--bins",
        "--tests",
    ];
    for package in NEED_A_COMPILER {
        tests.extend(["--exclude", package]);
    }
    let mut programs = build(
        &root,
        &["build", "--release", "--package", "ferrovox-cli", "--bins"],
    )?;
    programs.extend(
        build(&root, &tests)?
            .into_iter()
            .filter(|program| program.kind == Kind::Test),
    );
    programs.extend(
        build(&root, &["bench", "--workspace", "--no-run", "--benches"])?
            .into_iter()
            .filter(|program| program.kind == Kind::Bench),
    );
    let conformance = root.join("tests/conformance/ferrovox");
    programs.extend(build(
        &conformance,
        &["test", "--workspace", "--release", "--no-run", "--tests"],
    )?);
    // programs that are tests by running: of the published API's host side, and of the library from outside the workspace
    for folder in ["tests/conformance-cust/ours", "tests/scratch"] {
        programs.extend(
            build(&root.join(folder), &["build", "--release", "--bins"])?
                .into_iter()
                .map(|program| Program {
                    kind: Kind::Test,
                    ..program
                }),
        );
    }
    Ok(programs)
}

/// One line of cargo's messages, as far as it is of use.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Runs cargo in a folder; every executable that it made.
pub fn build(folder: &Path, arguments: &[&str]) -> Result<Vec<Program>> {
    eprintln!(
        "cargo {} (in {})",
        arguments.join(" "),
        paths::shown(folder)
    );
    let mut command = Command::new(crate::test::cargo_path());
    command
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(folder);
    if folder != paths::root() {
        command.env("CARGO_TARGET_DIR", paths::target());
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo {} failed ({})", arguments.join(" "), output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|line| program(&serde_json::from_str(line).ok()?))
        .collect())
}

fn program(message: &Message) -> Option<Program> {
    let (target, profile) = (message.target.as_ref()?, message.profile.as_ref()?);
    if message.reason != "compiler-artifact" {
        return None;
    }
    let path = message.executable.clone()?;
    let is = |kind: &str| target.kind.iter().any(|k| k == kind);
    let kind = if is("bench") {
        Kind::Bench
    } else if profile.test {
        Kind::Test
    } else {
        Kind::Command
    };
    let name = match kind {
        Kind::Command => target.name.clone(),
        Kind::Test if is("test") => {
            format!("{}-{}", package_name(&message.package_id), target.name)
        }
        Kind::Test => format!("{}-unit", package_name(&message.package_id)),
        Kind::Bench => format!("{}-{}", package_name(&message.package_id), target.name),
    };
    Some(Program { name, kind, path })
}

/// The name in `path+file:///a/b#name@0.1.0`, or in `path+file:///a/name#0.1.0` where the folder bears it.
fn package_name(id: &str) -> String {
    let (place, rest) = id.rsplit_once('#').unwrap_or(("", id));
    match rest.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => place.rsplit('/').next().unwrap_or(rest).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_package_ids() {
        assert_eq!(
            package_name("path+file:///r/crates/simt#ferrovox-simt@0.1.0"),
            "ferrovox-simt"
        );
        assert_eq!(package_name("path+file:///r/xtask#0.1.0"), "xtask");
    }

    #[test]
    fn messages_of_cargo_are_understood() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///r/cli#ferrovox-cli@0.1.0",
            "target":{"kind":["test"],"name":"cli"},"profile":{"test":true},"executable":"/r/target/cli-1"}"#;
        let found = program(&serde_json::from_str(line).unwrap()).unwrap();
        assert_eq!(
            (found.name.as_str(), found.kind),
            ("ferrovox-cli-cli", Kind::Test)
        );
        let other = r#"{"reason":"build-finished","success":true}"#;
        assert!(program(&serde_json::from_str(other).unwrap()).is_none());
    }
}
