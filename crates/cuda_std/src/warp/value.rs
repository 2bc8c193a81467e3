//! Values that lanes can exchange. They are transferred as words of 32 or 64 bits.

/// A value that lanes can exchange: an integer of at most 128 bits, a float, or `bool`.
pub trait WarpShuffleValue: Copy + sealed::Bits {}

impl<T: Copy + sealed::Bits> WarpShuffleValue for T {}

pub(crate) mod sealed {
    /// Conversion of a value to and from bits.
    pub trait Bits {
        /// `true` if the value needs more than 32 bits.
        const WIDE: bool;
        /// `true` if the value needs more than 64 bits.
        const LONG: bool = false;

        /// Returns the low 64 bits.
        fn into_u64(self) -> u64;
        fn from_u64(bits: u64) -> Self;

        /// Returns the high 64 bits of a 128-bit value.
        #[inline(always)]
        fn high(&self) -> u64 {
            0
        }

        #[inline(always)]
        fn from_halves(low: u64, _high: u64) -> Self
        where
            Self: Sized,
        {
            Self::from_u64(low)
        }
    }

    macro_rules! integer {
        ($($ty:ident $unsigned:ident)+) => {
            $(
                impl Bits for $ty {
                    const WIDE: bool = size_of::<$ty>() > 4;

                    #[inline(always)]
                    fn into_u64(self) -> u64 {
                        self as $unsigned as u64
                    }

                    #[inline(always)]
                    fn from_u64(bits: u64) -> Self {
                        bits as Self
                    }
                }
            )+
        };
    }

    integer!(u8 u8 i8 u8 u16 u16 i16 u16 u32 u32 i32 u32 u64 u64 i64 u64 usize usize isize usize);

    macro_rules! long_integer {
        ($($ty:ident)+) => {
            $(
                impl Bits for $ty {
                    const WIDE: bool = true;
                    const LONG: bool = true;

                    #[inline(always)]
                    fn into_u64(self) -> u64 {
                        self as u64
                    }

                    #[inline(always)]
                    fn from_u64(bits: u64) -> Self {
                        bits as Self
                    }

                    #[inline(always)]
                    fn high(&self) -> u64 {
                        (*self >> 64) as u64
                    }

                    #[inline(always)]
                    fn from_halves(low: u64, high: u64) -> Self {
                        (u128::from(high) << 64 | u128::from(low)) as Self
                    }
                }
            )+
        };
    }

    long_integer!(u128 i128);

    impl Bits for bool {
        const WIDE: bool = false;

        #[inline(always)]
        fn into_u64(self) -> u64 {
            u64::from(self)
        }

        #[inline(always)]
        fn from_u64(bits: u64) -> Self {
            bits & 1 != 0
        }
    }

    impl Bits for f32 {
        const WIDE: bool = false;

        #[inline(always)]
        fn into_u64(self) -> u64 {
            u64::from(self.to_bits())
        }

        #[inline(always)]
        fn from_u64(bits: u64) -> Self {
            Self::from_bits(bits as u32)
        }
    }

    impl Bits for f64 {
        const WIDE: bool = true;

        #[inline(always)]
        fn into_u64(self) -> u64 {
            self.to_bits()
        }

        #[inline(always)]
        fn from_u64(bits: u64) -> Self {
            Self::from_bits(bits)
        }
    }
}
