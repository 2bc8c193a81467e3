//! The opened driver library.

use std::ffi::{OsStr, c_int};
use std::sync::OnceLock;

use crate::load::{self, LoadError};
use crate::table::{MissingFunction, Table};

/// The NVIDIA driver's library, opened, with its functions looked up.
///
/// One is opened per process, by [`Driver::get`], and never closed: CUDA's own threads may run in
/// it until the process ends. It can be used from every thread.
#[derive(Debug)]
pub struct Driver {
    pub(crate) table: Table,
    library: String,
}

static DRIVER: OnceLock<Result<Driver, LoadError>> = OnceLock::new();

impl Driver {
    /// The process's driver, opened at the first call from any thread.
    ///
    /// # Errors
    /// [`LoadError::NoDriver`] where no library could be opened, [`LoadError::NotADriver`] where
    /// one could but it is not a CUDA driver. The first answer is kept: a later call returns the
    /// same.
    pub fn get() -> Result<&'static Driver, LoadError> {
        DRIVER
            .get_or_init(|| load::open_default().map(Driver::from_parts))
            .as_ref()
            .map_err(LoadError::clone)
    }

    /// The error that [`Driver::get`] met in this process, if it was called and met one.
    pub(crate) fn load_error() -> Option<&'static LoadError> {
        DRIVER.get().and_then(|opened| opened.as_ref().err())
    }

    /// The driver that [`Driver::get`] opened in this process, if it was called and found one.
    pub(crate) fn opened() -> Option<&'static Driver> {
        DRIVER.get().and_then(|opened| opened.as_ref().ok())
    }

    /// Opens one named library, apart from the one that [`Driver::get`] keeps. The library stays
    /// open for the life of the process, also when the value is dropped.
    ///
    /// # Errors
    /// As [`Driver::get`].
    pub fn open(library: impl AsRef<OsStr>) -> Result<Driver, LoadError> {
        load::open_first(&[library.as_ref().to_owned()]).map(Driver::from_parts)
    }

    fn from_parts((table, library): (Table, String)) -> Driver {
        Driver { table, library }
    }

    /// The name under which the library was opened.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// What `cuDriverGetVersion` answers: its status, and the version where that is 0.
    pub(crate) fn ask_version(&self) -> Result<(c_int, c_int), MissingFunction> {
        let get_version = self.table.driver_get_version.get()?;
        let mut version: c_int = 0;
        // SAFETY: `version` is a live c_int for the time of the call.
        let status = unsafe { get_version(&mut version) };
        Ok((status, version))
    }
}
