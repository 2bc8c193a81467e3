//! Integer operations, and bit casts between floats and integers. Unsigned values are passed as
//! signed integers with the same bits.

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ident),+) -> $result:ident: $value:expr;)+) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name($($argument: $kind),+) -> $result {
                $value
            }
        )+
    };
}

operations! {
    /// Returns the absolute value; the minimum is returned unchanged.
    abs(x: i32) -> i32: x.wrapping_abs();
    /// Returns the absolute value; the minimum is returned unchanged.
    llabs(x: i64) -> i64: x.wrapping_abs();
    /// Reverses the bits.
    brev(x: i32) -> i32: x.reverse_bits();
    /// Reverses the bits.
    brevll(x: i64) -> i64: x.reverse_bits();
    /// Returns the number of leading zeros.
    clz(x: i32) -> i32: x.leading_zeros() as i32;
    /// Returns the number of leading zeros.
    clzll(x: i64) -> i32: x.leading_zeros() as i32;
    /// Returns the position of the lowest set bit, from 1, or 0 if no bit is set.
    ffs(x: i32) -> i32: if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    /// Returns the position of the lowest set bit, from 1, or 0 if no bit is set.
    ffsll(x: i64) -> i32: if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    /// Returns the number of set bits.
    popc(x: i32) -> i32: x.count_ones() as i32;
    /// Returns the number of set bits.
    popcll(x: i64) -> i32: x.count_ones() as i32;
    /// Selects four of the eight bytes of `x` and `y`, by the low three bits of each nibble of `z`.
    byte_perm(x: i32, y: i32, z: i32) -> i32: {
        let bytes = (y as u32 as u64) << 32 | x as u32 as u64;
        let byte = |i: u32| (bytes >> ((z as u32 >> (4 * i) & 7) * 8)) as u32 & 0xff;
        (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24) as i32
    };
    /// Returns the low 32 bits of the product of the low 24 bits.
    mul24(x: i32, y: i32) -> i32: (x << 8 >> 8).wrapping_mul(y << 8 >> 8);
    /// Returns the low 32 bits of the unsigned product of the low 24 bits.
    umul24(x: i32, y: i32) -> i32: (x & 0xff_ffff).wrapping_mul(y & 0xff_ffff);
    /// Returns the high 32 bits of the product.
    mulhi(x: i32, y: i32) -> i32: ((x as i64 * y as i64) >> 32) as i32;
    /// Returns the high 32 bits of the unsigned product.
    umulhi(x: i32, y: i32) -> i32: ((x as u32 as u64 * y as u32 as u64) >> 32) as i32;
    /// Returns the high 64 bits of the product.
    mul64hi(x: i64, y: i64) -> i64: ((x as i128 * y as i128) >> 64) as i64;
    /// Returns the high 64 bits of the unsigned product.
    umul64hi(x: i64, y: i64) -> i64: ((x as u64 as u128 * y as u64 as u128) >> 64) as i64;
    /// Returns the mean, rounded down.
    hadd(x: i32, y: i32) -> i32: ((x as i64 + y as i64) >> 1) as i32;
    /// Returns the mean, rounded up.
    rhadd(x: i32, y: i32) -> i32: ((x as i64 + y as i64 + 1) >> 1) as i32;
    /// Returns the unsigned mean, rounded down.
    uhadd(x: i32, y: i32) -> i32: ((x as u32 as u64 + y as u32 as u64) >> 1) as i32;
    /// Returns the unsigned mean, rounded up.
    urhadd(x: i32, y: i32) -> i32: ((x as u32 as u64 + y as u32 as u64 + 1) >> 1) as i32;
    /// Returns the absolute difference plus `z`.
    sad(x: i32, y: i32, z: i32) -> i32: (x.abs_diff(y) as i32).wrapping_add(z);
    /// Returns the unsigned absolute difference plus `z`.
    usad(x: i32, y: i32, z: i32) -> i32: ((x as u32).abs_diff(y as u32) as i32).wrapping_add(z);
    /// Returns the maximum.
    max(x: i32, y: i32) -> i32: if x > y { x } else { y };
    /// Returns the minimum.
    min(x: i32, y: i32) -> i32: if x < y { x } else { y };
    /// Returns the unsigned maximum.
    umax(x: i32, y: i32) -> i32: if x as u32 > y as u32 { x } else { y };
    /// Returns the unsigned minimum.
    umin(x: i32, y: i32) -> i32: if (x as u32) < y as u32 { x } else { y };
    /// Returns the maximum.
    llmax(x: i64, y: i64) -> i64: if x > y { x } else { y };
    /// Returns the minimum.
    llmin(x: i64, y: i64) -> i64: if x < y { x } else { y };
    /// Returns the unsigned maximum.
    ullmax(x: i64, y: i64) -> i64: if x as u64 > y as u64 { x } else { y };
    /// Returns the unsigned minimum.
    ullmin(x: i64, y: i64) -> i64: if (x as u64) < y as u64 { x } else { y };

    /// Returns the high 32 bits.
    double2hiint(d: f64) -> i32: crate::misc::split_u64(d.to_bits())[1] as i32;
    /// Returns the low 32 bits.
    double2loint(d: f64) -> i32: crate::misc::split_u64(d.to_bits())[0] as i32;
    /// Returns the number with these bits, high word first.
    hiloint2double(x: i32, y: i32) -> f64: f64::from_bits((x as u32 as u64) << 32 | y as u32 as u64);
    /// Returns the bits.
    double_as_longlong(x: f64) -> i64: x.to_bits() as i64;
    /// Returns the number with these bits.
    longlong_as_double(x: i64) -> f64: f64::from_bits(x as u64);
    /// Returns the bits.
    float_as_int(x: f32) -> i32: x.to_bits() as i32;
    /// Returns the number with these bits.
    int_as_float(x: i32) -> f32: f32::from_bits(x as u32);
    #[cfg(feature = "half")]
    /// Returns the bits of the nearest [`f16`](crate::f16).
    float2half_rn(f: f32) -> i16: crate::f16::from_f32(f).to_bits() as i16;
    #[cfg(feature = "half")]
    /// Converts the bits of an [`f16`](crate::f16) to a number.
    half2float(h: i16) -> f32: crate::f16::from_bits(h as u16).to_f32();
}
