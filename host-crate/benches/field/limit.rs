//! Upper bound on the throughput from a device's arithmetic.

use ferrovox::{
    device::Device,
    skeleton::potential_field::{self, FieldVariant, Precision},
};

/// Instructions that a multiprocessor issues per clock: four schedulers times the 32 threads of a
/// warp.
const ISSUED_PER_CLOCK: f64 = 4.0 * 32.0;

/// Roots, reciprocals, powers of two and logarithms that a multiprocessor issues per clock, each
/// counted for one thread.
const SPECIAL_PER_CLOCK: f64 = 16.0;

/// Conversions to `f64` per clock, on devices with full `f64` throughput.
const CONVERSIONS_PER_CLOCK: f64 = 16.0;

/// Minimum number of instructions per (source, target) pair and thread: arithmetic only, without
/// loads and loop overhead. The loop of `forces_tuned` in PTX has the same number for 16 pairs: 144
/// of f32 with exponent 2, 216 of f64 with exponent 6.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PairInstructions {
    /// All instructions.
    all: f64,
    /// Roots, reciprocals, powers of two, logarithms.
    special: f64,
    /// Conversions to `f64`.
    converted: f64,
}

impl PairInstructions {
    fn new(params: &potential_field::Params) -> Self {
        let distance = match params.variant {
            // for the four targets of a thread: two differences, a product and a fused multiply-add
            // for y and z, and four differences for x, in total 8; then a fused multiply-add for
            // each target
            FieldVariant::Tuned => 8.0 / 4.0 + 1.0,
            // three differences, a product, two fused multiply-adds
            _ => 6.0,
        };
        let (products, special) = weight(params.exponent);
        let (differences, converted) = match (params.precision, params.variant) {
            (Precision::F32, _) => (0.0, 0.0),
            // in f64 in addition: two differences for the four targets, one along x for each, and
            // the conversion of the weight
            (Precision::Accurate, FieldVariant::Tuned) => (6.0 / 4.0, 1.0),
            // conversions of three differences and the weight
            (Precision::Accurate, _) => (0.0, 4.0),
        };
        // three fused multiply-adds
        let sums = 3.0;
        Self {
            all: distance + products + special + differences + converted + sums,
            special,
            converted,
        }
    }
}

/// Returns the products and special instructions of the power of the distance.
fn weight(exponent: f64) -> (f64, f64) {
    // products for the powers 1, 2, 3, 4, 5
    let power = |n: u32| [0.0, 1.0, 2.0, 2.0, 3.0][n as usize - 1];
    match exponent as u32 {
        _ if exponent.fract() != 0.0 => (1.0, 2.0),
        // a reciprocal and its power
        odd if odd % 2 == 1 => (power(odd / 2 + 1), 1.0),
        // a reciprocal square root, its square, the power of that, and a product with the root
        even => (1.0 + power(even / 2) + 1.0, 1.0),
    }
}

/// Returns the maximum number of pairs per second that the device's multiprocessors can issue at
/// their highest clock, or `None` if unknown, as for the CPU.
pub fn pairs_per_second(device: &Device, params: &potential_field::Params) -> Option<f64> {
    let clocks = 1e3 * f64::from(device.clock_khz()?);
    let multiprocessors = f64::from(device.limits().multiprocessors);
    Some(clocks * multiprocessors * per_clock(PairInstructions::new(params)))
}

/// Returns the number of pairs per clock of a multiprocessor.
fn per_clock(pair: PairInstructions) -> f64 {
    let limits = [
        (ISSUED_PER_CLOCK, pair.all),
        (SPECIAL_PER_CLOCK, pair.special),
        (CONVERSIONS_PER_CLOCK, pair.converted),
    ];
    let pairs = |(issued, needed): (f64, f64)| issued / needed;
    limits.into_iter().map(pairs).fold(f64::INFINITY, f64::min)
}
