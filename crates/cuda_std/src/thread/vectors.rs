//! What the published 0.2's vectors are asked, of those of today.

use glam::{UVec2, UVec3};

/// The methods of the published 0.2's indices, which are vek's, for glam's. The
/// [prelude](crate::prelude) brings them.
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
    /// As many numbers as there are axes.
    type Array;
    /// The same.
    type Tuple;

    /// The product of the components: how many elements an extent has.
    #[must_use]
    fn product(self) -> u32;
    /// The sum of the components.
    #[must_use]
    fn sum(self) -> u32;
    /// The components.
    #[must_use]
    fn into_array(self) -> Self::Array;
    /// The components.
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
