//! Features that work unchanged: parameters, modules, allocation, device features.

use crate::{shape, MODES};
use cuda_std::{launch_on_cpu, View, ViewMut};
use ferrovox_from_rust_cuda as kernels;
use kernels::{Settings, Table};
use simt::LaunchShape;

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

#[test]
fn structs_with_lifetimes() {
    let (keys, values) = ([3, 1, 2], [30.0, 10.0, 20.0]);
    let first = [Table {
        keys: &keys,
        values: &values,
    }];
    let second = Table {
        keys: &keys[..1],
        values: &values[..1],
    };
    let wanted = [1, 2, 3, 4];
    for mode in MODES {
        let mut out = [[9.0; 2]; 4];
        let arguments = (
            View::from(&first[..]),
            second,
            View::from(&wanted[..]),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::look_up>(shape(1, 8), mode, arguments) }.unwrap();
        assert_eq!(
            out,
            [[10.0, -1.0], [20.0, -1.0], [30.0, 30.0], [-1.0, -1.0]]
        );
    }
}

/// On the CPU a kernel is compiled for `ComputeCapability::from_cuda_arch_env`, 7.0.
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
