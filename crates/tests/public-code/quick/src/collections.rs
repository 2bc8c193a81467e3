use cuda_std::prelude::*;
use heapless::binary_heap::{BinaryHeap, Min};
use heapless::index_map::FnvIndexMap;

/// Finds the four smallest elements of a row, in order.
#[kernel]
pub unsafe fn smallest(rows: &[[u32; 16]], out: *mut [u32; 4]) {
    let i = thread::index_1d() as usize;
    if i < rows.len() {
        let mut heap = BinaryHeap::<u32, Min, 16>::new();
        for &x in &rows[i] {
            heap.push(x).unwrap();
        }
        *out.add(i) = [0; 4].map(|_| heap.pop().unwrap());
    }
}

/// Counts the occurrences of the most frequent element of a row.
#[kernel]
pub unsafe fn commonest(rows: &[[u32; 16]], out: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < rows.len() {
        let mut counts = FnvIndexMap::<u32, u32, 16>::new();
        for &x in &rows[i] {
            *counts.entry(x).or_insert(0).unwrap() += 1;
        }
        *out.add(i) = counts.values().copied().max().unwrap();
    }
}
