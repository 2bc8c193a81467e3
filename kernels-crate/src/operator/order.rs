//! Minima and maxima of all types as minima of unsigned keys.

/// An order of 32-bit or 64-bit values (`Bits` is `u32` or `u64`): maps the bits of a value to an
/// unsigned key that is smaller the earlier the value comes in the order. One kernel can therefore
/// compute minima and maxima of signed and unsigned integers and of floating-point numbers.
///
/// NaN comes first, so that the result is NaN if any operand is; -0 is less than +0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order<Bits> {
    /// Bits flipped in values whose highest bit is set: for sign-magnitude formats all bits but the
    /// highest.
    flip_if_negative: Bits,
    /// Bits flipped in every value, after `flip_if_negative`.
    flip: Bits,
    /// Bits of infinity, above which magnitudes are NaN; all ones for types without NaN.
    infinity: Bits,
    /// Bits of the NaN that is returned.
    nan: Bits,
}

/// Bits that an [`Order`] maps to keys.
pub trait Keyed: Copy {
    /// Returns the key of a value's bits.
    fn key(self, order: &Order<Self>) -> Self
    where
        Self: Sized;

    /// Returns the bits of the value with this key; all NaNs map to the same bits.
    fn from_key(key: Self, order: &Order<Self>) -> Self
    where
        Self: Sized;
}

macro_rules! keyed {
    ($($bits:ident $signed:ident $float:ident)+) => {
        $(
            impl Order<$bits> {
                const SIGN: $bits = 1 << ($bits::BITS - 1);

                /// Returns the order of unsigned integers: ascending, or descending if `reversed`.
                pub const fn unsigned(reversed: bool) -> Self {
                    let flip = if reversed { $bits::MAX } else { 0 };
                    Self { flip_if_negative: 0, flip, infinity: $bits::MAX, nan: 0 }
                }

                /// Returns the order of signed integers: ascending, or descending if `reversed`.
                pub const fn signed(reversed: bool) -> Self {
                    let mut order = Self::unsigned(reversed);
                    order.flip ^= Self::SIGN;
                    order
                }

                /// Returns the order of floating-point numbers: ascending, or descending if
                /// `reversed`.
                pub const fn float(reversed: bool) -> Self {
                    Self {
                        flip_if_negative: !Self::SIGN,
                        infinity: $float::INFINITY.to_bits(),
                        nan: $float::NAN.to_bits(),
                        ..Self::signed(reversed)
                    }
                }

                #[inline(always)]
                const fn is_nan(&self, bits: $bits) -> bool {
                    bits & !Self::SIGN > self.infinity
                }

                /// Returns the bits that a value is flipped by if it is negative. Flipping
                /// preserves the highest bit, so the operation is its own inverse.
                #[inline(always)]
                const fn flip_bits(&self, bits: $bits) -> $bits {
                    (bits as $signed >> ($bits::BITS - 1)) as $bits & self.flip_if_negative
                }
            }

            impl Keyed for $bits {
                #[inline(always)]
                fn key(self, order: &Order<$bits>) -> $bits {
                    let key = self ^ order.flip_bits(self) ^ order.flip;
                    if order.is_nan(self) { 0 } else { key }
                }

                #[inline(always)]
                fn from_key(key: $bits, order: &Order<$bits>) -> $bits {
                    let bits = key ^ order.flip;
                    let bits = bits ^ order.flip_bits(bits);
                    if order.is_nan(bits) { order.nan } else { bits }
                }
            }
        )+
    };
}

keyed!(u32 i32 f32 u64 i64 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{Max, Min, Operator};

    /// Asserts that the smaller key belongs to the value that the operator returns, bit for bit.
    macro_rules! agrees {
        ($bits:ident, $order:ident, $values:expr, $to_bits:expr) => {
            let values = $values;
            for a in values {
                for b in values {
                    for reversed in [false, true] {
                        let order = Order::<$bits>::$order(reversed);
                        let (x, y) = ($to_bits(a).key(&order), $to_bits(b).key(&order));
                        let kept = $bits::from_key(x.min(y), &order);
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
        agrees!(u32, unsigned, [0u32, 1, 7, 1 << 31, u32::MAX], |v: u32| v);
        agrees!(u32, signed, [0i32, 1, -1, i32::MIN, i32::MAX], |v: i32| v
            as u32);
        agrees!(u64, unsigned, [0u64, 1, 7, 1 << 63, u64::MAX], |v: u64| v);
        agrees!(u64, signed, [0i64, 1, -1, i64::MIN, i64::MAX], |v: i64| v
            as u64);
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
        agrees!(u32, float, floats, |v: f32| v.to_bits());
        agrees!(u64, float, floats.map(f64::from), |v: f64| v.to_bits());
    }
}
