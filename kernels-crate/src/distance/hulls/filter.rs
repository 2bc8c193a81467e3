//! Which places can win at all.
//!
//! With the cost `c(p)`, the square of the place in it, place `p` is better than the place `k`
//! after it at outputs below `(c(p + k) - c(p)) / 2k`, and than the one before from such a quotient
//! on. Places that win at no whole output against two neighbours on each side win nowhere: most are
//! dropped here, with nine instructions each.

use super::level::Level;

/// Costs come place by place; a place is judged once the next two are known.
#[derive(Clone, Copy)]
pub struct Filter<L> {
    level: L,
    cost: i32,
    /// Differences of neighbours: the last, the one before, and so on.
    d: [i32; 3],
    /// Outputs begin after this, in quarters.
    low: i32,
    /// And end with this.
    high: i32,
    /// A bit for each place judged, the last lowest.
    pub wins: u32,
}

/// More than any difference.
const MOST: i32 = 1 << 28;

impl<L: Level> Filter<L> {
    /// For a chunk whose first place is `first`, of a line of `len`.
    #[inline(always)]
    pub fn new(level: L, first: u32, len: u32) -> Self {
        let [low, high] = level.limits(first, len);
        Self {
            level,
            cost: 0,
            d: [-MOST; 3],
            low,
            high,
            wins: 0,
        }
    }

    /// The cost of the chunk's first place.
    #[inline(always)]
    pub fn begin(&mut self, cost: i32) {
        self.cost = cost;
    }

    /// The cost of place `I`; judges place `I - 2`.
    #[inline(always)]
    pub fn next<const I: u32>(&mut self, cost: i32) {
        let d = cost - self.cost;
        self.cost = cost;
        self.judge(d, I >= 2);
    }

    /// Judges the chunk's last two places.
    #[inline(always)]
    pub fn end(&mut self) {
        self.judge(MOST, true);
        self.judge(MOST, true);
    }

    /// The place between `d[2]`, `d[1]`, and `d[0]`, `d`.
    #[inline(always)]
    fn judge(&mut self, d: i32, judged: bool) {
        let [d0, d1, d2] = self.d;
        if judged {
            let low = larger(larger(2 * d1, d1 + d2), self.low);
            let high = smaller(smaller(2 * d0, d0 + d), self.high);
            let wins = self.level.between(low, high);
            self.wins = self.wins << 1 | wins as u32 >> 31;
        }
        self.d = [d, d0, d1];
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
