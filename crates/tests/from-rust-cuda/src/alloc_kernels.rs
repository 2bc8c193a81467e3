extern crate alloc;

use alloc::vec::Vec;
use cuda_std::prelude::*;

/// Sums the squares below `counts[i]`, using a vector.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn squares(counts: &[u32], out: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < counts.len() {
        let mut list: Vec<u32> = Vec::new();
        for x in 0..counts[i] {
            list.push(x * x);
        }
        *out.add(i) = list.iter().sum();
    }
}
