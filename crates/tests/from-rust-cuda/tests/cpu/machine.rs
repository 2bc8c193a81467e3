//! Lanes, clocks, atomics, float functions, and the prelude.

use crate::{shape, MODES};
use cuda_std::atomic::AtomicF32;
use cuda_std::{f16, launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;
use std::sync::atomic::Ordering;

#[test]
fn lanes_exchange_128_bit_integers() {
    let x: Vec<u128> = (0..32)
        .map(|i| ((i / 2) << 100) | (i % 2) | 7 << 60)
        .collect();
    for mode in MODES {
        let (mut out, mut equal) = (vec![0; 32], vec![0; 32]);
        let mut same = x.clone();
        same[9] = same[4];
        for x in [&x, &same] {
            let arguments = (View::from(&x[..]), out.as_mut_ptr(), equal.as_mut_ptr());
            // SAFETY: each thread writes its own elements.
            unsafe { launch_on_cpu::<kernels::rotate_long>(shape(1, 32), mode, arguments) }
                .unwrap();
            assert!((0..32).all(|i| out[i] == x[(i + 31) % 32]));
        }
        assert!((0..32).all(|i| equal[i] == if i == 4 || i == 9 { 0x210 } else { 1 << i }));
    }
}

#[test]
fn clocks_and_masks_of_lanes() {
    for mode in MODES {
        let mut out = vec![[0; 6]; 32];
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::wait>(shape(1, 32), mode, (out.as_mut_ptr(),)) }.unwrap();
        for (lane, [ticks, eq, lt, le, gt, ge]) in out.into_iter().enumerate() {
            assert!(ticks < 10_000_000_000);
            assert_eq!((eq, lt), (1 << lane, (1 << lane) - 1));
            assert_eq!((le, gt + le, ge + lt), (eq | lt, 0xffff_ffff, 0xffff_ffff));
        }
    }
}

#[test]
fn atomics_of_both_levels() {
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    for mode in MODES {
        let (high, mut low, mut most) = (AtomicF32::new(1.0), 2.0, 0);
        let arguments = (
            View::from(&x[..]),
            &raw const high,
            &raw mut low,
            &raw mut most,
        );
        // SAFETY: shared data is atomic.
        unsafe { launch_on_cpu::<kernels::sum_up>(shape(4, 32), mode, arguments) }.unwrap();
        assert_eq!(
            (high.load(Ordering::Relaxed), low, most),
            (4951.0, 4952.0, 99)
        );
    }
}

#[test]
fn all_of_the_float_functions() {
    // from tables of the normal distribution and of the error function
    let p = [0.975_f32, 0.5, 0.001];
    let expected = [
        [1.959_964, 0.022_159_6, 0.434_511_6],
        [0.0, 0.476_936_28, 0.615_690_34],
        [-3.090_232_3, 2.326_753_8, 0.998_872_6],
    ];
    for mode in MODES {
        let mut out = [[9.0; 4]; 3];
        let arguments = (View::from(&p[..]), out.as_mut_ptr());
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::float_functions>(shape(1, 32), mode, arguments) }
            .unwrap();
        for ((got, expected), p) in out.iter().zip(&expected).zip(p) {
            assert!((got[3] - p.sin()).abs() < 1e-6);
            assert!(
                got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-6),
                "{got:?}"
            );
        }
    }
}

#[test]
fn alloc_is_in_the_prelude() {
    for mode in MODES {
        let mut out = [0; 3];
        let arguments = (
            View::from(&[7_u32, 10, 4_000_000_000][..]),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::lengths>(shape(1, 32), mode, arguments) }.unwrap();
        assert_eq!(out, [4, 5, 13]);
    }
}

#[test]
fn the_device_librarys_names() {
    let (x, y) = ([1.0_f32, 2.0, 1e-30], [3.0_f64, 1.0, 1e-20]);
    for mode in MODES {
        let (mut narrow, mut wide, mut high) = ([[0.0; 4]; 3], [[0.0; 2]; 3], [0; 3]);
        let arguments = (
            View::from(&x[..]),
            View::from(&y[..]),
            narrow.as_mut_ptr(),
            wide.as_mut_ptr(),
            high.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own elements.
        unsafe { launch_on_cpu::<kernels::intervals>(shape(1, 32), mode, arguments) }.unwrap();
        let one = f32::from(f16::ONE.to_bits());
        assert_eq!(narrow[0], [1.0, 1.0 + f32::EPSILON, 1.0, 0.0]);
        assert_eq!(narrow[1][..2], [4.0, 4.0]);
        assert_eq!(narrow[1][2], 2f32.sqrt());
        assert_eq!(narrow[2][3], one);
        assert_eq!(wide[0], [12.0, 1.0 / 3.0]);
        assert_eq!(wide[2][0], 3.0_f64.next_up());
        // one less due to the product, and the other number
        let expected =
            [(1.0_f32, 0), (2.0, 2), (1e-30, 1)].map(|(x, n)| x.to_bits() as i32 - 1 + n);
        assert_eq!(high, expected);
    }
}
