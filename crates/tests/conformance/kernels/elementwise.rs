//! One thread per element.

use cuda_std::prelude::*;

/// Computes `c = a + b`.
#[kernel]
pub unsafe fn vecadd(a: &[f32], b: &[f32], c: *mut f32) {
    let idx = thread::index_1d() as usize;
    if idx < a.len() {
        let elem = &mut *c.add(idx);
        *elem = a[idx] + b[idx];
    }
}

/// Computes `y = alpha * x + y`.
#[kernel]
pub unsafe fn saxpy(alpha: f32, x: &[f32], y: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        *y.add(i) += alpha * x[i];
    }
}

/// Squares with a grid-stride loop, so that any launch processes the whole array.
#[kernel]
pub unsafe fn square(input: &[i32], output: *mut i32) {
    let step = (thread::block_dim_x() * thread::grid_dim_x()) as usize;
    let mut i = thread::index_1d() as usize;
    while i < input.len() {
        *output.add(i) = input[i] * input[i];
        i += step;
    }
}

/// A rectangle of an image, passed by value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Window {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
    pub gain: f64,
    pub invert: bool,
}

/// Copies the window out of an image of `pitch` columns, with a gain.
#[kernel]
pub unsafe fn crop(image: &[u8], pitch: usize, window: Window, output: *mut f64) {
    let at = thread::index_2d();
    if at.x >= window.width || at.y >= window.height {
        return;
    }
    let column = (window.left + at.x) as usize;
    let row = (window.top + at.y) as usize;
    let sample = image[row * pitch + column];
    let sample = if window.invert { 255 - sample } else { sample };
    *output.add((at.y * window.width + at.x) as usize) = window.gain * sample as f64;
}
