//! Test run of all public crates in kernels, and its recorded outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::paths;
use crate::test::cargo_in;

/// Workspace of the public crates' kernels.
const FOLDER: &str = "crates/tests/public-code";

/// Packages with kernels, by the short names of their tests.
const PACKAGES: [(&str, &str); 3] = [
    ("quick", "public-code-quick"),
    ("whole", "public-code-whole"),
    ("path", "public-code-path-tracer"),
];

/// Contents of `crates/tests/public-code/outcome.json`: results of the last complete run.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Version of the device compiler.
    device_compiler: String,
    /// Passed tests, named as in the list.
    passed: BTreeSet<String>,
    /// Versions of the crates used by the kernels.
    versions: BTreeMap<String, String>,
}

impl Outcome {
    /// Reads the outcome and compares its versions with those of the lock file.
    ///
    /// # Errors
    /// A missing file, or other versions.
    pub fn load() -> Result<Self> {
        let name = format!("{FOLDER}/outcome.json");
        let text = fs::read_to_string(paths::root().join(&name)).with_context(|| {
            format!(
                "cannot read {name}; run `cargo xtask from-rust-cuda --public-code` to create it"
            )
        })?;
        let outcome: Outcome =
            serde_json::from_str(&text).with_context(|| format!("{name} is invalid"))?;
        ensure!(
            outcome.versions == versions()?,
            "{name} was recorded with other versions than those of {FOLDER}/Cargo.lock: \
             run `cargo xtask from-rust-cuda --public-code`"
        );
        Ok(outcome)
    }

    /// Returns the version of a crate whose tests all passed.
    ///
    /// # Errors
    /// A test that did not pass, or a crate that no kernel uses.
    pub fn version(&self, name: &str, tests: &[String]) -> Result<&str> {
        for test in tests {
            ensure!(
                self.passed.contains(test),
                "`{test}` did not pass in the last run of all public crates; run `cargo xtask from-rust-cuda --public-code`"
            );
        }
        let version = self.versions.get(name);
        version
            .map(String::as_str)
            .with_context(|| format!("no kernel of {FOLDER} uses `{name}`"))
    }
}

/// Compiles and runs all public crates, and records the passed tests.
///
/// # Errors
/// A failed test; nothing is recorded in this case.
pub fn run() -> Result<()> {
    // without the device compiler the tests of PTX would be skipped
    let toolchain = cuda_builder::DeviceToolchain::find()?;
    let mut passed = BTreeSet::new();
    for (set, package) in PACKAGES {
        let folder = paths::root().join(FOLDER);
        let mut command = cargo_in(&folder, &["test", "--no-fail-fast", "--package", package]);
        let mut child = command
            .env_remove("FERROVOX_NO_DEVICE_TOOLCHAIN")
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run cargo")?;
        let output = child.stdout.take().context("cannot read cargo's output")?;
        for line in BufReader::new(output).lines() {
            let line = line.context("cannot read cargo's output")?;
            println!("{line}");
            passed.extend(passed_test(&line).map(|name| format!("{set} {name}")));
        }
        let status = child.wait().context("cannot wait for cargo")?;
        ensure!(
            status.success(),
            "not all tests of {package} passed; nothing was recorded"
        );
    }
    let outcome = Outcome {
        device_compiler: toolchain.version.summary,
        passed,
        versions: versions()?,
    };
    let path = paths::root().join(FOLDER).join("outcome.json");
    let text = serde_json::to_string_pretty(&outcome)? + "\n";
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the name of the test that a line of libtest's output reports as passed, without its
/// module.
fn passed_test(line: &str) -> Option<&str> {
    let path = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
    path.rsplit("::").next()
}

/// Returns the versions of the direct dependencies of the kernels' packages, from the lock file.
fn versions() -> Result<BTreeMap<String, String>> {
    let name = format!("{FOLDER}/Cargo.lock");
    let text = fs::read_to_string(paths::root().join(&name))
        .with_context(|| format!("cannot read {name}"))?;
    parse_lock(&text).with_context(|| format!("{name} is invalid"))
}

/// Relevant parts of a lock file.
#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

fn parse_lock(text: &str) -> Result<BTreeMap<String, String>> {
    let lock: Lock = toml::from_str(text)?;
    let mut versions = BTreeMap::new();
    for package in &lock.package {
        if !PACKAGES.iter().any(|(_, set)| *set == package.name) {
            continue;
        }
        for dependency in &package.dependencies {
            // "sha2 0.11.1", or only the name if there is a single version
            let (name, version) = match dependency.split_once(' ') {
                Some((name, version)) => (name, Some(version)),
                None => (dependency.as_str(), None),
            };
            let locked = lock
                .package
                .iter()
                .find(|other| {
                    other.name == name && version.is_none_or(|version| other.version == version)
                })
                .with_context(|| format!("package {dependency} is missing"))?;
            if locked.source.is_some() {
                versions.insert(locked.name.clone(), locked.version.clone());
            }
        }
    }
    ensure!(!versions.is_empty(), "the packages have no dependencies");
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_parsed() {
        assert_eq!(passed_test("test hashes::one ... ok"), Some("one"));
        assert_eq!(passed_test("test two ... ok"), Some("two"));
        for line in [
            "test one ... FAILED",
            "test result: ok. 1 passed",
            "running 2 tests",
        ] {
            assert_eq!(passed_test(line), None, "{line}");
        }
    }

    #[test]
    fn versions_of_direct_dependencies_are_read() {
        let text = "version = 4\n[[package]]\nname = \"sha2\"\nversion = \"0.10.9\"\nsource = \"r\"\n\
            [[package]]\nname = \"sha2\"\nversion = \"0.11.1\"\nsource = \"r\"\n\
            [[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n\
            [[package]]\nname = \"public-code-quick\"\nversion = \"0.1.0\"\ndependencies = [\"ours\", \"sha2 0.11.1\"]\n";
        let expected = BTreeMap::from([("sha2".to_owned(), "0.11.1".to_owned())]);
        assert_eq!(parse_lock(text).unwrap(), expected);
    }

    #[test]
    fn a_crate_with_a_failed_test_has_no_version() {
        let mut outcome = Outcome::default();
        outcome.versions.insert("sha2".into(), "0.11.1".into());
        assert!(outcome.version("sha2", &["quick one".to_owned()]).is_err());
        outcome.passed.insert("quick one".into());
        assert_eq!(
            outcome.version("sha2", &["quick one".to_owned()]).unwrap(),
            "0.11.1"
        );
        assert!(outcome.version("sha3", &["quick one".to_owned()]).is_err());
    }
}
