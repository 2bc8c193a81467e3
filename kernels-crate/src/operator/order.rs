//! Minima and maxima of all types as minima of unsigned keys.

/// An order of 32-bit or 64-bit values (`Bits` is `u32` or `u64`): maps the bits of a value to an
/// unsigned key that is smaller the earlier the value comes in the order. Kernels can therefore
/// compute minima and maxima of several types as minima of keys.
pub trait Order<Bits>: Copy {
    /// Returns the key of a value's bits.
    fn key(&self, bits: Bits) -> Bits;

    /// Returns the bits of the value with this key.
    fn bits(&self, key: Bits) -> Bits;
}

/// An order of signed or unsigned integers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerOrder<Bits> {
    /// Bits flipped in every value.
    flip: Bits,
}

/// An order of floating-point numbers. NaN comes first, so that the result is NaN if any operand
/// is; -0 is less than +0. All NaNs have the same key.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatOrder<Bits> {
    /// Bits flipped in every value, after all bits but the highest of negative values.
    flip: Bits,
}

macro_rules! orders {
    ($($bits:ident $signed:ident $float:ident)+) => {
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
                const INFINITY: $bits = $float::INFINITY.to_bits();

                /// Returns the ascending order, or the descending one if `reversed`.
                pub const fn float(reversed: bool) -> Self {
                    Self { flip: IntegerOrder::<$bits>::signed(reversed).flip }
                }

                #[inline(always)]
                const fn is_nan(bits: $bits) -> bool {
                    bits & !Self::SIGN > Self::INFINITY
                }

                /// Returns the bits that a value is flipped by if it is negative. Flipping
                /// preserves the highest bit, so the operation is its own inverse.
                #[inline(always)]
                const fn flip_bits(bits: $bits) -> $bits {
                    (bits as $signed >> ($bits::BITS - 1)) as $bits & !Self::SIGN
                }
            }

            impl Order<$bits> for FloatOrder<$bits> {
                #[inline(always)]
                fn key(&self, bits: $bits) -> $bits {
                    let key = bits ^ Self::flip_bits(bits) ^ self.flip;
                    if Self::is_nan(bits) { 0 } else { key }
                }

                #[inline(always)]
                fn bits(&self, key: $bits) -> $bits {
                    let bits = key ^ self.flip;
                    let bits = bits ^ Self::flip_bits(bits);
                    if Self::is_nan(bits) { $float::NAN.to_bits() } else { bits }
                }
            }
        )+
    };
}

orders!(u32 i32 f32 u64 i64 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{Max, Min, Operator};

    /// Asserts that the smaller key belongs to the value that the operator returns, bit for bit.
    macro_rules! agrees {
        ($bits:ident, $kind:ident, $order:ident, $values:expr, $to_bits:expr) => {
            let values = $values;
            for a in values {
                for b in values {
                    for reversed in [false, true] {
                        let order = $kind::<$bits>::$order(reversed);
                        let (x, y) = (order.key($to_bits(a)), order.key($to_bits(b)));
                        let kept = order.bits(x.min(y));
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
