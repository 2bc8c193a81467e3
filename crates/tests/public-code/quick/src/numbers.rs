use cuda_std::prelude::*;
use num_complex::Complex;
use num_traits::{Float, Zero};

/// Evaluates functions of `libm` for f64, in the order of `FUNCTIONS`.
#[kernel]
pub unsafe fn by_libm(x: &[f64], out: *mut [f64; 12]) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let x = x[i];
        *out.add(i) = [
            libm::sin(x),
            libm::cos(x),
            libm::tan(x),
            libm::exp(x),
            libm::log(x.abs()),
            libm::cbrt(x),
            libm::atan(x),
            libm::sinh(x),
            libm::tanh(x),
            libm::log1p(x.abs()),
            libm::expm1(x),
            libm::hypot(x, 1.0),
        ];
    }
}

#[kernel]
pub unsafe fn by_libm_f32(x: &[f32], out: *mut [f32; 5]) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let x = x[i];
        *out.add(i) = [
            libm::sinf(x),
            libm::expf(x),
            libm::logf(x.abs()),
            libm::tgammaf(x),
            libm::erff(x),
        ];
    }
}

/// Computes a square root by Heron's method, for any float type.
fn heron<T: Float>(x: T) -> T {
    let two = T::one() + T::one();
    let mut root = x;
    while (root * root - x).abs() > x * T::epsilon() * two {
        let next = (root + x / root) / two;
        if next == root {
            break;
        }
        root = next;
    }
    root
}

#[kernel(T = [f32, f64])]
pub unsafe fn roots<T: Float>(x: &[T], out: *mut T) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        *out.add(i) = heron(x[i]);
    }
}

/// Counts the iterations until a point leaves the disc of radius two.
#[kernel]
pub unsafe fn mandelbrot(points: &[Complex<f64>], steps: u32, out: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < points.len() {
        let mut z = Complex::<f64>::zero();
        let mut count = 0;
        while count < steps && z.norm_sqr() <= 4.0 {
            z = z * z + points[i];
            count += 1;
        }
        *out.add(i) = count;
    }
}

/// Formats the shortest text that parses to the number.
#[kernel]
pub unsafe fn shortest(x: &[f64], texts: *mut [u8; 24], lengths: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let mut buffer = ryu::Buffer::new();
        let text = buffer.format(x[i]).as_bytes();
        (&mut *texts.add(i))[..text.len()].copy_from_slice(text);
        *lengths.add(i) = text.len() as u32;
    }
}
