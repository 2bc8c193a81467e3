//! Minima and maxima of all types as minima of unsigned keys.

/// An order of 32-bit or 64-bit values, `Bits` being `u32` or `u64`: turns a value's bits into a
/// key, which is less the earlier the value comes in the order. So one kernel finds the least or
/// the greatest of integers with and without a sign and of floating-point numbers.
///
/// A NaN comes before everything, so that it makes everything NaN that it is combined with; -0 is
/// less than +0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order<Bits> {
    /// Bits that change in a value whose highest bit is set: all but the highest where that is the
    /// sign of a magnitude.
    flip_if_negative: Bits,
    /// Bits that change in every value, after that.
    flip: Bits,
    /// The bits of infinity, beyond which magnitudes are NaN; all ones where there is no NaN.
    infinity: Bits,
    /// The bits of the NaN that is written.
    nan: Bits,
}

/// Bits that have a key in an [`Order`].
pub trait Keyed: Copy {
    /// The key of a value's bits.
    fn key(self, order: &Order<Self>) -> Self
    where
        Self: Sized;

    /// The bits of the value that has a key; every NaN has the same.
    fn of_key(key: Self, order: &Order<Self>) -> Self
    where
        Self: Sized;
}

macro_rules! keyed {
    ($($bits:ident $signed:ident $float:ident)+) => {
        $(
            impl Order<$bits> {
                const SIGN: $bits = 1 << ($bits::BITS - 1);

                /// The order of unsigned integers in which the least comes first, or the greatest.
                pub const fn unsigned(greatest: bool) -> Self {
                    let flip = if greatest { $bits::MAX } else { 0 };
                    Self { flip_if_negative: 0, flip, infinity: $bits::MAX, nan: 0 }
                }

                /// The order of signed integers.
                pub const fn signed(greatest: bool) -> Self {
                    let mut order = Self::unsigned(greatest);
                    order.flip ^= Self::SIGN;
                    order
                }

                /// The order of floating-point numbers.
                pub const fn float(greatest: bool) -> Self {
                    Self {
                        flip_if_negative: !Self::SIGN,
                        infinity: $float::INFINITY.to_bits(),
                        nan: $float::NAN.to_bits(),
                        ..Self::signed(greatest)
                    }
                }

                #[inline(always)]
                const fn is_nan(&self, bits: $bits) -> bool {
                    bits & !Self::SIGN > self.infinity
                }

                /// What a negative value changes by: flipping keeps the highest bit, so the same
                /// undoes it.
                #[inline(always)]
                const fn flip_of(&self, bits: $bits) -> $bits {
                    (bits as $signed >> ($bits::BITS - 1)) as $bits & self.flip_if_negative
                }
            }

            impl Keyed for $bits {
                #[inline(always)]
                fn key(self, order: &Order<$bits>) -> $bits {
                    let key = self ^ order.flip_of(self) ^ order.flip;
                    if order.is_nan(self) { 0 } else { key }
                }

                #[inline(always)]
                fn of_key(key: $bits, order: &Order<$bits>) -> $bits {
                    let bits = key ^ order.flip;
                    let bits = bits ^ order.flip_of(bits);
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

    /// The lesser key is the value that the operator keeps, bit for bit.
    macro_rules! agrees {
        ($bits:ident, $order:ident, $values:expr, $to_bits:expr) => {
            let values = $values;
            for a in values {
                for b in values {
                    for greatest in [false, true] {
                        let order = Order::<$bits>::$order(greatest);
                        let (x, y) = ($to_bits(a).key(&order), $to_bits(b).key(&order));
                        let kept = $bits::of_key(x.min(y), &order);
                        let expected = if greatest {
                            Max::combine(a, b)
                        } else {
                            Min::combine(a, b)
                        };
                        assert_eq!(kept, $to_bits(expected), "{a} {b} {greatest}");
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
