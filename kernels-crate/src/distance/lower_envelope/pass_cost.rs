//! Costs of candidates along the scanlines of a pass.

use super::{
    NO_SITE_COST,
    row_scan::NO_SITE_GAP,
    tile::{cost, cost_with_high_bits},
};
use cuda_std::float::{mul_add_round_down, recip_normal};

/// Interprets the cost bits of a word and compares candidates. The cost of a candidate at an output
/// is its squared distance from the previous passes plus the squared distance along the line.
pub trait PassCost: Copy {
    /// Cost plus the squared position ("lifted" cost): linear in the output after subtracting what
    /// is common to all candidates.
    type Value: Copy;

    /// `true` for isotropic voxels: all squared distances in a plane are then below 2^22, including
    /// [`NO_SITE_COST`] plus the square of 31.
    const ISOTROPIC: bool;

    /// Smallest cost bits of a position without a site.
    const MIN_NO_SITE: u32;

    /// Returns the squared distance of the previous passes from the cost bits.
    fn squared(self, cost: u32) -> u32;

    /// Returns the squared distance between positions `separation` apart on the line.
    fn line_squared(self, separation: u32) -> u32;

    /// Returns the lifted cost of a word, whose position is `position` relative to `base`;
    /// `float_bias` is [`FLOAT_BIAS`].
    fn lifted_cost(self, word: u32, position: u32, base: u32, float_bias: u32) -> Self::Value;

    /// Returns the reciprocal that [`takeover`](Self::takeover) needs for positions `separation`
    /// apart.
    fn reciprocal(self, separation: u32) -> f32;

    /// Returns the output at which the later of two candidates takes over: the first output beyond
    /// the point where both have the same cost. At a tie the first candidate stays nearest, except
    /// that without `NEAREST_SITE` the later one may take over at outputs before `base`.
    fn takeover<const NEAREST_SITE: bool>(
        self,
        values: [Self::Value; 2],
        separation: u32,
        reciprocal: f32,
        base: u32,
    ) -> i32;

    /// Returns the filter cost of position `i` of a chunk, including the squared position. See
    /// [`filter`](super::filter).
    fn filter_cost(self, cost: u32, i: u32) -> i32;

    /// Returns the filter limits: four times the outputs before the first and at the end of a line
    /// of `len` positions, relative to a chunk that starts at position `first`.
    fn filter_limits(self, first: u32, len: u32) -> [i32; 2];

    /// Returns a negative number if there is an output beyond `low` and up to `high`, both scaled
    /// for the filter.
    fn range_sign(self, low: i32, high: i32) -> i32;
}

/// Bit pattern of 2^23 as f32; adding an integer below 2^23 to the pattern adds that integer to the
/// value.
pub const FLOAT_BIAS: u32 = 0x4b00_0000;

/// Bit pattern of 1.5 * 2^23, from which on floats have a step of one.
const INTEGER_BASE: i32 = 0x4b40_0000;

/// Costs of the first pass: distances along x, isotropic voxels.
#[derive(Clone, Copy)]
pub struct RowDistance;

/// Costs of the second pass: squared distances in the plane, isotropic voxels.
#[derive(Clone, Copy)]
pub struct SquaredDistance;

macro_rules! isotropic_pass_cost {
    ($pass_cost:ident $no_site:ident $squared:expr, $lift:expr) => {
        impl PassCost for $pass_cost {
            type Value = f32;

            const ISOTROPIC: bool = true;

            const MIN_NO_SITE: u32 = $no_site;

            #[inline(always)]
            fn squared(self, cost: u32) -> u32 {
                $squared(cost)
            }

            #[inline(always)]
            fn line_squared(self, separation: u32) -> u32 {
                separation.wrapping_mul(separation)
            }

            #[inline(always)]
            fn lifted_cost(self, word: u32, position: u32, _base: u32, float_bias: u32) -> f32 {
                f32::from_bits($lift(word, position, float_bias))
            }

            /// Returns `1 / (2 separation)`, rounded up, so that ties are never rounded down.
            #[inline(always)]
            fn reciprocal(self, separation: u32) -> f32 {
                f32::from_bits(recip_normal((2 * separation) as f32).to_bits() + 2)
            }

            #[inline(always)]
            fn takeover<const NEAREST_SITE: bool>(
                self,
                values: [f32; 2],
                _separation: u32,
                reciprocal: f32,
                base: u32,
            ) -> i32 {
                let mut difference = values[1] - values[0];
                if NEAREST_SITE {
                    // The difference is an integer. If it is negative, the enlarged reciprocal
                    // would round a tie to a smaller output; adding one half avoids that.
                    difference += 0.5;
                }
                let integer_base = f32::from_bits(INTEGER_BASE as u32 + 1 + base);
                mul_add_round_down(difference, reciprocal, integer_base).to_bits() as i32
                    - INTEGER_BASE
            }

            #[inline(always)]
            fn filter_cost(self, cost: u32, i: u32) -> i32 {
                ($squared(cost) + i * i) as i32
            }

            #[inline(always)]
            fn filter_limits(self, first: u32, len: u32) -> [i32; 2] {
                [-4 * first as i32 - 1, 4 * (len as i32 - first as i32) - 1]
            }

            #[inline(always)]
            fn range_sign(self, low: i32, high: i32) -> i32 {
                (low | 3) - high
            }
        }
    };
}

isotropic_pass_cost!(RowDistance NO_SITE_GAP | cost: u32 | cost * cost, |word, position, float_bias| {
    let cost = cost(word);
    cost * cost + float_bias + position * position
});
isotropic_pass_cost!(SquaredDistance NO_SITE_COST | cost: u32 | cost, |word, position, float_bias| {
    cost_with_high_bits(word, float_bias) + position * position
});

/// Squared spacings of a pass, as integer multiples of a common unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassWeights {
    /// Squared length represented by a squared distance of 1 from the previous passes.
    pub prior: u32,
    /// Squared length represented by a squared distance of 1 along the line.
    pub line: u32,
    /// `2^30 / line`, rounded up.
    pub line_reciprocal: u32,
}

/// Largest supported weight; the filter is exact up to it.
pub const MAX_PASS_WEIGHT: u32 = 361;

/// Offset of the filter's outputs relative to a chunk, so that none of them is negative.
const OUTPUT_OFFSET: u32 = super::MAX_SIDE;

/// Filter cost of positions without a site: exceeds all others, including the squared position.
const NO_SITE_FILTER_COST: i32 = 1 << 27;

impl PassWeights {
    /// Creates weights from the squared lengths represented by a squared distance of 1 from the
    /// previous passes and along the line.
    pub const fn new(prior: u32, line: u32) -> Self {
        Self {
            prior,
            line,
            line_reciprocal: (1u32 << 30).div_ceil(line),
        }
    }
}

/// Costs for anisotropic voxels.
#[derive(Clone, Copy)]
pub struct Anisotropic<C> {
    /// Interpretation of the cost bits, in the unit of the previous passes.
    pub inner: C,
    /// Weights of the pass.
    pub weights: PassWeights,
}

/// Lifted costs are integers, and takeover outputs are exact: each is estimated from a quotient
/// that is never rounded up, and corrected by the remainder.
///
/// Only takeover outputs from 0 to the end of the line matter. There the quotient is less than
/// 2^10; the relative errors of difference, reciprocal and product are at most 2^-24, 4 · 2^-23 and
/// 0, all but the first downwards, and that of the reciprocal is at least 2^-23: the estimate is
/// therefore the takeover output, or one less. For negative quotients the estimate is not positive.
/// For quotients of 2^22 and more, the bits still grow with the quotient up to 2^24, a limit that
/// the host enforces.
impl<C: PassCost> PassCost for Anisotropic<C> {
    type Value = i32;

    const ISOTROPIC: bool = false;

    const MIN_NO_SITE: u32 = C::MIN_NO_SITE;

    #[inline(always)]
    fn squared(self, cost: u32) -> u32 {
        self.inner.squared(cost).wrapping_mul(self.weights.prior)
    }

    #[inline(always)]
    fn line_squared(self, separation: u32) -> u32 {
        separation
            .wrapping_mul(separation)
            .wrapping_mul(self.weights.line)
    }

    #[inline(always)]
    fn lifted_cost(self, word: u32, position: u32, base: u32, _float_bias: u32) -> i32 {
        (self.squared(cost(word)) + self.line_squared(base + position)) as i32
    }

    #[inline(always)]
    fn reciprocal(self, separation: u32) -> f32 {
        let separation = (2 * separation * self.weights.line) as f32;
        f32::from_bits(recip_normal(separation).to_bits() - 3)
    }

    #[inline(always)]
    fn takeover<const NEAREST_SITE: bool>(
        self,
        values: [i32; 2],
        separation: u32,
        reciprocal: f32,
        _base: u32,
    ) -> i32 {
        let difference = values[1] - values[0];
        let integer_base = f32::from_bits(INTEGER_BASE as u32 + 1);
        let estimate = mul_add_round_down(difference as f32, reciprocal, integer_base).to_bits()
            as i32
            - INTEGER_BASE;
        let tie_difference = (estimate as u32).wrapping_mul(2 * separation * self.weights.line);
        estimate + (difference >= tie_difference as i32) as i32
    }

    #[inline(always)]
    fn filter_cost(self, cost: u32, i: u32) -> i32 {
        if cost >= C::MIN_NO_SITE {
            return NO_SITE_FILTER_COST;
        }
        (self.squared(cost) + self.weights.line * (i * (i + 2 * OUTPUT_OFFSET))) as i32
    }

    #[inline(always)]
    fn filter_limits(self, first: u32, len: u32) -> [i32; 2] {
        let line = 4 * self.weights.line;
        let output_offset = OUTPUT_OFFSET - first;
        [
            (line * output_offset) as i32 - 1,
            (line * (output_offset + len)) as i32 - 1,
        ]
    }

    /// Compares quotients rounded down. The reciprocal is too large by less than 2^-32, which is
    /// exact for numbers below `2^32 / (4 line)`; these include all numbers of a line. Larger
    /// numbers keep their order.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn range_sign(self, low: i32, high: i32) -> i32 {
        let outputs =
            |quarters: i32| ((quarters as i64 * self.weights.line_reciprocal as i64) >> 32) as i32;
        outputs(low) - outputs(high)
    }
}
