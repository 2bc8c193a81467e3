//! What can go wrong with a launch: its error, and the report of its findings. Each may hold the
//! other, a report what ended the launch.

use crate::blocked::{BlockedThread, describe_blocked};
use crate::finding::{Finding, FindingKey, FindingKind, Site};
use crate::shape::Dim3;
use crate::untracked::{self, UntrackedMemory};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Why a launch did not complete. Every message names the kernel, and where there is one the block,
/// thread and source line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The grid or block cannot be launched.
    #[error("cannot launch kernel `{kernel}`: {problem}")]
    Shape {
        /// Name of the kernel.
        kernel: String,
        /// What is wrong with the shape, with the numbers and the remedy.
        problem: String,
    },
    /// The kernel broke a rule of the programming model.
    #[error("{0}")]
    Findings(Report),
    /// The kernel's body panicked.
    #[error("kernel `{kernel}` panicked in block {block}, thread {thread}: {message}")]
    KernelPanicked {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread that panicked.
        block: Dim3,
        /// Thread that panicked, within its block.
        thread: Dim3,
        /// The panic's message.
        message: String,
    },
    /// Every thread of a block that has not left waits, and none can go on.
    #[error("kernel `{kernel}` is deadlocked in block {block}: {}", describe_blocked(.waiting))]
    Deadlock {
        /// Name of the kernel.
        kernel: String,
        /// Block that cannot go on.
        block: Dim3,
        /// Who waits where.
        waiting: Vec<BlockedThread>,
    },
    /// A thread made more steps than [`Limits::steps`](crate::Limits::steps) allows, in checked
    /// mode: most likely in an endless loop.
    #[error(
        "kernel `{kernel}` was ended in block {block}, thread {thread}, at {site}: the thread made more than {steps} steps (accesses, barriers, warp operations, turns of loops); where that is no endless loop, raise simt::Limits::steps"
    )]
    StepLimit {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread.
        block: Dim3,
        /// The thread, within its block.
        thread: Dim3,
        /// Coroutine that it was allowed.
        steps: u64,
        /// Where it made the last of them.
        site: Site,
    },
    /// The launch took longer than [`Limits::time`](crate::Limits::time) allows, in checked mode.
    #[error(
        "kernel `{kernel}` was ended after {seconds} s in block {block}, thread {thread}, at {site}; where it only needs more time, raise simt::Limits::time"
    )]
    TimeLimit {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread that ran then.
        block: Dim3,
        /// That thread, within its block.
        thread: Dim3,
        /// How long the launch was allowed to take, in seconds.
        seconds: f64,
        /// Where the thread was.
        site: Site,
    },
    /// A kernel's body tried to launch another kernel.
    #[error(
        "kernel `{kernel}` cannot be launched from inside a running kernel; launch it from the host after this one returns"
    )]
    Nested {
        /// Name of the kernel that was to be launched.
        kernel: String,
    },
    /// The launch was made while its thread unwinds from a panic, for example from a destructor.
    #[error("kernel `{kernel}` cannot be launched while its thread unwinds from a panic")]
    Unwinding {
        /// Name of the kernel that was to be launched.
        kernel: String,
    },
    /// The system gave no more memory for the stacks on which waiting threads are kept.
    #[error(
        "no stack for another waiting thread of kernel `{kernel}`: {source}; launch smaller blocks, or raise the system's limit on memory mappings (vm.max_map_count)"
    )]
    Stack {
        /// Name of the kernel.
        kernel: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Findings that a report shows; of those beyond it only the number is kept.
pub const MAX_FINDINGS: usize = 20;

/// Everything that one launch found.
///
/// Findings that differ only in threads are one finding with a count: a race of a thousand threads
/// is one line of source. At most [`MAX_FINDINGS`] are kept.
#[derive(Debug)]
pub struct Report {
    kernel: Arc<str>,
    seed: Option<u64>,
    findings: Vec<Finding>,
    /// Where each finding seen so far stands in `findings`; `None` beyond the cap.
    #[expect(clippy::box_collection, reason = "errors stay small")]
    seen: Box<HashMap<FindingKey, Option<usize>>>,
    ended_by: Option<Box<LaunchError>>,
    untracked_memory: Vec<UntrackedMemory>,
}

impl Report {
    pub(crate) fn new(kernel: &str, seed: Option<u64>) -> Self {
        Report {
            kernel: kernel.into(),
            seed,
            findings: Vec::new(),
            seen: Box::default(),
            ended_by: None,
            untracked_memory: Vec::new(),
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
    pub(crate) fn with_early_end(mut self, error: LaunchError) -> Self {
        self.ended_by = Some(Box::new(error));
        self
    }

    /// Says what checked mode did not watch.
    pub(crate) fn with_untracked(mut self, untracked_memory: Vec<UntrackedMemory>) -> Self {
        self.untracked_memory = untracked_memory;
        self
    }

    /// Name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The seed that drew the order of blocks and threads; `None` in fast mode. The same seed finds
    /// the same again.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The findings, in the order in which they were made.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many further findings there were, at other places, that [`findings`](Self::findings)
    /// does not hold.
    pub fn more(&self) -> usize {
        self.seen.len() - self.findings.len()
    }

    /// What ended the launch early (a panic, a deadlock), if anything did.
    pub fn ended_early_by(&self) -> Option<&LaunchError> {
        self.ended_by.as_deref()
    }

    /// The memory of the kernel whose accesses checked mode did not see: nothing is known of races
    /// there.
    pub fn untracked_memory(&self) -> &[UntrackedMemory] {
        &self.untracked_memory
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
        if !self.untracked_memory().is_empty() {
            write!(f, "\n  {}", untracked::describe(self.untracked_memory()))?;
        }
        Ok(())
    }
}
