//! What checked mode did not watch.

use crate::finding::Site;
use std::cell::RefCell;
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
        /// Whether its bytes changed without a write that was seen. Else no access was seen at all.
        written: bool,
    },
    /// A slice, reference or pointer that is a parameter of the kernel, and no access to its memory was seen.
    Parameter {
        /// Its name.
        name: &'static str,
        /// Its place among the parameters, from 1.
        number: u32,
    },
}

impl fmt::Display for Unwatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Unwatched::Shared {
                dynamic,
                bytes,
                site,
                written,
            } => {
                let what = match dynamic {
                    true => "the dynamic shared memory",
                    false => "the shared array",
                };
                let seen = match written {
                    true => "was written by code that is not instrumented",
                    false => "no access to it was seen",
                };
                write!(f, "{what} of {bytes} bytes, made at {site}: {seen}")
            }
            Unwatched::Parameter { name, number } => {
                write!(f, "`{name}` (parameter {number}): no access to it was seen")
            }
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

/// What the last launch in checked mode that this thread made did not watch. Empty where every access to memory that the kernel was
/// known to use was seen.
///
/// The report of a launch with findings has the same ([`Report::not_watched`](crate::Report::not_watched)); a launch without findings writes
/// it to the standard error, once for each kernel and array.
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
