use cuda_std::prelude::*;
use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3, Vector4};

/// Computes the inverse, the determinant and the solution of a linear system.
#[kernel]
pub unsafe fn solve(
    matrices: &[Matrix4<f64>],
    right: Vector4<f64>,
    inverses: *mut Matrix4<f64>,
    solutions: *mut Vector4<f64>,
) {
    let i = thread::index_1d() as usize;
    if i < matrices.len() {
        *inverses.add(i) = matrices[i].try_inverse().unwrap_or_else(Matrix4::zeros);
        *solutions.add(i) = matrices[i]
            .lu()
            .solve(&right)
            .unwrap_or_else(Vector4::zeros);
    }
}

/// Computes eigenvalues of symmetric matrices, and a rotation.
#[kernel]
pub unsafe fn axes(
    matrices: &[Matrix3<f32>],
    values: *mut Vector3<f32>,
    turned: *mut Vector3<f32>,
) {
    let i = thread::index_1d() as usize;
    if i < matrices.len() {
        let of = matrices[i].symmetric_eigen();
        *values.add(i) = of.eigenvalues;
        let turn =
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), core::f32::consts::FRAC_PI_2);
        *turned.add(i) = turn * of.eigenvalues;
    }
}
