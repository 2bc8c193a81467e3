//! Floating-point functions.

use super::{launch_1d, numbers};
use crate::Machine;
use crate::compare::{close, equal};
use conformance_kernels as kernels;
use conformance_kernels::{ACCURATE, EXACT};
use cuda_std::{FloatExt, GpuFloat};

pub fn exact_functions<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let mut input: Vec<f32> = numbers(2000, 41).map(|n| n as f32 / 1.0e8 - 10.0).collect();
    input.extend([
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        1.0e30,
        -1.0e30,
        f32::MIN_POSITIVE,
        8_388_607.5,
        0.499_999_97,
    ]);
    let from = machine.upload(&input)?;
    let to = machine.upload(&vec![0.0_f32; input.len() * EXACT])?;
    let shape = launch_1d(input.len(), block);
    // SAFETY: `EXACT` results per element.
    unsafe { machine.launch::<kernels::exact_functions>(shape, (from.view(), to.ptr))? };
    // `std`'s functions, which have a single correct result.
    let want: Vec<u32> = input
        .iter()
        .flat_map(|x| {
            [
                x.floor(),
                x.ceil(),
                x.round(),
                x.trunc(),
                x.fract(),
                x.abs(),
                x.abs().sqrt(),
                x.mul_add(*x, -1.0),
                x.clamp(0.0, 1.0) + 0.0,
            ]
        })
        .map(f32::to_bits)
        .collect();
    let got: Vec<u32> = machine
        .download(to)?
        .into_iter()
        .map(f32::to_bits)
        .collect();
    equal("bits of the exact functions", &got, &want)
}

pub fn accurate_functions<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let mut input: Vec<f64> = numbers(700, 42)
        .map(|n| f64::from(n) / 1.0e8 - 10.0)
        .collect();
    // angles of many turns
    input.extend([3.0e6, -1.0e15, 1.0e22, -1.0e300, f64::MAX]);
    input.extend((1..100).map(|i| f64::from(i * i) * std::f64::consts::FRAC_PI_2));
    let of_std_too = input.len();
    // the number closest to a multiple of a quarter turn, for which the system's cosine may be off
    // by ten units
    input.push(6_381_956_970_095_103.0 * 2.0_f64.powi(797));
    let from = machine.upload(&input)?;
    let to = machine.upload(&vec![0.0_f64; input.len() * ACCURATE])?;
    let shape = launch_1d(input.len(), block);
    // SAFETY: `ACCURATE` results per element.
    unsafe { machine.launch::<kernels::accurate_functions>(shape, (from.view(), to.ptr))? };
    let got = machine.download(to)?;
    // The same algorithm on the host: equal bits.
    let same: Vec<f64> = input.iter().flat_map(|&x| computed_on_host(x)).collect();
    equal("accurate functions", &got, &same)?;
    // Close to the system's functions, too.
    let std: Vec<f64> = input[..of_std_too]
        .iter()
        .flat_map(|&x| computed_by_std(x))
        .collect();
    let without_error_function = |values: &[f64]| -> Vec<f64> {
        values
            .chunks(ACCURATE)
            .flat_map(|row| row[..ACCURATE - 1].to_vec())
            .collect()
    };
    close(
        "accurate functions",
        &without_error_function(&got[..of_std_too * ACCURATE]),
        &std,
        3,
    )
}

fn computed_on_host(x: f64) -> [f64; ACCURATE] {
    let (sine, cosine) = GpuFloat::sin_cos(x);
    [
        sine,
        cosine,
        GpuFloat::tan(x),
        GpuFloat::atan2(x, 2.0),
        GpuFloat::exp(x),
        GpuFloat::exp2(x),
        GpuFloat::ln(x.abs() + 0.5),
        GpuFloat::powf(x.abs(), 1.5),
        GpuFloat::powi(x, 3),
        GpuFloat::hypot(x, 1.0),
        GpuFloat::cbrt(x),
        x.error_function(),
    ]
}

/// Computes the functions that `std` has; it lacks the error function.
fn computed_by_std(x: f64) -> [f64; ACCURATE - 1] {
    [
        x.sin(),
        x.cos(),
        x.tan(),
        x.atan2(2.0),
        x.exp(),
        x.exp2(),
        (x.abs() + 0.5).ln(),
        x.abs().powf(1.5),
        x * x * x,
        x.hypot(1.0),
        x.cbrt(),
    ]
}
