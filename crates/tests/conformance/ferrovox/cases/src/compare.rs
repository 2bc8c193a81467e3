//! Comparisons that report the position and kind of a difference.

use std::fmt::Debug;

/// Checks that all elements are equal.
pub fn equal<T: PartialEq + Debug>(what: &str, got: &[T], want: &[T]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!(
            "{what}: {} elements instead of {}",
            got.len(),
            want.len()
        ));
    }
    match got.iter().zip(want).position(|(got, want)| got != want) {
        None => Ok(()),
        Some(i) => Err(format!(
            "{what}: element {i} is {:?} instead of {:?}",
            got[i], want[i]
        )),
    }
}

/// Checks that all elements agree within `ulps` units in the last place.
pub fn close(what: &str, got: &[f64], want: &[f64], ulps: u64) -> Result<(), String> {
    // Maps floats to integers in the same order.
    let rank = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 {
            i64::MIN.wrapping_sub(bits)
        } else {
            bits
        }
    };
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let apart = rank(got).abs_diff(rank(want));
        if apart > ulps {
            return Err(format!(
                "{what}: element {i} is {got} instead of {want}, {apart} ulp apart"
            ));
        }
    }
    Ok(())
}
