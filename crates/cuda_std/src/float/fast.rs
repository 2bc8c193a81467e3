//! The device's approximations of `f32` functions, one instruction each. The CPU computes the
//! accurate function.

use super::GpuFloat;

macro_rules! approximations {
    ($($name:ident $instruction:literal, $accurate:expr;)+) => {
        $(
            #[inline(always)]
            pub fn $name(x: f32) -> f32 {
                #[cfg(target_arch = "nvptx64")]
                {
                    let _: fn(f32) -> f32 = $accurate;
                    let y;
                    // SAFETY: a pure computation.
                    unsafe {
                        core::arch::asm!(
                            concat!($instruction, " {}, {};"),
                            out(reg32) y,
                            in(reg32) x,
                            options(pure, nomem, nostack)
                        );
                    }
                    y
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let accurate: fn(f32) -> f32 = $accurate;
                    accurate(x)
                }
            }
        )+
    };
}

approximations! {
    exp2 "ex2.approx.f32", <f32 as GpuFloat>::exp2;
    log2 "lg2.approx.f32", <f32 as GpuFloat>::log2;
    sin "sin.approx.f32", <f32 as GpuFloat>::sin;
    cos "cos.approx.f32", <f32 as GpuFloat>::cos;
    sqrt "sqrt.approx.f32", <f32 as GpuFloat>::sqrt;
    rsqrt "rsqrt.approx.f32", |x: f32| 1.0 / GpuFloat::sqrt(x);
    recip "rcp.approx.f32", f32::recip;
    rsqrt_normal "rsqrt.approx.ftz.f32", |x: f32| 1.0 / GpuFloat::sqrt(x);
    recip_normal "rcp.approx.ftz.f32", f32::recip;
    exp2_normal "ex2.approx.ftz.f32", <f32 as GpuFloat>::exp2;
    log2_normal "lg2.approx.ftz.f32", <f32 as GpuFloat>::log2;
}
