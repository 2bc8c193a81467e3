//! Memory whose accesses checked mode could not track completely.

use crate::finding::Site;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Memory of a kernel whose accesses checked mode did not track, or not completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntrackedMemory {
    /// A shared array that the kernel accesses through a raw pointer.
    Shared {
        /// `true` for the block's dynamic shared memory.
        dynamic: bool,
        /// Size of the array, in bytes.
        bytes: usize,
        /// Source location at which the kernel obtained the pointer.
        site: Site,
        /// Reason why tracking is incomplete.
        gap: TrackingGap,
    },
    /// A kernel parameter that is a slice, reference or pointer.
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Position of the parameter in the kernel's signature, from 1.
        number: u32,
        /// Reason why tracking is incomplete.
        gap: TrackingGap,
    },
}

/// Reason why the tracking of an array or parameter is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackingGap {
    /// No access to the memory was tracked.
    Everything,
    /// The memory changed without a tracked write.
    Writes,
    /// The memory was passed to an uninstrumented function.
    Passed {
        /// Source location of the call.
        site: Site,
    },
}

impl fmt::Display for TrackingGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrackingGap::Everything => f.write_str("no access to it was tracked"),
            TrackingGap::Writes => f.write_str("uninstrumented code wrote it"),
            TrackingGap::Passed { site } => {
                write!(f, "it was passed to an uninstrumented function at {site}")
            }
        }
    }
}

impl fmt::Display for UntrackedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UntrackedMemory::Shared {
                dynamic,
                bytes,
                site,
                gap,
            } => {
                let memory = if dynamic {
                    "the dynamic shared memory"
                } else {
                    "the shared array"
                };
                write!(f, "{memory} of {bytes} bytes, created at {site}: {gap}")
            }
            UntrackedMemory::Parameter { name, number, gap } => {
                write!(f, "`{name}` (parameter {number}): {gap}")
            }
        }
    }
}

/// Access log of an array or a parameter.
#[derive(Default)]
pub(crate) struct AccessLog {
    /// `true` if an access was tracked.
    any: Cell<bool>,
    /// `true` if the memory changed without a tracked write.
    written: Cell<bool>,
    /// Number of times that the memory was passed to a function that has not reported itself as
    /// instrumented.
    passed: Cell<u64>,
    /// Source location of the most recent such call.
    passed_at: Cell<Option<Site>>,
}

impl AccessLog {
    pub(crate) fn record_access(&self) {
        self.any.set(true);
    }

    pub(crate) fn record_hidden_write(&self) {
        self.written.set(true);
    }

    pub(crate) fn has_hidden_write(&self) -> bool {
        self.written.get()
    }

    pub(crate) fn record_pass(&self, site: Site) {
        self.passed.set(self.passed.get() + 1);
        self.passed_at.set(Some(site));
    }

    pub(crate) fn record_receipt(&self) {
        self.any.set(true);
        self.passed.set(self.passed.get().saturating_sub(1));
    }

    /// Returns the reason why tracking is incomplete, or `None` if it is complete.
    pub(crate) fn gap(&self) -> Option<TrackingGap> {
        if self.written.get() {
            Some(TrackingGap::Writes)
        } else if let (1.., Some(site)) = (self.passed.get(), self.passed_at.get()) {
            Some(TrackingGap::Passed { site })
        } else {
            (!self.any.get()).then_some(TrackingGap::Everything)
        }
    }
}

/// Formats a list as `2 arrays were not tracked: …; …`.
pub(crate) fn describe(arrays: &[UntrackedMemory]) -> String {
    let texts: Vec<String> = arrays.iter().map(UntrackedMemory::to_string).collect();
    let (count, texts) = (arrays.len(), texts.join("; "));
    match count {
        1 => format!("1 array was not tracked: {texts}"),
        _ => format!("{count} arrays were not tracked: {texts}"),
    }
}

thread_local! {
    static LAST: RefCell<Vec<UntrackedMemory>> = const { RefCell::new(Vec::new()) };
}

/// Returns the memory that this thread's most recent checked launch did not track completely.
///
/// It contains shared arrays used through a raw pointer, and parameters, if no access to them was
/// tracked, if they were passed to uninstrumented code, or (shared arrays only) if they changed
/// without a tracked write.
///
/// The report of a launch with findings contains the same list
/// ([`Report::untracked_memory`](crate::Report::untracked_memory)). A launch without findings
/// prints it to standard error, once per kernel and array.
pub fn untracked_memory() -> Vec<UntrackedMemory> {
    LAST.with_borrow(Clone::clone)
}

/// Stores the untracked memory of a launch for [`untracked_memory`].
pub(crate) fn set_last(arrays: &[UntrackedMemory]) {
    let _ = LAST.try_with(|last| last.replace(arrays.to_vec()));
}

/// Prints the untracked memory of a launch without findings, omitting what was printed before.
pub(crate) fn print_new(kernel: &str, arrays: &[UntrackedMemory]) {
    static PRINTED: Mutex<Option<HashSet<(String, UntrackedMemory)>>> = Mutex::new(None);
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.get_or_insert_default();
    let is_new = |one: &UntrackedMemory| printed.insert((kernel.to_owned(), *one));
    let new: Vec<UntrackedMemory> = arrays.iter().copied().filter(is_new).collect();
    if !new.is_empty() {
        eprintln!(
            "kernel `{kernel}` (checked mode): no findings, but {}",
            describe(&new)
        );
    }
}
