//! Elements to scan, and whether a scan of them is right.

use crate::support::Outcome;

/// A type that can be filled and checked.
pub trait Number: Copy {
    /// A small number in this type.
    fn small(value: u8) -> Self;
    /// The number for comparison: exact for what these benches sum up.
    fn wide(self) -> f64;
    /// What rounding may do to a sum, as a fraction of it.
    const TOLERANCE: f64 = 0.0;
}

macro_rules! numbers {
    ($($number:ident)+) => {
        $(
            impl Number for $number {
                fn small(value: u8) -> Self {
                    value as $number
                }
                fn wide(self) -> f64 {
                    self as f64
                }
            }
        )+
    };
}

numbers!(u8 u16 u32 i32 u64 i64 f64);

impl Number for f32 {
    fn small(value: u8) -> Self {
        value.into()
    }
    fn wide(self) -> f64 {
        self.into()
    }
    // beyond 2^24 adding one changes nothing; a thread of a CPU adds up to 2^13 elements one by one
    // to what comes before them
    const TOLERANCE: f64 = 1e-3;
}

/// Zeros and ones without a pattern that a machine could use.
pub fn values<T: Number>(count: usize) -> Vec<T> {
    let bit = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63) as u8;
    (0..count as u64).map(|i| T::small(bit(i))).collect()
}

/// Whether each of `found` is what comes before it in `input`, combined. The first element of a
/// maximum is not looked at: what comes before it is nothing.
pub fn verify<I: Number, V: Number>(input: &[I], found: &[V], operator: &str) -> Outcome<()> {
    if input.len() != found.len() {
        return Err(format!("{} results of {} elements", found.len(), input.len()).into());
    }
    let sum = operator == "sum";
    let mut expected = 0.0f64;
    for (at, (value, result)) in input.iter().zip(found).enumerate() {
        let result = result.wide();
        let wrong = (result - expected).abs() > V::TOLERANCE * expected;
        if wrong && (sum || at > 0) {
            return Err(format!("element {at} is {result} and should be {expected}").into());
        }
        expected = if sum {
            expected + value.wide()
        } else {
            expected.max(value.wide())
        };
    }
    Ok(())
}
