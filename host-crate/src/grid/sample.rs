//! Sample types of volumes.

use std::fmt;
use std::str::FromStr;

/// The table of sample types: expands to `macro! { [rows] arguments }`, with one row per type, from
/// narrow to wide, that holds its variant of [`SampleType`], the Rust type and a description.
macro_rules! for_sample_types {
    ([$($macro:tt)+] $($arguments:tt)*) => {
        $($macro)+! {
            [
                (U8, u8, "Unsigned 8 bit integers."),
                (I8, i8, "Signed 8 bit integers."),
                (U16, u16, "Unsigned 16 bit integers."),
                (I16, i16, "Signed 16 bit integers."),
                (I32, i32, "Signed 32 bit integers."),
                (I64, i64, "Signed 64 bit integers."),
                (F32, f32, "IEEE single precision."),
                (F64, f64, "IEEE double precision."),
            ]
            $($arguments)*
        }
    };
}
pub(crate) use for_sample_types;

/// The table of the sample types that kernels read without conversion, with the columns variant and
/// Rust type. `ferrovox_kernels` has the same list; for a type that it lacks, launches do not
/// compile.
#[doc(hidden)]
#[macro_export]
macro_rules! for_kernel_sample_types {
    ([$($macro:tt)+] $($arguments:tt)*) => {
        $($macro)+! {
            [(U8, u8), (I8, i8), (U16, u16), (I16, i16), (F32, f32)]
            $($arguments)*
        }
    };
}

macro_rules! declare_sample_type {
    ([$(($variant:ident, $type:ident, $doc:literal),)+]) => {
        /// Sample type of a volume, as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SampleType {
            $(#[doc = $doc] $variant,)+
        }

        impl SampleType {
            /// All sample types, from narrow to wide.
            pub const ALL: [Self; [$($doc),+].len()] = [$(Self::$variant),+];

            /// Returns the bytes of one sample.
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$variant => size_of::<$type>(),)+
                }
            }

            /// Returns the name of the type in Rust: `u8`, `f32`, …
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($type),)+
                }
            }
        }
    };
}
for_sample_types! { [declare_sample_type] }

/// Evaluates an expression with `$T` as an alias of the Rust type of a [`SampleType`].
macro_rules! with_sample_type {
    ($sample_type:expr, $T:ident => $body:expr) => {
        $crate::grid::for_sample_types! { [$crate::grid::match_sample_type] $sample_type, $T => $body }
    };
}
pub(crate) use with_sample_type;

/// Evaluates an expression with `$T` as an alias of the Rust type of a [`SampleType`] if kernels
/// read it, and `$converted` otherwise.
macro_rules! with_kernel_sample_type {
    ($sample_type:expr, $T:ident => $body:expr, _ => $converted:expr) => {
        $crate::for_kernel_sample_types! {
            [$crate::grid::match_kernel_sample_type] $sample_type, $T => $body, $converted
        }
    };
}
pub(crate) use with_kernel_sample_type;

macro_rules! match_kernel_sample_type {
    (
        [$(($variant:ident, $type:ident)),+]
        $sample_type:expr, $T:ident => $body:expr, $converted:expr
    ) => {
        match $sample_type {
            $($crate::grid::SampleType::$variant => {
                type $T = $type;
                $body
            })+
            _ => $converted,
        }
    };
}
pub(crate) use match_kernel_sample_type;

macro_rules! match_sample_type {
    (
        [$(($variant:ident, $type:ident, $doc:literal),)+]
        $sample_type:expr, $T:ident => $body:expr
    ) => {
        match $sample_type {
            $($crate::grid::SampleType::$variant => {
                type $T = $type;
                $body
            })+
        }
    };
}
pub(crate) use match_sample_type;

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

/// Types that the samples of a volume may have: the eight of [`SampleType`]. Sealed.
pub trait Sample:
    bytemuck::Pod + Send + Sync + PartialOrd + fmt::Debug + fmt::Display + private::Sealed
{
    /// This type as a value.
    const TYPE: SampleType;

    /// Converts the sample to `f64`; exact for every sample type except `i64`, which is rounded.
    fn to_f64(self) -> f64;

    /// Returns the sample as a label, or `None` if it is not an integer of 64 bits.
    fn to_label(self) -> Option<i64>;

    /// Returns `false` for NaN and the infinities.
    fn is_finite(self) -> bool;

    /// Returns the sample with its bytes in reverse order.
    #[must_use]
    fn swap_bytes(self) -> Self;
}

/// Returns the label of an integral sample, or `None` if it does not fit in an `i64`.
pub(crate) fn label_from_f64(sample: f64) -> Option<i64> {
    // Both bounds are powers of two, and therefore exact.
    const BOUND: f64 = -(i64::MIN as f64);
    (-BOUND..BOUND).contains(&sample).then_some(sample as i64)
}

/// A property of samples of any type.
pub(crate) trait SamplePredicate: Sync {
    /// Returns `true` if the sample has the property.
    fn accepts<T: Sample>(&self, sample: T) -> bool;
}

impl<F: Fn(f64) -> bool + Sync> SamplePredicate for F {
    fn accepts<T: Sample>(&self, sample: T) -> bool {
        self(sample.to_f64())
    }
}

mod private {
    /// Prevents implementations of [`super::Sample`] outside this module.
    pub trait Sealed {}
}

/// Implements `Sample` for one type.
macro_rules! impl_sample {
    ($type:ty, $variant:ident, $finite:expr, $swap:expr) => {
        impl_sample!($type, $variant, $finite, $swap, f64::from, |x: $type| {
            label_from_f64(x.into()).filter(|_| f64::from(x).fract() == 0.0)
        });
    };
    ($type:ty, $variant:ident, $finite:expr, $swap:expr, $to_f64:expr, $to_label:expr) => {
        impl private::Sealed for $type {}

        impl Sample for $type {
            const TYPE: SampleType = SampleType::$variant;

            fn to_f64(self) -> f64 {
                let to_f64: fn($type) -> f64 = $to_f64;
                to_f64(self)
            }

            fn to_label(self) -> Option<i64> {
                let to_label: fn($type) -> Option<i64> = $to_label;
                to_label(self)
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
impl_sample!(i64, I64, |_| true, <i64>::swap_bytes, |x| x as f64, Some);
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
