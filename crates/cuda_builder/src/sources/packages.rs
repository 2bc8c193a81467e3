//! The packages on disk that one device build compiles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, find_workspace};
use crate::Result;
use crate::error::IoContext;

/// A package of the device build that is edited in place: the kernel crate or a path dependency.
pub(crate) struct Package {
    /// Its name.
    pub name: String,
    pub(super) manifest: Manifest,
    /// Names of its dependencies that come from a registry.
    pub(super) registry_dependencies: Vec<String>,
    pub(super) requirements: Vec<String>,
}

impl Package {
    /// The package's directory, canonical.
    pub fn directory(&self) -> &Path {
        &self.manifest.directory
    }

    /// The directories and files that it is compiled from, canonical; those that exist.
    pub fn source_paths(&self) -> Vec<PathBuf> {
        let (library, script) = self.manifest.source_roots();
        let sources = library.parent().unwrap_or(Path::new("")).to_owned();
        // A library file beside the manifest would make the whole package its source directory,
        // build output included.
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

/// The kernel crate in `crate_root` and its path dependencies, direct and indirect, sorted by name.
///
/// Optional dependencies are included, whether a feature turns them on or not.
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
                // What a procedural macro links is not on the GPU; what the macro generates is
                // decided by its own source.
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

/// The directory that holds `Cargo.lock` for the crate: its workspace's, or its own.
pub(crate) fn workspace_root(crate_root: &Path) -> Result<PathBuf> {
    let own = crate_root.canonicalize().at("cannot resolve", crate_root)?;
    Ok(find_workspace(&own)?.map_or(own, |(directory, _)| directory))
}
