//! Sizes in bytes.

use crate::error::{CudaError, CudaResult};

/// Bytes of `count` elements.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] where that is more than an address can count.
pub(crate) fn of<T>(count: usize) -> CudaResult<usize> {
    count
        .checked_mul(size_of::<T>())
        .ok_or(CudaError::InvalidMemoryAllocation)
}

/// Bytes of a copy between two places, which must be of equal length in elements.
///
/// # Errors
/// [`CudaError::LengthMismatch`], and as [`of`].
pub(crate) fn of_copy<T>(destination: usize, source: usize) -> CudaResult<usize> {
    if destination == source {
        of::<T>(source)
    } else {
        Err(CudaError::LengthMismatch {
            destination,
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_overflows_is_an_error() {
        assert_eq!(of::<u64>(3), Ok(24));
        assert_eq!(
            of::<u64>(usize::MAX / 8 + 1),
            Err(CudaError::InvalidMemoryAllocation)
        );
        assert_eq!(of::<()>(usize::MAX), Ok(0));
    }

    #[test]
    fn a_copy_needs_equal_lengths() {
        assert_eq!(of_copy::<u16>(4, 4), Ok(8));
        assert_eq!(
            of_copy::<u16>(4, 5),
            Err(CudaError::LengthMismatch {
                destination: 4,
                source: 5
            })
        );
    }
}
