//! Cargo manifests, as far as required for the hash and the list of packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::cfg::applies_to_device;
use crate::error::IoContext;
use crate::{CudaBuilderError, Result};

/// A `Cargo.toml` with the values inherited from its workspace.
pub(super) struct Manifest {
    /// Canonical path of its directory.
    pub directory: PathBuf,
    table: Table,
    /// Directory and contents of the workspace's `Cargo.toml`.
    workspace: Option<(PathBuf, Table)>,
}

/// Dependency of the device build.
pub(super) struct Dependency {
    /// Name of the package in its own manifest.
    pub package: String,
    /// Directory of a path dependency.
    pub path: Option<PathBuf>,
    /// The entry as text, without its path.
    pub requirement: String,
}

/// Reads and parses a TOML file.
pub(super) fn read_table(path: &Path) -> Result<Table> {
    let text = fs::read_to_string(path).at("cannot read", path)?;
    text.parse()
        .map_err(|error: toml::de::Error| CudaBuilderError::Manifest {
            path: path.to_owned(),
            reason: error.message().to_owned(),
        })
}

/// Finds the nearest directory, from `start` upwards, whose manifest has a `[workspace]`.
pub(super) fn find_workspace(start: &Path) -> Result<Option<(PathBuf, Table)>> {
    for directory in start.ancestors() {
        let path = directory.join("Cargo.toml");
        if path.is_file() {
            let table = read_table(&path)?;
            if table.contains_key("workspace") {
                return Ok(Some((directory.to_owned(), table)));
            }
        }
    }
    Ok(None)
}

impl Manifest {
    /// Reads the manifest of the crate in `directory`.
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join("Cargo.toml");
        if !path.is_file() {
            return Err(CudaBuilderError::CratePathDoesntExist(directory.to_owned()));
        }
        let directory = directory.canonicalize().at("cannot resolve", directory)?;
        let table = read_table(&path)?;
        let workspace = find_workspace(&directory)?;
        let manifest = Manifest {
            directory,
            table,
            workspace,
        };
        manifest.name()?;
        Ok(manifest)
    }

    fn error(&self, reason: String) -> CudaBuilderError {
        CudaBuilderError::Manifest {
            path: self.directory.join("Cargo.toml"),
            reason,
        }
    }

    fn section(&self, name: &str) -> Option<&Table> {
        self.table.get(name)?.as_table()
    }

    /// Returns the name of the package.
    pub fn name(&self) -> Result<&str> {
        let name = self
            .section("package")
            .and_then(|package| package.get("name")?.as_str());
        name.ok_or_else(|| self.error("missing [package] name".to_owned()))
    }

    /// Returns a field of `[package]`, inherited from the workspace if specified; empty if absent.
    pub fn package_field(&self, field: &str) -> String {
        let own = self
            .section("package")
            .and_then(|package| package.get(field));
        let inherited = || {
            self.workspace
                .as_ref()?
                .1
                .get("workspace")?
                .get("package")?
                .get(field)
        };
        let value = match own {
            Some(Value::Table(table))
                if table.get("workspace").and_then(Value::as_bool) == Some(true) =>
            {
                inherited()
            }
            own => own,
        };
        value.map(canonical).unwrap_or_default()
    }

    /// Returns the `[features]` and `[lib]` tables as text.
    pub fn build_settings(&self) -> String {
        ["features", "lib"]
            .iter()
            .filter_map(|name| {
                Some(format!(
                    "{name} = {}\n",
                    canonical(&Value::Table(self.section(name)?.clone()))
                ))
            })
            .collect()
    }

    /// Returns `true` if the package is a procedural macro, which runs in the compiler and not on
    /// the GPU.
    pub fn is_proc_macro(&self) -> bool {
        self.section("lib")
            .and_then(|lib| lib.get("proc-macro")?.as_bool())
            .unwrap_or(false)
    }

    /// Returns the relative paths of the library's and the build script's source files.
    pub fn source_roots(&self) -> (PathBuf, PathBuf) {
        let library = self
            .section("lib")
            .and_then(|lib| lib.get("path")?.as_str())
            .unwrap_or("src/lib.rs");
        let script = self
            .section("package")
            .and_then(|package| package.get("build")?.as_str())
            .unwrap_or("build.rs");
        (library.into(), script.into())
    }

    /// Returns the sorted dependencies of the device build, including those of build scripts.
    pub fn device_dependencies(&self) -> Result<Vec<Dependency>> {
        let mut found = BTreeMap::new();
        let mut collect = |table: &Table| -> Result<()> {
            for section in ["dependencies", "build-dependencies"] {
                let Some(entries) = table.get(section).and_then(Value::as_table) else {
                    continue;
                };
                for (key, entry) in entries {
                    let dependency = self.dependency(key, entry)?;
                    found.insert((key.clone(), dependency.requirement.clone()), dependency);
                }
            }
            Ok(())
        };
        collect(&self.table)?;
        for (key, table) in self.section("target").into_iter().flatten() {
            if let (true, Some(table)) = (applies_to_device(key), table.as_table()) {
                collect(table)?;
            }
        }
        Ok(found.into_values().collect())
    }

    fn dependency(&self, key: &str, entry: &Value) -> Result<Dependency> {
        let own = match entry {
            Value::String(version) => {
                Table::from_iter([("version".to_owned(), Value::String(version.clone()))])
            }
            Value::Table(table) => table.clone(),
            _ => {
                return Err(
                    self.error(format!("dependency {key} is neither a version nor a table"))
                );
            }
        };
        let mut base = self.directory.clone();
        let mut merged = own.clone();
        if own.get("workspace").and_then(Value::as_bool) == Some(true) {
            let inherited = self.workspace.as_ref().and_then(|(directory, table)| {
                Some((
                    directory,
                    table.get("workspace")?.get("dependencies")?.get(key)?,
                ))
            });
            let (directory, inherited) = inherited.ok_or_else(|| {
                self.error(format!(
                    "dependency {key} is inherited, but the workspace does not define it"
                ))
            })?;
            base.clone_from(directory);
            merged = match inherited {
                Value::Table(table) => table.clone(),
                version => Table::from_iter([("version".to_owned(), version.clone())]),
            };
            // features are combined; of the other fields a member may override only `optional`
            for (name, value) in own.into_iter().filter(|(name, _)| name != "workspace") {
                match (merged.get_mut(&name), value) {
                    (Some(Value::Array(so_far)), Value::Array(more)) => so_far.extend(more),
                    (_, value) => _ = merged.insert(name, value),
                }
            }
        }
        let package = merged
            .get("package")
            .and_then(Value::as_str)
            .unwrap_or(key)
            .to_owned();
        let path = merged
            .remove("path")
            .and_then(|path| Some(base.join(path.as_str()?)));
        Ok(Dependency {
            package,
            path,
            requirement: format!("{key} = {}", canonical(&Value::Table(merged))),
        })
    }
}

/// Formats a value as text independent of key order and layout.
fn canonical(value: &Value) -> String {
    match value {
        Value::Table(table) => {
            let mut entries: Vec<_> = table
                .iter()
                .map(|(key, value)| format!("{key}={}", canonical(value)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(values) => format!(
            "[{}]",
            values.iter().map(canonical).collect::<Vec<_>>().join(",")
        ),
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Datetime(time) => time.to_string(),
    }
}
