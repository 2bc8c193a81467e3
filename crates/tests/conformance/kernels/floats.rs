//! Floating-point functions.

use cuda_std::prelude::*;
#[allow(unused_imports)]
use cuda_std::{FloatExt, GpuFloat};

/// Number of values per element that [`exact_functions`] writes.
pub const EXACT: usize = 9;
/// Number of values per element that [`accurate_functions`] writes.
pub const ACCURATE: usize = 12;

/// Evaluates functions with a single correct result.
#[kernel]
pub unsafe fn exact_functions(input: &[f32], output: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let x = input[i];
        let results: [f32; EXACT] = [
            GpuFloat::floor(x),
            GpuFloat::ceil(x),
            GpuFloat::round(x),
            GpuFloat::trunc(x),
            GpuFloat::fract(x),
            GpuFloat::abs(x),
            GpuFloat::sqrt(GpuFloat::abs(x)),
            GpuFloat::mul_add(x, x, -1.0),
            FloatExt::saturate(x),
        ];
        for (k, result) in results.iter().enumerate() {
            *output.add(i * EXACT + k) = *result;
        }
    }
}

/// Evaluates functions that are accurate to a few units in the last place.
#[kernel]
pub unsafe fn accurate_functions(input: &[f64], output: *mut f64) {
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let x = input[i];
        let (sine, cosine) = GpuFloat::sin_cos(x);
        let results: [f64; ACCURATE] = [
            sine,
            cosine,
            GpuFloat::tan(x),
            GpuFloat::atan2(x, 2.0),
            GpuFloat::exp(x),
            GpuFloat::exp2(x),
            GpuFloat::ln(GpuFloat::abs(x) + 0.5),
            GpuFloat::powf(GpuFloat::abs(x), 1.5),
            GpuFloat::powi(x, 3),
            GpuFloat::hypot(x, 1.0),
            GpuFloat::cbrt(x),
            FloatExt::error_function(x),
        ];
        for (k, result) in results.iter().enumerate() {
            *output.add(i * ACCURATE + k) = *result;
        }
    }
}
