//! glam's vectors, and indices.

use crate::MODES;
use cuda_std::glam::{Quat, UVec3, Vec2, Vec3, Vec4};
use cuda_std::{launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;
use simt::LaunchShape;

#[test]
fn glams_vectors() {
    let (width, height) = (5, 3);
    let points: Vec<Vec3> = (0..width * height)
        .map(|i| Vec3::new(i as f32, 1.0, -2.0))
        .collect();
    // a quarter turn about z takes x to y
    let rotation = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
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
            rotation,
            Vec2::new(10.0, 20.0),
            Vec4::new(2.0, 3.0, 6.0, 0.5),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::rotate_points>(shape, mode, arguments) }.unwrap();
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
