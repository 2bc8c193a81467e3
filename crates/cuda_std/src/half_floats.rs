//! The 16-bit floats of the crate `half` in kernels.

use crate::view::AnyBytes;
use crate::warp::value::sealed::Bits;
use half::{bf16, f16};

macro_rules! half_float {
    ($($ty:ident)+) => {
        $(
            impl crate::KernelType for $ty {
                const NAME: &'static str = stringify!($ty);
            }

            // SAFETY: every bit pattern is valid.
            unsafe impl AnyBytes for $ty {}

            impl Bits for $ty {
                const WIDE: bool = false;

                #[inline(always)]
                fn into_u64(self) -> u64 {
                    u64::from(self.to_bits())
                }

                #[inline(always)]
                fn from_u64(bits: u64) -> Self {
                    Self::from_bits(bits as u16)
                }
            }
        )+
    };
}

half_float!(f16 bf16);
