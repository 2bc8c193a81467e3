use cuda_std::prelude::*;
use glam::{Mat4, Quat, Vec3};

/// Transforms points, and transforms them back by the inverse.
#[kernel]
pub unsafe fn there_and_back(
    points: &[Vec3],
    axis: Vec3,
    angle: f32,
    out: *mut Vec3,
    back: *mut Vec3,
) {
    let i = thread::index_1d() as usize;
    if i < points.len() {
        let turn = Quat::from_axis_angle(axis.normalize(), angle);
        let matrix = Mat4::from_rotation_translation(turn, Vec3::new(1.0, 2.0, 3.0));
        let there = matrix.transform_point3(points[i]);
        *out.add(i) = there;
        *back.add(i) = matrix.inverse().transform_point3(there);
    }
}
