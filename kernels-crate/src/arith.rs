//! Division that has no way to panic, so that kernels hold no code for it.

/// `a / b` and `a % b` with one division; 0 and `a` where `b` is 0.
///
/// A GPU has no instruction for either. Where both numbers have 32 bits, as they mostly have, a
/// division of 32 bits is done; else one bit after the other, since the code of a quick division of
/// 64 bits takes a driver longer to compile than all else around it, in every kernel.
#[inline(always)]
pub const fn div_rem(a: u64, b: u64) -> (u64, u64) {
    if cfg!(target_arch = "nvptx64") {
        if (a | b) >> 32 != 0 {
            return div_rem_by_bits(a, b);
        }
        let (quotient, rest) = div_rem_u32(a as u32, b as u32);
        return (quotient as u64, rest as u64);
    }
    div_rem_u64(a, b)
}

/// [`div_rem`] whose long division takes more code and less preparation.
#[inline(always)]
pub const fn div_rem_at_once(a: u64, b: u64) -> (u64, u64) {
    if cfg!(target_arch = "nvptx64") && (a | b) >> 32 == 0 {
        let (quotient, rest) = div_rem_u32(a as u32, b as u32);
        return (quotient as u64, rest as u64);
    }
    div_rem_u64(a, b)
}

/// `a / b` and `a % b` in 32 bits; 0 and `a` where `b` is 0.
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

/// [`div_rem`] in as many rounds as the quotient has bits.
#[inline(always)]
const fn div_rem_by_bits(a: u64, b: u64) -> (u64, u64) {
    if b == 0 {
        return (0, a);
    }
    let (mut quotient, mut rest) = (0, a);
    // how many bits `b` is shorter than `a`
    let longer = b.leading_zeros().saturating_sub(a.leading_zeros());
    // a bit that is shifted out, not a count, so that no compiler unrolls the loop
    let (mut bit, mut part) = (1u64 << longer, b << longer);
    while bit != 0 {
        if part <= rest {
            rest -= part;
            quotient |= bit;
        }
        (bit, part) = (bit >> 1, part >> 1);
    }
    (quotient, rest)
}

/// `a / b` rounded up, and 0 where `b` is 0.
#[inline(always)]
pub const fn quotient_up(a: u64, b: u64) -> u64 {
    if b == 0 {
        return 0;
    }
    let (quotient, remainder) = div_rem(a, b);
    quotient + (remainder != 0) as u64
}

/// `a / b` rounded up in 32 bits, and 0 where `b` is 0.
#[inline(always)]
pub const fn quotient_up_u32(a: u32, b: u32) -> u32 {
    match a.checked_div(b) {
        Some(quotient) => quotient + (quotient * b != a) as u32,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_division() {
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
            assert_eq!(div_rem_at_once(a, b), (a / b, a % b));
            assert_eq!(quotient_up(a, b), a.div_ceil(b));
            let (a, b) = (a as u32, (b as u32).max(1));
            assert_eq!(quotient_up_u32(a, b), a.div_ceil(b));
        }
        assert_eq!(div_rem_by_bits(5, 0), (0, 5));
        assert_eq!(
            (div_rem(5, 0), quotient_up(5, 0), quotient_up_u32(5, 0)),
            ((0, 5), 0, 0)
        );
    }
}
