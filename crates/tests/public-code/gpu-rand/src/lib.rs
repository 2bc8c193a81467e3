//! Random points drawn as in Rust-CUDA's path tracer.

#![allow(improper_ctypes_definitions, clippy::missing_safety_doc)]

use cuda_std::prelude::*;
use gpu_rand::{DefaultRand, GpuRand};

#[kernel]
pub unsafe fn draw(states: *mut DefaultRand, points: *mut [f32; 3]) {
    let i = thread::index_1d() as usize;
    let random = &mut *states.add(i);
    let [x, y] = random.normal_f32_2();
    *points.add(i) = [x, y, random.uniform_f32()];
}
