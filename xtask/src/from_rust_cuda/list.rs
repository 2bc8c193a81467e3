//! The list: what was tried, and the tests that show it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::paths;

/// Where the list is.
const FILE: &str = "tests/from-rust-cuda/list.toml";

/// `tests/from-rust-cuda/list.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The kinds of tests, by their short names.
    pub tests: BTreeMap<String, Tests>,
    /// Kernels: as they are, with a line, not there.
    pub kernels: Vec<Row>,
    pub kernels_line: Vec<Row>,
    pub kernels_not: Vec<Row>,
    /// Upstream's compile tests.
    pub compile_tests: Vec<Row>,
    /// The same of the host's part, and what goes beyond the published version.
    pub host: Vec<Row>,
    pub host_beyond: Vec<Row>,
    pub host_line: Vec<Row>,
    pub host_not: Vec<Row>,
    /// Public crates in kernels.
    pub public: Vec<Public>,
    pub public_line: Vec<Row>,
}

/// A kind of tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// A file, or a folder of files.
    pub path: String,
    /// What runs them.
    pub command: String,
    /// Every test there is named by a row.
    #[serde(default)]
    pub all: bool,
    /// They are not functions but examples in the documentation that must not compile, by the item
    /// that they stand at.
    #[serde(default)]
    pub documentation: bool,
}

/// A row of a table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub what: String,
    /// Names of the host's part.
    #[serde(default)]
    pub names: String,
    /// The line that it needs.
    #[serde(default)]
    pub line: String,
    /// What is there in its place.
    #[serde(default)]
    pub instead: String,
    /// Kind and name of each test.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// A public crate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Public {
    /// Its name in the registry.
    pub name: String,
    /// What kernels use of it.
    pub what: String,
    /// Whose vectors or results it is held to.
    pub held_to: String,
    /// Features and other lines, if it needs any.
    #[serde(default)]
    pub line: String,
    pub shown_by: Vec<String>,
}

impl List {
    /// Reads it.
    pub fn load() -> Result<Self> {
        let path = paths::root().join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {FILE}"))?;
        toml::from_str(&text).with_context(|| format!("{FILE} is not as it should be"))
    }

    /// The tests that rows name.
    fn named(&self) -> impl Iterator<Item = &String> {
        let tables = [
            &self.kernels,
            &self.kernels_line,
            &self.kernels_not,
            &self.compile_tests,
            &self.host,
            &self.host_beyond,
            &self.host_line,
            &self.host_not,
            &self.public_line,
        ];
        let rows = tables.into_iter().flatten().flat_map(|row| &row.shown_by);
        rows.chain(self.public.iter().flat_map(|row| &row.shown_by))
    }

    /// Looks for each test that is named, for rows that nothing shows, and for tests that no row
    /// names.
    ///
    /// # Errors
    /// The first of these.
    pub fn check(&self) -> Result<()> {
        let mut there: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (kind, tests) in &self.tests {
            let found = tests
                .find()
                .with_context(|| format!("the tests `{kind}`"))?;
            there.insert(kind, found);
        }
        for test in self.named() {
            let (kind, name) = split(test)?;
            let tests = there
                .get(kind)
                .with_context(|| format!("{FILE} has no kind of tests `{kind}`"))?;
            ensure!(
                tests.contains(name),
                "there is no test `{name}` of `{kind}`"
            );
        }
        let shown = [
            &self.kernels,
            &self.compile_tests,
            &self.host,
            &self.host_beyond,
        ];
        for row in shown.into_iter().flatten() {
            ensure!(!row.shown_by.is_empty(), "nothing shows: {}", row.what);
        }
        for row in &self.public {
            ensure!(!row.shown_by.is_empty(), "nothing shows: {}", row.name);
        }
        let named: BTreeSet<&String> = self.named().collect();
        for (kind, tests) in self.tests.iter().filter(|(_, tests)| tests.all) {
            let found = &there[kind.as_str()];
            ensure!(!found.is_empty(), "no tests in {}", tests.path);
            for name in found {
                let test = format!("{kind} {name}");
                ensure!(
                    named.contains(&test),
                    "{FILE} has no row for the test `{test}`"
                );
            }
        }
        Ok(())
    }
}

/// Kind and name of a test.
pub fn split(test: &str) -> Result<(&str, &str)> {
    test.split_once(' ')
        .with_context(|| format!("`{test}` is not the kind and the name of a test"))
}

impl Tests {
    /// The names that are there.
    fn find(&self) -> Result<BTreeSet<String>> {
        let path = paths::root().join(&self.path);
        let mut texts = Vec::new();
        for file in files(&path)? {
            texts.push(
                fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?,
            );
        }
        Ok(texts
            .iter()
            .flat_map(|text| {
                if self.documentation {
                    refused(text)
                } else {
                    functions(text)
                }
            })
            .collect())
    }
}

/// The Rust files of a folder and of those in it, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if !path.is_dir() {
        bail!("{} is not there", path.display());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The names of a file's tests, without those that are run only when they are asked for.
fn functions(text: &str) -> Vec<String> {
    let name = |after: &str| {
        let (attributes, rest) = after.split_once("fn ")?;
        if attributes.contains("#[ignore") {
            return None;
        }
        rest.split('(').next().map(str::to_owned)
    };
    text.split("#[test]").skip(1).filter_map(name).collect()
}

/// The items whose documentation has an example that must not compile.
fn refused(text: &str) -> Vec<String> {
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
    fn tests_are_found_in_sources() {
        let text = "#[test]\nfn one() {}\nfn other() {}\n#[test]\n#[should_panic]\nfn two() {}\n#[test]\n#[ignore]\nfn three() {}\n";
        assert_eq!(functions(text), ["one", "two"]);
    }

    #[test]
    fn examples_that_must_not_compile_are_found_in_documentation() {
        let text = "/// ```compile_fail\n/// x\n/// ```\n#[derive(\n    Clone,\n)]\npub unsafe trait One: Copy {}\n\
            /// ```\n/// ```\npub struct Two;\n/// ```compile_fail,E0277\n    pub fn three(&self) {\n";
        assert_eq!(refused(text), ["One", "three"]);
    }
}
