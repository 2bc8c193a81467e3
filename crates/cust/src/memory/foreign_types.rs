//! `DeviceCopy` for vectors, matrices and half-precision floats of other crates, enabled by the
//! features `impl_glam`, `impl_half` and `impl_vek`.

#[allow(unused_imports, reason = "unused if none of the features is enabled")]
use crate::memory::DeviceCopy;

#[cfg(any(feature = "impl_glam", feature = "impl_half"))]
macro_rules! plain_values {
    ($($kind:ty)*) => {$(
        // SAFETY: numbers in C layout; glam is built with the same alignments on both sides.
        unsafe impl DeviceCopy for $kind {}
    )*};
}

#[cfg(feature = "impl_half")]
plain_values! { half::f16 half::bf16 }

#[cfg(feature = "impl_glam")]
mod glams {
    use crate::memory::DeviceCopy;
    use glam::{
        Affine2, Affine3A, BVec2, BVec3, BVec4, DAffine2, DAffine3, DMat2, DMat3, DMat4, DQuat,
        DVec2, DVec3, DVec4, I8Vec2, I8Vec3, I8Vec4, I16Vec2, I16Vec3, I16Vec4, I64Vec2, I64Vec3,
        I64Vec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat3A, Mat4, Quat, U8Vec2, U8Vec3, U8Vec4,
        U16Vec2, U16Vec3, U16Vec4, U64Vec2, U64Vec3, U64Vec4, USizeVec2, USizeVec3, USizeVec4,
        UVec2, UVec3, UVec4, Vec2, Vec3, Vec3A, Vec4,
    };

    plain_values! {
        Vec2 Vec3 Vec3A Vec4 Quat Mat2 Mat3 Mat3A Mat4 Affine2 Affine3A
        DVec2 DVec3 DVec4 DQuat DMat2 DMat3 DMat4 DAffine2 DAffine3
        I8Vec2 I8Vec3 I8Vec4 U8Vec2 U8Vec3 U8Vec4
        I16Vec2 I16Vec3 I16Vec4 U16Vec2 U16Vec3 U16Vec4
        IVec2 IVec3 IVec4 UVec2 UVec3 UVec4
        I64Vec2 I64Vec3 I64Vec4 U64Vec2 U64Vec3 U64Vec4
        USizeVec2 USizeVec3 USizeVec4 BVec2 BVec3 BVec4
    }
}

#[cfg(feature = "impl_vek")]
mod veks {
    use crate::memory::DeviceCopy;
    use vek::{Extent2, Extent3, Mat2, Mat3, Mat4, Quaternion, Vec2, Vec3, Vec4};

    macro_rules! element_wise {
        ($($kind:ident)*) => {$(
            // SAFETY: values of one type in C layout.
            unsafe impl<T: DeviceCopy> DeviceCopy for $kind<T> {}
        )*};
    }

    element_wise! { Vec2 Vec3 Vec4 Extent2 Extent3 Mat2 Mat3 Mat4 Quaternion }
}
