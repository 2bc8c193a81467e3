//! Dimensions of a launch.

use crate::error::{CudaError, CudaResult};
use crate::sys::LaunchDims;

macro_rules! shape {
    ($(#[$text:meta])* $name:ident) => {
        $(#[$text])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            /// Extent along x.
            pub x: u32,
            /// Extent along y.
            pub y: u32,
            /// Extent along z.
            pub z: u32,
        }

        impl $name {
            /// Creates one-dimensional extents.
            #[inline]
            pub fn x(x: u32) -> $name {
                $name { x, y: 1, z: 1 }
            }

            /// Creates two-dimensional extents.
            #[inline]
            pub fn xy(x: u32, y: u32) -> $name {
                $name { x, y, z: 1 }
            }

            /// Creates three-dimensional extents.
            #[inline]
            pub fn xyz(x: u32, y: u32, z: u32) -> $name {
                $name { x, y, z }
            }

            /// Returns the product of the extents, or `None` if it exceeds the driver's 32 bits.
            pub(crate) fn count(self) -> Option<u32> {
                let count = u64::from(self.x).checked_mul(u64::from(self.y))?.checked_mul(u64::from(self.z))?;
                u32::try_from(count).ok()
            }
        }

        impl From<u32> for $name {
            fn from(x: u32) -> $name {
                $name::x(x)
            }
        }

        impl From<(u32, u32)> for $name {
            fn from((x, y): (u32, u32)) -> $name {
                $name::xy(x, y)
            }
        }

        impl From<(u32, u32, u32)> for $name {
            fn from((x, y, z): (u32, u32, u32)) -> $name {
                $name::xyz(x, y, z)
            }
        }

        impl<'a> From<&'a $name> for $name {
            fn from(other: &$name) -> $name {
                *other
            }
        }
    };
}

shape! {
    /// Number of blocks in the grid.
    GridSize
}

shape! {
    /// Number of threads per block.
    BlockSize
}

/// Converts launch dimensions to the driver's form.
///
/// # Errors
/// [`CudaError::InvalidValue`] if an extent is 0.
pub(crate) fn launch_dims(
    grid: GridSize,
    block: BlockSize,
    dynamic_shared_bytes: u32,
) -> CudaResult<LaunchDims> {
    let grid = [grid.x, grid.y, grid.z];
    let block = [block.x, block.y, block.z];
    if grid.contains(&0) || block.contains(&0) {
        return Err(CudaError::InvalidValue);
    }
    Ok(LaunchDims {
        grid,
        block,
        dynamic_shared_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_extents_are_one() {
        assert_eq!(GridSize::from(7), GridSize::xyz(7, 1, 1));
        assert_eq!(BlockSize::from((7, 3)), BlockSize::xyz(7, 3, 1));
        assert_eq!(
            BlockSize::from(&BlockSize::xyz(1, 2, 3)),
            BlockSize::from((1, 2, 3))
        );
    }

    #[test]
    fn an_overflowing_count_is_none() {
        assert_eq!(GridSize::xyz(10, 20, 30).count(), Some(6000));
        assert_eq!(GridSize::xy(u32::MAX, 2).count(), None);
        assert_eq!(GridSize::xyz(u32::MAX, u32::MAX, u32::MAX).count(), None);
    }
}
