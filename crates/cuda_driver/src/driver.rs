//! The loaded driver library.

use std::ffi::{OsStr, c_int};
use std::sync::OnceLock;

use crate::load::{self, LoadError};
use crate::table::{MissingFunction, Table};

/// The NVIDIA driver library with its function table.
///
/// [`Driver::get`] opens one per process and never closes it, because CUDA's own threads may run in
/// it until the process ends. It can be used from every thread.
#[derive(Debug)]
pub struct Driver {
    pub(crate) table: Table,
    library: String,
}

static DRIVER: OnceLock<Result<Driver, LoadError>> = OnceLock::new();

impl Driver {
    /// Returns the driver of the process, which the first call from any thread opens.
    ///
    /// # Errors
    /// [`LoadError::NoDriver`] if no library could be opened, [`LoadError::NotADriver`] if the
    /// library is not a CUDA driver. The outcome of the first call is cached and returned by all
    /// later calls.
    pub fn get() -> Result<&'static Driver, LoadError> {
        DRIVER
            .get_or_init(|| load::open_default().map(Driver::from_parts))
            .as_ref()
            .map_err(LoadError::clone)
    }

    /// Returns the error of [`Driver::get`], if it was called and failed.
    pub(crate) fn load_error() -> Option<&'static LoadError> {
        DRIVER.get().and_then(|opened| opened.as_ref().err())
    }

    /// Returns the driver opened by [`Driver::get`], if it was called and succeeded.
    pub(crate) fn opened() -> Option<&'static Driver> {
        DRIVER.get().and_then(|opened| opened.as_ref().ok())
    }

    /// Opens a given library, independently of [`Driver::get`]. The library stays open until the
    /// process ends, even after the value is dropped.
    ///
    /// # Errors
    /// See [`Driver::get`].
    pub fn open(library: impl AsRef<OsStr>) -> Result<Driver, LoadError> {
        load::open_first(&[library.as_ref().to_owned()]).map(Driver::from_parts)
    }

    fn from_parts((table, library): (Table, String)) -> Driver {
        Driver { table, library }
    }

    /// Returns the name under which the library was opened.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Calls `cuDriverGetVersion` and returns the status code and the version (valid if the status
    /// is 0).
    pub(crate) fn query_version(&self) -> Result<(c_int, c_int), MissingFunction> {
        let get_version = self.table.driver_get_version.get()?;
        let mut version: c_int = 0;
        // SAFETY: `version` is a live c_int for the time of the call.
        let status = unsafe { get_version(&mut version) };
        Ok((status, version))
    }
}
