//! Squared distances, and how those along a line are compared.

use cuda_std::KernelType;

/// A line of voxels, along which costs are minimised: the cost at `at` plus `weight · (at - output)²`.
///
/// Written out, that is `cost + weight·at² - 2·weight·at·output` plus what does not depend on `at`: a straight line in `output`, whose
/// constant is stored and whose slope follows from `at`. Places are counted from the line's `centre`, so that numbers stay small.
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

/// A squared distance: in 32 or 64 bits where spacings allow integers, else in floating point.
///
/// Integers are stored shifted by [`PLACE_BITS`]: below them there is room for the place that a cost is from, within a run of
/// 32 places, so that one minimum finds both.
pub trait Cost: KernelType + Copy + PartialOrd + Send + Sync + 'static {
    /// More than anything.
    const MOST: Self;

    /// A number of voxels.
    fn of(number: u32) -> Self;

    /// `weight · distance²` for a distance in voxels.
    fn squared(weight: Self, distance: u32) -> Self;

    /// What is stored of the cost at place `at`.
    fn stored(self, axis: &Axis<Self>, at: u32) -> Self;

    /// `at` as it is multiplied by slopes.
    fn place(axis: &Axis<Self>, at: u32) -> Self;

    /// The slope for an output.
    fn slope(axis: &Axis<Self>, output: u32) -> Self;

    /// The next place or slope.
    fn plus(self, other: Self) -> Self;

    /// What is compared.
    fn along(axis: &Axis<Self>, stored: Self, place: Self, slope: Self) -> Self;

    /// The cost of which the least of what is compared tells.
    fn cost(least: Self, axis: &Axis<Self>, output: u32) -> Self;

    /// The place from `low` to `high` with the least cost for an output; of several the first.
    fn search(
        axis: &Axis<Self>,
        output: u32,
        low: u32,
        high: u32,
        read: impl Fn(u32) -> Self,
    ) -> u32;

    /// The square root times `unit`, rounded once.
    fn root(self, unit: f64) -> f32;
}

/// Bits below a stored cost.
pub const PLACE_BITS: u32 = 5;

macro_rules! integers {
    ($($ty:ident)+) => {
        $(
            impl Cost for $ty {
                const MOST: Self = $ty::MAX;

                #[inline(always)]
                fn of(number: u32) -> Self {
                    number as $ty
                }

                #[inline(always)]
                fn squared(weight: Self, distance: u32) -> Self {
                    (distance as $ty).wrapping_mul(distance as $ty).wrapping_mul(weight)
                }

                #[inline(always)]
                fn stored(self, axis: &Axis<Self>, at: u32) -> Self {
                    let place = Self::place(axis, at);
                    let square = place.wrapping_mul(place).wrapping_mul(axis.weight);
                    self.wrapping_add(square).wrapping_add(axis.bias) << PLACE_BITS
                }

                #[inline(always)]
                fn place(axis: &Axis<Self>, at: u32) -> Self {
                    (at as $ty).wrapping_sub(axis.centre)
                }

                #[inline(always)]
                fn slope(axis: &Axis<Self>, output: u32) -> Self {
                    let twice = axis.weight << (PLACE_BITS + 1);
                    (0 as $ty).wrapping_sub(twice).wrapping_mul(Self::place(axis, output))
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }

                #[inline(always)]
                fn along(_axis: &Axis<Self>, stored: Self, place: Self, slope: Self) -> Self {
                    stored.wrapping_add(place.wrapping_mul(slope))
                }

                #[inline(always)]
                fn cost(least: Self, axis: &Axis<Self>, output: u32) -> Self {
                    let place = Self::place(axis, output);
                    let square = place.wrapping_mul(place).wrapping_mul(axis.weight);
                    (least >> PLACE_BITS).wrapping_add(square).wrapping_sub(axis.bias)
                }

                #[inline(always)]
                fn search(
                    axis: &Axis<Self>,
                    output: u32,
                    low: u32,
                    high: u32,
                    read: impl Fn(u32) -> Self,
                ) -> u32 {
                    // one more for each place, so that the place is in the low bits
                    let slope = Self::slope(axis, output).wrapping_add(1);
                    let (mut best, mut found) = (Self::MOST, low);
                    let mut start = low;
                    loop {
                        let end = if high - start < 32 { high } else { start + 31 };
                        let first = Self::place(axis, start);
                        let (mut least, mut at) = (Self::MOST, start);
                        let mut line = first.wrapping_mul(slope);
                        while at <= end {
                            let here = read(at).wrapping_add(line);
                            least = if here < least { here } else { least };
                            line = line.wrapping_add(slope);
                            at += 1;
                        }
                        let least = least.wrapping_sub(first);
                        if least >> PLACE_BITS < best {
                            best = least >> PLACE_BITS;
                            found = start + (least as u32 & ((1 << PLACE_BITS) - 1));
                        }
                        if end == high {
                            return found;
                        }
                        start = end + 1;
                    }
                }

                #[inline(always)]
                fn root(self, unit: f64) -> f32 {
                    if self >> 24 == 0 && unit == 1.0 {
                        // exact in 32 bits, and a square root is rounded once
                        return cuda_std::GpuFloat::sqrt(self as f32);
                    }
                    (unit * cuda_std::GpuFloat::sqrt(self as f64)) as f32
                }
            }
        )+
    };
}

integers!(u32 u64);

impl Cost for f64 {
    const MOST: Self = f64::INFINITY;

    #[inline(always)]
    fn of(number: u32) -> Self {
        number as f64
    }

    #[inline(always)]
    fn squared(weight: Self, distance: u32) -> Self {
        let distance = distance as f64;
        distance * distance * weight
    }

    #[inline(always)]
    fn stored(self, _axis: &Axis<Self>, _at: u32) -> Self {
        self
    }

    #[inline(always)]
    fn place(_axis: &Axis<Self>, at: u32) -> Self {
        at as f64
    }

    /// The output itself: the cost is computed as it is, so that it is rounded as little as can be.
    #[inline(always)]
    fn slope(_axis: &Axis<Self>, output: u32) -> Self {
        output as f64
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn along(axis: &Axis<Self>, stored: Self, place: Self, output: Self) -> Self {
        let distance = place - output;
        stored + distance * distance * axis.weight
    }

    #[inline(always)]
    fn cost(least: Self, _axis: &Axis<Self>, _output: u32) -> Self {
        least
    }

    #[inline(always)]
    fn search(
        axis: &Axis<Self>,
        output: u32,
        low: u32,
        high: u32,
        read: impl Fn(u32) -> Self,
    ) -> u32 {
        let (mut best, mut found, mut at) = (f64::INFINITY, low, low);
        while at <= high {
            let here = Self::along(axis, read(at), at as f64, output as f64);
            if here < best {
                (best, found) = (here, at);
            }
            at += 1;
        }
        found
    }

    #[inline(always)]
    fn root(self, unit: f64) -> f32 {
        (unit * cuda_std::GpuFloat::sqrt(self)) as f32
    }
}
