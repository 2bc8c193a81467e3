//! Filter of candidates along a chunk.
//!
//! Let `c(p)` be the cost of position `p` plus its square. With the first candidate preferred on
//! ties, `p` is preferred to the candidate at `p + k` for outputs up to `(c(p + k) - c(p)) / 2k`,
//! and to the one at `p - k` for outputs beyond `(c(p) - c(p - k)) / 2k`. A candidate that is
//! nearest at no integer output when compared with its two neighbours on each side is nearest
//! nowhere. This test drops most candidates at a cost of nine instructions each.

use super::pass_cost::PassCost;

/// Streaming filter: costs are pushed in order of position, and a candidate is tested once the next
/// two costs are known.
#[derive(Clone, Copy)]
pub struct Filter<C> {
    pass_cost: C,
    /// Most recent cost.
    cost: i32,
    /// Differences of consecutive costs, most recent first.
    differences: [i32; 3],
    /// Four times the lower limit of the outputs, exclusive.
    low: i32,
    /// Four times the upper limit of the outputs, inclusive.
    high: i32,
    /// One bit per tested position, the most recent in the lowest bit: 1 if it remains a candidate.
    pub survivors: u32,
}

/// Bound on the absolute value of all differences.
const MAX_DIFFERENCE: i32 = 1 << 28;

impl<C: PassCost> Filter<C> {
    /// Creates the filter for a chunk that starts at position `first` of a line of `len` positions.
    #[inline(always)]
    pub fn new(pass_cost: C, first: u32, len: u32) -> Self {
        let [low, high] = pass_cost.filter_limits(first, len);
        Self {
            pass_cost,
            cost: 0,
            differences: [-MAX_DIFFERENCE; 3],
            low,
            high,
            survivors: 0,
        }
    }

    /// Pushes the cost of the chunk's first position.
    #[inline(always)]
    pub fn push_first(&mut self, cost: i32) {
        self.cost = cost;
    }

    /// Pushes the cost of position `I`, and tests position `I - 2`.
    #[inline(always)]
    pub fn push<const I: u32>(&mut self, cost: i32) {
        let d = cost - self.cost;
        self.cost = cost;
        self.test(d, I >= 2);
    }

    /// Tests the last two positions of the chunk.
    #[inline(always)]
    pub fn finish(&mut self) {
        self.test(MAX_DIFFERENCE, true);
        self.test(MAX_DIFFERENCE, true);
    }

    /// If `is_tested`, tests the position between the two most recent differences, where `d` is the
    /// next one. Then records `d`.
    #[inline(always)]
    fn test(&mut self, d: i32, is_tested: bool) {
        let [d0, d1, d2] = self.differences;
        if is_tested {
            let low = larger(larger(2 * d1, d1 + d2), self.low);
            let high = smaller(smaller(2 * d0, d0 + d), self.high);
            let sign = self.pass_cost.range_sign(low, high);
            self.survivors = self.survivors << 1 | sign as u32 >> 31;
        }
        self.differences = [d, d0, d1];
    }
}

#[inline(always)]
fn smaller(a: i32, b: i32) -> i32 {
    if b < a { b } else { a }
}

#[inline(always)]
fn larger(a: i32, b: i32) -> i32 {
    if b > a { b } else { a }
}
