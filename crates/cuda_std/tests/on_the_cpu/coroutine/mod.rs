//! Coroutine bodies: kernels with barriers, whose threads wait in frames in fast mode. Checked mode
//! runs the same source on stacks, so both modes must agree with each other and with a plain loop.

mod failures;
mod loops;
mod programs;
mod signatures;
mod waiting;

use crate::support::MODES;
use cuda_std::kernel::{InstructionSet, Kernel};
use cuda_std::launch_on_cpu;
use cuda_std::prelude::*;
use simt::LaunchShape;

/// Checks that fast mode runs the kernel as a coroutine.
fn assert_is_coroutine<K: Kernel>() {
    let has_best =
        cfg!(not(target_arch = "x86_64")) || InstructionSet::best() == InstructionSet::Avx2;
    assert_eq!(
        K::coroutine(InstructionSet::best()).is_some(),
        has_best,
        "{}",
        K::NAME
    );
}

const BLOCKS: [u32; 7] = [1, 2, 31, 32, 33, 100, 256];

/// Runs a kernel with one argument and one result per thread, and checks that all modes agree.
fn in_every_mode<K>(shape: LaunchShape, input: &[u32]) -> Vec<u32>
where
    K: for<'a> Kernel<Args<'a> = (View<'a, u32>, ViewMut<'a, u32>)>,
{
    assert_is_coroutine::<K>();
    let threads = (shape.grid.count() * shape.block.count()) as usize;
    let outputs = MODES.map(|mode| {
        let mut output = vec![0; threads];
        let args = (View::from(input), ViewMut::from(&mut output[..]));
        // SAFETY: these kernels write their own thread's elements, or atomically.
        unsafe { launch_on_cpu::<K>(shape, mode, args) }.unwrap();
        output
    });
    let [fast, rest @ ..] = outputs;
    rest.iter()
        .for_each(|checked| assert_eq!(*checked, fast, "{} {shape:?}", K::NAME));
    fast
}

fn numbers(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    std::iter::repeat_with(next).take(count).collect()
}
