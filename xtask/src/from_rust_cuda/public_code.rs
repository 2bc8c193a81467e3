//! The run of all public crates in kernels, and what is kept of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::paths;
use crate::test::outside;

/// The workspace of these crates.
const FOLDER: &str = "tests/public-code";

/// Its packages with kernels, by the short names of their tests.
const SETS: [(&str, &str); 3] = [
    ("quick", "public-code-quick"),
    ("whole", "public-code-whole"),
    ("path", "public-code-path-tracer"),
];

/// `tests/public-code/outcome.json`: what the last run of all gave.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The device compiler.
    device_compiler: String,
    /// The tests that passed, as the list names them.
    passed: BTreeSet<String>,
    /// The versions of the crates that the kernels use.
    versions: BTreeMap<String, String>,
}

impl Outcome {
    /// Reads it, and compares its versions with those of the lock file.
    ///
    /// # Errors
    /// No such file, or the outcome of other versions.
    pub fn load() -> Result<Self> {
        let name = format!("{FOLDER}/outcome.json");
        let text = fs::read_to_string(paths::root().join(&name)).with_context(|| {
            format!("cannot read {name}: `cargo xtask from-rust-cuda --public-code` writes it")
        })?;
        let outcome: Outcome = serde_json::from_str(&text)
            .with_context(|| format!("{name} is not as it should be"))?;
        ensure!(
            outcome.versions == versions()?,
            "{name} is the outcome of other versions than those of {FOLDER}/Cargo.lock: \
             run `cargo xtask from-rust-cuda --public-code`"
        );
        Ok(outcome)
    }

    /// The version of a crate whose tests all passed.
    ///
    /// # Errors
    /// A test that did not, a crate that no kernel uses.
    pub fn version(&self, name: &str, tests: &[String]) -> Result<&str> {
        for test in tests {
            ensure!(
                self.passed.contains(test),
                "`{test}` did not pass when all public crates were tried last: run `cargo xtask from-rust-cuda --public-code`"
            );
        }
        let version = self.versions.get(name);
        version
            .map(String::as_str)
            .with_context(|| format!("no kernel of {FOLDER} uses `{name}`"))
    }
}

/// Compiles and runs all of them, and records what passed.
///
/// # Errors
/// A test that fails; nothing is recorded then.
pub fn run() -> Result<()> {
    // without it the tests of the PTX would say nothing
    let toolchain = cuda_builder::DeviceToolchain::find()?;
    let mut passed = BTreeSet::new();
    for (set, package) in SETS {
        let folder = paths::root().join(FOLDER);
        let mut command = outside(&folder, &["test", "--no-fail-fast", "--package", package]);
        let mut child = command
            .env_remove("FERROVOX_NO_DEVICE_TOOLCHAIN")
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run cargo")?;
        let output = child.stdout.take().context("cargo has no output")?;
        for line in BufReader::new(output).lines() {
            let line = line.context("cannot read cargo's output")?;
            println!("{line}");
            passed.extend(test_that_passed(&line).map(|name| format!("{set} {name}")));
        }
        let status = child.wait().context("cargo is gone")?;
        ensure!(
            status.success(),
            "not all tests of {package} passed: nothing is recorded"
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

/// The name of the test that a line of libtest's output says passed, without its module.
fn test_that_passed(line: &str) -> Option<&str> {
    let path = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
    path.rsplit("::").next()
}

/// The versions of what the kernels' packages depend on themselves, by the lock file.
fn versions() -> Result<BTreeMap<String, String>> {
    let name = format!("{FOLDER}/Cargo.lock");
    let text = fs::read_to_string(paths::root().join(&name))
        .with_context(|| format!("cannot read {name}"))?;
    parse_lock(&text).with_context(|| format!("{name} is not as it should be"))
}

/// What is read of a lock file.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
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
        if !SETS.iter().any(|(_, set)| *set == package.name) {
            continue;
        }
        for dependency in &package.dependencies {
            // "sha2 0.11.1", or the name alone where there is one version only
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
                .with_context(|| format!("no package {dependency}"))?;
            if locked.source.is_some() {
                versions.insert(locked.name.clone(), locked.version.clone());
            }
        }
    }
    ensure!(!versions.is_empty(), "its packages depend on nothing");
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_passed_are_read() {
        assert_eq!(test_that_passed("test hashes::one ... ok"), Some("one"));
        assert_eq!(test_that_passed("test two ... ok"), Some("two"));
        for line in [
            "test one ... FAILED",
            "test result: ok. 1 passed",
            "running 2 tests",
        ] {
            assert_eq!(test_that_passed(line), None, "{line}");
        }
    }

    #[test]
    fn versions_are_those_that_the_kernels_use() {
        let text = "version = 4\n[[package]]\nname = \"sha2\"\nversion = \"0.10.9\"\nsource = \"r\"\n\
            [[package]]\nname = \"sha2\"\nversion = \"0.11.1\"\nsource = \"r\"\n\
            [[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n\
            [[package]]\nname = \"public-code-quick\"\nversion = \"0.1.0\"\ndependencies = [\"ours\", \"sha2 0.11.1\"]\n";
        let expected = BTreeMap::from([("sha2".to_owned(), "0.11.1".to_owned())]);
        assert_eq!(parse_lock(text).unwrap(), expected);
    }

    #[test]
    fn a_crate_whose_tests_did_not_pass_has_no_version() {
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
