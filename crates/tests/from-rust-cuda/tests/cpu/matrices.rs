//! glam's matrices, rays, and a tiled matrix product.

use crate::{shape, MODES};
use cuda_std::glam::{Mat3, Mat4, Vec3, Vec4};
use cuda_std::{launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;
use simt::LaunchShape;

#[test]
fn glams_matrices() {
    // a quarter turn about z, scaled by two and translated
    let matrix = Mat4::from_cols(
        Vec4::new(0.0, 2.0, 0.0, 0.0),
        Vec4::new(-2.0, 0.0, 0.0, 0.0),
        Vec4::new(0.0, 0.0, 2.0, 0.0),
        Vec4::new(10.0, 20.0, 30.0, 1.0),
    );
    let rotation = Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X);
    let point = Vec3::new(1.0, 2.0, 3.0);
    for mode in MODES {
        let (mut points, mut vector, mut determinant) = ([Vec3::ZERO; 3], Vec4::ZERO, 0.0);
        let arguments = (
            matrix,
            rotation,
            point,
            &raw mut points,
            &raw mut vector,
            &raw mut determinant,
        );
        // SAFETY: one thread.
        unsafe { launch_on_cpu::<kernels::transform>(shape(1, 1), mode, arguments) }.unwrap();
        assert_eq!(
            points,
            [Vec3::new(6.0, 22.0, 36.0), point, Vec3::new(3.0, 1.0, 2.0)]
        );
        assert_eq!((vector, determinant), (Vec4::new(-4.0, 2.0, 6.0, 0.0), 8.0));
    }
}

#[test]
fn kernels_build_matrices() {
    let shift = Vec3::new(1.0, 2.0, 3.0);
    for mode in MODES {
        let mut out = [Mat4::ZERO; 3];
        let arguments = (
            shift,
            std::f32::consts::FRAC_PI_2,
            3.0 * Vec3::Z,
            &raw mut out,
        );
        // SAFETY: one thread.
        unsafe { launch_on_cpu::<kernels::build_matrices>(shape(1, 1), mode, arguments) }.unwrap();
        let [moved, scaled, turned] = out.map(|matrix| matrix.transform_point3(Vec3::ONE));
        assert_eq!((moved, scaled), (shift + Vec3::ONE, shift));
        assert!(
            turned.abs_diff_eq(Vec3::new(-1.0, 1.0, 1.0), 1e-6),
            "{turned}"
        );
    }
}

#[test]
fn a_march_along_rays() {
    let eye = Vec3::new(0.0, 0.0, -5.0);
    // towards the centre, past the sphere, and away from it
    let directions = [Vec3::Z, Vec3::new(1.0, 0.0, 1.0), -Vec3::Z];
    for mode in MODES {
        let mut out = [9.0; 3];
        let arguments = (eye, View::from(&directions[..]), 100.0, out.as_mut_ptr());
        // SAFETY: each thread writes its own depth.
        unsafe { launch_on_cpu::<kernels::march_rays>(shape(1, 4), mode, arguments) }.unwrap();
        assert!(
            (out[0] - 4.0).abs() < 1e-3 && out[1..] == [100.0; 2],
            "{out:?}"
        );
    }
}

#[test]
fn gemm_by_tiles() {
    let (m, n, k) = (13, 9, 21);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32).collect();
    for mode in MODES {
        let mut c = vec![1.0; m * n];
        let shape = LaunchShape {
            grid: (2, 2, 1).into(),
            block: (8, 8, 1).into(),
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
        unsafe { launch_on_cpu::<kernels::types::gemm_blocked_kernel>(shape, mode, arguments) }
            .unwrap();
        for row in 0..m {
            for col in 0..n {
                let sum: f32 = (0..k).map(|i| a[row * k + i] * b[i * n + col]).sum();
                assert_eq!(c[row * n + col], 2.0 * sum + 3.0);
            }
        }
    }
}
