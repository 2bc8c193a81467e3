//! Costs (squared distances) and their comparison along a scanline: integers in this module,
//! floating point in [`float`](super::float).

use cuda_std::{
    KernelType,
    misc::{opaque, opaque_u64},
};

/// Scanline along which costs are minimised: the cost of a candidate plus `weight · (position -
/// output)²`.
///
/// Expanded, that is `cost + weight·position² - 2·weight·position·output` plus a term that is
/// common to all candidates: linear in `output`, with a constant that is stored and a slope that
/// follows from the position. Positions are relative to `centre`, to keep the numbers small.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis<C> {
    /// Squared spacing.
    pub weight: C,
    /// Position of the middle of the scanline.
    pub centre: C,
    /// Value added to the stored constants, so that none is negative.
    pub bias: C,
    /// Cost of a position without a site; exceeds every other cost.
    pub no_site: C,
}

/// Equidistant outputs of a scanline for which candidates are compared simultaneously.
#[derive(Clone, Copy)]
pub struct OutputSet<C> {
    /// Position of the first output.
    pub output: u32,
    /// Distance between consecutive outputs.
    pub spacing: u32,
    /// Slope of the linear cost at the first output.
    slope: C,
    /// Change of the slope from one output to the next.
    step: C,
}

impl<C: Cost> OutputSet<C> {
    /// Creates a set of outputs `spacing` apart, starting at `output`.
    #[inline(always)]
    pub fn new(axis: &Axis<C>, output: u32, spacing: u32) -> Self {
        Self {
            output,
            spacing,
            slope: C::slope(axis, output),
            step: C::step(axis, spacing),
        }
    }

    /// Returns a set with the same spacing that starts at `output`.
    #[inline(always)]
    pub fn starting_at(self, axis: &Axis<C>, output: u32) -> Self {
        Self {
            output,
            slope: C::slope(axis, output),
            ..self
        }
    }
}

/// Squared distance: a 32- or 64-bit integer if the spacings allow it, otherwise floating point.
///
/// Integers are stored shifted by [`POSITION_BITS`]; the low bits hold the position of the
/// candidate within a chunk of the scanline, so that one minimum finds both.
pub trait Cost: KernelType + Copy + PartialOrd + Send + Sync + 'static {
    /// Minimum cost together with the position of its candidate.
    type Best: Copy;

    /// `true` for integer costs.
    const IS_INTEGER: bool;

    /// Upper bound of all values.
    const MAX: Self;

    /// Initial value without a candidate.
    const NO_BEST: Self::Best;

    /// Converts a number of voxels.
    fn from_count(number: u32) -> Self;

    /// Returns `weight · distance²` for a distance in voxels.
    fn squared(weight: Self, distance: u32) -> Self;

    /// Returns the stored form of the costs at `position` and the next three positions, the first
    /// of which has index `in_chunk` within its chunk.
    fn encode(axis: &Axis<Self>, costs: [Self; 4], position: u32, in_chunk: u32) -> [Self; 4];

    /// Returns the change of the compared value from one position to the next, for an output.
    fn slope(axis: &Axis<Self>, output: u32) -> Self;

    /// Returns the difference between the slopes of two outputs `spacing` apart.
    fn step(axis: &Axis<Self>, spacing: u32) -> Self;

    /// Returns the values by which the candidates at `position` and at the next position are
    /// compared, for each output of a set, from their encoded costs.
    fn compared<const F: usize>(
        axis: &Axis<Self>,
        outputs: &OutputSet<Self>,
        encoded: [Self; 2],
        position: u32,
    ) -> [[Self; F]; 2];

    /// Returns the smaller of two costs.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// Returns the best of the current best candidate and the candidates at `position` and at the
    /// next position, with compared values `current` and `next`; the first on ties.
    fn update_best(best: Self::Best, current: Self, next: Self, position: u32) -> Self::Best;

    /// Returns the position of the best candidate, in the chunk that begins at `start`.
    fn best_position(best: Self::Best, start: u32) -> u32;

    /// Returns a compared value with its position bits cleared.
    fn without_position(self) -> Self;

    /// Returns the cost represented by a compared value at an output.
    fn decode(compared: Self, axis: &Axis<Self>, output: u32) -> Self;

    /// Returns the square root times `unit`, rounded once.
    fn root(self, unit: f64) -> f32;

    /// Returns the square root, rounded once, of an integer below 2^24; unspecified for other
    /// values.
    fn small_root(self) -> f32;
}

/// Number of low bits of a stored cost that hold a position.
pub const POSITION_BITS: u32 = 7;

/// Mask of the position bits.
const POSITION_MASK: u32 = (1 << POSITION_BITS) - 1;

macro_rules! integers {
    ($($ty:ident $opaque_fn:ident)+) => {
        $(
            impl Cost for $ty {
                type Best = Self;

                const IS_INTEGER: bool = true;

                const MAX: Self = $ty::MAX;

                const NO_BEST: Self = $ty::MAX;

                #[inline(always)]
                fn from_count(number: u32) -> Self {
                    number as $ty
                }

                #[inline(always)]
                fn squared(weight: Self, distance: u32) -> Self {
                    (distance as $ty).wrapping_mul(distance as $ty).wrapping_mul(weight)
                }

                #[inline(always)]
                fn encode(
                    axis: &Axis<Self>,
                    costs: [Self; 4],
                    position: u32,
                    in_chunk: u32,
                ) -> [Self; 4] {
                    let first = (opaque(position) as $ty).wrapping_sub(axis.centre);
                    let mut encoded = costs;
                    let mut k = 0;
                    while k < 4 {
                        let from_centre = first.wrapping_add(k as $ty);
                        let square = from_centre.wrapping_mul(from_centre);
                        let constant = square.wrapping_mul(axis.weight).wrapping_add(axis.bias);
                        let cost = costs[k].wrapping_add(constant) << POSITION_BITS;
                        encoded[k] = $opaque_fn(cost.wrapping_add(in_chunk as $ty + k as $ty));
                        k += 1;
                    }
                    encoded
                }

                #[inline(always)]
                fn slope(axis: &Axis<Self>, output: u32) -> Self {
                    let from_centre = axis.centre.wrapping_sub(output as $ty);
                    $opaque_fn((axis.weight << (POSITION_BITS + 1)).wrapping_mul(from_centre))
                }

                #[inline(always)]
                fn step(axis: &Axis<Self>, spacing: u32) -> Self {
                    let double_weight = axis.weight << (POSITION_BITS + 1);
                    $opaque_fn((0 as $ty).wrapping_sub(double_weight).wrapping_mul(spacing as $ty))
                }

                #[inline(always)]
                fn compared<const F: usize>(
                    axis: &Axis<Self>,
                    outputs: &OutputSet<Self>,
                    encoded: [Self; 2],
                    position: u32,
                ) -> [[Self; F]; 2] {
                    let from_centre = (opaque(position) as $ty).wrapping_sub(axis.centre);
                    let product = from_centre.wrapping_mul(outputs.slope);
                    let current = $opaque_fn(encoded[0].wrapping_add(product));
                    let next = $opaque_fn(encoded[1].wrapping_add(product).wrapping_add(outputs.slope));
                    let step = $opaque_fn(from_centre.wrapping_mul(outputs.step));
                    let next_step = $opaque_fn(step.wrapping_add(outputs.step));
                    let mut values = [[current; F], [next; F]];
                    let mut k = 1;
                    while k < F {
                        values[0][k] = current.wrapping_add(step.wrapping_mul(k as $ty));
                        values[1][k] = next.wrapping_add(next_step.wrapping_mul(k as $ty));
                        k += 1;
                    }
                    values
                }

                #[inline(always)]
                fn update_best(best: Self, current: Self, next: Self, _position: u32) -> Self {
                    best.smaller(current.smaller(next))
                }

                #[inline(always)]
                fn best_position(best: Self, start: u32) -> u32 {
                    start + (best as u32 & POSITION_MASK)
                }

                #[inline(always)]
                fn without_position(self) -> Self {
                    self & !(POSITION_MASK as $ty)
                }

                #[inline(always)]
                fn decode(compared: Self, axis: &Axis<Self>, output: u32) -> Self {
                    let from_centre = (output as $ty).wrapping_sub(axis.centre);
                    let square = from_centre.wrapping_mul(from_centre).wrapping_mul(axis.weight);
                    (compared >> POSITION_BITS).wrapping_add(square.wrapping_sub(axis.bias))
                }

                #[inline(always)]
                fn root(self, unit: f64) -> f32 {
                    (unit * cuda_std::GpuFloat::sqrt(self as f64)) as f32
                }

                #[inline(always)]
                fn small_root(self) -> f32 {
                    cuda_std::float::sqrt_normal(self as u32 as f32)
                }
            }
        )+
    };
}

integers!(u32 opaque u64 opaque_u64);
