//! Vectors and half-precision floats of other crates are `DeviceCopy`: `cargo test -p ferrovox-cust
//! --all-features --test foreign_types`.

use cust::memory::DeviceCopy;

fn may_be_copied<T: DeviceCopy>(bytes: usize, align: usize) {
    assert_eq!((size_of::<T>(), align_of::<T>()), (bytes, align));
}

#[test]
fn layouts_equal_those_on_the_device() {
    may_be_copied::<half::f16>(2, 2);
    may_be_copied::<half::bf16>(2, 2);
    may_be_copied::<[half::f16; 3]>(6, 2);
    // like float2, float3, float4 and double2 of CUDA C++
    may_be_copied::<glam::Vec2>(8, 8);
    may_be_copied::<glam::Vec3>(12, 4);
    may_be_copied::<glam::Vec4>(16, 16);
    may_be_copied::<glam::UVec2>(8, 8);
    may_be_copied::<glam::UVec4>(16, 16);
    may_be_copied::<glam::DVec2>(16, 16);
    may_be_copied::<glam::Mat4>(64, 16);
    may_be_copied::<vek::Vec3<f32>>(12, 4);
    may_be_copied::<vek::Mat4<f64>>(128, 8);
}
