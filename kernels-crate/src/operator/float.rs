//! Sums, minima and maxima of floating-point numbers.

use super::{Max, Min, Operator, Sum, Value};
use cuda_std::misc::split_u64;

macro_rules! floats {
    ($($ty:ident $bits:ident $words:literal)+) => {
        $(
            impl Value for $ty {
                const WORDS: usize = $words;

                #[inline(always)]
                fn word(self, i: usize) -> u32 {
                    let [low, high] = split_u64(self.to_bits() as u64);
                    if i == 0 { low } else { high }
                }

                #[inline(always)]
                fn from_words(words: [u32; 4]) -> Self {
                    $ty::from_bits((words[0] as u64 | (words[1] as u64) << 32) as $bits)
                }
            }

            impl Operator<$ty> for Sum {
                const EXACT: bool = false;

                /// Returns -0, since 0 + -0 is 0.
                #[inline(always)]
                fn identity() -> $ty {
                    -0.0
                }

                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    before + after
                }
            }

            impl Operator<$ty> for Min {
                const EXACT: bool = true;

                #[inline(always)]
                fn identity() -> $ty {
                    $ty::INFINITY
                }

                /// Zeros differ in the sign bit only, and the lesser zero has it set.
                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    if before.is_nan() || after.is_nan() {
                        $ty::NAN
                    } else if before == after {
                        $ty::from_bits(before.to_bits() | after.to_bits())
                    } else if after < before {
                        after
                    } else {
                        before
                    }
                }
            }

            impl Operator<$ty> for Max {
                const EXACT: bool = true;

                #[inline(always)]
                fn identity() -> $ty {
                    $ty::NEG_INFINITY
                }

                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    if before.is_nan() || after.is_nan() {
                        $ty::NAN
                    } else if before == after {
                        $ty::from_bits(before.to_bits() & after.to_bits())
                    } else if after > before {
                        after
                    } else {
                        before
                    }
                }
            }
        )+
    };
}

floats!(f32 u32 1 f64 u64 2);
