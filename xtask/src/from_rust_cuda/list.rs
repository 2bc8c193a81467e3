//! List of tested features of Rust-CUDA, and the tests that cover each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::paths;

/// Path of the list.
const FILE: &str = "crates/tests/from-rust-cuda/list.toml";

/// Contents of `crates/tests/from-rust-cuda/list.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Kinds of tests, by short name.
    pub tests: BTreeMap<String, Tests>,
    /// Features of kernels that work unchanged.
    pub kernels: Vec<Row>,
    /// Features of kernels that require a change of the source.
    pub kernels_changed: Vec<Row>,
    /// Features of kernels that do not work.
    pub kernels_unsupported: Vec<Row>,
    /// Compile tests of Rust-CUDA.
    pub compile_tests: Vec<Row>,
    /// Features of host code that work unchanged.
    pub host: Vec<Row>,
    /// Features of host code that the published version of Rust-CUDA does not have.
    pub host_unreleased: Vec<Row>,
    /// Features of host code that require a change of the source.
    pub host_changed: Vec<Row>,
    /// Features of host code that do not work.
    pub host_unsupported: Vec<Row>,
    /// Public crates in kernels.
    pub public: Vec<PublicCrate>,
    /// Uses of public crates that require a change of the source.
    pub public_changed: Vec<Row>,
}

/// A kind of tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// A file, or a directory of files.
    pub path: String,
    /// Command that runs the tests.
    pub command: String,
    /// `true` if every test of this kind must occur in a row.
    #[serde(default)]
    pub all_listed: bool,
    /// `true` if the tests are not functions but `compile_fail` examples in documentation, named by
    /// the documented item.
    #[serde(default)]
    pub documentation: bool,
}

/// A row of a table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Description of the feature, in Markdown.
    pub description: String,
    /// Names of host items.
    #[serde(default)]
    pub names: String,
    /// Change of the source that the feature requires.
    #[serde(default)]
    pub change: String,
    /// Replacement for an unsupported feature.
    #[serde(default)]
    pub alternative: String,
    /// Kind and name of each test that covers the row.
    #[serde(default)]
    pub tested_by: Vec<String>,
}

/// A public crate used in kernels.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicCrate {
    /// Name in the registry.
    pub name: String,
    /// Items used by kernels.
    pub description: String,
    /// Source of the reference vectors or results.
    pub reference: String,
    /// Features of the crate and other changes that kernels require, if any.
    #[serde(default)]
    pub change: String,
    /// Kind and name of each test that uses the crate.
    pub tested_by: Vec<String>,
}

impl List {
    /// Reads the list.
    pub fn load() -> Result<Self> {
        let path = paths::root().join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {FILE}"))?;
        toml::from_str(&text).with_context(|| format!("{FILE} is invalid"))
    }

    /// Returns the tests named by all rows.
    fn named_tests(&self) -> impl Iterator<Item = &String> {
        let tables = [
            &self.kernels,
            &self.kernels_changed,
            &self.kernels_unsupported,
            &self.compile_tests,
            &self.host,
            &self.host_unreleased,
            &self.host_changed,
            &self.host_unsupported,
            &self.public_changed,
        ];
        let rows = tables.into_iter().flatten().flat_map(|row| &row.tested_by);
        rows.chain(self.public.iter().flat_map(|row| &row.tested_by))
    }

    /// Checks that every named test exists, that every row has a test, and that every test has a
    /// row if its kind requires it.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self) -> Result<()> {
        let mut existing: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (kind, tests) in &self.tests {
            let found = tests
                .find_names()
                .with_context(|| format!("tests of kind `{kind}`"))?;
            existing.insert(kind, found);
        }
        for test in self.named_tests() {
            let (kind, name) = split_reference(test)?;
            let tests = existing
                .get(kind)
                .with_context(|| format!("{FILE} has no kind of tests named `{kind}`"))?;
            ensure!(
                tests.contains(name),
                "no test `{name}` of kind `{kind}` exists"
            );
        }
        let shown = [
            &self.kernels,
            &self.compile_tests,
            &self.host,
            &self.host_unreleased,
        ];
        for row in shown.into_iter().flatten() {
            ensure!(
                !row.tested_by.is_empty(),
                "no test for: {}",
                row.description
            );
        }
        for row in &self.public {
            ensure!(!row.tested_by.is_empty(), "no test for: {}", row.name);
        }
        let named_tests: BTreeSet<&String> = self.named_tests().collect();
        for (kind, tests) in self.tests.iter().filter(|(_, tests)| tests.all_listed) {
            let found = &existing[kind.as_str()];
            ensure!(!found.is_empty(), "no tests in {}", tests.path);
            for name in found {
                let test = format!("{kind} {name}");
                ensure!(
                    named_tests.contains(&test),
                    "{FILE} has no row for the test `{test}`"
                );
            }
        }
        Ok(())
    }
}

/// Splits a test reference into kind and name.
pub fn split_reference(test: &str) -> Result<(&str, &str)> {
    test.split_once(' ')
        .with_context(|| format!("`{test}` is not a kind followed by the name of a test"))
}

impl Tests {
    /// Returns the names of the existing tests.
    fn find_names(&self) -> Result<BTreeSet<String>> {
        let path = paths::root().join(&self.path);
        let mut texts = Vec::new();
        for file in rust_files(&path)? {
            texts.push(
                fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?,
            );
        }
        Ok(texts
            .iter()
            .flat_map(|text| {
                if self.documentation {
                    compile_fail_items(text)
                } else {
                    test_functions(text)
                }
            })
            .collect())
    }
}

/// Returns the Rust files of a directory and its subdirectories, or the file itself.
fn rust_files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if !path.is_dir() {
        bail!("{} does not exist", path.display());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Returns the names of a file's test functions, without ignored ones.
fn test_functions(text: &str) -> Vec<String> {
    let name = |after: &str| {
        let (attributes, rest) = after.split_once("fn ")?;
        if attributes.contains("#[ignore") {
            return None;
        }
        rest.split('(').next().map(str::to_owned)
    };
    text.split("#[test]").skip(1).filter_map(name).collect()
}

/// Returns the items whose documentation has a `compile_fail` example.
fn compile_fail_items(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut refuses = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("///") {
            refuses |= line.contains("compile_fail");
        } else if line.starts_with("pub ") {
            if refuses {
                let words: Vec<&str> = line
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .collect();
                let item = words
                    .windows(2)
                    .find(|pair| ["fn", "struct", "trait", "enum", "macro"].contains(&pair[0]));
                found.extend(item.map(|pair| pair[1].to_owned()));
            }
            refuses = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_functions_are_found_in_sources() {
        let text = "#[test]\nfn one() {}\nfn other() {}\n#[test]\n#[should_panic]\nfn two() {}\n#[test]\n#[ignore]\nfn three() {}\n";
        assert_eq!(test_functions(text), ["one", "two"]);
    }

    #[test]
    fn compile_fail_examples_are_found_in_documentation() {
        let text = concat!(
            "/// ```compile_fail\n/// x\n/// ```\n#[derive(\n    Clone,\n)]\n",
            "pub unsafe trait One: Copy {}\n/// ```\n/// ```\npub struct Two;\n",
            "/// ```compile_fail,E0277\n    pub fn three(&self) {\n"
        );
        assert_eq!(compile_fail_items(text), ["One", "three"]);
    }
}
