// E0133: atomics of one block are unsafe
#![forbid(unsafe_code)]

use cuda_std::atomic::BlockAtomicF32;
use std::sync::atomic::Ordering;

fn main() {
    let value = BlockAtomicF32::new(0.0);
    value.fetch_add(1.0, Ordering::Relaxed);
}
