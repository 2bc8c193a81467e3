//! Type-erased kernel calls.
//!
//! A launch takes much code (choice of the block size, recording, errors) and there are hundreds of
//! kernels. It is therefore compiled once, for a trait object; only the contents of this module are
//! compiled per kernel.

use cuda_std::{Kernel, PackedArgs, kernel::EntryName, launch_on_cpu};
use simt::{LaunchError, LaunchShape, Mode};

/// A kernel with its arguments, launched once.
pub(super) trait Call {
    /// Returns the name of the entry point.
    fn entry(&self) -> EntryName;

    /// Returns the arguments in the form that a CUDA launch takes.
    fn pack(&mut self) -> PackedArgs;

    /// Runs the kernel on the CPU.
    ///
    /// # Safety
    /// The requirements of [`launch_on_cpu`].
    unsafe fn run_on_cpu(&mut self, shape: LaunchShape, mode: Mode) -> Result<(), LaunchError>;
}

/// A [`Call`] of kernel `K`. The launch takes the arguments out.
pub(super) struct KernelCall<'a, K: Kernel>(Option<K::Args<'a>>);

impl<'a, K: Kernel> KernelCall<'a, K> {
    pub fn new(args: K::Args<'a>) -> Self {
        Self(Some(args))
    }

    fn take(&mut self) -> K::Args<'a> {
        match self.0.take() {
            Some(args) => args,
            None => unreachable!("a call is launched once"),
        }
    }
}

impl<K: Kernel> Call for KernelCall<'_, K> {
    fn entry(&self) -> EntryName {
        K::entry()
    }

    fn pack(&mut self) -> PackedArgs {
        let mut packed = PackedArgs::default();
        K::pack(&self.take(), &mut packed);
        packed
    }

    unsafe fn run_on_cpu(&mut self, shape: LaunchShape, mode: Mode) -> Result<(), LaunchError> {
        // SAFETY: guaranteed by the caller.
        unsafe { launch_on_cpu::<K>(shape, mode, self.take()) }
    }
}
