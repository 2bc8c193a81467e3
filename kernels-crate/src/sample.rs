//! Sample types that kernels read without conversion.

use cuda_std::KernelType;

/// The sample types that kernels read without conversion: `#[kernel(T = sample_types!)]`.
///
/// Each implements [`Sample`].
macro_rules! sample_types {
    ($($kernel:tt)*) => {
        ::cuda_std::kernel_for_types! { [u8, i8, u16, i16, f32] $($kernel)* }
    };
}
pub(crate) use sample_types;

/// A sample of a volume, stored in its own type and computed with in `f32`.
///
/// The conversion is exact for integer types up to 16 bits and for `f32`; nothing is widened in
/// memory.
pub trait Sample: KernelType + Copy + Send + Sync + 'static {
    /// `true` if values of this type can be NaN or infinite. Kernels for other types omit the test.
    const MAY_BE_NON_FINITE: bool = false;

    /// Returns the value of the sample.
    fn value(self) -> f32;

    /// Returns `true` if the samples differ; NaN differs from everything, including itself.
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
    /// Returns the value as 64 bits.
    fn widen(self) -> u64;
    /// Returns the low bits of `value`. The host has checked that no set bit is lost.
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
