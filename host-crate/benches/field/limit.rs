//! What a device's arithmetic allows at most.

use ferrovox::{
    device::Device,
    skeleton::potential_field::{self, FieldVariant, Precision},
};

/// Instructions that each of the four parts of a multiprocessor begins in a clock, for the 32
/// threads of a warp.
const ISSUED: f64 = 4.0 * 32.0;

/// Threads of a multiprocessor for which a root, a reciprocal, a power of two or a logarithm is
/// begun in a clock.
const SPECIAL: f64 = 16.0;

/// And a conversion to `f64`, where `f64` is not slowed down.
const CONVERTED: f64 = 16.0;

/// Instructions that a pair of a source and a target takes a thread at least: arithmetic alone, no
/// loads and no counting. In the PTX the loop of `forces_tuned` has as many for 16 pairs: 144 of
/// f32 with the exponent 2, 216 of f64 with the exponent 6.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair {
    /// All of them.
    all: f64,
    /// Roots, reciprocals, powers of two, logarithms.
    special: f64,
    /// Conversions to `f64`.
    converted: f64,
}

impl Pair {
    fn of(params: &potential_field::Params) -> Self {
        let distance = match params.variant {
            // for the four targets of a thread: two differences, a product and a product with sum
            // for y and z, and four differences for x, which is 8 for four; then for each a product
            // with sum
            FieldVariant::Tuned => 8.0 / 4.0 + 1.0,
            // three differences, a product, two products with sum
            _ => 6.0,
        };
        let (products, special) = weight(params.exponent);
        let (differences, converted) = match (params.precision, params.variant) {
            (Precision::F32, _) => (0.0, 0.0),
            // in f64 again: two for the four targets, and one along x for each; and the weight is
            // converted
            (Precision::Accurate, FieldVariant::Tuned) => (6.0 / 4.0, 1.0),
            // three differences and the weight are converted
            (Precision::Accurate, _) => (0.0, 4.0),
        };
        // three products with sum
        let sums = 3.0;
        Self {
            all: distance + products + special + differences + converted + sums,
            special,
            converted,
        }
    }
}

/// Products, and special instructions, that the power of the distance takes.
fn weight(exponent: f64) -> (f64, f64) {
    // to the power of: 1, 2, 3, 4, 5
    let power = |n: u32| [0.0, 1.0, 2.0, 2.0, 3.0][n as usize - 1];
    match exponent as u32 {
        _ if exponent.fract() != 0.0 => (1.0, 2.0),
        // a reciprocal, and its power
        odd if odd % 2 == 1 => (power(odd / 2 + 1), 1.0),
        // a reciprocal root, its square, the power of that, and times the root
        even => (1.0 + power(even / 2) + 1.0, 1.0),
    }
}

/// Pairs in a second that the device cannot exceed: by what its multiprocessors begin at their
/// highest clock. None where that is not known, as for the CPU.
pub fn pairs_per_second(device: &Device, params: &potential_field::Params) -> Option<f64> {
    let clocks = 1e3 * f64::from(device.clock_khz()?);
    let multiprocessors = f64::from(device.limits().multiprocessors);
    Some(clocks * multiprocessors * per_clock(Pair::of(params)))
}

/// Pairs in a clock of a multiprocessor.
fn per_clock(pair: Pair) -> f64 {
    let limits = [
        (ISSUED, pair.all),
        (SPECIAL, pair.special),
        (CONVERTED, pair.converted),
    ];
    let of = |(begun, taken): (f64, f64)| begun / taken;
    limits.into_iter().map(of).fold(f64::INFINITY, f64::min)
}
