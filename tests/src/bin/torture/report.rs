//! Report of the attempts and the failures.

use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Maximum number of failures per part that are printed and kept.
const MAX_REPORTED: u64 = 20;

/// Counts per part, and failures.
pub struct Report {
    keep: PathBuf,
    part: &'static str,
    counts: BTreeMap<(&'static str, String), u64>,
    maxima: BTreeMap<(&'static str, String), u64>,
    failures: u64,
    /// Failures of the current part.
    part_failures: u64,
}

impl Report {
    /// Creates an empty report. Files that cause failures go to the folder `keep`, which is
    /// created.
    pub fn new(keep: &Path) -> Result<Self> {
        fs::create_dir_all(keep).with_context(|| format!("cannot create {}", keep.display()))?;
        Ok(Self {
            keep: keep.to_owned(),
            part: "",
            counts: BTreeMap::new(),
            maxima: BTreeMap::new(),
            failures: 0,
            part_failures: 0,
        })
    }

    /// Starts a part.
    pub fn begin_part(&mut self, part: &'static str) {
        self.part = part;
        self.part_failures = 0;
    }

    /// Counts one event.
    pub fn count(&mut self, event: impl Into<String>) {
        *self.counts.entry((self.part, event.into())).or_default() += 1;
    }

    /// Records the value of a quantity whose maximum is reported.
    pub fn record_max(&mut self, quantity: impl Into<String>, value: u64) {
        let max = self.maxima.entry((self.part, quantity.into())).or_default();
        *max = value.max(*max);
    }

    /// Records a failure and keeps the file that causes it.
    pub fn add_failure(&mut self, name: &str, bytes: &[u8], problem: impl AsRef<str>) {
        self.failures += 1;
        self.part_failures += 1;
        let (part, number, problem) = (self.part, self.part_failures, problem.as_ref());
        if number > MAX_REPORTED {
            return;
        }
        let path = self.keep.join(format!("{part}-{number}-{name}"));
        let kept = match fs::write(&path, bytes) {
            Ok(()) => path.display().to_string(),
            Err(error) => format!("not kept: {error}"),
        };
        println!("FAILED {part}: {problem} ({kept})");
        if number == MAX_REPORTED {
            println!("further failures of {part} are counted but not kept");
        }
    }

    /// Returns the path of the file being read by this process, in case it dies.
    pub fn current(&self, name: &str) -> PathBuf {
        self.keep.join(format!("current-{name}"))
    }

    /// Prints the report; returns `true` if nothing failed.
    pub fn finish(&self, seed: u64) -> bool {
        for ((part, event), count) in &self.counts {
            println!("{part:<11} {count:>8}  {event}");
        }
        for ((part, quantity), max) in &self.maxima {
            println!("{part:<11} {max:>8}  {quantity}, at most");
        }
        println!("torture: seed {seed}: {} failures", self.failures);
        self.failures == 0
    }
}
