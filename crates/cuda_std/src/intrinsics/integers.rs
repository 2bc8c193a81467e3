//! Operations on integers, and bits of floats as integers. What is unsigned is passed as a signed
//! integer of the same bits.

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
    /// The absolute value; that of the least number is itself.
    abs(x: i32) -> i32: x.wrapping_abs();
    /// The absolute value; that of the least number is itself.
    llabs(x: i64) -> i64: x.wrapping_abs();
    /// The bits in reversed order.
    brev(x: i32) -> i32: x.reverse_bits();
    /// The bits in reversed order.
    brevll(x: i64) -> i64: x.reverse_bits();
    /// How many zeros are above the highest one.
    clz(x: i32) -> i32: x.leading_zeros() as i32;
    /// How many zeros are above the highest one.
    clzll(x: i64) -> i32: x.leading_zeros() as i32;
    /// The place of the lowest one, from 1 on; 0 where there is none.
    ffs(x: i32) -> i32: if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    /// The place of the lowest one, from 1 on; 0 where there is none.
    ffsll(x: i64) -> i32: if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    /// How many ones there are.
    popc(x: i32) -> i32: x.count_ones() as i32;
    /// How many ones there are.
    popcll(x: i64) -> i32: x.count_ones() as i32;
    /// Four of the eight bytes of `x` and `y`, as the low three bits of each half byte of `z`
    /// choose.
    byte_perm(x: i32, y: i32, z: i32) -> i32: {
        let bytes = (y as u32 as u64) << 32 | x as u32 as u64;
        let byte = |i: u32| (bytes >> ((z as u32 >> (4 * i) & 7) * 8)) as u32 & 0xff;
        (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24) as i32
    };
    /// The low 32 bits of the product of the low 24 bits.
    mul24(x: i32, y: i32) -> i32: (x << 8 >> 8).wrapping_mul(y << 8 >> 8);
    /// The same without signs.
    umul24(x: i32, y: i32) -> i32: (x & 0xff_ffff).wrapping_mul(y & 0xff_ffff);
    /// The high 32 bits of the product.
    mulhi(x: i32, y: i32) -> i32: ((x as i64 * y as i64) >> 32) as i32;
    /// The same without signs.
    umulhi(x: i32, y: i32) -> i32: ((x as u32 as u64 * y as u32 as u64) >> 32) as i32;
    /// The high 64 bits of the product.
    mul64hi(x: i64, y: i64) -> i64: ((x as i128 * y as i128) >> 64) as i64;
    /// The same without signs.
    umul64hi(x: i64, y: i64) -> i64: ((x as u64 as u128 * y as u64 as u128) >> 64) as i64;
    /// The mean, rounded down.
    hadd(x: i32, y: i32) -> i32: ((x as i64 + y as i64) >> 1) as i32;
    /// The mean, rounded up.
    rhadd(x: i32, y: i32) -> i32: ((x as i64 + y as i64 + 1) >> 1) as i32;
    /// The mean without signs, rounded down.
    uhadd(x: i32, y: i32) -> i32: ((x as u32 as u64 + y as u32 as u64) >> 1) as i32;
    /// The mean without signs, rounded up.
    urhadd(x: i32, y: i32) -> i32: ((x as u32 as u64 + y as u32 as u64 + 1) >> 1) as i32;
    /// The absolute difference, and `z`.
    sad(x: i32, y: i32, z: i32) -> i32: (x.abs_diff(y) as i32).wrapping_add(z);
    /// The same without signs.
    usad(x: i32, y: i32, z: i32) -> i32: ((x as u32).abs_diff(y as u32) as i32).wrapping_add(z);
    /// The greater.
    max(x: i32, y: i32) -> i32: if x > y { x } else { y };
    /// The lesser.
    min(x: i32, y: i32) -> i32: if x < y { x } else { y };
    /// The greater without signs.
    umax(x: i32, y: i32) -> i32: if x as u32 > y as u32 { x } else { y };
    /// The lesser without signs.
    umin(x: i32, y: i32) -> i32: if (x as u32) < y as u32 { x } else { y };
    /// The greater.
    llmax(x: i64, y: i64) -> i64: if x > y { x } else { y };
    /// The lesser.
    llmin(x: i64, y: i64) -> i64: if x < y { x } else { y };
    /// The greater without signs.
    ullmax(x: i64, y: i64) -> i64: if x as u64 > y as u64 { x } else { y };
    /// The lesser without signs.
    ullmin(x: i64, y: i64) -> i64: if (x as u64) < y as u64 { x } else { y };

    /// The high 32 bits.
    double2hiint(d: f64) -> i32: crate::misc::split_u64(d.to_bits())[1] as i32;
    /// The low 32 bits.
    double2loint(d: f64) -> i32: crate::misc::split_u64(d.to_bits())[0] as i32;
    /// The number of these bits, the high ones first.
    hiloint2double(x: i32, y: i32) -> f64: f64::from_bits((x as u32 as u64) << 32 | y as u32 as u64);
    /// The bits.
    double_as_longlong(x: f64) -> i64: x.to_bits() as i64;
    /// The number of these bits.
    longlong_as_double(x: i64) -> f64: f64::from_bits(x as u64);
    /// The bits.
    float_as_int(x: f32) -> i32: x.to_bits() as i32;
    /// The number of these bits.
    int_as_float(x: i32) -> f32: f32::from_bits(x as u32);
    /// The bits of the nearest [`f16`](crate::f16).
    float2half_rn(f: f32) -> i16: crate::f16::from_f32(f).to_bits() as i16;
    /// The number of the bits of an [`f16`](crate::f16).
    half2float(h: i16) -> f32: crate::f16::from_bits(h as u16).to_f32();
}
