//! Cache of resource usage between runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::KernelResources;
use crate::Result;
use crate::error::IoContext;

/// Version of the file format and of the meaning of its values.
const FORMAT: u32 = 1;

/// Number of runs for which unused entries are kept.
const KEPT_RUNS: u32 = 8;

/// Cached resource usage by key; see [`super::incremental`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ResourceCache {
    format: u32,
    kernels: BTreeMap<String, CachedResources>,
}

#[derive(Debug, Serialize, Deserialize)]
struct CachedResources {
    /// Number of runs since the entry was last used.
    unused: u32,
    resources: KernelResources,
}

impl ResourceCache {
    /// Reads the file and starts a run. A missing, damaged or outdated file results in an empty
    /// cache.
    pub fn read(path: &Path) -> Self {
        let known = fs::read_to_string(path)
            .ok()
            .and_then(|text| serde_json::from_str::<ResourceCache>(&text).ok())
            .filter(|known| known.format == FORMAT);
        let mut cache = known.unwrap_or(ResourceCache {
            format: FORMAT,
            kernels: BTreeMap::new(),
        });
        for entry in cache.kernels.values_mut() {
            entry.unused = entry.unused.saturating_add(1);
        }
        cache
    }

    /// Returns the cached resource usage of a key.
    pub fn get(&mut self, key: &str) -> Option<KernelResources> {
        let entry = self.kernels.get_mut(key)?;
        entry.unused = 0;
        Some(entry.resources)
    }

    /// Adds a result.
    pub fn insert(&mut self, key: String, resources: KernelResources) {
        let entry = CachedResources {
            unused: 0,
            resources,
        };
        self.kernels.insert(key, entry);
    }

    /// Writes the file atomically, without entries that have long been unused.
    pub fn write(mut self, path: &Path) -> Result<()> {
        self.kernels.retain(|_, entry| entry.unused <= KEPT_RUNS);
        let text = serde_json::to_string(&self).map_err(Into::into);
        let fresh = Temporary::next_to(path, "json");
        text.and_then(|text| fs::write(fresh.path(), text))
            .and_then(|()| fs::rename(fresh.path(), path))
            .at("cannot write", path)
    }
}

/// Temporary file of this run, deleted when dropped.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// Creates a path in the directory of `path`, derived from its name.
    pub fn next_to(path: &Path, extension: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Temporary(path.with_extension(format!("{}-{count}.{extension}", process::id())))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // the file may not have been written, or may have been moved
        let _ = fs::remove_file(&self.0);
    }
}
