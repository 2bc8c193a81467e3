//! The version of the CUDA interface.

use crate::driver;
use crate::error::CudaResult;

/// A version of the CUDA driver interface.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaApiVersion {
    version: i32,
}

impl CudaApiVersion {
    /// The newest version that the installed driver supports. Needs no [`init`](crate::init).
    ///
    /// # Errors
    /// [`CudaError::NoDriver`](crate::error::CudaError::NoDriver).
    pub fn get() -> CudaResult<CudaApiVersion> {
        Ok(CudaApiVersion::from_number(driver()?.version()?))
    }

    /// From 1000 × major + 10 × minor.
    pub(crate) fn from_number(version: i32) -> CudaApiVersion {
        CudaApiVersion { version }
    }

    /// 12 of CUDA 12.4.
    #[inline]
    pub fn major(self) -> i32 {
        self.version / 1000
    }

    /// 4 of CUDA 12.4.
    #[inline]
    pub fn minor(self) -> i32 {
        self.version % 1000 / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_splits_into_major_and_minor() {
        let version = CudaApiVersion::from_number(12040);
        assert_eq!((version.major(), version.minor()), (12, 4));
        assert!(version < CudaApiVersion::from_number(13000));
    }
}
