use cuda_std::View;
use nalgebra::{Matrix3, Matrix4, Vector3, Vector4};
use public_code_support::{launch, MODES};
use public_code_whole as kernels;

/// The inverse of Hilbert's matrix consists of integers.
#[test]
fn nalgebra_inverts_hilberts_matrix() {
    let matrices = [
        Matrix4::from_fn(|row, column| 1.0 / (row + column + 1) as f64),
        Matrix4::zeros(),
    ];
    #[rustfmt::skip]
    let inverse = Matrix4::new(
        16.0, -120.0, 240.0, -140.0,
        -120.0, 1200.0, -2700.0, 1680.0,
        240.0, -2700.0, 6480.0, -4200.0,
        -140.0, 1680.0, -4200.0, 2800.0,
    );
    let right = Vector4::new(1.0, 0.0, 0.0, 0.0);
    for mode in MODES {
        let (mut inverses, mut solutions) = ([Matrix4::zeros(); 2], [Vector4::zeros(); 2]);
        let arguments = (
            View::from(&matrices[..]),
            right,
            inverses.as_mut_ptr(),
            solutions.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own matrix.
        unsafe { launch::<kernels::solve>(mode, 2, arguments) };
        assert!((inverses[0] - inverse).amax() < 1e-7, "{}", inverses[0]);
        assert!(
            (solutions[0] - inverse.column(0)).amax() < 1e-7,
            "{}",
            solutions[0]
        );
        assert_eq!(
            (inverses[1], solutions[1]),
            (Matrix4::zeros(), Vector4::zeros())
        );
    }
}

/// The second difference of three points, with eigenvalues 2 and 2 ± √2.
#[test]
fn nalgebra_finds_eigenvalues() {
    let matrices = [
        Matrix3::new(2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0),
        Matrix3::identity(),
    ];
    for mode in MODES {
        let (mut values, mut turned) = ([Vector3::zeros(); 2], [Vector3::zeros(); 2]);
        let arguments = (
            View::from(&matrices[..]),
            values.as_mut_ptr(),
            turned.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own vectors.
        unsafe { launch::<kernels::axes>(mode, 2, arguments) };
        for i in 0..2 {
            assert!(
                (turned[i] - Vector3::new(-values[i].y, values[i].x, values[i].z)).amax() < 1e-6
            );
        }
        let mut sorted: [f32; 3] = values[0].into();
        sorted.sort_by(f32::total_cmp);
        for (found, expected) in sorted
            .iter()
            .zip([2.0 - 2_f32.sqrt(), 2.0, 2.0 + 2_f32.sqrt()])
        {
            assert!((found - expected).abs() < 1e-5, "{found}");
        }
        assert!((values[1] - Vector3::repeat(1.0)).amax() < 1e-6);
    }
}
