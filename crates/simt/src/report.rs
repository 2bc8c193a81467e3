//! The findings of a launch, together, as a person reads them.

use crate::finding::{Finding, FindingKey, FindingKind, Site};
use crate::{Dim3, LaunchError};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Findings that a report shows; of those beyond it only the number is kept.
pub const MAX_FINDINGS: usize = 20;

/// Everything that one launch found.
///
/// Findings that differ only in threads are one finding with a count: a race of a thousand threads is one line of
/// source. At most [`MAX_FINDINGS`] are kept.
#[derive(Debug)]
pub struct Report {
    kernel: Arc<str>,
    seed: Option<u64>,
    findings: Vec<Finding>,
    /// Where each finding seen so far stands in `findings`; `None` beyond the cap.
    seen: HashMap<FindingKey, Option<usize>>,
    ended_by: Option<Box<LaunchError>>,
}

impl Report {
    pub(crate) fn new(kernel: &str, seed: Option<u64>) -> Self {
        Report {
            kernel: kernel.into(),
            seed,
            findings: Vec::new(),
            seen: HashMap::new(),
            ended_by: None,
        }
    }

    /// Adds a finding, or counts it where it is known.
    pub(crate) fn add(&mut self, block: Dim3, thread: Dim3, site: Site, kind: FindingKind) {
        let finding = Finding {
            kernel: Arc::clone(&self.kernel),
            block,
            thread,
            site,
            kind,
            occurrences: 1,
        };
        match self.seen.entry(finding.key()) {
            std::collections::hash_map::Entry::Occupied(known) => {
                if let Some(index) = *known.get() {
                    self.findings[index].occurrences += 1;
                }
            }
            std::collections::hash_map::Entry::Vacant(new) => {
                if self.findings.len() < MAX_FINDINGS {
                    new.insert(Some(self.findings.len()));
                    self.findings.push(finding);
                } else {
                    new.insert(None);
                }
            }
        }
    }

    /// Says what ended the launch before all of its blocks ran.
    pub(crate) fn ended_by(mut self, error: LaunchError) -> Self {
        self.ended_by = Some(Box::new(error));
        self
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The seed that drew the order of blocks and threads; `None` in fast mode. The same seed finds the same again.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The findings, in the order in which they were made.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many further findings there were, at other places, that [`findings`](Self::findings) does not hold.
    pub fn more(&self) -> usize {
        self.seen.len() - self.findings.len()
    }

    /// What ended the launch early (a panic, a deadlock), if anything did.
    pub fn ended_early_by(&self) -> Option<&LaunchError> {
        self.ended_by.as_deref()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.seen.len();
        let s = if total == 1 { "" } else { "s" };
        write!(f, "{total} finding{s} in kernel `{}`", self.kernel)?;
        if let Some(seed) = self.seed {
            write!(f, " (checked mode, seed {seed})")?;
        }
        write!(f, ":")?;
        for (number, finding) in self.findings.iter().enumerate() {
            write!(f, "\n  {}. {finding}", number + 1)?;
        }
        if self.more() > 0 {
            write!(f, "\n  and {} more, at other places", self.more())?;
        }
        if let Some(error) = &self.ended_by {
            write!(f, "\n  then the launch ended: {error}")?;
        }
        Ok(())
    }
}

/// One of the threads of a deadlocked block: where it waits, and for what.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The thread, within its block.
    pub thread: Dim3,
    /// What it waits for, for example `barrier` or `warp_sync(0x0000ffff)`.
    pub operation: String,
    /// The source line of the wait.
    pub site: Site,
}

/// `32 threads, the first (0, 0, 0), wait in barrier at a.rs:1:2; …`
pub(crate) fn describe_waiting(waiting: &[Waiting]) -> String {
    let mut groups: Vec<(&Waiting, usize)> = Vec::new();
    for one in waiting {
        match groups
            .iter_mut()
            .find(|(first, _)| first.operation == one.operation && first.site == one.site)
        {
            Some((_, count)) => *count += 1,
            None => groups.push((one, 1)),
        }
    }
    let lines: Vec<String> = groups
        .iter()
        .map(|(first, count)| {
            let (thread, operation, site) = (first.thread, &first.operation, first.site);
            match count {
                1 => format!("thread {thread} waits in {operation} at {site}"),
                _ => format!(
                    "{count} threads, the first of them {thread}, wait in {operation} at {site}"
                ),
            }
        })
        .collect();
    lines.join("; ")
}
