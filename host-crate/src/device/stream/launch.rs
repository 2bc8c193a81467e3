//! Kernels: loading, block sizes and launches.

use crate::device::{
    DeviceError, Inner, Launch, LaunchPlan, LaunchRecord, Recording, Stream,
    call::{Call, KernelCall},
    record::PendingLaunch,
};
use cuda_std::{Kernel, kernel::EntryName};
use simt::{Dim3, LaunchShape};
use std::borrow::Cow;

impl Stream {
    /// Loads kernels that will be launched soon, by the names of their [entry
    /// points](Kernel::entry).
    ///
    /// A CUDA driver compiles a kernel when it is first launched, or several together here, which
    /// is faster; it caches compiled kernels for later processes. On the CPU this does nothing.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`] with the compiler's log.
    pub fn prepare(&self, entries: &[Cow<'static, str>]) -> Result<(), DeviceError> {
        match self.device.inner() {
            Inner::Cpu(_) => Ok(()),
            Inner::Cuda(cuda) => cuda.prepare(entries),
        }
    }

    /// Returns the block size and number of resident blocks of a [`launch`](Stream::launch) of this
    /// kernel: for kernels whose work items depend on the block size, or that launch only as many
    /// blocks as run concurrently.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`] if the kernel does not compile.
    pub fn plan<K: Kernel>(&self, launch: Launch) -> Result<LaunchPlan, DeviceError> {
        self.plan_entry(&K::entry(), launch)
    }

    fn plan_entry(&self, entry: &EntryName, launch: Launch) -> Result<LaunchPlan, DeviceError> {
        let launch_override = self.device.launches().launch_override(entry);
        match self.device.inner() {
            Inner::Cpu(cpu) => Ok(cpu
                .launch_config(&launch, launch_override.as_deref())
                .plan()),
            Inner::Cuda(cuda) => {
                let (_, choice) = cuda.launch_config(entry, &launch, launch_override.as_deref())?;
                Ok(choice.plan())
            }
        }
    }

    /// Launches a kernel, with the block size that the occupancy calculator chooses.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`]; on the CPU [`DeviceError::Kernel`] if
    /// the kernel failed.
    ///
    /// # Safety
    /// The arguments must satisfy the documentation of the kernel, on this device. Views refer to
    /// buffers, and their uses on other streams are ordered automatically (see
    /// [`Buffer`](crate::device::Buffer)); other memory that the arguments point to must not be
    /// used by other streams until the launch has finished.
    pub unsafe fn launch<K: Kernel>(
        &self,
        launch: Launch,
        args: K::Args<'_>,
    ) -> Result<(), DeviceError> {
        if launch.is_empty() {
            return Ok(());
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.launch_call(launch, &mut KernelCall::<K>::new(args)) }
    }

    /// Launches any kernel.
    ///
    /// # Safety
    /// The requirements of [`launch`](Self::launch).
    unsafe fn launch_call(&self, launch: Launch, call: &mut dyn Call) -> Result<(), DeviceError> {
        self.check_cancelled()?;
        let entry = call.entry();
        let launches = self.device.launches();
        let launch_override = launches.launch_override(&entry);
        let recording = launches.recording();
        let moment = || match recording {
            Recording::Times => self.record().map(Some),
            _ => Ok(None),
        };
        let (choice, start);
        match (self.device.inner(), &self.cuda) {
            (Inner::Cpu(cpu), _) => {
                choice = cpu.launch_config(&launch, launch_override.as_deref());
                let shape = LaunchShape {
                    grid: Dim3::from(choice.blocks),
                    block: Dim3::from(choice.threads),
                    dynamic_shared_bytes: choice.dynamic_shared_bytes,
                };
                start = moment()?;
                // SAFETY: guaranteed by the caller.
                let mut run = || unsafe { call.run_on_cpu(shape, cpu.options().mode) };
                match &self.cancel {
                    None => run(),
                    Some(flag) => simt::with_cancel_flag(flag.as_atomic(), run),
                }?;
            }
            (Inner::Cuda(cuda), Some(stream)) => {
                let kernel;
                (kernel, choice) =
                    cuda.launch_config(&entry, &launch, launch_override.as_deref())?;
                start = moment()?;
                // SAFETY: guaranteed by the caller.
                unsafe { stream.launch(&kernel, &choice, call.pack()) }?;
            }
            (Inner::Cuda(_), None) => unreachable!("a stream of a CUDA device has a CUDA stream"),
        }
        if recording != Recording::Off {
            let end = moment()?;
            launches.add(PendingLaunch {
                launch: LaunchRecord {
                    kernel: entry.into_owned(),
                    blocks: choice.blocks,
                    threads: choice.threads,
                    dynamic_shared_bytes: choice.dynamic_shared_bytes,
                    block_size_source: choice.source,
                    time: None,
                },
                between: start.zip(end),
            });
        }
        Ok(())
    }
}
