//! Ranges of sample values.

/// Range of sample values `low <= sample <= high`, or its complement.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest sample value in the range.
    pub low: f32,
    /// Largest sample value in the range.
    pub high: f32,
    /// Nonzero selects the complement: samples outside the range and NaN.
    pub inverted: u32,
}

impl Range {
    /// All samples other than 0, including NaN.
    pub const NOT_ZERO: Self = Self {
        low: 0.0,
        high: 0.0,
        inverted: 1,
    };

    /// Creates the range of samples greater than or equal to `level`.
    pub const fn at_least(level: f32) -> Self {
        Self {
            low: level,
            high: f32::INFINITY,
            inverted: 0,
        }
    }

    /// Creates the range of samples less than `level`.
    pub const fn below(level: f32) -> Self {
        Self {
            low: f32::NEG_INFINITY,
            high: level.next_down(),
            inverted: 0,
        }
    }

    /// Returns `true` if `value` is selected.
    #[inline(always)]
    pub(super) fn contains(self, value: f32) -> bool {
        ((self.low <= value) & (value <= self.high)) != (self.inverted != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_the_documented_values() {
        let zero = [0.0, -0.0];
        let numbers = [
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        assert!(zero.iter().all(|&value| !Range::NOT_ZERO.contains(value)));
        assert!(numbers.iter().all(|&value| Range::NOT_ZERO.contains(value)));
        for level in [0.0, 1.0, -1.0, f32::MIN, f32::MAX] {
            for value in numbers.into_iter().chain(zero).chain([level, f32::NAN]) {
                assert_eq!(Range::at_least(level).contains(value), value >= level);
                assert_eq!(Range::below(level).contains(value), value < level);
            }
        }
    }
}
