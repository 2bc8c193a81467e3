//! What checked mode did not watch.

use crate::finding::Site;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Memory of a kernel whose accesses checked mode did not see, or not all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unwatched {
    /// An array of shared memory that the kernel has by a raw pointer.
    Shared {
        /// Whether it is the block's dynamic shared memory.
        dynamic: bool,
        /// Bytes of the array.
        bytes: usize,
        /// Where the kernel got the pointer.
        site: Site,
        /// What is known of the accesses.
        because: Unseen,
    },
    /// A slice, reference or pointer that is a parameter of the kernel.
    Parameter {
        /// Its name.
        name: &'static str,
        /// Its place among the parameters, from 1.
        number: u32,
        /// What is known of the accesses.
        because: Unseen,
    },
}

/// Why memory counts as not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unseen {
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

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unseen::Everything => f.write_str("no access to it was seen"),
            Unseen::Writes => f.write_str("code that is not instrumented wrote it"),
            Unseen::Passed { site } => {
                write!(
                    f,
                    "it was passed to code that is not instrumented at {site}"
                )
            }
        }
    }
}

impl fmt::Display for Unwatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Unwatched::Shared {
                dynamic,
                bytes,
                site,
                because,
            } => {
                let what = if dynamic {
                    "the dynamic shared memory"
                } else {
                    "the shared array"
                };
                write!(f, "{what} of {bytes} bytes, made at {site}: {because}")
            }
            Unwatched::Parameter {
                name,
                number,
                because,
            } => write!(f, "`{name}` (parameter {number}): {because}"),
        }
    }
}

/// What checked mode knows of the accesses to an array or a parameter.
#[derive(Default)]
pub(crate) struct Seen {
    /// Whether an access was seen.
    any: Cell<bool>,
    /// Whether it changed without a write that was seen.
    written: Cell<bool>,
    /// How often it was passed on to code that has not said yet that it is instrumented, and where
    /// that was last.
    passed: Cell<u64>,
    passed_at: Cell<Option<Site>>,
}

impl Seen {
    pub(crate) fn access(&self) {
        self.any.set(true);
    }

    pub(crate) fn hidden_write(&self) {
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
    pub(crate) fn unseen(&self) -> Option<Unseen> {
        if self.written.get() {
            Some(Unseen::Writes)
        } else if let (1.., Some(site)) = (self.passed.get(), self.passed_at.get()) {
            Some(Unseen::Passed { site })
        } else {
            (!self.any.get()).then_some(Unseen::Everything)
        }
    }
}

/// `2 arrays were not watched: …; …`
pub(crate) fn describe(arrays: &[Unwatched]) -> String {
    let texts: Vec<String> = arrays.iter().map(Unwatched::to_string).collect();
    let (count, texts) = (arrays.len(), texts.join("; "));
    match count {
        1 => format!("1 array was not watched: {texts}"),
        _ => format!("{count} arrays were not watched: {texts}"),
    }
}

thread_local! {
    static LAST: RefCell<Vec<Unwatched>> = const { RefCell::new(Vec::new()) };
}

/// What the last launch in checked mode that this thread made did not watch, as far as that is
/// known: arrays of shared memory that the kernel has by a raw pointer, and parameters, of which no
/// access was seen, or that were passed to code that is not instrumented, or (shared arrays) that
/// changed unseen.
///
/// The report of a launch with findings has the same
/// ([`Report::not_watched`](crate::Report::not_watched)); a launch without findings writes it to
/// the standard error, once for each kernel and array.
pub fn unwatched() -> Vec<Unwatched> {
    LAST.with_borrow(Clone::clone)
}

/// Keeps what a launch did not watch for [`unwatched`].
pub(crate) fn remember(arrays: &[Unwatched]) {
    let _ = LAST.try_with(|last| last.replace(arrays.to_vec()));
}

/// Writes what a launch without findings did not watch, as far as that is new.
pub(crate) fn tell(kernel: &str, arrays: &[Unwatched]) {
    static TOLD: Mutex<Option<HashSet<(String, Unwatched)>>> = Mutex::new(None);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let told = told.get_or_insert_default();
    let is_new = |one: &Unwatched| told.insert((kernel.to_owned(), *one));
    let new: Vec<Unwatched> = arrays.iter().copied().filter(is_new).collect();
    if !new.is_empty() {
        eprintln!(
            "kernel `{kernel}` (checked mode): nothing was found, but {}",
            describe(&new)
        );
    }
}
