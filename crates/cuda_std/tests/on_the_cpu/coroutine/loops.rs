//! Grid-stride loops, which yield.

use super::{BLOCKS, in_every_mode, numbers};
use crate::support::shape;
use cuda_std::prelude::*;

/// A number with a method that modifies it.
trait Advance {
    fn advance(&mut self, by: usize);
}

impl Advance for usize {
    #[inline(always)]
    fn advance(&mut self, by: usize) {
        *self += by;
    }
}

/// Grid-stride loops, which yield, with a variety of statements in their bodies.
#[kernel]
pub unsafe fn strides(data: View<u32>, output: ViewMut<u32>) {
    let (block, grid) = (
        thread::block_dim_x() as usize,
        thread::grid_dim_x() as usize,
    );
    let stride = thread::grid_dim_x() as usize * thread::block_dim_x() as usize;
    let first = thread::index_1d() as usize;
    let n = data.len() as u32 as usize;
    let mut i = first;
    let mut sum = 0_u32;
    let mut odd = 0_u32;
    while i < n {
        let value = data.read(i);
        i += stride;
        if value.is_multiple_of(2) {
            continue;
        }
        odd += 1;
        sum = sum.wrapping_add(value);
    }
    let mut j = first;
    while j < data.len() {
        if data.read(j).is_multiple_of(64) {
            break;
        }
        sum ^= j as u32;
        j += grid * block;
    }
    thread::sync_threads();
    let mut k = first;
    let mut last = 0_u32;
    while k < n {
        last = data.read(k).wrapping_add(last.wrapping_mul(3) % 1001);
        k.advance(1);
        k += stride - 1;
    }
    let mut m = first;
    let pointer = &raw mut m;
    while m < n {
        // SAFETY: the pointer refers to `m`, which is not borrowed.
        sum = unsafe { sum.wrapping_add(*pointer as u32) };
        m += stride;
    }
    let mut rows = 0_u32;
    'rows: while rows < 5 {
        let mut column = first % 7;
        while column < 50 {
            if column as u32 == 40 + rows {
                rows += 1;
                continue 'rows;
            }
            column += 1;
        }
        rows += 1;
    }
    output.write(
        first,
        sum ^ odd.rotate_left(8) ^ last.rotate_left(16) ^ rows,
    );
}

#[test]
fn grid_stride_loops_agree_with_plain_loops() {
    for (seed, block) in (1..).zip(BLOCKS) {
        for n in [0, 1, 1000, 10_007] {
            let data = numbers(n, seed);
            let output = in_every_mode::<strides>(shape(2, block), &data);
            let stride = 2 * block as usize;
            for (first, value) in output.into_iter().enumerate() {
                let mine = || (first..n).step_by(stride);
                let odd = mine().filter(|&i| data[i] % 2 == 1);
                let mut sum = odd.clone().fold(0_u32, |sum, i| sum.wrapping_add(data[i]));
                mine()
                    .take_while(|&i| !data[i].is_multiple_of(64))
                    .for_each(|i| sum ^= i as u32);
                let last = mine().fold(0_u32, |last, i| {
                    data[i].wrapping_add(last.wrapping_mul(3) % 1001)
                });
                sum = mine().fold(sum, |sum, i| sum.wrapping_add(i as u32));
                let want = sum ^ (odd.count() as u32).rotate_left(8) ^ last.rotate_left(16) ^ 5;
                assert_eq!(
                    value, want,
                    "thread {first}, {n} elements, blocks of {block}"
                );
            }
        }
    }
}
