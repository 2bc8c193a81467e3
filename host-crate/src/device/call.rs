//! A kernel and its arguments without their types.
//!
//! There are hundreds of kernels, and a launch is much code: a choice of a block, a record, errors.
//! So it is compiled once, and for each kernel only what is here.

use cuda_std::{Kernel, PackedArgs, kernel::EntryName, launch_on_cpu};
use simt::{LaunchError, LaunchShape, Mode};

/// A kernel with its arguments, to be launched once.
pub(super) trait Call {
    /// The name of its entry point.
    fn entry(&self) -> EntryName;

    /// Its arguments, as a CUDA launch takes them.
    fn pack(&mut self) -> PackedArgs;

    /// Runs it on the CPU.
    ///
    /// # Safety
    /// As for [`launch_on_cpu`].
    unsafe fn run_on_cpu(&mut self, shape: LaunchShape, mode: Mode) -> Result<(), LaunchError>;
}

/// A [`Call`] of kernel `K`. The arguments are taken by what launches them.
pub(super) struct CallOf<'a, K: Kernel>(Option<K::Args<'a>>);

impl<'a, K: Kernel> CallOf<'a, K> {
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

impl<K: Kernel> Call for CallOf<'_, K> {
    fn entry(&self) -> EntryName {
        K::entry()
    }

    fn pack(&mut self) -> PackedArgs {
        let mut packed = PackedArgs::default();
        K::pack(&self.take(), &mut packed);
        packed
    }

    unsafe fn run_on_cpu(&mut self, shape: LaunchShape, mode: Mode) -> Result<(), LaunchError> {
        // SAFETY: the caller's promise.
        unsafe { launch_on_cpu::<K>(shape, mode, self.take()) }
    }
}
