use cuda_std::half::slice::HalfFloatSliceExt;
use cuda_std::prelude::*;
use cuda_std::{bf16, warp};

/// Computes `out = factor * x + y`, with each operation rounded to 16 bits.
#[kernel(T = [f16, bf16])]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn half_axpy<T>(factor: T, x: &[T], y: &[T], out: *mut T)
where
    T: Copy + core::ops::Mul<Output = T> + core::ops::Add<Output = T>,
{
    let i = thread::index_1d() as usize;
    if i < x.len() {
        *out.add(i) = factor * x[i] + y[i];
    }
}

/// Rounds numbers to both 16-bit formats, as `f32` and as bits.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn round_to_half(x: &[f32], rounded: *mut [f32; 2], bits: *mut (u16, u16)) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let (half, brain) = (f16::from_f32(x[i]), bf16::from_f32(x[i]));
        *rounded.add(i) = [half.to_f32(), brain.to_f32()];
        *bits.add(i) = (half.to_bits(), brain.to_bits());
    }
}

/// Stores each lane's neighbouring number, and the sum of four, computed from a slice.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn half_neighbours(x: &[f16], next: *mut f16, sum: *mut f32) {
    let i = thread::thread_idx_x() as usize;
    *next.add(i) = warp::warp_shuffle_down(warp::FULL_MASK, x[i], 1, 32).0;
    if i == 0 {
        let mut wide = [0.0; 4];
        x[..4].convert_to_f32_slice(&mut wide);
        *sum = wide.iter().sum();
    }
}
