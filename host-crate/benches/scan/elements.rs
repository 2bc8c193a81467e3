//! Test data, and verification of scans.

use crate::support::Outcome;

/// An element type that can be generated and verified.
pub trait Number: Copy {
    /// Converts a small number to this type.
    fn from_small(value: u8) -> Self;
    /// Converts the number for comparison; exact for the sums of these benchmarks.
    fn to_f64(self) -> f64;
    /// Relative rounding error that a sum may have.
    const TOLERANCE: f64 = 0.0;
}

macro_rules! numbers {
    ($($number:ident)+) => {
        $(
            impl Number for $number {
                fn from_small(value: u8) -> Self {
                    value as $number
                }
                fn to_f64(self) -> f64 {
                    self as f64
                }
            }
        )+
    };
}

numbers!(u8 u16 u32 i32 u64 i64 f64);

impl Number for f32 {
    fn from_small(value: u8) -> Self {
        value.into()
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
    // from 2^24 on, adding 1 has no effect; a CPU thread adds up to 2^13 elements sequentially to
    // its prefix
    const TOLERANCE: f64 = 1e-3;
}

/// Generates zeros and ones in a pattern that hardware cannot exploit.
pub fn values<T: Number>(count: usize) -> Vec<T> {
    let bit = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63) as u8;
    (0..count as u64).map(|i| T::from_small(bit(i))).collect()
}

/// Checks that each element of `found` is the combination of the preceding elements of `input`. The
/// first element of a maximum is skipped, as it has no predecessors.
pub fn verify<I: Number, V: Number>(input: &[I], found: &[V], operator: &str) -> Outcome<()> {
    if input.len() != found.len() {
        return Err(format!("{} results of {} elements", found.len(), input.len()).into());
    }
    let sum = operator == "sum";
    let mut expected = 0.0f64;
    for (at, (value, result)) in input.iter().zip(found).enumerate() {
        let result = result.to_f64();
        let wrong = (result - expected).abs() > V::TOLERANCE * expected;
        if wrong && (sum || at > 0) {
            return Err(format!("element {at} is {result} and should be {expected}").into());
        }
        expected = if sum {
            expected + value.to_f64()
        } else {
            expected.max(value.to_f64())
        };
    }
    Ok(())
}
