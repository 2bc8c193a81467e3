use cuda_std::View;
use glam::Vec3;
use public_code_whole as kernels;

use public_code_support::{launch, MODES};

/// A third of a turn about the diagonal maps each axis to the next.
#[test]
fn glam_turns_the_axes() {
    let points = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.5, -3.0, 2.0)];
    let expected = [Vec3::Y, Vec3::Z, Vec3::X, Vec3::new(2.0, 0.5, -3.0)];
    for mode in MODES {
        let (mut out, mut back) = ([Vec3::ZERO; 4], [Vec3::ZERO; 4]);
        let third = std::f32::consts::TAU / 3.0;
        let arguments = (
            View::from(&points[..]),
            Vec3::ONE,
            third,
            out.as_mut_ptr(),
            back.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own points.
        unsafe { launch::<kernels::there_and_back>(mode, 4, arguments) };
        for i in 0..4 {
            assert!(
                out[i].abs_diff_eq(expected[i] + Vec3::new(1.0, 2.0, 3.0), 2e-6),
                "{}",
                out[i]
            );
            assert!(back[i].abs_diff_eq(points[i], 5e-6), "{}", back[i]);
        }
    }
}
