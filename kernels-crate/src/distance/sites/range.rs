//! Ranges of samples.

/// Which samples a bit is 1 for: `low <= sample <= high`, or the others.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least sample in the range.
    pub low: f32,
    /// The greatest.
    pub high: f32,
    /// Not 0 for the samples out of the range, and those that are not numbers.
    pub others: u32,
}

impl Range {
    /// Samples that are not 0.
    pub const NOT_ZERO: Self = Self {
        low: 0.0,
        high: 0.0,
        others: 1,
    };

    /// Samples of `level` or more.
    pub const fn at_least(level: f32) -> Self {
        Self {
            low: level,
            high: f32::INFINITY,
            others: 0,
        }
    }

    /// Samples of less than `level`.
    pub const fn below(level: f32) -> Self {
        Self {
            low: f32::NEG_INFINITY,
            high: level.next_down(),
            others: 0,
        }
    }

    /// Whether a bit is 1 for `value`.
    #[inline(always)]
    pub(super) fn has(self, value: f32) -> bool {
        ((self.low <= value) & (value <= self.high)) != (self.others != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_what_they_say() {
        let zero = [0.0, -0.0];
        let numbers = [
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        assert!(zero.iter().all(|&value| !Range::NOT_ZERO.has(value)));
        assert!(numbers.iter().all(|&value| Range::NOT_ZERO.has(value)));
        for level in [0.0, 1.0, -1.0, f32::MIN, f32::MAX] {
            for value in numbers.into_iter().chain(zero).chain([level, f32::NAN]) {
                assert_eq!(Range::at_least(level).has(value), value >= level);
                assert_eq!(Range::below(level).has(value), value < level);
            }
        }
    }
}
