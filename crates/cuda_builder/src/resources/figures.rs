//! Figures kept from one run to the next.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::KernelResources;
use crate::Result;
use crate::error::IoContext;

/// Changes with the layout of the file, and with what the figures mean.
const FORMAT: u32 = 1;

/// For how many runs figures that are not asked for are kept: enough to try a few things and go
/// back.
const KEPT_RUNS: u32 = 8;

/// Figures by key; see [`super::incremental`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Figures {
    format: u32,
    kernels: BTreeMap<String, Figure>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Figure {
    /// Runs since these were last asked for.
    unused: u32,
    resources: KernelResources,
}

impl Figures {
    /// Reads the file and begins a run. One that is absent, damaged or of another format is empty.
    pub fn read(path: &Path) -> Self {
        let known = fs::read_to_string(path)
            .ok()
            .and_then(|text| serde_json::from_str::<Figures>(&text).ok())
            .filter(|known| known.format == FORMAT);
        let mut figures = known.unwrap_or(Figures {
            format: FORMAT,
            kernels: BTreeMap::new(),
        });
        for figure in figures.kernels.values_mut() {
            figure.unused = figure.unused.saturating_add(1);
        }
        figures
    }

    /// What is known of a key.
    pub fn get(&mut self, key: &str) -> Option<KernelResources> {
        let figure = self.kernels.get_mut(key)?;
        figure.unused = 0;
        Some(figure.resources)
    }

    /// Adds what was found out.
    pub fn insert(&mut self, key: String, resources: KernelResources) {
        let figure = Figure {
            unused: 0,
            resources,
        };
        self.kernels.insert(key, figure);
    }

    /// Writes the file, without what was long not asked for. A reader finds the old content or the
    /// new one, whole.
    pub fn write(mut self, path: &Path) -> Result<()> {
        self.kernels.retain(|_, figure| figure.unused <= KEPT_RUNS);
        let text = serde_json::to_string(&self).map_err(Into::into);
        let fresh = Temporary::beside(path, "json");
        text.and_then(|text| fs::write(fresh.path(), text))
            .and_then(|()| fs::rename(fresh.path(), path))
            .at("cannot write", path)
    }
}

/// The path of a file that is this run's alone, and that is deleted in the end.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// In the directory of `path`, named after it.
    pub fn beside(path: &Path, extension: &str) -> Self {
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
        // It may never have been written, or have been moved.
        let _ = fs::remove_file(&self.0);
    }
}
