//! How far the functions of floats are from the truth: those of `f64` from results of MPFR
//! (`tests/floats/references.py` makes them), those of `f32` from those of `f64`.
//! `cargo test -p ferrovox-cuda-std --test on_the_cpu float_accuracy -- --nocapture` prints the
//! table that the documentation of `cuda_std::float` has.

use cuda_std::{FloatExt, GpuFloat};
use std::collections::HashMap;

/// The greatest errors, of `f64` and of `f32`, and the function of both.
type One = (&'static str, f64, f64, fn(f64) -> f64, fn(f32) -> f32);
type Two = (
    &'static str,
    f64,
    f64,
    fn(f64, f64) -> f64,
    fn(f32, f32) -> f32,
);

/// Where a Bessel function is near one of its zeros, its unit is that of the wave's height.
fn is_wave(name: &str, x: f64) -> bool {
    matches!(name, "j0" | "j1") && x > 1.0 || matches!(name, "y0" | "y1") && x > 0.5
}

const ONE: [One; 28] = [
    ("sin", 0.6, 0.501, GpuFloat::sin, GpuFloat::sin),
    ("cos", 0.6, 0.501, GpuFloat::cos, GpuFloat::cos),
    ("tan", 0.6, 0.501, GpuFloat::tan, GpuFloat::tan),
    ("asin", 1.0, 1.0, GpuFloat::asin, GpuFloat::asin),
    ("acos", 1.0, 1.0, GpuFloat::acos, GpuFloat::acos),
    ("atan", 1.0, 1.0, GpuFloat::atan, GpuFloat::atan),
    ("exp", 1.0, 1.0, GpuFloat::exp, GpuFloat::exp),
    ("exp2", 1.0, 1.0, GpuFloat::exp2, GpuFloat::exp2),
    ("exp_m1", 1.0, 1.0, GpuFloat::exp_m1, GpuFloat::exp_m1),
    ("ln", 1.0, 1.0, GpuFloat::ln, GpuFloat::ln),
    ("log2", 1.0, 1.0, GpuFloat::log2, GpuFloat::log2),
    ("log10", 2.0, 2.0, GpuFloat::log10, GpuFloat::log10),
    ("ln_1p", 1.0, 1.0, GpuFloat::ln_1p, GpuFloat::ln_1p),
    ("cbrt", 0.501, 1.0, GpuFloat::cbrt, GpuFloat::cbrt),
    ("sinh", 2.0, 2.0, GpuFloat::sinh, GpuFloat::sinh),
    ("cosh", 2.0, 2.0, GpuFloat::cosh, GpuFloat::cosh),
    ("tanh", 3.0, 3.0, GpuFloat::tanh, GpuFloat::tanh),
    ("asinh", 3.0, 3.0, GpuFloat::asinh, GpuFloat::asinh),
    ("acosh", 3.0, 3.0, GpuFloat::acosh, GpuFloat::acosh),
    ("atanh", 3.0, 3.0, GpuFloat::atanh, GpuFloat::atanh),
    (
        "error_function",
        1.0,
        1.0,
        FloatExt::error_function,
        FloatExt::error_function,
    ),
    (
        "complementary_error_function",
        3.0,
        3.0,
        FloatExt::complementary_error_function,
        FloatExt::complementary_error_function,
    ),
    ("gamma", 20.0, 1.0, FloatExt::gamma, FloatExt::gamma),
    (
        "log_gamma",
        20.0,
        60.0,
        FloatExt::log_gamma,
        FloatExt::log_gamma,
    ),
    ("j0", 1.0, 0.501, FloatExt::j0, FloatExt::j0),
    ("j1", 1.5, 0.501, FloatExt::j1, FloatExt::j1),
    ("y0", 3.0, 0.501, FloatExt::y0, FloatExt::y0),
    ("y1", 2.0, 0.501, FloatExt::y1, FloatExt::y1),
];

const TWO: [Two; 3] = [
    ("powf", 1.0, 1.0, GpuFloat::powf, GpuFloat::powf),
    ("atan2", 2.0, 2.0, GpuFloat::atan2, GpuFloat::atan2),
    ("hypot", 1.0, 1.0, GpuFloat::hypot, GpuFloat::hypot),
];

/// Bits of the arguments and of the result, and what the result has beside, in its last place.
type Reference = (Vec<u64>, u64, f64);

fn references() -> HashMap<&'static str, Vec<Reference>> {
    let mut all: HashMap<&str, Vec<Reference>> = HashMap::new();
    let mut name = "";
    for line in include_str!("../floats/references.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [arguments @ .., result, beside] = &words[..] else {
            name = line;
            continue;
        };
        let bits = |word: &&str| u64::from_str_radix(word, 16).unwrap();
        all.entry(name).or_default().push((
            arguments.iter().map(bits).collect(),
            bits(result),
            beside.parse::<f64>().unwrap() / 256.0,
        ));
    }
    all
}

/// The number as a multiple of the least one.
fn rank(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// One in the last place of an `f64`.
fn unit(x: f64) -> f64 {
    let x = x.abs().max(f64::MIN_POSITIVE);
    x - x.next_down()
}

/// How far `got` is from a reference, in units in the last place.
fn error(name: &str, x: f64, got: f64, &(_, result, beside): &Reference) -> f64 {
    let result = f64::from_bits(result);
    if is_wave(name, x) {
        let height = (std::f64::consts::FRAC_2_PI / x).sqrt().max(result.abs());
        return ((got - result) / unit(height) - beside * (unit(result) / unit(height))).abs();
    }
    ((i128::from(rank(got)) - i128::from(rank(result))) as f64 - beside).abs()
}

/// The same of a result of `f32`.
fn short_error(name: &str, x: f64, got: f32, wanted: f64) -> f64 {
    if got.is_nan() || wanted.is_nan() {
        assert!(got.is_nan() && wanted.is_nan(), "{name}({x}): {got}");
        return 0.0;
    }
    if got.is_infinite() || (wanted as f32).is_infinite() {
        // next to the greatest number an error may be one of rounding to infinity
        let limit = f64::from(f32::MAX) * (1.0 + 3.0 * f64::from(f32::EPSILON));
        let right = got == wanted as f32 || wanted.abs() < limit;
        return if right { 0.0 } else { f64::INFINITY };
    }
    let mut size = wanted.abs().max(f64::from(f32::MIN_POSITIVE));
    if is_wave(name, x) {
        size = size.max((std::f64::consts::FRAC_2_PI / x).sqrt());
    }
    // 29 bits more than an f64's last place
    let unit = f64::from_bits(size.to_bits() & !((1 << 52) - 1)) * f64::from(f32::EPSILON);
    (f64::from(got) - wanted).abs() / unit
}

/// `f32`s of all sizes and both signs, infinities and NaN among them.
fn patterns(step: usize) -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(step).map(f32::from_bits)
}

struct Table {
    failures: Vec<String>,
}

impl Table {
    fn row(&mut self, name: &str, bounds: (f64, f64), double: (f64, usize), single: (f64, usize)) {
        let row = format!(
            "| `{name}` | {:.2} | {} | {:.2} | {} |",
            double.0, double.1, single.0, single.1
        );
        println!("{row}");
        let documentation = include_str!("../../src/float/mod.rs");
        if !documentation.contains(&format!("//! {row}\n")) {
            self.failures
                .push(format!("not in the documentation: {row}"));
        }
        // of NaN it does not hold
        let within = double.0 <= bounds.0 && single.0 <= bounds.1;
        if !within {
            self.failures.push(format!("too far: {row}"));
        }
    }
}

/// The greater error, or NaN.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

#[test]
fn errors_are_as_documented() {
    let all = references();
    let mut table = Table {
        failures: Vec::new(),
    };
    println!("| function | f64 | arguments | f32 | arguments |\n| --- | --- | --- | --- | --- |");
    for (name, bound, short_bound, double, single) in ONE {
        let known = &all[name];
        let most = known.iter().fold(0.0, |most, reference| {
            let x = f64::from_bits(reference.0[0]);
            worse(most, error(name, x, double(x), reference))
        });
        let (mut count, mut short) = (0, 0.0);
        for x in patterns(100_003) {
            let wide = f64::from(x);
            short = worse(short, short_error(name, wide, single(x), double(wide)));
            count += 1;
        }
        table.row(
            name,
            (bound, short_bound),
            (most, known.len()),
            (short, count),
        );
    }
    for (name, bound, short_bound, double, single) in TWO {
        let known = &all[name];
        let most = known.iter().fold(0.0, |most, reference| {
            let [x, y] = [0, 1].map(|i| f64::from_bits(reference.0[i]));
            worse(most, error(name, x, double(x, y), reference))
        });
        let (mut count, mut short) = (0, 0.0);
        for (i, x) in patterns(100_003).enumerate() {
            // of any size, or of a like one
            let y = match i % 3 {
                0 => f32::from_bits((i as u32).wrapping_mul(0x9e37_79b9)),
                1 => x * (i as f32 * 1e-4 - 2.0),
                _ => i as f32 * 1e-3 - 20.0,
            };
            let wanted = double(x.into(), y.into());
            short = worse(short, short_error(name, x.into(), single(x, y), wanted));
            count += 1;
        }
        table.row(
            name,
            (bound, short_bound),
            (most, known.len()),
            (short, count),
        );
    }
    assert!(table.failures.is_empty(), "{}", table.failures.join("\n"));
}
