//! The sample types that kernels read as they are.

use cuda_std::KernelType;

/// A sample of a volume: read from memory in its own type, computed with in `f32`.
///
/// Integer types up to 16 bits and `f32` are exact; nothing is widened in memory.
pub trait Sample: KernelType + Copy + Send + Sync + 'static {
    /// Whether values of this type can be NaN or infinite, so that kernels for the others do not
    /// ask.
    const MAY_BE_NON_FINITE: bool = false;

    /// The sample's value.
    fn value(self) -> f32;

    /// Whether it has another value. What is not a number has another than anything, itself too.
    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self.value() != other.value()
    }
}

impl Sample for u8 {
    #[inline(always)]
    fn value(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self != other
    }
}

impl Sample for i8 {
    #[inline(always)]
    fn value(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self != other
    }
}

impl Sample for u16 {
    #[inline(always)]
    fn value(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self != other
    }
}

impl Sample for i16 {
    #[inline(always)]
    fn value(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self != other
    }
}

impl Sample for f32 {
    const MAY_BE_NON_FINITE: bool = true;

    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

/// An unsigned integer that a scan can read, or that can hold an offset, a count or an index.
pub trait Count: KernelType + Copy + Send + Sync + 'static {
    /// The value as 64 bits.
    fn widen(self) -> u64;
    /// The low bits of `value`; the host has made sure that they are all of it.
    fn narrow(value: u64) -> Self;
}

impl Count for u8 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn narrow(value: u64) -> Self {
        value as u8
    }
}

impl Count for u16 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn narrow(value: u64) -> Self {
        value as u16
    }
}

impl Count for u32 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn narrow(value: u64) -> Self {
        value as u32
    }
}

impl Count for u64 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self
    }
    #[inline(always)]
    fn narrow(value: u64) -> Self {
        value
    }
}
