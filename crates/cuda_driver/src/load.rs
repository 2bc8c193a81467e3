//! Locating and opening the driver library.

use std::ffi::{OsStr, OsString};
use std::fmt;

use libloading::Library;

use crate::table::Table;

/// Environment variable with the path of a library to open instead of the installed driver.
pub const LIBRARY_VARIABLE: &str = "FERROVOX_LIBCUDA";

/// Failure to open the driver library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No library could be opened.
    #[error("no NVIDIA driver on this machine: could not open {}; install the NVIDIA driver, or set {LIBRARY_VARIABLE} to its library", list(.tried))]
    NoDriver {
        /// Every library that was tried, and the loader's reason.
        tried: Vec<TriedLibrary>,
    },
    /// A library was opened, but it is not a CUDA driver.
    #[error(
        "{library} is not a CUDA driver (it has no function {symbol}); set {LIBRARY_VARIABLE} to the driver's library, or unset it"
    )]
    NotADriver {
        /// The library that was opened.
        library: String,
        /// Mandatory driver function that the library does not export.
        symbol: &'static str,
    },
}

/// A library that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedLibrary {
    /// Name passed to the system's loader.
    pub name: String,
    /// Reason reported by the loader.
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

/// Opens the library named by `FERROVOX_LIBCUDA`, or else the platform's driver library; returns
/// its function table and name.
pub(crate) fn open_default() -> Result<(Table, String), LoadError> {
    open_first(&candidates(std::env::var_os(LIBRARY_VARIABLE)))
}

/// Returns the libraries to try, in order. A non-empty value of the environment variable replaces
/// the defaults.
fn candidates(variable: Option<OsString>) -> Vec<OsString> {
    match variable {
        Some(name) if !name.is_empty() => vec![name],
        _ if cfg!(windows) => vec!["nvcuda.dll".into()],
        // libcuda.so is the link-time name, which only a toolkit or the driver's development files
        // provide
        _ => vec!["libcuda.so.1".into(), "libcuda.so".into()],
    }
}

/// Opens the first of `names` that the loader accepts; returns its function table and name.
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
    // SAFETY: loading runs the library's initializers. The name is that of the system's driver or
    // was chosen by the user through an environment variable, which needs the same trust as
    // LD_PRELOAD.
    unsafe { Library::new(name) }.map_err(|error| {
        let reason = match std::error::Error::source(&error) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        // glibc prefixes the reason with the library name, which `TriedLibrary` prints already
        match reason.strip_prefix(&format!("{}: ", name.to_string_lossy())) {
            Some(reason) => reason.to_owned(),
            None => reason,
        }
    })
}

fn bind(library: Library, name: &OsStr) -> Result<(Table, String), LoadError> {
    let name = name.to_string_lossy().into_owned();
    let table = Table::look_up(&library);
    // The library is never closed: the table points into it, and CUDA's own threads run in it.
    std::mem::forget(library);
    match table.first_missing_mandatory_function() {
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
    fn a_nonempty_variable_replaces_the_defaults() {
        assert_eq!(
            candidates(Some("/opt/other/libcuda.so".into())),
            ["/opt/other/libcuda.so"]
        );
        assert_eq!(candidates(Some("".into())), candidates(None));
        assert!(!candidates(None).is_empty());
    }

    #[test]
    fn the_error_for_a_missing_library_has_its_name_reason_and_remedy() {
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
    fn another_library_is_rejected_for_a_missing_function() {
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
