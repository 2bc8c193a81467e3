// E0133: an atomic at any address is unsafe
#![forbid(unsafe_code)]

use cuda_std::atomic::AtomicF32;
use std::sync::atomic::Ordering;

fn main() {
    let value = AtomicF32::from_ptr(std::ptr::null_mut());
    value.store(1.0, Ordering::Relaxed);
}
