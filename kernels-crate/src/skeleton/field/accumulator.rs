//! Accumulators for force sums, and the division of the sources into slices.

use core::ops::Sub;
use cuda_std::{GpuFloat, KernelType};

/// Number type in which forces are accumulated.
///
/// `f32` is faster. `f64` keeps directions accurate where the sum cancels; its terms are a weight
/// in `f32` times an exact difference. Differences of coordinates are exact in both types.
pub trait Accumulator: KernelType + GpuFloat + Sub<Output = Self> + Send + Sync + 'static {
    /// `true` if the type is wider than `f32`: differences of coordinates are then computed in it.
    const IS_WIDE: bool;

    /// Zero.
    const ZERO: Self;

    /// Converts a weight, a coordinate or a difference of coordinates.
    fn from_f32(number: f32) -> Self;

    /// Converts a coordinate from `f64`.
    fn from_f64(coordinate: f64) -> Self;

    /// Converts the sum to `f64` for storage.
    fn to_f64(self) -> f64;

    /// Returns `self + weight · difference`, rounded once.
    #[inline(always)]
    fn add_scaled(self, weight: Self, difference: Self) -> Self {
        GpuFloat::mul_add(weight, difference, self)
    }
}

impl Accumulator for f32 {
    const IS_WIDE: bool = false;
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn from_f32(number: f32) -> Self {
        number
    }

    #[inline(always)]
    fn from_f64(coordinate: f64) -> Self {
        coordinate as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Accumulator for f64 {
    const IS_WIDE: bool = true;
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn from_f32(number: f32) -> Self {
        number as f64
    }

    #[inline(always)]
    fn from_f64(coordinate: f64) -> Self {
        coordinate
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// Division of the sources into slices, which provides parallelism when there are few targets. Each
/// slice has its own sums.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSlices {
    /// Total number of sources.
    pub sources: u64,
    /// Sources per slice; the last slice may have fewer.
    pub len: u64,
    /// Number of slices.
    pub count: u64,
    /// Number of targets.
    pub targets: u64,
}

impl SourceSlices {
    /// Returns the first source of a slice and one past its last.
    #[inline(always)]
    pub fn range(self, slice: u64) -> [u64; 2] {
        let start = slice * self.len;
        let remaining = self.sources - start;
        [
            start,
            start
                + if remaining < self.len {
                    remaining
                } else {
                    self.len
                },
        ]
    }

    /// Returns the index of a target's first sum; three consecutive elements hold x, y and z.
    #[inline(always)]
    pub fn sum_index(self, slice: u64, target: u64) -> usize {
        (3 * (slice * self.targets + target)) as usize
    }
}

/// Range of the (slice, block of targets) pairs that one launch processes. Pairs are numbered slice
/// by slice, block by block within a slice.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchRange {
    /// First pair.
    pub first: u64,
    /// One past the last pair.
    pub end: u64,
}
