//! How costs along a pass's lines are counted.

use super::{
    NONE,
    near::FAR,
    tile::{cost, cost_with},
};
use cuda_std::float::{mul_add_round_down, recip_normal};

/// What a word's cost bits mean, and how places are compared: a place costs its squared distance so
/// far and that along the line.
pub trait Level: Copy {
    /// A cost with the square of its place.
    type Value: Copy;

    /// Whether voxels are cubes: then all squared distances in a plane are below 2^22, [`NONE`] and
    /// the square of 31 too.
    const CUBES: bool;

    /// The least cost bits of a place without a site.
    const NO_SITE: u32;

    /// Of cost bits, the squared distance so far.
    fn squared(self, cost: u32) -> u32;

    /// The squared distance of places `apart` on the line.
    fn along(self, apart: u32) -> u32;

    /// A word's cost with the square of its place, which is `place` beyond `base`; `raise` is
    /// [`RAISE`].
    fn value(self, word: u32, place: u32, base: u32, raise: u32) -> Self::Value;

    /// What [`start`](Self::start) takes of places so far apart.
    fn inverse(self, apart: u32) -> f32;

    /// From which output on the later of two places `apart` wins: the first beyond where they are
    /// even. Of places that are even the first wins where it `NEAREST` asks for that, else either.
    fn start<const NEAREST: bool>(
        self,
        values: [Self::Value; 2],
        apart: u32,
        inverse: f32,
        base: u32,
    ) -> i32;

    /// For the [filter](super::filter): the cost of place `i` of a chunk, the square of the place
    /// in it.
    fn in_chunk(self, cost: u32, i: u32) -> i32;

    /// For the filter: four times what is before the first and after the last output of a line of
    /// `len` places, from a chunk on whose first place is `first`.
    fn limits(self, first: u32, len: u32) -> [i32; 2];

    /// For the filter: less than 0 if there is an output beyond `low` and up to `high`.
    fn between(self, low: i32, high: i32) -> i32;
}

/// The bits of 2^23 as a float: with an integer below them, that many more.
pub const RAISE: u32 = 0x4b00_0000;

/// 1.5 * 2^23: from here steps are of one.
const MIDDLE: i32 = 0x4b40_0000;

/// Costs are distances along x, in voxels that are cubes.
#[derive(Clone, Copy)]
pub struct Distance;

/// Costs are squared distances, in voxels that are cubes.
#[derive(Clone, Copy)]
pub struct Squared;

macro_rules! of_cubes {
    ($level:ident $no_site:ident $squared:expr, $with_place:expr) => {
        impl Level for $level {
            type Value = f32;

            const CUBES: bool = true;

            const NO_SITE: u32 = $no_site;

            #[inline(always)]
            fn squared(self, cost: u32) -> u32 {
                $squared(cost)
            }

            #[inline(always)]
            fn along(self, apart: u32) -> u32 {
                apart.wrapping_mul(apart)
            }

            #[inline(always)]
            fn value(self, word: u32, place: u32, _base: u32, raise: u32) -> f32 {
                f32::from_bits($with_place(word, place, raise))
            }

            /// `1 / (2 apart)`, a little more, so that what is even is not less.
            #[inline(always)]
            fn inverse(self, apart: u32) -> f32 {
                f32::from_bits(recip_normal((2 * apart) as f32).to_bits() + 2)
            }

            #[inline(always)]
            fn start<const NEAREST: bool>(
                self,
                values: [f32; 2],
                _apart: u32,
                inverse: f32,
                base: u32,
            ) -> i32 {
                let mut difference = values[1] - values[0];
                if NEAREST {
                    // an integer, and the quotient may be negative: it is not to be rounded to less
                    difference += 0.5;
                }
                let middle = f32::from_bits(MIDDLE as u32 + 1 + base);
                mul_add_round_down(difference, inverse, middle).to_bits() as i32 - MIDDLE
            }

            #[inline(always)]
            fn in_chunk(self, cost: u32, i: u32) -> i32 {
                ($squared(cost) + i * i) as i32
            }

            #[inline(always)]
            fn limits(self, first: u32, len: u32) -> [i32; 2] {
                [-4 * first as i32 - 1, 4 * (len as i32 - first as i32) - 1]
            }

            #[inline(always)]
            fn between(self, low: i32, high: i32) -> i32 {
                (low | 3) - high
            }
        }
    };
}

of_cubes!(Distance FAR | cost: u32 | cost * cost, |word, place, raise| {
    let cost = cost(word);
    cost * cost + raise + place * place
});
of_cubes!(Squared NONE | cost: u32 | cost, |word, place, raise| {
    cost_with(word, raise) + place * place
});

/// Squared spacings along and across a pass's lines, in a unit of which they are multiples.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// What a squared distance so far of 1 is.
    pub unit: u32,
    /// What a squared distance of 1 along the line is.
    pub weight: u32,
    /// `2^30 / weight`, rounded up.
    pub quarter: u32,
}

/// The heaviest weight that there may be: places are filtered exactly up to it.
pub const MOST_WEIGHT: u32 = 361;

/// Outputs are counted from so many before a chunk, so that none of the filter's numbers of outputs
/// is negative.
const BEFORE: u32 = super::MOST;

/// More than anything costs for the filter, places in the chunk in it.
const TOO_FAR: i32 = 1 << 27;

impl Spacing {
    /// What a squared distance of 1 is so far, and along the line.
    pub const fn new(unit: u32, weight: u32) -> Self {
        Self {
            unit,
            weight,
            quarter: (1u32 << 30).div_ceil(weight),
        }
    }
}

/// Costs of another level, in voxels that are no cubes.
#[derive(Clone, Copy)]
pub struct Spaced<L> {
    /// What costs are, in the unit of the passes before.
    pub of: L,
    /// The spacing.
    pub spacing: Spacing,
}

/// Values are integers, and starts are exact: a quotient is estimated, a little too small if at
/// all, and put right by its remainder.
///
/// Only starts from 0 to the line's end matter. There the quotient is less than 2^10; difference,
/// inverse and product are off by no more than 2^-24, 4 · 2^-23 and 0 of it, all but the first
/// downwards, and the inverse by 2^-23 at least: so the estimate is the quotient rounded down or
/// one less. Of a negative quotient the estimate is negative. Where a quotient is 2^22 or more,
/// bits still grow with it up to 2^24, which the host holds it to.
impl<L: Level> Level for Spaced<L> {
    type Value = i32;

    const CUBES: bool = false;

    const NO_SITE: u32 = L::NO_SITE;

    #[inline(always)]
    fn squared(self, cost: u32) -> u32 {
        self.of.squared(cost).wrapping_mul(self.spacing.unit)
    }

    #[inline(always)]
    fn along(self, apart: u32) -> u32 {
        apart.wrapping_mul(apart).wrapping_mul(self.spacing.weight)
    }

    #[inline(always)]
    fn value(self, word: u32, place: u32, base: u32, _raise: u32) -> i32 {
        (self.squared(cost(word)) + self.along(base + place)) as i32
    }

    #[inline(always)]
    fn inverse(self, apart: u32) -> f32 {
        let apart = (2 * apart * self.spacing.weight) as f32;
        f32::from_bits(recip_normal(apart).to_bits() - 3)
    }

    #[inline(always)]
    fn start<const NEAREST: bool>(
        self,
        values: [i32; 2],
        apart: u32,
        inverse: f32,
        _base: u32,
    ) -> i32 {
        let difference = values[1] - values[0];
        let middle = f32::from_bits(MIDDLE as u32 + 1);
        let estimate =
            mul_add_round_down(difference as f32, inverse, middle).to_bits() as i32 - MIDDLE;
        let even = (estimate as u32).wrapping_mul(2 * apart * self.spacing.weight);
        estimate + (difference >= even as i32) as i32
    }

    #[inline(always)]
    fn in_chunk(self, cost: u32, i: u32) -> i32 {
        if cost >= L::NO_SITE {
            return TOO_FAR;
        }
        (self.squared(cost) + self.spacing.weight * (i * (i + 2 * BEFORE))) as i32
    }

    #[inline(always)]
    fn limits(self, first: u32, len: u32) -> [i32; 2] {
        let weight = 4 * self.spacing.weight;
        let before = BEFORE - first;
        [
            (weight * before) as i32 - 1,
            (weight * (before + len)) as i32 - 1,
        ]
    }

    /// By quotients rounded down: by an inverse that is too large by less than 2^-32, so right for
    /// numbers below `2^32 / (4 weight)`, among which are all of a line's. Others stay in order.
    #[inline(always)]
    fn between(self, low: i32, high: i32) -> i32 {
        let outputs =
            |quarters: i32| ((quarters as i64 * self.spacing.quarter as i64) >> 32) as i32;
        outputs(low) - outputs(high)
    }
}
