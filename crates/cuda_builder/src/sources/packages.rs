//! Local packages of a device build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, find_workspace};
use crate::Result;
use crate::error::IoContext;

/// Local package of the device build: the kernel crate or a path dependency.
pub(crate) struct Package {
    /// Name of the package.
    pub name: String,
    pub(super) manifest: Manifest,
    /// Names of its registry dependencies.
    pub(super) registry_dependencies: Vec<String>,
    pub(super) requirements: Vec<String>,
}

impl Package {
    /// Returns the canonical path of the package's directory.
    pub fn directory(&self) -> &Path {
        &self.manifest.directory
    }

    /// Returns the canonical paths of its existing source directories and files.
    pub fn source_paths(&self) -> Vec<PathBuf> {
        let (library, script) = self.manifest.source_roots();
        let sources = library.parent().unwrap_or(Path::new("")).to_owned();
        // a library file next to the manifest would make the whole package its source directory,
        // including build outputs
        let sources = if sources.as_os_str().is_empty() {
            library
        } else {
            sources
        };
        [sources, script]
            .iter()
            .map(|path| self.directory().join(path))
            .filter(|path| path.exists())
            .collect()
    }
}

/// Returns the kernel crate in `crate_root` and its direct and indirect path dependencies, sorted
/// by name.
///
/// Optional dependencies are included, whether or not a feature enables them.
pub(crate) fn device_packages(crate_root: &Path) -> Result<Vec<Package>> {
    let mut found: BTreeMap<PathBuf, Package> = BTreeMap::new();
    let mut queue = vec![crate_root.to_owned()];
    while let Some(directory) = queue.pop() {
        let manifest = Manifest::read(&directory)?;
        if found.contains_key(&manifest.directory) {
            continue;
        }
        let mut package = Package {
            name: manifest.name()?.to_owned(),
            manifest,
            registry_dependencies: Vec::new(),
            requirements: Vec::new(),
        };
        for dependency in package.manifest.device_dependencies()? {
            match dependency.path {
                Some(path) => queue.push(path),
                // dependencies of a procedural macro do not run on the GPU; the code that it
                // generates is determined by its own source
                None if package.manifest.is_proc_macro() => {}
                None => package.registry_dependencies.push(dependency.package),
            }
            package.requirements.push(dependency.requirement);
        }
        found.insert(package.directory().to_owned(), package);
    }
    let mut packages: Vec<Package> = found.into_values().collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

/// Returns the directory with `Cargo.lock` for the crate: its workspace's, or its own.
pub(crate) fn workspace_root(crate_root: &Path) -> Result<PathBuf> {
    let own = crate_root.canonicalize().at("cannot resolve", crate_root)?;
    Ok(find_workspace(&own)?.map_or(own, |(directory, _)| directory))
}
