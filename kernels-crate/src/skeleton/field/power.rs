//! The power with which a force falls.

use cuda_std::{
    KernelType,
    float::{pow_normal, recip_normal, rsqrt_normal},
};

/// An exponent `m`: what a difference is multiplied by to be a force, `R^-(m + 1)`.
pub trait Power: KernelType + Copy + Send + Sync + 'static {
    /// From the squared distance; `exponent` is `m`, for those who do not know it. Within a few
    /// units in the last place. 0 for an infinite distance.
    fn weight(squared: f32, exponent: f32) -> f32;
}

/// `base^exponent`, with as few multiplications as can be for an exponent that is known when this
/// is compiled.
#[inline(always)]
fn power(base: f32, exponent: u32) -> f32 {
    let square = base * base;
    match exponent {
        1 => base,
        2 => square,
        3 => square * base,
        4 => square * square,
        5 => square * square * base,
        _ => 1.0,
    }
}

macro_rules! integer_powers {
    ($($power:ident $name:literal $exponent:literal)+) => {
        $(
            #[doc = concat!("The exponent ", $name, ".")]
            #[derive(Clone, Copy, Debug)]
            pub struct $power;

            impl KernelType for $power {
                const NAME: &'static str = stringify!($power);
            }

            impl Power for $power {
                #[inline(always)]
                fn weight(squared: f32, _exponent: f32) -> f32 {
                    if $exponent % 2 == 1 {
                        // no square root
                        power(recip_normal(squared), $exponent / 2 + 1)
                    } else {
                        let inverse = rsqrt_normal(squared);
                        power(inverse * inverse, $exponent / 2) * inverse
                    }
                }
            }
        )+
    };
}

integer_powers! {
    Power2 "2" 2
    Power3 "3" 3
    Power4 "4" 4
    Power5 "5" 5
    Power6 "6" 6
    Power7 "7" 7
    Power8 "8" 8
    Power9 "9" 9
}

/// Any whole exponent up to 14, known when the kernel runs: for kernels that are not there for each
/// of them. All threads take the same branches.
#[derive(Clone, Copy, Debug)]
pub struct WholePower;

impl KernelType for WholePower {
    const NAME: &'static str = "WholePower";
}

impl Power for WholePower {
    #[inline(always)]
    fn weight(squared: f32, exponent: f32) -> f32 {
        let m = exponent as u32;
        // R^-2 so many times, and once more R^-1 for an even m
        let times = m.div_ceil(2);
        let root = rsqrt_normal(squared);
        let inverse = root * root;
        let square = inverse * inverse;
        factor(m & 1 == 0, root)
            * factor(times & 1 != 0, inverse)
            * factor(times & 2 != 0, square)
            * factor(times & 4 != 0, square * square)
    }
}

/// A factor, or 1 without it.
#[inline(always)]
fn factor(is_there: bool, factor: f32) -> f32 {
    if is_there { factor } else { 1.0 }
}

/// Any exponent, by logarithms: two units in the last place for each of `m + 1`.
#[derive(Clone, Copy, Debug)]
pub struct AnyPower;

impl KernelType for AnyPower {
    const NAME: &'static str = "AnyPower";
}

impl Power for AnyPower {
    #[inline(always)]
    fn weight(squared: f32, exponent: f32) -> f32 {
        pow_normal(squared, -0.5 * (exponent + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<P: Power>(exponent: f64) {
        for squared in [1.0f32, 2.0, 3.0, 14.0, 1000.0, 123_456.0] {
            let expected = f64::from(squared).powf(-0.5 * (exponent + 1.0));
            let found = f64::from(P::weight(squared, exponent as f32));
            assert!(
                (found / expected - 1.0).abs() < 2e-6,
                "{exponent} {squared}"
            );
        }
        assert_eq!(P::weight(f32::INFINITY, exponent as f32), 0.0);
    }

    #[test]
    fn weights_are_powers() {
        check::<Power2>(2.0);
        check::<Power3>(3.0);
        check::<Power4>(4.0);
        check::<Power5>(5.0);
        check::<Power6>(6.0);
        check::<Power7>(7.0);
        check::<Power8>(8.0);
        check::<Power9>(9.0);
        check::<AnyPower>(2.5);
        for exponent in 2..=9 {
            check::<WholePower>(f64::from(exponent));
        }
    }
}
