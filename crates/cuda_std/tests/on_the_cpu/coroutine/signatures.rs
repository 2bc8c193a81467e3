//! Names and types in coroutine kernels.

use super::{assert_is_coroutine, numbers};
use crate::support::{MODES, shape};
use cuda_std::prelude::*;
use cuda_std::{launch_on_cpu, shared_view};

mod own {
    /// A function with a barrier's name.
    pub fn sync_threads() {}

    pub fn sync_threads_or(value: u32) -> u32 {
        value + 1
    }
}

/// Functions with the names of barriers, and parameter names in all positions and rebound.
#[kernel]
pub unsafe fn names(
    input: View<u32>,
    output: ViewMut<u32>,
    start: u32,
    mut step: u32,
    pair: [u32; 2],
) {
    struct Named {
        start: u32,
    }
    let t = thread::thread_idx_x();
    if t == 0 {
        own::sync_threads();
    }
    step += own::sync_threads_or(t);
    thread::sync_threads();
    let named = Named { start };
    let input = input.slice(1, input.len() - 1);
    let mut sum = named.start;
    for i in 0..input.len() {
        sum = sum.wrapping_mul(step).wrapping_add(input.read(i) + start);
    }
    {
        use cuda_std::thread::sync_threads;
        sync_threads();
    }
    let sum = sum + thread::sync_threads_or((t == 3) as u32).min(1);
    output.write(t as usize, sum ^ pair[1]);
}

#[test]
fn parameters_and_functions_of_any_name() {
    assert_is_coroutine::<names>();
    let input = numbers(20, 5).iter().map(|x| x % 100).collect::<Vec<_>>();
    for mode in MODES {
        let mut output = [0; 45];
        let args = (
            View::from(&input[..]),
            ViewMut::from(&mut output[..]),
            7,
            2,
            [1, 6],
        );
        // SAFETY: each thread writes an element of its own.
        unsafe { launch_on_cpu::<names>(shape(1, 45), mode, args) }.unwrap();
        for (t, value) in (0..).zip(output) {
            let sum = input[1..]
                .iter()
                .fold(7_u32, |sum, x| sum.wrapping_mul(t + 3).wrapping_add(x + 7));
            assert_eq!(value, sum.wrapping_add(1) ^ 6, "thread {t}");
        }
    }
}

/// A kernel for several types, with slices.
#[kernel(T = [u8, f64])]
pub unsafe fn rotated<T: Copy>(input: &[T], output: ViewMut<T>) {
    let order = shared_view![u32; 64];
    let t = thread::thread_idx_x() as usize;
    order.write(t, t as u32);
    thread::sync_threads();
    output.write(t, input[order.read((t + 1) % 64) as usize]);
}

#[test]
fn generic_kernels_are_coroutines_too() {
    assert_is_coroutine::<rotated<u8>>();
    let input: Vec<f64> = (0..64).map(f64::from).collect();
    for mode in MODES {
        let mut output = [0.0; 64];
        let args = (View::from(&input[..]), ViewMut::from(&mut output[..]));
        // SAFETY: each thread writes an element of its own.
        unsafe { launch_on_cpu::<rotated<f64>>(shape(1, 64), mode, args) }.unwrap();
        assert_eq!(output[..63], input[1..]);
    }
}
