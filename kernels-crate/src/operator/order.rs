//! Minima and maxima of all types as minima of unsigned keys.

use super::{Min, Operator};
use cuda_std::{
    cfg::ComputeCapability,
    float::{min_bits_or_nan, min_or_nan},
};

/// An order of 32-bit or 64-bit values (`Bits` is `u32` or `u64`): maps a value's bits to a key.
/// Kernels can therefore compute minima and maxima of several types as minima of keys.
pub trait Order<Bits>: Copy {
    /// Minimum of keys: the key of the value that comes first in the order.
    type Minimum: Operator<Bits>;

    /// Returns the key of a value's bits.
    fn key(&self, bits: Bits) -> Bits;

    /// Returns the bits of the value with this key.
    fn bits(&self, key: Bits) -> Bits;
}

/// An order of signed or unsigned integers. Keys are unsigned integers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerOrder<Bits> {
    /// Bits flipped in every value.
    flip: Bits,
}

/// An order of floating-point numbers. NaN comes first, so that the result is NaN if any operand
/// is; -0 is less than +0. The descending order is the ascending order of the negated values.
///
/// Keys are unsigned integers: the bits of a value, with those below the sign flipped if it is
/// negative, are ordered as signed integers with NaNs at both ends, and an addition rotates them to
/// the front. On GPUs from compute capability 8.0 or 9.0 on, depending on the size, keys are the
/// values: see [`FloatKeyMin`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatOrder<Bits> {
    /// The sign bit for the descending order, otherwise 0.
    negation: Bits,
}

/// Minimum of the keys of a [`FloatOrder`].
///
/// If keys are values, GPUs compute it for 32 bits in one instruction. For 64 bits they compare
/// floating-point numbers, in another unit than the conversion to integers would need.
#[derive(Clone, Copy, Debug)]
pub struct FloatKeyMin;

/// Returns `true` if the code is compiled for GPUs from `capability` on.
const fn is_gpu_from(capability: ComputeCapability) -> bool {
    cfg!(target_arch = "nvptx64")
        && ComputeCapability::from_cuda_arch_env() as u32 >= capability as u32
}

/// `true` if the 32-bit keys of a [`FloatOrder`] are the values.
const KEYS_ARE_F32: bool = is_gpu_from(ComputeCapability::Compute80);

/// `true` if the 64-bit keys of a [`FloatOrder`] are the values.
const KEYS_ARE_F64: bool = is_gpu_from(ComputeCapability::Compute90);

impl Operator<u32> for FloatKeyMin {
    const EXACT: bool = true;
    const IDEMPOTENT: bool = true;

    #[inline(always)]
    fn identity() -> u32 {
        if KEYS_ARE_F32 {
            f32::INFINITY.to_bits()
        } else {
            u32::MAX
        }
    }

    #[inline(always)]
    fn combine(before: u32, after: u32) -> u32 {
        if KEYS_ARE_F32 {
            min_or_nan(f32::from_bits(before), f32::from_bits(after)).to_bits()
        } else {
            Min::combine(before, after)
        }
    }
}

impl Operator<u64> for FloatKeyMin {
    const EXACT: bool = true;
    const IDEMPOTENT: bool = true;

    #[inline(always)]
    fn identity() -> u64 {
        if KEYS_ARE_F64 {
            f64::INFINITY.to_bits()
        } else {
            u64::MAX
        }
    }

    #[inline(always)]
    fn combine(before: u64, after: u64) -> u64 {
        if KEYS_ARE_F64 {
            min_bits_or_nan(before, after)
        } else {
            Min::combine(before, after)
        }
    }
}

macro_rules! orders {
    ($($bits:ident $signed:ident $float:ident $keys_are_floats:expr;)+) => {
        $(
            impl IntegerOrder<$bits> {
                /// Returns the order of unsigned integers: ascending, or descending if `reversed`.
                pub const fn unsigned(reversed: bool) -> Self {
                    let flip = if reversed { $bits::MAX } else { 0 };
                    Self { flip }
                }

                /// Returns the order of signed integers: ascending, or descending if `reversed`.
                pub const fn signed(reversed: bool) -> Self {
                    let mut order = Self::unsigned(reversed);
                    order.flip ^= 1 << ($bits::BITS - 1);
                    order
                }
            }

            impl Order<$bits> for IntegerOrder<$bits> {
                type Minimum = Min;

                #[inline(always)]
                fn key(&self, bits: $bits) -> $bits {
                    bits ^ self.flip
                }

                #[inline(always)]
                fn bits(&self, key: $bits) -> $bits {
                    key ^ self.flip
                }
            }

            impl FloatOrder<$bits> {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                /// Key of the NaN after positive infinity before the rotation.
                const FIRST: $bits = $float::INFINITY.to_bits() + 1;

                /// Returns the ascending order, or the descending one if `reversed`.
                pub const fn float(reversed: bool) -> Self {
                    let negation = if reversed { Self::SIGN } else { 0 };
                    Self { negation }
                }

                /// Changes the sign in the descending order.
                #[inline(always)]
                const fn negate(&self, bits: $bits) -> $bits {
                    // the mask spares an operation on the low word
                    bits ^ (self.negation & Self::SIGN)
                }

                /// Flips the bits below the sign if the value is negative. Since it preserves the
                /// sign, it is its own inverse.
                #[inline(always)]
                const fn flip_negative(bits: $bits) -> $bits {
                    let sign = (bits as $signed >> ($bits::BITS - 1)) as $bits;
                    bits ^ (sign & !Self::SIGN)
                }
            }

            impl Order<$bits> for FloatOrder<$bits> {
                type Minimum = FloatKeyMin;

                #[inline(always)]
                fn key(&self, bits: $bits) -> $bits {
                    let bits = self.negate(bits);
                    if $keys_are_floats {
                        return bits;
                    }
                    Self::flip_negative(bits).wrapping_sub(Self::FIRST)
                }

                #[inline(always)]
                fn bits(&self, key: $bits) -> $bits {
                    let bits = if $keys_are_floats {
                        key
                    } else {
                        Self::flip_negative(key.wrapping_add(Self::FIRST))
                    };
                    let value = $float::from_bits(self.negate(bits));
                    let value = if value.is_nan() { $float::NAN } else { value };
                    value.to_bits()
                }
            }
        )+
    };
}

orders! {
    u32 i32 f32 KEYS_ARE_F32;
    u64 i64 f64 KEYS_ARE_F64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Max;

    fn minimum<Bits, K: Order<Bits>>(_order: &K, x: Bits, y: Bits) -> Bits {
        K::Minimum::combine(x, y)
    }

    /// Asserts that the minimum of two keys belongs to the value that the operator returns.
    macro_rules! agrees {
        ($bits:ident, $kind:ident, $order:ident, $values:expr, $to_bits:expr) => {
            let values = $values;
            for a in values {
                for b in values {
                    for reversed in [false, true] {
                        let order = $kind::<$bits>::$order(reversed);
                        let (x, y) = (order.key($to_bits(a)), order.key($to_bits(b)));
                        let kept = order.bits(minimum(&order, x, y));
                        let expected = if reversed {
                            Max::combine(a, b)
                        } else {
                            Min::combine(a, b)
                        };
                        assert_eq!(kept, $to_bits(expected), "{a} {b} {reversed}");
                    }
                }
            }
        };
    }

    #[test]
    fn keys_are_ordered_as_their_values() {
        agrees!(
            u32,
            IntegerOrder,
            unsigned,
            [0u32, 1, 7, 1 << 31, u32::MAX],
            |v: u32| v
        );
        agrees!(
            u32,
            IntegerOrder,
            signed,
            [0i32, 1, -1, i32::MIN, i32::MAX],
            |v: i32| v as u32
        );
        agrees!(
            u64,
            IntegerOrder,
            unsigned,
            [0u64, 1, 7, 1 << 63, u64::MAX],
            |v: u64| v
        );
        agrees!(
            u64,
            IntegerOrder,
            signed,
            [0i64, 1, -1, i64::MIN, i64::MAX],
            |v: i64| v as u64
        );
        let floats = [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            1e-40,
            -1e-40,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        agrees!(u32, FloatOrder, float, floats, |v: f32| v.to_bits());
        agrees!(u64, FloatOrder, float, floats.map(f64::from), |v: f64| v
            .to_bits());
    }
}
