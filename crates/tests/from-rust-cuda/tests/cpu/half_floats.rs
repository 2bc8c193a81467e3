//! 16-bit floats.

use crate::{shape, MODES};
use cuda_std::{bf16, f16, launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;

/// Returns the nearest 16-bit float, ties to even; beyond half of the last step, infinity.
fn nearest(x: f32, value: impl Fn(u16) -> f64, infinity: u16) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = f64::from(x.abs());
    // the value of infinity if it were the next number
    let over = 2.0 * value(infinity - 1) - value(infinity - 2);
    if x > over {
        return infinity | sign;
    }
    let of = |bits| if bits == infinity { over } else { value(bits) };
    let best = (0..=infinity)
        .min_by(|&a, &b| {
            let (far_a, far_b) = ((of(a) - x).abs(), (of(b) - x).abs());
            far_a.total_cmp(&far_b).then((a & 1).cmp(&(b & 1)))
        })
        .unwrap();
    best | sign
}

#[test]
fn half_floats_are_rounded_to_the_nearest() {
    let x = [
        0.0_f32,
        -0.0,
        1.0,
        0.1,
        -0.3,
        1.000_488_3,
        1.001_464_8,
        65504.0,
        65519.9,
        65520.0,
        1e9,
        6.1e-5,
        6e-5,
        3e-8,
        2.98e-8,
        2.9e-8,
        1e-40,
        -1e-20,
        3.4e38,
        1.0 + 1.0 / 256.0,
        1.0 + 3.0 / 256.0,
    ];
    // fractions of 10 and 7 bits; equally spaced below 2^-14 and 2^-126
    let half = |bits: u16| {
        let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
        match exponent {
            0 => fraction * 2f64.powi(-24),
            e => (1024.0 + fraction) * 2f64.powi(e - 25),
        }
    };
    let brain = |bits: u16| f64::from(f32::from_bits(u32::from(bits) << 16));
    for mode in MODES {
        let mut rounded = [[9.0; 2]; 21];
        let mut bits = [(9, 9); 21];
        let arguments = (View::from(&x[..]), rounded.as_mut_ptr(), bits.as_mut_ptr());
        // SAFETY: each thread writes its own elements.
        unsafe { launch_on_cpu::<kernels::round_to_half>(shape(1, 32), mode, arguments) }.unwrap();
        for (i, &x) in x.iter().enumerate() {
            let expected = (nearest(x, half, 0x7c00), nearest(x, brain, 0x7f80));
            assert_eq!(bits[i], expected, "{x}");
            if expected.0 & 0x7fff != 0x7c00 {
                assert_eq!(f64::from(rounded[i][0].abs()), half(expected.0 & 0x7fff));
            }
            assert_eq!(rounded[i][1].to_bits(), u32::from(expected.1) << 16);
        }
    }
}

#[test]
fn half_floats_as_parameters() {
    let x: Vec<f16> = (0..40).map(|i| f16::from_f32(i as f32)).collect();
    let y = [f16::from_f32(0.5); 40];
    let brains = [bf16::from_f32(3.0); 40];
    for mode in MODES {
        let mut out = vec![f16::ZERO; 40];
        let arguments = (
            f16::from_f32(3.0),
            View::from(&x[..]),
            View::from(&y[..]),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::half_axpy<f16>>(shape(2, 32), mode, arguments) }.unwrap();
        for (i, x) in out.iter().enumerate() {
            assert_eq!(x.to_f32(), 3.0 * i as f32 + 0.5);
        }
        let mut out = vec![bf16::ZERO; 40];
        let arguments = (
            bf16::from_f32(100.0),
            View::from(&brains[..]),
            View::from(&brains[..]),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::half_axpy<bf16>>(shape(2, 32), mode, arguments) }
            .unwrap();
        // 303 needs 9 significant bits, of which 8 are kept; 300 needs 7 (100101100)
        assert!(out.iter().all(|x| x.to_f32() == 304.0));
    }
}

#[test]
fn lanes_exchange_half_floats() {
    let x: Vec<f16> = (0..32).map(|i| f16::from_f32(i as f32 / 4.0)).collect();
    for mode in MODES {
        let (mut next, mut sum) = (vec![f16::NAN; 32], 0.0);
        let arguments = (View::from(&x[..]), next.as_mut_ptr(), &raw mut sum);
        // SAFETY: each thread writes its own element, the first the sum.
        unsafe { launch_on_cpu::<kernels::half_neighbours>(shape(1, 32), mode, arguments) }
            .unwrap();
        assert!((0..31).all(|i| next[i] == x[i + 1]) && next[31] == x[31]);
        assert_eq!(sum, 1.5);
    }
}
