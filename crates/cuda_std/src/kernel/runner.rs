//! A kernel's body, compiled for each set of instructions.

use super::{Instructions, Kernel};

/// The function that runs one thread of kernel `K`: a pointer, since a launch's loops are compiled for the baseline, and once for all
/// kernels. `#[kernel]` calls it in functions that are not generic, so the compiler makes a kernel's code in the crate that defines
/// the kernel, and not again in each that launches it.
///
/// # Safety
///
/// To call what is returned: as for [`Kernel::run_thread`] with the `K::Args` that the pointer points to; and the machine has the
/// instructions.
#[doc(hidden)]
#[must_use]
pub fn runner<K: Kernel>(instructions: Instructions) -> unsafe fn(*const ()) {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => run_avx2::<K>,
        _ => run_baseline::<K>,
    }
}

/// # Safety
/// As for [`Kernel::run_thread`], with the `K::Args` that `args` points to.
unsafe fn run_baseline<K: Kernel>(args: *const ()) {
    // SAFETY: the caller's promise.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}

/// The same code: what is inlined here is compiled for these instructions, which is why bodies, and what they are made of, are
/// `#[inline(always)]`.
///
/// # Safety
/// As for [`run_baseline`], on a machine that has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_avx2<K: Kernel>(args: *const ()) {
    // SAFETY: the caller's promise.
    unsafe { K::run_thread(&*args.cast::<K::Args<'_>>()) }
}
