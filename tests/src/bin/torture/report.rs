//! What was tried, and what failed.

use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// How many failures of a part are told and kept.
const MOST: u64 = 20;

/// Counts by part, and failures.
pub struct Report {
    keep: PathBuf,
    part: &'static str,
    counts: BTreeMap<(&'static str, String), u64>,
    failures: u64,
    /// Those of the part that runs.
    of_part: u64,
}

impl Report {
    /// An empty one. Files of failures go to the folder `keep`, which is made.
    pub fn new(keep: &Path) -> Result<Self> {
        fs::create_dir_all(keep).with_context(|| format!("cannot make {}", keep.display()))?;
        Ok(Self {
            keep: keep.to_owned(),
            part: "",
            counts: BTreeMap::new(),
            failures: 0,
            of_part: 0,
        })
    }

    /// What follows is of this part.
    pub fn begin(&mut self, part: &'static str) {
        self.part = part;
        self.of_part = 0;
    }

    /// One more of something.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry((self.part, what.into())).or_default() += 1;
    }

    /// A failure, with the file that shows it.
    pub fn failed(&mut self, name: &str, bytes: &[u8], what: impl AsRef<str>) {
        self.failures += 1;
        self.of_part += 1;
        let (part, number, what) = (self.part, self.of_part, what.as_ref());
        if number > MOST {
            return;
        }
        let path = self.keep.join(format!("{part}-{number}-{name}"));
        let kept = match fs::write(&path, bytes) {
            Ok(()) => path.display().to_string(),
            Err(error) => format!("not kept: {error}"),
        };
        println!("FAILED {part}: {what} ({kept})");
        if number == MOST {
            println!("more of {part} are counted and not kept");
        }
    }

    /// Where the file lies that is being read by this process, should it end.
    pub fn current(&self, name: &str) -> PathBuf {
        self.keep.join(format!("current-{name}"))
    }

    /// Prints what was tried; whether nothing failed.
    pub fn finish(&self, seed: u64) -> bool {
        for ((part, what), count) in &self.counts {
            println!("{part:<9} {count:>8}  {what}");
        }
        println!("torture: seed {seed}: {} failures", self.failures);
        self.failures == 0
    }
}
