//! glam's matrices, and marching along rays.

use cuda_std::glam::{Mat3, Mat4, Vec3, Vec4};
use cuda_std::prelude::*;

/// Takes a matrix as a parameter and computes with it.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn transform(
    matrix: Mat4,
    rotation: Mat3,
    point: Vec3,
    points: *mut [Vec3; 3],
    vector: *mut Vec4,
    determinant: *mut f32,
) {
    *points = [
        matrix.transform_point3(point),
        matrix
            .inverse()
            .transform_point3(matrix.transform_point3(point)),
        rotation * point,
    ];
    *vector = matrix * point.extend(0.0);
    *determinant = matrix.determinant();
}

/// Builds matrices in a kernel.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn build_matrices(shift: Vec3, angle: f32, axis: Vec3, out: *mut [Mat4; 3]) {
    *out = [
        Mat4::from_translation(shift),
        Mat4::from_scale(shift),
        Mat4::from_axis_angle(axis.normalize(), angle),
    ];
}

fn distance(p: Vec3) -> f32 {
    p.length() - 1.0
}

/// Returns the distance to the sphere along a ray, at most `end`.
fn march(eye: Vec3, direction: Vec3, end: f32) -> f32 {
    let (mut depth, mut steps) = (0.0, 0);
    loop {
        if steps >= 255 {
            break;
        }
        let free = distance(eye + depth * direction);
        if free < 1e-4 {
            return depth;
        }
        depth += free;
        if depth >= end {
            return end;
        }
        steps += 1;
    }
    end
}

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn march_rays(eye: Vec3, directions: &[Vec3], end: f32, out: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < directions.len() {
        *out.add(i) = march(eye, directions[i].normalize(), end);
    }
}
