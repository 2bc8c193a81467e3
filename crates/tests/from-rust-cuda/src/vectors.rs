use cuda_std::glam::{Quat, UVec2, UVec3, Vec2, Vec3, Vec4};
use cuda_std::prelude::*;

/// Returns the linear index of a position in a plane of width `width`.
fn linear_index(at: UVec2, width: u32) -> usize {
    (at.y * width + at.x) as usize
}

/// Rotates and translates the points of a plane of width `width`.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn rotate_points(
    points: &[Vec3],
    width: u32,
    by: Quat,
    shift: Vec2,
    weights: Vec4,
    out: *mut Vec3,
) {
    let at = thread::index_2d();
    let i = linear_index(at, width);
    if at.x < width && i < points.len() {
        let turned = by * points[i] + shift.extend(0.0);
        *out.add(i) = turned * weights.truncate().length() * weights.w;
    }
}

/// Stores each thread's position, by all index functions.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn places(out: *mut UVec3) {
    let at: UVec3 = thread::block_idx() * thread::block_dim() + thread::thread_idx();
    let size: UVec3 = thread::block_dim() * thread::grid_dim();
    let i = (at.z * size.y + at.y) * size.x + at.x;
    *out.add(i as usize) = if at == thread::index_3d() {
        at
    } else {
        UVec3::MAX
    };
}
