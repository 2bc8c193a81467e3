//! Kernel bodies compiled for each instruction set.

use super::{InstructionSet, InstrumentedKernel, Kernel};

/// Returns the function that runs one thread of kernel `K`. It is a pointer, because the launch
/// loops are compiled once, for the baseline. `#[kernel]` calls this in non-generic functions, so
/// that a kernel is compiled in its own crate and not in every crate that launches it. Without
/// `AVX2` the baseline replaces [`InstructionSet::Avx2`].
///
/// # Safety
///
/// To call the returned function: the requirements of [`Kernel::run_thread`] with the `K::Args` at
/// the pointer, and the processor supports the instructions.
#[doc(hidden)]
#[must_use]
pub fn runner<K: Kernel, const AVX2: bool>(instructions: InstructionSet) -> unsafe fn(*const ()) {
    match instructions {
        InstructionSet::Instrumented => K::instrumented_runner().unwrap_or(run_baseline::<K>),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 if AVX2 => run_avx2::<K>,
        _ => run_baseline::<K>,
    }
}

/// # Safety
/// The requirements of [`Kernel::run_thread`] with the `K::Args` at `args`.
unsafe fn run_baseline<K: Kernel>(args: *const ()) {
    // SAFETY: guaranteed by the caller.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}

/// Runs one thread with AVX2. Everything inlined here is compiled for these instructions, which is
/// why bodies and their callees are `#[inline(always)]`.
///
/// # Safety
/// The requirements of [`run_baseline`], on a processor that supports the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_avx2<K: Kernel>(args: *const ()) {
    // SAFETY: guaranteed by the caller.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}

/// Returns the function that runs one thread of kernel `K` in checked mode.
///
/// # Safety
///
/// To call the returned function: the requirements of [`runner`].
#[doc(hidden)]
#[must_use]
pub fn instrumented_runner<K: InstrumentedKernel>() -> unsafe fn(*const ()) {
    run_instrumented::<K>
}

/// # Safety
/// The requirements of [`run_baseline`].
unsafe fn run_instrumented<K: InstrumentedKernel>(args: *const ()) {
    // SAFETY: guaranteed by the caller.
    unsafe { K::run_thread_instrumented(&*args.cast::<K::Args<'_>>()) }
}
