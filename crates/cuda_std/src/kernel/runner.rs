//! A kernel's body, compiled for each set of instructions.

use super::{InstructionSet, Kernel};

/// The function that runs one thread of kernel `K`: a pointer, since a launch's loops are compiled
/// for the baseline, and once for all kernels. `#[kernel]` calls it in functions that are not
/// generic, so the compiler makes a kernel's code in the crate that defines the kernel, and not
/// again in each that launches it. Without `AVX2` there is no version for [`InstructionSet::Avx2`]:
/// the baseline's takes its place.
///
/// # Safety
///
/// To call what is returned: as for [`Kernel::run_thread`] with the `K::Args` that the pointer
/// points to; and the machine has the instructions.
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
/// As for [`Kernel::run_thread`], with the `K::Args` that `args` points to.
unsafe fn run_baseline<K: Kernel>(args: *const ()) {
    // SAFETY: the caller's promise.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}

/// The same code: what is inlined here is compiled for these instructions, which is why bodies, and
/// what they are made of, are `#[inline(always)]`.
///
/// # Safety
/// As for [`run_baseline`], on a machine that has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_avx2<K: Kernel>(args: *const ()) {
    // SAFETY: the caller's promise.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}

/// A kernel whose body is instrumented for checked mode. `#[kernel]` implements it where there is
/// something to instrument.
#[doc(hidden)]
pub trait InstrumentedKernel: Kernel {
    /// [`Kernel::run_thread`], which tells checked mode of the accesses that no view makes.
    ///
    /// # Safety
    ///
    /// As there.
    unsafe fn run_thread_instrumented(args: &Self::Args<'_>);
}

/// The function that runs one thread of kernel `K` in checked mode.
///
/// # Safety
///
/// To call what is returned: as for [`runner`].
#[doc(hidden)]
#[must_use]
pub fn instrumented_runner<K: InstrumentedKernel>() -> unsafe fn(*const ()) {
    run_instrumented::<K>
}

/// # Safety
/// As for [`run_baseline`].
unsafe fn run_instrumented<K: InstrumentedKernel>(args: *const ()) {
    // SAFETY: the caller's promise.
    unsafe { K::run_thread_instrumented(&*args.cast::<K::Args<'_>>()) }
}
