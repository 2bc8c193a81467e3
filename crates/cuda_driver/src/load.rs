//! Finding and opening the driver's library.

use std::ffi::{OsStr, OsString};
use std::fmt;

use libloading::Library;

use crate::table::Table;

/// The environment variable that names another library to open in the driver's place.
pub const LIBRARY_VARIABLE: &str = "FERROVOX_LIBCUDA";

/// Why there is no driver to call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No library could be opened.
    #[error("no NVIDIA driver on this machine: could not open {}; install the NVIDIA driver, or name its library in {LIBRARY_VARIABLE}", list(.tried))]
    NoDriver {
        /// Every library that was tried, and what the system said about it.
        tried: Vec<TriedLibrary>,
    },
    /// A library was opened, but it is not a CUDA driver.
    #[error(
        "{library} is no CUDA driver: it has no function {symbol}; name the driver's library in {LIBRARY_VARIABLE}, or unset it"
    )]
    NotADriver {
        /// The library that was opened.
        library: String,
        /// The first function every driver has and this library has not.
        symbol: &'static str,
    },
}

/// A library that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedLibrary {
    /// Its name, as given to the system's loader.
    pub name: String,
    /// The loader's reason.
    pub reason: String,
}

impl fmt::Display for TriedLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.reason)
    }
}

fn list(tried: &[TriedLibrary]) -> String {
    tried
        .iter()
        .map(TriedLibrary::to_string)
        .collect::<Vec<_>>()
        .join(" or ")
}

/// Opens what `FERROVOX_LIBCUDA` names, or else the platform's driver library: its functions, and
/// the name it was opened under.
pub(crate) fn open_default() -> Result<(Table, String), LoadError> {
    open_first(&candidates(std::env::var_os(LIBRARY_VARIABLE)))
}

/// The libraries to try, in order. A set variable replaces the defaults; an empty one counts as
/// unset.
fn candidates(variable: Option<OsString>) -> Vec<OsString> {
    match variable {
        Some(name) if !name.is_empty() => vec![name],
        _ if cfg!(windows) => vec!["nvcuda.dll".into()],
        // libcuda.so is the linker's name, present only where a toolkit or a driver's development
        // files are.
        _ => vec!["libcuda.so.1".into(), "libcuda.so".into()],
    }
}

/// Opens the first of `names` that can be opened: its functions, and its name.
pub(crate) fn open_first(names: &[OsString]) -> Result<(Table, String), LoadError> {
    let mut tried = Vec::new();
    for name in names {
        match open_library(name) {
            Ok(library) => return bind(library, name),
            Err(reason) => tried.push(TriedLibrary {
                name: name.to_string_lossy().into_owned(),
                reason,
            }),
        }
    }
    Err(LoadError::NoDriver { tried })
}

fn open_library(name: &OsStr) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers. The names are the system driver's, or what
    // the user asked for by environment variable; trusting the latter is no more than LD_PRELOAD
    // already asks.
    unsafe { Library::new(name) }.map_err(|error| {
        let reason = match std::error::Error::source(&error) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        // The loader of glibc puts the name before its reason; it stands beside it already.
        match reason.strip_prefix(&format!("{}: ", name.to_string_lossy())) {
            Some(rest) => rest.to_owned(),
            None => reason,
        }
    })
}

fn bind(library: Library, name: &OsStr) -> Result<(Table, String), LoadError> {
    let name = name.to_string_lossy().into_owned();
    let table = Table::look_up(&library);
    // Never closed: the table's pointers, and CUDA's own threads, live on in it.
    std::mem::forget(library);
    match table.first_missing_of_every_driver() {
        Some(symbol) => Err(LoadError::NotADriver {
            library: name,
            symbol,
        }),
        None => Ok((table, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Driver;

    #[test]
    fn a_set_variable_replaces_the_defaults_and_an_empty_one_does_not() {
        assert_eq!(
            candidates(Some("/opt/other/libcuda.so".into())),
            ["/opt/other/libcuda.so"]
        );
        assert_eq!(candidates(Some("".into())), candidates(None));
        assert!(!candidates(None).is_empty());
    }

    #[test]
    fn a_missing_library_is_named_with_the_reason_and_the_remedy() {
        let error = Driver::open("/nonexistent/libcuda.so.1").unwrap_err();
        let LoadError::NoDriver { tried } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(tried.len(), 1);
        assert_eq!(tried[0].name, "/nonexistent/libcuda.so.1");
        assert!(!tried[0].reason.is_empty());
        let text = error.to_string();
        assert!(
            text.contains("/nonexistent/libcuda.so.1") && text.contains(LIBRARY_VARIABLE),
            "{text}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_that_is_no_driver_is_refused_by_the_function_it_lacks() {
        let error = Driver::open("libc.so.6").unwrap_err();
        assert_eq!(
            error,
            LoadError::NotADriver {
                library: "libc.so.6".into(),
                symbol: "cuInit"
            }
        );
    }
}
