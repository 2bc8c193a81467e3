//! Replacement of the kernel bodies on the CPU in programs without the feature `cpu`. It does not
//! name the bodies, so that the compiler generates no code for them.

use super::launch::CoroutineKernel;
use super::{InstructionSet, InstrumentedKernel, Kernel};
use simt::coroutine::CoroutineFunctions;

/// Returns a function that panics.
#[doc(hidden)]
#[must_use]
pub fn runner<K: Kernel, const AVX2: bool>(_instructions: InstructionSet) -> unsafe fn(*const ()) {
    panic_without_bodies
}

/// Returns a function that panics.
#[doc(hidden)]
#[must_use]
pub fn instrumented_runner<K: InstrumentedKernel>() -> unsafe fn(*const ()) {
    panic_without_bodies
}

/// Returns `None`: kernels have no coroutines.
#[must_use]
pub fn coroutine_functions<K: CoroutineKernel>(
    _instructions: InstructionSet,
) -> Option<CoroutineFunctions> {
    None
}

fn panic_without_bodies(_args: *const ()) {
    panic!("kernels run on the CPU only with the feature `cpu` of ferrovox-cuda-std");
}
