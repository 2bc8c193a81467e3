//! Version of the CUDA driver API.

use crate::driver;
use crate::error::CudaResult;

/// Version of the CUDA driver API.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaApiVersion {
    version: i32,
}

impl CudaApiVersion {
    /// Returns the newest version that the installed driver supports. Does not require
    /// [`init`](crate::init).
    ///
    /// # Errors
    /// [`CudaError::NoDriver`](crate::error::CudaError::NoDriver).
    pub fn get() -> CudaResult<CudaApiVersion> {
        Ok(CudaApiVersion::from_number(driver()?.version()?))
    }

    /// Converts 1000 × major + 10 × minor.
    pub(crate) fn from_number(version: i32) -> CudaApiVersion {
        CudaApiVersion { version }
    }

    /// Returns the major version: 12 for CUDA 12.4.
    #[inline]
    pub fn major(self) -> i32 {
        self.version / 1000
    }

    /// Returns the minor version: 4 for CUDA 12.4.
    #[inline]
    pub fn minor(self) -> i32 {
        self.version % 1000 / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_number_splits_into_major_and_minor() {
        let version = CudaApiVersion::from_number(12040);
        assert_eq!((version.major(), version.minor()), (12, 4));
        assert!(version < CudaApiVersion::from_number(13000));
    }
}
