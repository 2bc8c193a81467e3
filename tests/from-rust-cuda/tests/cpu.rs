//! The kernels on the CPU, in fast and in checked mode.

use cuda_std::atomic::AtomicF32;
use cuda_std::glam::{Quat, UVec3, Vec2, Vec3, Vec4};
use cuda_std::{bf16, f16, launch_on_cpu, View, ViewMut};
use ferrovox_from_rust_cuda as kernels;
use kernels::Settings;
use simt::{LaunchShape, Mode};
use std::sync::atomic::Ordering;

const MODES: [Mode; 2] = [Mode::Fast, Mode::Checked { seed: 7 }];

fn shape(grid: u32, block: u32) -> LaunchShape {
    LaunchShape {
        grid: grid.into(),
        block: block.into(),
        dynamic_shared_bytes: 0,
    }
}

#[test]
fn vecadd() {
    let a: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..100).map(|i| (2 * i) as f32).collect();
    for mode in MODES {
        let mut c = vec![0.0; 100];
        let arguments = (View::from(&a[..]), View::from(&b[..]), c.as_mut_ptr());
        // SAFETY: each thread writes its own element of `c`.
        unsafe { launch_on_cpu::<kernels::types::vecadd_kernel>(shape(4, 32), mode, arguments) }
            .unwrap();
        assert!(c.iter().enumerate().all(|(i, &x)| x == (3 * i) as f32));
    }
}

#[test]
fn gemm() {
    let (m, n, k) = (5, 7, 3);
    let a: Vec<f32> = (0..m * k).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32).collect();
    for mode in MODES {
        let mut c = vec![1.0; m * n];
        let shape = LaunchShape {
            grid: (2, 2, 1).into(),
            block: (4, 4, 1).into(),
            dynamic_shared_bytes: 0,
        };
        let arguments = (
            View::from(&a[..]),
            View::from(&b[..]),
            c.as_mut_ptr(),
            m,
            n,
            k,
            2.0,
            3.0,
        );
        // SAFETY: each thread writes its own element of `c`.
        unsafe { launch_on_cpu::<kernels::types::gemm_kernel>(shape, mode, arguments) }.unwrap();
        for row in 0..m {
            for col in 0..n {
                let sum: f32 = (0..k).map(|i| a[row * k + i] * b[i * n + col]).sum();
                assert_eq!(c[row * n + col], 2.0 * sum + 3.0);
            }
        }
    }
}

#[test]
fn vectors_in_kernels() {
    let counts = [0_u32, 1, 5, 100];
    for mode in MODES {
        let mut out = [9_u32; 4];
        let arguments = (View::from(&counts[..]), out.as_mut_ptr());
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::squares>(shape(1, 32), mode, arguments) }.unwrap();
        assert_eq!(out, counts.map(|n| (0..n).map(|x| x * x).sum()));
    }
}

#[test]
fn structs_and_arrays_by_value() {
    let settings = Settings {
        scale: 2.0,
        offset: [5.0, 1.0],
        flip: true,
    };
    for mode in MODES {
        let mut out = [0.0; 3];
        let arguments = (settings, [1.0, 2.0, 3.0], out.as_mut_ptr());
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::by_value>(shape(1, 32), mode, arguments) }.unwrap();
        assert_eq!(out, [-6.0, -8.0, -10.0]);
    }
}

#[test]
fn references_to_one_value() {
    let settings = [Settings {
        scale: 2.0,
        offset: [0.0; 2],
        flip: false,
    }];
    let weights = [[1.0, 2.0, 3.0]];
    for mode in MODES {
        let mut total = [0.0];
        let arguments = (
            View::from(&settings[..]),
            View::from(&weights[..]),
            ViewMut::from(&mut total[..]),
        );
        // SAFETY: only the first thread writes.
        unsafe { launch_on_cpu::<kernels::by_reference>(shape(1, 1), mode, arguments) }.unwrap();
        assert_eq!(total, [12.0]);
    }
}

/// On the CPU a kernel is compiled for what `ComputeCapability::from_cuda_arch_env` says: 7.0.
#[test]
fn features_of_the_device() {
    for mode in MODES {
        let mut out = [9.0; 3];
        // SAFETY: one thread.
        unsafe { launch_on_cpu::<kernels::known_features>(shape(1, 1), mode, (out.as_mut_ptr(),)) }
            .unwrap();
        assert_eq!(out, [130.0, 0.0, 1.0]);
    }
}

#[test]
fn glams_vectors() {
    let (width, height) = (5, 3);
    let points: Vec<Vec3> = (0..width * height)
        .map(|i| Vec3::new(i as f32, 1.0, -2.0))
        .collect();
    // a quarter turn about z takes x to y
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let shape = LaunchShape {
        grid: (2, 1, 1).into(),
        block: (4, 4, 1).into(),
        dynamic_shared_bytes: 0,
    };
    for mode in MODES {
        let mut out = vec![Vec3::ZERO; points.len()];
        let arguments = (
            View::from(&points[..]),
            width as u32,
            turn,
            Vec2::new(10.0, 20.0),
            Vec4::new(2.0, 3.0, 6.0, 0.5),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::turn>(shape, mode, arguments) }.unwrap();
        for (i, point) in out.iter().enumerate() {
            let expected = Vec3::new(10.0 - 1.0, 20.0 + i as f32, -2.0) * 3.5;
            assert!((point - expected).length() < 1e-4, "{i} {point}");
        }
    }
}

#[test]
fn indices_are_glams() {
    let shape = LaunchShape {
        grid: (2, 3, 2).into(),
        block: (4, 1, 2).into(),
        dynamic_shared_bytes: 0,
    };
    for mode in MODES {
        let mut out = vec![UVec3::ZERO; 8 * 3 * 4];
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::places>(shape, mode, (out.as_mut_ptr(),)) }.unwrap();
        for (i, at) in out.iter().enumerate() {
            let i = i as u32;
            assert_eq!(*at, UVec3::new(i % 8, i / 8 % 3, i / 24));
        }
    }
}

/// The nearest of all numbers of 16 bits, the even one of two that are as near; beyond half of the last step infinity.
fn nearest(x: f32, value: impl Fn(u16) -> f64, infinity: u16) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = f64::from(x.abs());
    // what infinity would be, were it the next number
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
    // a fraction of 10 bits and of 7, exponents below 2^-14 and 2^-126 all alike
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
        // 303 has 9 digits, of which 8 are kept; 300 has 7 (100101100)
        assert!(out.iter().all(|x| x.to_f32() == 304.0));
    }
}

#[test]
fn half_floats_between_lanes() {
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

const SIGNED: [f32; 70] = {
    let mut x = [1.0; 70];
    x[3] = -2.5;
    x[40] = -7.0;
    x[41] = -8.0;
    x
};

/// Run by `lines_are_whole`, which looks at what it prints.
#[test]
#[ignore = "it only prints"]
fn prints() {
    for mode in MODES {
        let arguments = (View::from(&SIGNED[..]),);
        // SAFETY: it only reads.
        unsafe { launch_on_cpu::<kernels::name_negative>(shape(3, 32), mode, arguments) }.unwrap();
    }
}

#[test]
fn lines_are_whole() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "prints", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("element"))
        .collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "[block (0, 0, 0), thread (3, 0, 0)] element 3 is -2.5, [-2, 3]",
            "[block (1, 0, 0), thread (8, 0, 0)] element 40 is -7, [-7, 40]",
            "[block (1, 0, 0), thread (9, 0, 0)] element 41 is -8, [-8, 41]",
            "element 3 is -2.5, [-2, 3]",
            "element 40 is -7, [-7, 40]",
            "element 41 is -8, [-8, 41]",
        ],
        "{text}"
    );
}

#[test]
fn assertions_end_the_launch() {
    let halve = |x: &[u32], mode| {
        let mut out = vec![0; x.len()];
        let arguments = (View::from(x), out.as_mut_ptr());
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::halve>(shape(1, 4), mode, arguments) }
            .map(|()| out)
            .map_err(|error| error.to_string())
    };
    for mode in MODES {
        assert_eq!(halve(&[2, 4, 998], mode), Ok(vec![1, 2, 499]));
        for (x, words) in [
            ([2, 4, 5], ["element 2", "halve", "left: 1"]),
            ([2, 0, 2], ["assertion", "halve", "right: 0"]),
            ([1002, 2, 2], ["1002 is too large", "halve", "thread"]),
        ] {
            let error = halve(&x, mode).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }
}

#[test]
fn long_numbers_between_lanes() {
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
        // SAFETY: what threads share is atomic.
        unsafe { launch_on_cpu::<kernels::sum_up>(shape(4, 32), mode, arguments) }.unwrap();
        assert_eq!(
            (high.load(Ordering::Relaxed), low, most),
            (4951.0, 4952.0, 99)
        );
    }
}

#[test]
fn all_of_the_float_functions() {
    // by tables of the normal distribution and of the error function
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
        // one less by the product, and the other number
        let expected =
            [(1.0_f32, 0), (2.0, 2), (1e-30, 1)].map(|(x, n)| x.to_bits() as i32 - 1 + n);
        assert_eq!(high, expected);
    }
}
