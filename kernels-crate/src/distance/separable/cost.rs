//! Squared distances, and how those along a line are compared: integers here, floating point in
//! [`float`](super::float).

use cuda_std::{
    KernelType,
    misc::{opaque, opaque_u64},
};

/// A line of voxels, along which costs are minimised: the cost at a place plus
/// `weight · (place - output)²`.
///
/// Written out, that is `cost + weight·place² - 2·weight·place·output` plus what does not depend on
/// the place: a straight line in `output`, whose constant is stored and whose slope follows from
/// the place. Places are counted from the line's `centre`, so that numbers stay small.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis<C> {
    /// The squared spacing.
    pub weight: C,
    /// The middle of the line.
    pub centre: C,
    /// What is added to the stored constants, so that none is negative.
    pub bias: C,
    /// More than any cost: what it costs where there is no site.
    pub none: C,
}

/// Outputs of a line, all as far apart as the first two, for which places are compared at the same
/// time.
#[derive(Clone, Copy)]
pub struct Fan<C> {
    /// The first.
    pub output: u32,
    /// From one to the next.
    pub apart: u32,
    slope: C,
    step: C,
}

impl<C: Cost> Fan<C> {
    /// Outputs `apart` from each other, from `output` on.
    #[inline(always)]
    pub fn new(axis: &Axis<C>, output: u32, apart: u32) -> Self {
        Self {
            output,
            apart,
            slope: C::slope(axis, output),
            step: C::step(axis, apart),
        }
    }

    /// As many outputs as far apart, from `output` on.
    #[inline(always)]
    pub fn at(self, axis: &Axis<C>, output: u32) -> Self {
        Self {
            output,
            slope: C::slope(axis, output),
            ..self
        }
    }
}

/// A squared distance: in 32 or 64 bits where spacings allow integers, else in floating point.
///
/// Integers are stored shifted by [`PLACE_BITS`]: below them there is room for the place that a
/// cost is from, within a chunk of a line, so that one minimum finds both.
pub trait Cost: KernelType + Copy + PartialOrd + Send + Sync + 'static {
    /// A least cost, and the place that it is from.
    type Best: Copy;

    /// Whether costs are integers.
    const IS_WHOLE: bool;

    /// More than anything.
    const MOST: Self;

    /// No place yet.
    const NO_BEST: Self::Best;

    /// A number of voxels.
    fn of(number: u32) -> Self;

    /// `weight · distance²` for a distance in voxels.
    fn squared(weight: Self, distance: u32) -> Self;

    /// What is stored of the costs at `place` and the next three, which are `in_chunk` and more
    /// places after the chunk's first.
    fn stored(axis: &Axis<Self>, costs: [Self; 4], place: u32, in_chunk: u32) -> [Self; 4];

    /// What changes from one place to the next, for an output.
    fn slope(axis: &Axis<Self>, output: u32) -> Self;

    /// How much the slope of an output differs from that of one `apart` before it.
    fn step(axis: &Axis<Self>, apart: u32) -> Self;

    /// What is compared, for each output of a fan: of what is stored for `place` and for the next
    /// one.
    fn along<const F: usize>(
        axis: &Axis<Self>,
        fan: &Fan<Self>,
        stored: [Self; 2],
        place: u32,
    ) -> [[Self; F]; 2];

    /// The lesser of two.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The best one and those at `place` and at the next one; of equal ones the first.
    fn better(best: Self::Best, here: Self, next: Self, place: u32) -> Self::Best;

    /// The best one's place, in the chunk that begins at `start`.
    fn best_place(best: Self::Best, start: u32) -> u32;

    /// What is compared, without the place in it.
    fn without_place(self) -> Self;

    /// The cost of which the least of what is compared tells.
    fn cost(least: Self, axis: &Axis<Self>, output: u32) -> Self;

    /// The square root times `unit`, rounded once.
    fn root(self, unit: f64) -> f32;

    /// The square root, rounded once, of an integer below 2^24; of others whatever is quick.
    fn small_root(self) -> f32;
}

/// Bits below a stored cost.
pub const PLACE_BITS: u32 = 7;

/// The low bits of what is stored, which hold a place.
const PLACES: u32 = (1 << PLACE_BITS) - 1;

macro_rules! integers {
    ($($ty:ident $hidden:ident)+) => {
        $(
            impl Cost for $ty {
                type Best = Self;

                const IS_WHOLE: bool = true;

                const MOST: Self = $ty::MAX;

                const NO_BEST: Self = $ty::MAX;

                #[inline(always)]
                fn of(number: u32) -> Self {
                    number as $ty
                }

                #[inline(always)]
                fn squared(weight: Self, distance: u32) -> Self {
                    (distance as $ty).wrapping_mul(distance as $ty).wrapping_mul(weight)
                }

                #[inline(always)]
                fn stored(
                    axis: &Axis<Self>,
                    costs: [Self; 4],
                    place: u32,
                    in_chunk: u32,
                ) -> [Self; 4] {
                    let first = (opaque(place) as $ty).wrapping_sub(axis.centre);
                    let mut stored = costs;
                    let mut k = 0;
                    while k < 4 {
                        let from_centre = first.wrapping_add(k as $ty);
                        let square = from_centre.wrapping_mul(from_centre);
                        let constant = square.wrapping_mul(axis.weight).wrapping_add(axis.bias);
                        let cost = costs[k].wrapping_add(constant) << PLACE_BITS;
                        stored[k] = $hidden(cost.wrapping_add(in_chunk as $ty + k as $ty));
                        k += 1;
                    }
                    stored
                }

                #[inline(always)]
                fn slope(axis: &Axis<Self>, output: u32) -> Self {
                    let from_centre = axis.centre.wrapping_sub(output as $ty);
                    $hidden((axis.weight << (PLACE_BITS + 1)).wrapping_mul(from_centre))
                }

                #[inline(always)]
                fn step(axis: &Axis<Self>, apart: u32) -> Self {
                    let twice = axis.weight << (PLACE_BITS + 1);
                    $hidden((0 as $ty).wrapping_sub(twice).wrapping_mul(apart as $ty))
                }

                #[inline(always)]
                fn along<const F: usize>(
                    axis: &Axis<Self>,
                    fan: &Fan<Self>,
                    stored: [Self; 2],
                    place: u32,
                ) -> [[Self; F]; 2] {
                    let from_centre = (opaque(place) as $ty).wrapping_sub(axis.centre);
                    let product = from_centre.wrapping_mul(fan.slope);
                    let here = $hidden(stored[0].wrapping_add(product));
                    let next = $hidden(stored[1].wrapping_add(product).wrapping_add(fan.slope));
                    let step = $hidden(from_centre.wrapping_mul(fan.step));
                    let next_step = $hidden(step.wrapping_add(fan.step));
                    let mut values = [[here; F], [next; F]];
                    let mut k = 1;
                    while k < F {
                        values[0][k] = here.wrapping_add(step.wrapping_mul(k as $ty));
                        values[1][k] = next.wrapping_add(next_step.wrapping_mul(k as $ty));
                        k += 1;
                    }
                    values
                }

                #[inline(always)]
                fn better(best: Self, here: Self, next: Self, _place: u32) -> Self {
                    best.least(here.least(next))
                }

                #[inline(always)]
                fn best_place(best: Self, start: u32) -> u32 {
                    start + (best as u32 & PLACES)
                }

                #[inline(always)]
                fn without_place(self) -> Self {
                    self & !(PLACES as $ty)
                }

                #[inline(always)]
                fn cost(least: Self, axis: &Axis<Self>, output: u32) -> Self {
                    let from_centre = (output as $ty).wrapping_sub(axis.centre);
                    let square = from_centre.wrapping_mul(from_centre).wrapping_mul(axis.weight);
                    (least >> PLACE_BITS).wrapping_add(square.wrapping_sub(axis.bias))
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
