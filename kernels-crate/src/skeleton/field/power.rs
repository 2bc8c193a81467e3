//! Distance laws of the force: powers of the distance.

use cuda_std::{
    KernelType,
    float::{pow_normal, recip_normal, rsqrt_normal},
};

/// Exponent `m` of the force law; the weight of a difference vector is `R^-(m + 1)`.
pub trait Power: KernelType + Copy + Send + Sync + 'static {
    /// Returns `R^-(m + 1)` from `R²`, accurate to a few units in the last place; 0 for an infinite
    /// distance. `exponent` is `m`, for implementations that need it at run time.
    fn weight(squared: f32, exponent: f32) -> f32;
}

/// Returns `base^exponent` with a minimal number of multiplications; meant for exponents known at
/// compile time.
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
                        // no square root needed
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

/// Any integer exponent up to 14, passed at run time. Used by kernels that are not compiled per
/// exponent; all threads take the same branches.
#[derive(Clone, Copy, Debug)]
pub struct IntegerPower;

impl KernelType for IntegerPower {
    const NAME: &'static str = "IntegerPower";
}

impl Power for IntegerPower {
    #[inline(always)]
    fn weight(squared: f32, exponent: f32) -> f32 {
        let m = exponent as u32;
        // R^-2 to the power `count`, and another R^-1 for an even m
        let count = m.div_ceil(2);
        let root = rsqrt_normal(squared);
        let inverse = root * root;
        let square = inverse * inverse;
        factor_if(m & 1 == 0, root)
            * factor_if(count & 1 != 0, inverse)
            * factor_if(count & 2 != 0, square)
            * factor_if(count & 4 != 0, square * square)
    }
}

/// Returns `factor` if `condition` holds, otherwise 1.
#[inline(always)]
fn factor_if(condition: bool, factor: f32) -> f32 {
    if condition { factor } else { 1.0 }
}

/// Any real exponent, by logarithms; the error is about two units in the last place per unit of `m
/// + 1`.
#[derive(Clone, Copy, Debug)]
pub struct RealPower;

impl KernelType for RealPower {
    const NAME: &'static str = "RealPower";
}

impl Power for RealPower {
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
            let actual = f64::from(P::weight(squared, exponent as f32));
            assert!(
                (actual / expected - 1.0).abs() < 2e-6,
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
        check::<RealPower>(2.5);
        for exponent in 2..=9 {
            check::<IntegerPower>(f64::from(exponent));
        }
    }
}
