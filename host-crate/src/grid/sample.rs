//! Sample types of volumes.

use std::fmt;
use std::str::FromStr;

/// Sample type of a volume, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// Unsigned 8 bit integers.
    U8,
    /// Signed 8 bit integers.
    I8,
    /// Unsigned 16 bit integers.
    U16,
    /// Signed 16 bit integers.
    I16,
    /// Signed 32 bit integers.
    I32,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl SampleType {
    /// All sample types, from narrow to wide.
    pub const ALL: [Self; 7] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::I32,
        Self::F32,
        Self::F64,
    ];

    /// Returns the bytes of one sample.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns the name of the type in Rust: `u8`, `f32`, …
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for SampleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SampleType {
    type Err = String;

    /// Parses a name as [`SampleType::name`] returns it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|sample_type| sample_type.name() == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("unknown sample type {text:?}; the types are {names}")
            })
    }
}

/// Types that the samples of a volume may have: the seven of [`SampleType`]. Sealed.
pub trait Sample:
    bytemuck::Pod + Send + Sync + PartialOrd + fmt::Debug + fmt::Display + private::Sealed
{
    /// This type as a value.
    const TYPE: SampleType;

    /// Converts the sample to `f64`; exact for every sample type.
    fn to_f64(self) -> f64;

    /// Returns `false` for NaN and the infinities.
    fn is_finite(self) -> bool;

    /// Returns the sample with its bytes in reverse order.
    #[must_use]
    fn swap_bytes(self) -> Self;
}

mod private {
    /// Prevents implementations of [`super::Sample`] outside this module.
    pub trait Sealed {}
}

/// Implements `Sample` for one type.
macro_rules! impl_sample {
    ($type:ty, $variant:ident, $finite:expr, $swap:expr) => {
        impl private::Sealed for $type {}

        impl Sample for $type {
            const TYPE: SampleType = SampleType::$variant;

            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            fn is_finite(self) -> bool {
                let finite: fn($type) -> bool = $finite;
                finite(self)
            }

            fn swap_bytes(self) -> Self {
                let swap: fn($type) -> $type = $swap;
                swap(self)
            }
        }
    };
}

impl_sample!(u8, U8, |_| true, <u8>::swap_bytes);
impl_sample!(i8, I8, |_| true, <i8>::swap_bytes);
impl_sample!(u16, U16, |_| true, <u16>::swap_bytes);
impl_sample!(i16, I16, |_| true, <i16>::swap_bytes);
impl_sample!(i32, I32, |_| true, <i32>::swap_bytes);
impl_sample!(f32, F32, <f32>::is_finite, |x| f32::from_bits(
    x.to_bits().swap_bytes()
));
impl_sample!(f64, F64, <f64>::is_finite, |x| f64::from_bits(
    x.to_bits().swap_bytes()
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for sample_type in SampleType::ALL {
            assert_eq!(sample_type.name().parse(), Ok(sample_type));
        }
        let error = "u7".parse::<SampleType>().unwrap_err();
        assert!(error.contains("\"u7\"") && error.contains("u16"), "{error}");
    }

    #[test]
    fn swapping_twice_changes_nothing() {
        assert_eq!(Sample::swap_bytes(0x0102_u16), 0x0201);
        assert_eq!(Sample::swap_bytes(1.0_f32).to_bits(), 0x0000_803f);
        assert_eq!(Sample::swap_bytes(Sample::swap_bytes(-3.25_f64)), -3.25);
        assert_eq!(Sample::swap_bytes(-5_i8), -5);
    }
}
