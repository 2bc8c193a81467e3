//! Launch errors and the report of a launch's findings. A report may contain the error that ended
//! the launch early.

use crate::blocked::{BlockedThread, describe_blocked};
use crate::finding::{Finding, FindingKey, FindingKind, Site};
use crate::shape::Dim3;
use crate::untracked::{self, UntrackedMemory};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Reason why a launch did not complete. Every message names the kernel and, if there is one, the
/// block, thread and source line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The launch configuration is invalid.
    #[error("cannot launch kernel `{kernel}`: {problem}")]
    Shape {
        /// Name of the kernel.
        kernel: String,
        /// Invalid extent or size, with the limit and the remedy.
        problem: String,
    },
    /// The kernel violated the programming model.
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
    /// All threads of a block that have not exited wait, and none can continue.
    #[error("kernel `{kernel}` is deadlocked in block {block}: {}", describe_blocked(.waiting))]
    Deadlock {
        /// Name of the kernel.
        kernel: String,
        /// Block that cannot continue.
        block: Dim3,
        /// Threads that wait, with the operation and its source line.
        waiting: Vec<BlockedThread>,
    },
    /// A thread exceeded [`Limits::steps`](crate::Limits::steps) in checked mode, most likely in an
    /// endless loop.
    #[error(
        "kernel `{kernel}` was ended in block {block}, thread {thread}, at {site}: the thread exceeded {steps} steps (accesses, barriers, warp operations, loop iterations); fix the endless loop, or raise simt::Limits::steps if there is none"
    )]
    StepLimit {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread.
        block: Dim3,
        /// The thread, within its block.
        thread: Dim3,
        /// Step limit of the thread.
        steps: u64,
        /// Source location of the last step.
        site: Site,
    },
    /// The launch exceeded [`Limits::time`](crate::Limits::time) in checked mode.
    #[error(
        "kernel `{kernel}` was ended after {seconds} s in block {block}, thread {thread}, at {site}: the launch exceeded its time limit; raise simt::Limits::time if it needs longer"
    )]
    TimeLimit {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread that was running.
        block: Dim3,
        /// The thread that was running, within its block.
        thread: Dim3,
        /// Time limit of the launch, in seconds.
        seconds: f64,
        /// Source location of the thread's last step.
        site: Site,
    },
    /// A kernel tried to launch another kernel.
    #[error(
        "kernel `{kernel}` cannot be launched from inside a running kernel; launch it from the host after this one returns"
    )]
    Nested {
        /// Name of the kernel whose launch was refused.
        kernel: String,
    },
    /// The launch was attempted while its thread unwinds from a panic, for example in a destructor.
    #[error("kernel `{kernel}` cannot be launched while its thread unwinds from a panic")]
    Unwinding {
        /// Name of the kernel whose launch was refused.
        kernel: String,
    },
    /// The caller cancelled the launch with [`with_cancel_flag`](crate::with_cancel_flag).
    #[error("the launch of kernel `{kernel}` was cancelled by its caller")]
    Cancelled {
        /// Name of the kernel.
        kernel: String,
    },
    /// The system provided no memory for the stack of another waiting thread.
    #[error(
        "no stack for another waiting thread of kernel `{kernel}`: {source}; launch smaller blocks, or raise the system's limit on memory mappings (vm.max_map_count)"
    )]
    Stack {
        /// Name of the kernel.
        kernel: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// Maximum number of findings kept in a report; further ones are only counted.
pub const MAX_FINDINGS: usize = 20;

/// All findings of one launch.
///
/// Findings that differ only in their threads are merged into one with a count, so a race of a
/// thousand threads at one source line is one finding. At most [`MAX_FINDINGS`] are kept.
#[derive(Debug)]
pub struct Report {
    kernel: Arc<str>,
    seed: Option<u64>,
    findings: Vec<Finding>,
    /// Index in `findings` of every distinct finding; `None` for findings beyond the maximum.
    #[expect(clippy::box_collection, reason = "errors stay small")]
    index_by_key: Box<HashMap<FindingKey, Option<usize>>>,
    ended_by: Option<Box<LaunchError>>,
    untracked_memory: Vec<UntrackedMemory>,
}

impl Report {
    pub(crate) fn new(kernel: &str, seed: Option<u64>) -> Self {
        Report {
            kernel: kernel.into(),
            seed,
            findings: Vec::new(),
            index_by_key: Box::default(),
            ended_by: None,
            untracked_memory: Vec::new(),
        }
    }

    /// Adds a finding, or increments the count of an equal one.
    pub(crate) fn add(&mut self, block: Dim3, thread: Dim3, site: Site, kind: FindingKind) {
        let finding = Finding {
            kernel: Arc::clone(&self.kernel),
            block,
            thread,
            site,
            kind,
            occurrences: 1,
        };
        match self.index_by_key.entry(finding.key()) {
            std::collections::hash_map::Entry::Occupied(entry) => {
                if let Some(index) = *entry.get() {
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

    /// Sets the error that ended the launch before all of its blocks ran.
    pub(crate) fn with_early_end(mut self, error: LaunchError) -> Self {
        self.ended_by = Some(Box::new(error));
        self
    }

    /// Sets the memory that checked mode did not track completely.
    pub(crate) fn with_untracked(mut self, untracked_memory: Vec<UntrackedMemory>) -> Self {
        self.untracked_memory = untracked_memory;
        self
    }

    /// Returns the name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Returns the seed of the schedule, or `None` in fast mode. The same seed reproduces the same
    /// findings.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns the distinct findings in the order of their first occurrence.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the number of distinct findings beyond those in [`findings`](Self::findings).
    pub fn omitted(&self) -> usize {
        self.index_by_key.len() - self.findings.len()
    }

    /// Returns the error that ended the launch early (a panic, a deadlock), if there was one.
    pub fn ended_early_by(&self) -> Option<&LaunchError> {
        self.ended_by.as_deref()
    }

    /// Returns the memory whose accesses checked mode did not track completely. Races there may
    /// have gone unnoticed.
    pub fn untracked_memory(&self) -> &[UntrackedMemory] {
        &self.untracked_memory
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.index_by_key.len();
        let s = if total == 1 { "" } else { "s" };
        write!(f, "{total} finding{s} in kernel `{}`", self.kernel)?;
        if let Some(seed) = self.seed {
            write!(f, " (checked mode, seed {seed})")?;
        }
        write!(f, ":")?;
        for (number, finding) in self.findings.iter().enumerate() {
            write!(f, "\n  {}. {finding}", number + 1)?;
        }
        if self.omitted() > 0 {
            write!(f, "\n  and {} more at other source lines", self.omitted())?;
        }
        if let Some(error) = &self.ended_by {
            write!(f, "\n  the launch then ended early: {error}")?;
        }
        if !self.untracked_memory().is_empty() {
            write!(f, "\n  {}", untracked::describe(self.untracked_memory()))?;
        }
        Ok(())
    }
}
