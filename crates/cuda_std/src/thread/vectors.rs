//! Methods of `cuda_std` 0.2's index vectors for glam's vectors.

use glam::{UVec2, UVec3};

/// Methods that vek's vectors have in `cuda_std` 0.2, for glam's vectors. Part of the
/// [prelude](crate::prelude).
///
/// ```
/// use cuda_std::glam::UVec3;
/// use cuda_std::prelude::*;
///
/// let block = UVec3::new(8, 4, 2);
/// assert_eq!((block.product(), block.sum()), (64, 14));
/// assert_eq!(block.into_tuple(), (8, 4, 2));
/// ```
pub trait IndexVector: Sized {
    /// Array with one number per axis.
    type Array;
    /// Tuple with one number per axis.
    type Tuple;

    /// Returns the product of the components: the number of elements of an extent.
    #[must_use]
    fn product(self) -> u32;
    /// Returns the sum of the components.
    #[must_use]
    fn sum(self) -> u32;
    /// Returns the components as an array.
    #[must_use]
    fn into_array(self) -> Self::Array;
    /// Returns the components as a tuple.
    #[must_use]
    fn into_tuple(self) -> Self::Tuple;
}

macro_rules! index_vector {
    ($($vector:ident $array:ty, $tuple:ty;)+) => {
        $(
            impl IndexVector for $vector {
                type Array = $array;
                type Tuple = $tuple;

                #[inline(always)]
                fn product(self) -> u32 {
                    self.element_product()
                }

                #[inline(always)]
                fn sum(self) -> u32 {
                    self.element_sum()
                }

                #[inline(always)]
                fn into_array(self) -> $array {
                    self.to_array()
                }

                #[inline(always)]
                fn into_tuple(self) -> $tuple {
                    self.into()
                }
            }
        )+
    };
}

index_vector! {
    UVec2 [u32; 2], (u32, u32);
    UVec3 [u32; 3], (u32, u32, u32);
}
