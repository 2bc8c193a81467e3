//! Conversions between floats and integers, and from `f64` to `f32`, by rounding mode. The code is
//! the same on both targets.

use super::rounding::{Direction, rounded};
use crate::GpuFloat;

/// Defines conversions to integers: the number is rounded to an integer first.
macro_rules! to_integers {
    ($($float:ident $to:ident as $result:ident: $rd:ident $rn:ident $ru:ident $rz:ident;)+) => {
        $(
            to_integers! { @one $float $to $result $rd floor "down" }
            to_integers! { @one $float $to $result $rn round_ties_even "to the nearest, halves to the even one" }
            to_integers! { @one $float $to $result $ru ceil "up" }
            to_integers! { @one $float $to $result $rz trunc "towards zero" }
        )+
    };
    (@one $float:ident $to:ident $result:ident $name:ident $whole:ident $how:literal) => {
        #[doc = concat!("Converts `", stringify!($float), "` to `", stringify!($to), "`, rounded ", $how, ". Saturates if the result does not fit, and returns 0 for NaN.")]
        #[inline(always)]
        #[must_use]
        pub fn $name(x: $float) -> $result {
            GpuFloat::$whole(x) as $to as $result
        }
    };
}

to_integers! {
    f32 i32 as i32: float2int_rd float2int_rn float2int_ru float2int_rz;
    f32 u32 as i32: float2uint_rd float2uint_rn float2uint_ru float2uint_rz;
    f32 i64 as i64: float2ll_rd float2ll_rn float2ll_ru float2ll_rz;
    f32 u64 as i64: float2ull_rd float2ull_rn float2ull_ru float2ull_rz;
    f64 i32 as i32: double2int_rd double2int_rn double2int_ru double2int_rz;
    f64 u32 as i32: double2uint_rd double2uint_rn double2uint_ru double2uint_rz;
    f64 i64 as i64: double2ll_rd double2ll_rn double2ll_ru double2ll_rz;
    f64 u64 as i64: double2ull_rd double2ull_rn double2ull_ru double2ull_rz;
}

/// Defines conversions from integers: the nearest float, or its neighbour if it lies on the wrong
/// side.
macro_rules! from_integers {
    ($($integer:ident from $argument:ident $float:ident: $rd:ident $rn:ident $ru:ident $rz:ident;)+) => {
        $(
            from_integers! { @one $integer $argument $float $rd Down "down" }
            #[doc = concat!("Converts `", stringify!($integer), "` to `", stringify!($float), "`, rounded to the nearest.")]
            #[inline(always)]
            #[must_use]
            pub fn $rn(x: $argument) -> $float {
                x as $integer as $float
            }
            from_integers! { @one $integer $argument $float $ru Up "up" }
            from_integers! { @one $integer $argument $float $rz TowardsZero "towards zero" }
        )+
    };
    (@one $integer:ident $argument:ident $float:ident $name:ident $direction:ident $how:literal) => {
        #[doc = concat!("`", stringify!($integer), "` to `", stringify!($float), "`, rounded ", $how, ".")]
        #[inline]
        #[must_use]
        pub fn $name(x: $argument) -> $float {
            let nearest = x as $integer as $float;
            rounded!($float, nearest, (x as $integer as i128).cmp(&(nearest as i128)), Direction::$direction)
        }
    };
}

from_integers! {
    i32 from i32 f32: int2float_rd int2float_rn int2float_ru int2float_rz;
    u32 from i32 f32: uint2float_rd uint2float_rn uint2float_ru uint2float_rz;
    i64 from i64 f32: ll2float_rd ll2float_rn ll2float_ru ll2float_rz;
    u64 from i64 f32: ull2float_rd ull2float_rn ull2float_ru ull2float_rz;
    i64 from i64 f64: ll2double_rd ll2double_rn ll2double_ru ll2double_rz;
    u64 from i64 f64: ull2double_rd ull2double_rn ull2double_ru ull2double_rz;
}

/// Converts `i32` to `f64`, exactly.
#[inline(always)]
#[must_use]
pub fn int2double_rn(i: i32) -> f64 {
    f64::from(i)
}

/// Converts `u32` to `f64`, exactly.
#[inline(always)]
#[must_use]
pub fn uint2double_rn(i: i32) -> f64 {
    f64::from(i as u32)
}

/// Converts `f64` to `f32`, rounded to the nearest.
#[inline(always)]
#[must_use]
pub fn double2float_rn(d: f64) -> f32 {
    d as f32
}

macro_rules! to_single {
    ($($name:ident $direction:ident $how:literal;)+) => {
        $(
            #[doc = concat!("`f64` to `f32`, rounded ", $how, ".")]
            #[inline]
            #[must_use]
            pub fn $name(d: f64) -> f32 {
                let nearest = d as f32;
                rounded!(f32, nearest, super::rounding::order(d, f64::from(nearest)), Direction::$direction)
            }
        )+
    };
}

to_single! {
    double2float_rd Down "down";
    double2float_ru Up "up";
    double2float_rz TowardsZero "towards zero";
}
