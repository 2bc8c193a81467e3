//! What forces are added up in.

use core::ops::Sub;
use cuda_std::{GpuFloat, KernelType};

/// A number to add forces up in.
///
/// `f32` is quicker. `f64` is for directions that are right where the sum cancels; its terms are a
/// weight in `f32` times an exact difference. Differences of coordinates are exact in both.
pub trait Add: KernelType + GpuFloat + Sub<Output = Self> + Send + Sync + 'static {
    /// Whether it is more than an `f32`: then differences of coordinates are made in it.
    const IS_WIDE: bool;

    /// Nothing.
    const ZERO: Self;

    /// A weight, a coordinate or a difference of some.
    fn of(number: f32) -> Self;

    /// A coordinate in `f64`.
    fn narrow(coordinate: f64) -> Self;

    /// As it is stored.
    fn widen(self) -> f64;

    /// Adds `weight · difference`, rounded once.
    #[inline(always)]
    fn plus(self, weight: Self, difference: Self) -> Self {
        GpuFloat::mul_add(weight, difference, self)
    }
}

impl Add for f32 {
    const IS_WIDE: bool = false;
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn of(number: f32) -> Self {
        number
    }

    #[inline(always)]
    fn narrow(coordinate: f64) -> Self {
        coordinate as f32
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self as f64
    }
}

impl Add for f64 {
    const IS_WIDE: bool = true;
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn of(number: f32) -> Self {
        number as f64
    }

    #[inline(always)]
    fn narrow(coordinate: f64) -> Self {
        coordinate
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
}

/// Sources in slices, so that there is work for all of a device where targets are few. Each slice
/// has its sums.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    /// Sources in all.
    pub sources: u64,
    /// Sources of a slice, the last of which may have fewer.
    pub len: u64,
    /// Slices.
    pub count: u64,
    /// Targets.
    pub targets: u64,
}

impl Slices {
    /// The first source of a slice, and the end.
    #[inline(always)]
    pub fn range(self, slice: u64) -> [u64; 2] {
        let start = slice * self.len;
        let rest = self.sources - start;
        [start, start + if rest < self.len { rest } else { self.len }]
    }

    /// Where the sums of a target are: three, one for each axis.
    #[inline(always)]
    pub fn sums(self, slice: u64, target: u64) -> usize {
        (3 * (slice * self.targets + target)) as usize
    }
}

/// Which pairs of a slice and a block of targets a launch is for, of all: slice after slice, in
/// each block after block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The first pair.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}
