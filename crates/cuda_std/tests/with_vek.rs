//! The vectors of `cuda_std` 0.2 in kernels: `cargo test -p ferrovox-cuda-std --features vek --test
//! with_vek`.

use cuda_std::prelude::*;
use cuda_std::vek::{Mat3, Vec2, Vec3};
use cuda_std::{glam, launch_on_cpu};
use simt::{LaunchShape, Mode};

/// Transforms points by a matrix, indexed as a plane of 4 columns.
#[kernel]
pub unsafe fn transform(points: View<Vec3<f32>>, by: Mat3<f32>, out: ViewMut<Vec3<f32>>) {
    // indices are glam's and need a conversion
    let at: Vec2<u32> = Vec2::from(thread::index_2d().to_array());
    let i = (at.y * 4 + at.x) as usize;
    if at.x < 4 && i < points.len() {
        out.write(i, by * points.read(i));
    }
}

#[test]
fn veks_vectors() {
    assert_eq!(size_of::<Vec3<f32>>(), size_of::<glam::Vec3>());
    let points: Vec<Vec3<f32>> = (0..10).map(|i| Vec3::new(i as f32, 1.0, 2.0)).collect();
    let by = Mat3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0);
    for mode in [Mode::Fast, Mode::Checked { seed: 7 }] {
        let mut out = vec![Vec3::zero(); 10];
        let shape = LaunchShape {
            grid: (2, 1, 1).into(),
            block: (2, 4, 1).into(),
            dynamic_shared_bytes: 0,
        };
        let arguments = (View::from(&points[..]), by, ViewMut::from(&mut out[..]));
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<transform>(shape, mode, arguments) }.unwrap();
        for (i, point) in out.iter().enumerate() {
            assert_eq!(*point, Vec3::new(1.0, 2.0, 3.0 * i as f32));
        }
    }
}
