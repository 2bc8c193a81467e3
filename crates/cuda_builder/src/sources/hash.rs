//! Hash of all sources that determine the PTX.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toml::{Table, Value};

use super::manifest::read_table;
use super::packages::{Package, device_packages, workspace_root};
use crate::Result;
use crate::error::IoContext;
use crate::link::LINK_REVISION;

/// Returns the SHA-256 hash (lower-case hex) of the sources of the device build of the crate in
/// `crate_root`.
///
/// The hash covers the kernel crate and its path dependencies (files under the library's directory,
/// the build script, features and dependencies in the manifest, including inherited values), the
/// locked versions of registry packages used on the GPU, and the revision of the link step.
/// Dependencies for other targets only are excluded. Line endings, the order of keys in a manifest
/// and the path of the checkout have no effect; no device toolchain is required. An ordinary test
/// can therefore detect that PTX in a repository is older than its sources.
///
/// # Errors
/// A missing or malformed manifest, or an unreadable source file.
///
/// ```no_run
/// let hash = cuda_builder::source_hash("kernels-crate")?;
/// let ptx = std::fs::read_to_string("ptx/kernels.ptx").unwrap();
/// assert!(ptx.contains(&hash), "stale PTX: run `cargo xtask ptx`");
/// # Ok::<(), cuda_builder::CudaBuilderError>(())
/// ```
pub fn source_hash(crate_root: impl AsRef<Path>) -> Result<String> {
    let crate_root = crate_root.as_ref();
    let packages = device_packages(crate_root)?;
    let mut hash = Sha256::new();
    let mut field = |name: &str, value: &[u8]| {
        // lengths separate adjacent fields
        hash.update(format!("{name} {}\n", value.len()));
        hash.update(value);
    };
    field("link revision", &LINK_REVISION.to_le_bytes());
    for package in &packages {
        field("package", package.name.as_bytes());
        for key in ["version", "edition", "links"] {
            field(key, package.manifest.package_field(key).as_bytes());
        }
        field("settings", package.manifest.build_settings().as_bytes());
        for requirement in &package.requirements {
            field("dependency", requirement.as_bytes());
        }
        for file in source_files(package)? {
            let relative = file
                .strip_prefix(package.directory())
                .unwrap_or(&file)
                .to_string_lossy()
                .replace('\\', "/");
            field("file", relative.as_bytes());
            field(
                "content",
                &normalize_line_endings(fs::read(&file).at("cannot read", &file)?),
            );
        }
    }
    for version in locked_versions(crate_root, &packages)? {
        field("locked", version.as_bytes());
    }
    Ok(hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Returns all source files of the package in a platform-independent order.
fn source_files(package: &Package) -> Result<Vec<PathBuf>> {
    let mut files = BTreeSet::new();
    let mut queue = package.source_paths();
    while let Some(path) = queue.pop() {
        if path.is_dir() {
            for entry in path.read_dir().at("cannot list", &path)? {
                queue.push(entry.at("cannot list", &path)?.path());
            }
        } else if !is_editor_file(&path) {
            files.insert(path);
        }
    }
    Ok(files.into_iter().collect())
}

fn is_editor_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.')
        || name.ends_with('~')
        || name.ends_with(".orig")
        || name.ends_with(".rej")
}

/// Converts line endings in UTF-8 text to `\n`; other data is unchanged.
fn normalize_line_endings(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.replace("\r\n", "\n").into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// Returns `name version` of every registry package used by the device packages, from `Cargo.lock`;
/// empty without a lock file.
fn locked_versions(crate_root: &Path, packages: &[Package]) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut queue: Vec<String> = packages
        .iter()
        .flat_map(|package| package.registry_dependencies.iter().cloned())
        .collect();
    let lock = workspace_root(crate_root)?.join("Cargo.lock");
    if queue.is_empty() || !lock.is_file() {
        return Ok(found);
    }
    let lock = read_table(&lock)?;
    let entries: Vec<&Table> = lock
        .get("package")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_table)
        .collect();
    let text = |entry: &Table, key: &str| {
        entry
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut seen = BTreeSet::new();
    while let Some(name) = queue.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for entry in entries
            .iter()
            .filter(|entry| text(entry, "name") == name && entry.contains_key("source"))
        {
            found.insert(format!("{name} {}", text(entry, "version")));
            let dependencies = entry
                .get("dependencies")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            // an entry is `name`, or `name version` if several versions are locked
            queue.extend(
                dependencies
                    .filter_map(|value| Some(value.as_str()?.split(' ').next()?.to_owned())),
            );
        }
    }
    Ok(found)
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
