//! A kernel for the GPU and the CPU.
#![cfg_attr(target_arch = "nvptx64", no_std)]

use cuda_std::prelude::*;

/// Computes `y[i] = factor · x[i] + y[i]`, one element per thread.
///
/// # Safety
/// `y` is not used otherwise while the kernel runs.
#[kernel]
pub unsafe fn saxpy(factor: f32, x: View<f32>, y: ViewMut<f32>) {
    let i = thread::index_1d() as usize;
    // the last block may have more threads than there are remaining elements
    if i < x.len() && i < y.len() {
        y.write(i, factor * x.read(i) + y.read(i));
    }
}
