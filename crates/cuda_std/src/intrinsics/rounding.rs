//! Arithmetic with directed rounding, one instruction on the device. The CPU computes the nearest
//! result and moves to its neighbour if the sign of the rounding error requires it.

use core::cmp::Ordering;

/// Rounding direction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
    TowardsZero,
}

/// Compares two numbers; NaN compares as equal.
#[inline(always)]
pub(super) fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Evaluates to the result rounded in a direction, from the nearest result and the comparison of
/// the exact result with it.
macro_rules! rounded {
    ($float:ident, $nearest:expr, $exact:expr, $direction:expr) => {{
        let (nearest, exact): ($float, core::cmp::Ordering) = ($nearest, $exact);
        let down = match $direction {
            Direction::Down => true,
            Direction::Up => false,
            Direction::TowardsZero => nearest.is_sign_positive(),
        };
        match exact {
            core::cmp::Ordering::Less if down => nearest.next_down(),
            core::cmp::Ordering::Greater if !down => nearest.next_up(),
            _ => nearest,
        }
    }};
}
pub(super) use rounded;

/// Comparison of exact results with the nearest representable ones.
#[cfg(not(target_arch = "nvptx64"))]
mod exact {
    use super::{Ordering, order};
    use crate::GpuFloat;

    /// Compares a sum (Knuth's two-sum).
    pub fn sum(a: f64, b: f64, nearest: f64) -> Ordering {
        if nearest.is_infinite() {
            return overflow(a.is_finite() && b.is_finite(), nearest);
        }
        let part = nearest - a;
        order((a - (nearest - part)) + (b - part), 0.0)
    }

    /// Compares a product. Small operands are scaled by a power of two, so that the rounding error
    /// is representable.
    pub fn product(a: f64, b: f64, nearest: f64) -> Ordering {
        if nearest.is_infinite() {
            return overflow(a.is_finite() && b.is_finite(), nearest);
        }
        if nearest == 0.0 && a != 0.0 && b != 0.0 {
            return order(a.signum() * b.signum(), 0.0);
        }
        let (a, b, nearest) = if nearest.abs() > 1e-250 {
            (a, b, nearest)
        } else {
            let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
            (small * SCALE, large, nearest * SCALE)
        };
        order(GpuFloat::mul_add(a, b, -nearest), 0.0)
    }

    /// Compares a quotient.
    pub fn quotient(a: f64, b: f64, nearest: f64) -> Ordering {
        if nearest.is_infinite() {
            return overflow(a.is_finite() && b != 0.0, nearest);
        }
        if b.is_infinite() {
            return Ordering::Equal;
        }
        let (a, nearest) = if a.abs() > 1e-250 {
            (a, nearest)
        } else {
            (a * SCALE, nearest * SCALE)
        };
        let residual = GpuFloat::mul_add(-nearest, b, a);
        order(residual * b.signum(), 0.0)
    }

    /// Compares a square root.
    pub fn root(x: f64, nearest: f64) -> Ordering {
        if nearest.is_infinite() {
            return Ordering::Equal;
        }
        let (x, nearest) = if x > 1e-250 {
            (x, nearest)
        } else {
            (x * SCALE, nearest * ROOT_OF_SCALE)
        };
        order(GpuFloat::mul_add(-nearest, nearest, x), 0.0)
    }

    /// Compares a fused multiply-add (Boldo and Muller 2011).
    pub fn product_and_sum(a: f64, b: f64, c: f64, nearest: f64) -> Ordering {
        if nearest.is_infinite() {
            return overflow(a.is_finite() && b.is_finite() && c.is_finite(), nearest);
        }
        let product = a * b;
        if !product.is_finite() || product == 0.0 {
            let sign = if a == 0.0 || b == 0.0 {
                0.0
            } else {
                a.signum() * b.signum()
            };
            return order(sign, 0.0);
        }
        let lost = GpuFloat::mul_add(a, b, -product);
        let two_sum = |a: f64, b: f64| {
            let sum = a + b;
            let part = sum - a;
            (sum, (a - (sum - part)) + (b - part))
        };
        let (low, least) = two_sum(c, lost);
        let (high, middle) = two_sum(product, low);
        order((high - nearest) + middle + least, 0.0)
    }

    /// Compares an overflowed result: the exact result of finite operands is less than infinity.
    fn overflow(of_numbers: bool, nearest: f64) -> Ordering {
        if of_numbers {
            order(0.0, nearest)
        } else {
            Ordering::Equal
        }
    }

    const SCALE: f64 = f64::from_bits((1023 + 400) << 52);
    const ROOT_OF_SCALE: f64 = f64::from_bits((1023 + 200) << 52);
}

/// Defines an operation in four rounding modes; `$rn` rounds to the nearest.
macro_rules! directed {
    ($($(#[$doc:meta])* $float:ident $register:ident $ptx:literal ($($argument:ident),+): $rn:ident = $nearest:expr; $rd:ident $ru:ident $rz:ident by $exact:expr;)+) => {
        $(
            $(#[$doc])*
            /// Rounded to the nearest.
            #[inline(always)]
            #[must_use]
            pub fn $rn($($argument: $float),+) -> $float {
                $nearest
            }
            directed! { @one $(#[$doc])* $float $register $ptx "rm" "down" ($($argument),+) $nearest; $rd Down $exact }
            directed! { @one $(#[$doc])* $float $register $ptx "rp" "up" ($($argument),+) $nearest; $ru Up $exact }
            directed! { @one $(#[$doc])* $float $register $ptx "rz" "towards zero" ($($argument),+) $nearest; $rz TowardsZero $exact }
        )+
    };
    (@one $(#[$doc:meta])* $float:ident $register:ident $ptx:literal $mode:literal $how:literal ($($argument:ident),+) $nearest:expr; $name:ident $direction:ident $exact:expr) => {
        $(#[$doc])*
        #[doc = concat!("Rounded ", $how, ".")]
        #[inline]
        #[must_use]
        pub fn $name($($argument: $float),+) -> $float {
            #[cfg(target_arch = "nvptx64")]
            {
                let result: $float;
                // SAFETY: the instruction computes a number from numbers.
                unsafe {
                    core::arch::asm!(
                        concat!($ptx, ".", $mode, ".", stringify!($float), " {result}" $(, ", {", stringify!($argument), "}")+, ";"),
                        result = out($register) result,
                        $($argument = in($register) $argument,)+
                        options(pure, nomem, nostack)
                    );
                }
                result
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let nearest: $float = $nearest;
                let exact: fn($(directed!(@float $argument $float),)+ $float) -> Ordering = $exact;
                rounded!($float, nearest, exact($($argument,)+ nearest), Direction::$direction)
            }
        }
    };
    (@float $argument:ident $float:ident) => { $float };
}

directed! {
    /// Returns the sum.
    f32 reg32 "add" (x, y): fadd_rn = x + y; fadd_rd fadd_ru fadd_rz by |a, b, r| single_sum(a, b, r);
    /// Returns the product.
    f32 reg32 "mul" (x, y): fmul_rn = x * y; fmul_rd fmul_ru fmul_rz by |a, b, r| order(f64::from(a) * f64::from(b), r.into());
    /// Returns the quotient.
    f32 reg32 "div" (x, y): fdiv_rn = x / y; fdiv_rd fdiv_ru fdiv_rz by |a, b, r| exact::quotient(a.into(), b.into(), r.into());
    /// Returns the reciprocal.
    f32 reg32 "rcp" (x): frcp_rn = 1.0 / x; frcp_rd frcp_ru frcp_rz by |x, r| exact::quotient(1.0, x.into(), r.into());
    /// Returns the square root.
    f32 reg32 "sqrt" (x): fsqrt_rn = crate::GpuFloat::sqrt(x); fsqrt_rd fsqrt_ru fsqrt_rz by |x, r| exact::root(x.into(), r.into());
    /// Returns the fused multiply-add.
    f32 reg32 "fma" (x, y, z): fmaf_rn = crate::GpuFloat::mul_add(x, y, z); fmaf_rd fmaf_ru fmaf_rz by |a, b, c, r| exact::product_and_sum(a.into(), b.into(), c.into(), r.into());
    /// Returns the sum.
    f64 reg64 "add" (x, y): dadd_rn = x + y; dadd_rd dadd_ru dadd_rz by exact::sum;
    /// Returns the product.
    f64 reg64 "mul" (x, y): dmul_rn = x * y; dmul_rd dmul_ru dmul_rz by exact::product;
    /// Returns the quotient.
    f64 reg64 "div" (x, y): ddiv_rn = x / y; ddiv_rd ddiv_ru ddiv_rz by exact::quotient;
    /// Returns the reciprocal.
    f64 reg64 "rcp" (x): drcp_rn = 1.0 / x; drcp_rd drcp_ru drcp_rz by |x, r| exact::quotient(1.0, x, r);
    /// Returns the square root.
    f64 reg64 "sqrt" (x): dsqrt_rn = crate::GpuFloat::sqrt(x); dsqrt_rd dsqrt_ru dsqrt_rz by exact::root;
    /// Returns the fused multiply-add.
    f64 reg64 "fma" (x, y, z): fma_rn = crate::GpuFloat::mul_add(x, y, z); fma_rd fma_ru fma_rz by exact::product_and_sum;
}

/// Compares an `f32` sum; see [`exact::sum`].
#[cfg(not(target_arch = "nvptx64"))]
fn single_sum(a: f32, b: f32, nearest: f32) -> Ordering {
    if nearest.is_infinite() && a.is_finite() && b.is_finite() {
        return order(0.0, nearest.into());
    }
    // the sum in f64, and its rounding error
    let (a, b) = (f64::from(a), f64::from(b));
    let sum = a + b;
    let lost = exact::sum(a, b, sum);
    order(sum, nearest.into()).then(lost)
}

macro_rules! differences {
    ($($name:ident $sum:ident;)+) => {
        $(
            #[doc = concat!("[`", stringify!($sum), "`] of `x` and `-y`.")]
            #[inline(always)]
            #[must_use]
            pub fn $name(x: f32, y: f32) -> f32 {
                $sum(x, -y)
            }
        )+
    };
}

differences! {
    fsub_rd fadd_rd;
    fsub_rn fadd_rn;
    fsub_ru fadd_ru;
    fsub_rz fadd_rz;
}

/// Returns the reciprocal square root via `f64`: rounded to the nearest, except in about one of 10⁸
/// cases close to a tie.
#[inline]
#[must_use]
pub fn frsqrt_rn(x: f32) -> f32 {
    (1.0 / crate::GpuFloat::sqrt(f64::from(x))) as f32
}
