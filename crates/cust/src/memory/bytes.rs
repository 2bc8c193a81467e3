//! Checked computation of sizes in bytes.

use crate::error::{CudaError, CudaResult};

/// Returns the size of `count` elements, in bytes.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] if the size overflows.
pub(crate) fn array_bytes<T>(count: usize) -> CudaResult<usize> {
    count
        .checked_mul(size_of::<T>())
        .ok_or(CudaError::InvalidMemoryAllocation)
}

/// Returns the size of a copy in bytes; both sides must have the same number of elements.
///
/// # Errors
/// [`CudaError::LengthMismatch`]; otherwise see [`array_bytes`].
pub(crate) fn copy_bytes<T>(destination: usize, source: usize) -> CudaResult<usize> {
    if destination == source {
        array_bytes::<T>(source)
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
    fn an_overflowing_size_is_an_error() {
        assert_eq!(array_bytes::<u64>(3), Ok(24));
        assert_eq!(
            array_bytes::<u64>(usize::MAX / 8 + 1),
            Err(CudaError::InvalidMemoryAllocation)
        );
        assert_eq!(array_bytes::<()>(usize::MAX), Ok(0));
    }

    #[test]
    fn a_copy_requires_equal_lengths() {
        assert_eq!(copy_bytes::<u16>(4, 4), Ok(8));
        assert_eq!(
            copy_bytes::<u16>(4, 5),
            Err(CudaError::LengthMismatch {
                destination: 4,
                source: 5
            })
        );
    }
}
