use cuda_std::View;
use num_complex::Complex;
use public_code_quick as kernels;

use public_code_support::{launch, MODES};

/// Returns the error in units in the last place of the expected number.
fn ulps(found: f64, expected: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let spacing = expected.abs().next_up() - expected.abs();
    (found - expected).abs() / spacing
}

/// Compares with the functions of the C library that `std` calls.
#[test]
fn libm_is_stds_within_two_units_of_the_last_place() {
    let x: Vec<f64> = (-500..500).map(|i| f64::from(i) * 0.037 + 0.001).collect();
    let functions: [fn(f64) -> f64; 12] = [
        f64::sin,
        f64::cos,
        f64::tan,
        f64::exp,
        |x| x.abs().ln(),
        f64::cbrt,
        f64::atan,
        f64::sinh,
        f64::tanh,
        |x| x.abs().ln_1p(),
        f64::exp_m1,
        |x| x.hypot(1.0),
    ];
    for mode in MODES {
        let mut out = vec![[9.0; 12]; x.len()];
        let arguments = (View::from(&x[..]), out.as_mut_ptr());
        // SAFETY: each thread writes its own row.
        unsafe { launch::<kernels::by_libm>(mode, 1000, arguments) };
        for (x, row) in x.iter().zip(&out) {
            for (k, function) in functions.iter().enumerate() {
                let expected = function(*x);
                assert!(
                    ulps(row[k], expected) <= 2.0,
                    "function {k} of {x}: {} is not {expected}",
                    row[k]
                );
            }
        }
    }
}

#[test]
fn libm_has_the_gamma_function_of_whole_numbers() {
    let x: Vec<f32> = (1..=10).map(|i| i as f32).collect();
    for mode in MODES {
        let mut out = [[9.0; 5]; 10];
        let arguments = (View::from(&x[..]), out.as_mut_ptr());
        // SAFETY: each thread writes its own row.
        unsafe { launch::<kernels::by_libm_f32>(mode, 10, arguments) };
        let mut factorial = 1.0;
        for (x, [sine, power, logarithm, gamma, error]) in x.iter().zip(out) {
            for (found, expected) in [
                (sine, x.sin()),
                (power, x.exp()),
                (logarithm, x.ln()),
                (gamma, factorial),
            ] {
                assert!(
                    (found - expected).abs() <= 2.0 * f32::EPSILON * expected.abs(),
                    "{x}: {found} {expected}"
                );
            }
            factorial *= x;
            assert!(error > 0.84 && error <= 1.0);
        }
        // Abramowitz and Stegun, table 7.1
        assert!((out[0][4] - 0.842_700_8).abs() < 1e-6 && (out[1][4] - 0.995_322_3).abs() < 1e-6);
    }
}

#[test]
fn one_function_for_all_numbers() {
    let x: Vec<f64> = (1..=64).map(f64::from).collect();
    let short: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for mode in MODES {
        let (mut out, mut out_short) = ([0.0; 64], [0.0; 64]);
        // SAFETY: each thread writes its own root.
        unsafe {
            launch::<kernels::roots<f64>>(mode, 64, (View::from(&x[..]), out.as_mut_ptr()));
            launch::<kernels::roots<f32>>(
                mode,
                64,
                (View::from(&short[..]), out_short.as_mut_ptr()),
            );
        }
        for i in 0..64 {
            assert!(ulps(out[i], x[i].sqrt()) <= 2.0, "{}", x[i]);
            assert!(
                (out_short[i] - short[i].sqrt()).abs() <= 2.0 * f32::EPSILON * short[i].sqrt(),
                "{}",
                x[i]
            );
        }
    }
}

/// Points with known behaviour: of period one, two and three, on the boundary, and outside.
#[test]
fn complex_numbers_in_the_mandelbrot_set() {
    let points = [
        (0.0, 0.0),
        (-1.0, 0.0),
        (-1.754_877_666_246_693, 0.0),
        (-2.0, 0.0),
        (0.0, 1.0),
        (1.0, 0.0),
        (3.0, 0.0),
    ]
    .map(|(re, im)| Complex::new(re, im));
    for mode in MODES {
        let mut out = [0; 7];
        // SAFETY: each thread writes its own count.
        unsafe {
            launch::<kernels::mandelbrot>(mode, 7, (View::from(&points[..]), 50, out.as_mut_ptr()))
        };
        // 0, 1, 2, 5; and 0, 3
        assert_eq!(out, [50, 50, 50, 50, 50, 3, 1]);
    }
}

#[test]
fn ryu_writes_the_shortest_text() {
    let x = [
        0.0,
        1.0,
        -0.3,
        1.0 / 3.0,
        1e23,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let expected = [
        "0.0",
        "1.0",
        "-0.3",
        "0.3333333333333333",
        "1e23",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "5e-324",
    ];
    for mode in MODES {
        let (mut texts, mut lengths) = ([[0; 24]; 8], [0_u32; 8]);
        let arguments = (View::from(&x[..]), texts.as_mut_ptr(), lengths.as_mut_ptr());
        // SAFETY: each thread writes its own text.
        unsafe { launch::<kernels::shortest>(mode, 8, arguments) };
        for i in 0..8 {
            assert_eq!(
                std::str::from_utf8(&texts[i][..lengths[i] as usize]).unwrap(),
                expected[i]
            );
        }
    }
}
