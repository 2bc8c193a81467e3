//! What checked mode did not watch.

use crate::finding::Site;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Memory of a kernel whose accesses checked mode did not see, or not all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntrackedMemory {
    /// An array of shared memory that the kernel has by a raw pointer.
    Shared {
        /// Whether it is the block's dynamic shared memory.
        dynamic: bool,
        /// Bytes of the array.
        bytes: usize,
        /// Where the kernel got the pointer.
        site: Site,
        /// What is known of the accesses.
        gap: TrackingGap,
    },
    /// A slice, reference or pointer that is a parameter of the kernel.
    Parameter {
        /// Its name.
        name: &'static str,
        /// Its place among the parameters, from 1.
        number: u32,
        /// What is known of the accesses.
        gap: TrackingGap,
    },
}

/// Why memory counts as not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackingGap {
    /// No access to it was seen at all.
    Everything,
    /// Its bytes changed without a write that was seen.
    Writes,
    /// It was passed to a function that is not instrumented.
    Passed {
        /// Where.
        site: Site,
    },
}

impl fmt::Display for TrackingGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrackingGap::Everything => f.write_str("no access to it was seen"),
            TrackingGap::Writes => f.write_str("code that is not instrumented wrote it"),
            TrackingGap::Passed { site } => {
                write!(
                    f,
                    "it was passed to code that is not instrumented at {site}"
                )
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
                let what = if dynamic {
                    "the dynamic shared memory"
                } else {
                    "the shared array"
                };
                write!(f, "{what} of {bytes} bytes, made at {site}: {gap}")
            }
            UntrackedMemory::Parameter { name, number, gap } => {
                write!(f, "`{name}` (parameter {number}): {gap}")
            }
        }
    }
}

/// What checked mode knows of the accesses to an array or a parameter.
#[derive(Default)]
pub(crate) struct AccessLog {
    /// Whether an access was seen.
    any: Cell<bool>,
    /// Whether it changed without a write that was seen.
    written: Cell<bool>,
    /// How often it was passed on to code that has not said yet that it is instrumented, and where
    /// that was last.
    passed: Cell<u64>,
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

    pub(crate) fn pass(&self, site: Site) {
        self.passed.set(self.passed.get() + 1);
        self.passed_at.set(Some(site));
    }

    pub(crate) fn receive(&self) {
        self.any.set(true);
        self.passed.set(self.passed.get().saturating_sub(1));
    }

    /// What was not seen.
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

/// `2 arrays were not watched: …; …`
pub(crate) fn describe(arrays: &[UntrackedMemory]) -> String {
    let texts: Vec<String> = arrays.iter().map(UntrackedMemory::to_string).collect();
    let (count, texts) = (arrays.len(), texts.join("; "));
    match count {
        1 => format!("1 array was not watched: {texts}"),
        _ => format!("{count} arrays were not watched: {texts}"),
    }
}

thread_local! {
    static LAST: RefCell<Vec<UntrackedMemory>> = const { RefCell::new(Vec::new()) };
}

/// What the last launch in checked mode that this thread made did not watch, as far as that is
/// known: arrays of shared memory that the kernel has by a raw pointer, and parameters, of which no
/// access was seen, or that were passed to code that is not instrumented, or (shared arrays) that
/// changed unseen.
///
/// The report of a launch with findings has the same
/// ([`Report::untracked_memory`](crate::Report::untracked_memory)); a launch without findings writes it to
/// the standard error, once for each kernel and array.
pub fn untracked_memory() -> Vec<UntrackedMemory> {
    LAST.with_borrow(Clone::clone)
}

/// Keeps what a launch did not watch for [`untracked`].
pub(crate) fn set_last(arrays: &[UntrackedMemory]) {
    let _ = LAST.try_with(|last| last.replace(arrays.to_vec()));
}

/// Writes what a launch without findings did not watch, as far as that is new.
pub(crate) fn print_new(kernel: &str, arrays: &[UntrackedMemory]) {
    static PRINTED: Mutex<Option<HashSet<(String, UntrackedMemory)>>> = Mutex::new(None);
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.get_or_insert_default();
    let is_new = |one: &UntrackedMemory| printed.insert((kernel.to_owned(), *one));
    let new: Vec<UntrackedMemory> = arrays.iter().copied().filter(is_new).collect();
    if !new.is_empty() {
        eprintln!(
            "kernel `{kernel}` (checked mode): nothing was found, but {}",
            describe(&new)
        );
    }
}
