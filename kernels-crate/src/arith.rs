//! Integer division without a panicking path, so that kernels contain no code for it, and minima.

/// Returns `a / b` and `a % b` with one division, and 0 and `a` if `b` is 0.
///
/// GPUs have no instruction for either. If both operands fit in 32 bits, which is the common case,
/// a 32-bit division is used; otherwise a bit-wise one, because in every kernel, drivers take
/// longer to compile the code of a fast 64-bit division than the code around it.
#[inline(always)]
pub const fn div_rem(a: u64, b: u64) -> (u64, u64) {
    if cfg!(target_arch = "nvptx64") {
        if (a | b) >> 32 != 0 {
            return div_rem_by_bits(a, b);
        }
        let (quotient, remainder) = div_rem_u32(a as u32, b as u32);
        return (quotient as u64, remainder as u64);
    }
    div_rem_u64(a, b)
}

/// [`div_rem`] with a native 64-bit division: more code, but less set-up.
#[inline(always)]
pub const fn div_rem_native(a: u64, b: u64) -> (u64, u64) {
    if cfg!(target_arch = "nvptx64") && (a | b) >> 32 == 0 {
        let (quotient, remainder) = div_rem_u32(a as u32, b as u32);
        return (quotient as u64, remainder as u64);
    }
    div_rem_u64(a, b)
}

/// Returns the smaller number.
#[inline(always)]
pub const fn min_u32(a: u32, b: u32) -> u32 {
    if b < a { b } else { a }
}

/// Returns `a / b` and `a % b` in 32 bits, and 0 and `a` if `b` is 0.
#[inline(always)]
pub const fn div_rem_u32(a: u32, b: u32) -> (u32, u32) {
    let quotient = match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    };
    (quotient, a - quotient * b)
}

#[inline(always)]
const fn div_rem_u64(a: u64, b: u64) -> (u64, u64) {
    let quotient = match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    };
    (quotient, a - quotient * b)
}

/// [`div_rem`] by binary long division, with one iteration per bit of the quotient.
#[inline(always)]
const fn div_rem_by_bits(a: u64, b: u64) -> (u64, u64) {
    if b == 0 {
        return (0, a);
    }
    let (mut quotient, mut remainder) = (0, a);
    // difference of the bit lengths
    let shift = b.leading_zeros().saturating_sub(a.leading_zeros());
    // a shifted bit instead of a counter, so that compilers do not unroll the loop
    let (mut bit, mut shifted) = (1u64 << shift, b << shift);
    while bit != 0 {
        if shifted <= remainder {
            remainder -= shifted;
            quotient |= bit;
        }
        (bit, shifted) = (bit >> 1, shifted >> 1);
    }
    (quotient, remainder)
}

/// Returns `a / b` rounded up, and 0 if `b` is 0.
#[inline(always)]
pub const fn div_ceil(a: u64, b: u64) -> u64 {
    if b == 0 {
        return 0;
    }
    let (quotient, remainder) = div_rem(a, b);
    quotient + (remainder != 0) as u64
}

/// Returns `a / b` rounded up in 32 bits, and 0 if `b` is 0.
#[inline(always)]
pub const fn div_ceil_u32(a: u32, b: u32) -> u32 {
    match a.checked_div(b) {
        Some(quotient) => quotient + (quotient * b != a) as u32,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_and_remainders_match_native_division() {
        for (a, b) in [
            (0, 1),
            (7, 3),
            (6, 3),
            (u64::MAX, 2),
            (u64::MAX, u64::MAX),
            (1, u64::MAX),
            (1 << 63, 1 << 63),
            (u64::MAX, 1),
            (u64::MAX - 1, (1 << 63) - 1),
            (1 << 40, (1 << 33) + 7),
            (0, u64::MAX),
        ] {
            assert_eq!(div_rem(a, b), (a / b, a % b));
            assert_eq!(div_rem_by_bits(a, b), (a / b, a % b));
            assert_eq!(div_rem_native(a, b), (a / b, a % b));
            assert_eq!(div_ceil(a, b), a.div_ceil(b));
            let (a, b) = (a as u32, (b as u32).max(1));
            assert_eq!(div_ceil_u32(a, b), a.div_ceil(b));
        }
        assert_eq!(div_rem_by_bits(5, 0), (0, 5));
        assert_eq!(
            (div_rem(5, 0), div_ceil(5, 0), div_ceil_u32(5, 0)),
            ((0, 5), 0, 0)
        );
    }
}
