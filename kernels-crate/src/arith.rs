//! Division that has no way to panic, so that kernels hold no code for it.

/// `a / b`, and 0 where `b` is 0.
#[inline(always)]
pub const fn quotient(a: u64, b: u64) -> u64 {
    match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    }
}

/// `a % b`, and 0 where `b` is 0.
#[inline(always)]
pub const fn remainder(a: u64, b: u64) -> u64 {
    match a.checked_rem(b) {
        Some(remainder) => remainder,
        None => 0,
    }
}

/// `a / b` rounded up, and 0 where `b` is 0.
#[inline(always)]
pub const fn quotient_up(a: u64, b: u64) -> u64 {
    quotient(a, b) + (remainder(a, b) != 0) as u64
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
        ] {
            assert_eq!((quotient(a, b), remainder(a, b)), (a / b, a % b));
            assert_eq!(quotient_up(a, b), a.div_ceil(b));
        }
        assert_eq!(
            (quotient(5, 0), remainder(5, 0), quotient_up(5, 0)),
            (0, 0, 0)
        );
    }
}
