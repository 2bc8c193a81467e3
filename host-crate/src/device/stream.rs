//! Streams: queues of operations on a device.

use super::{
    Buffer, Device, DeviceError, Element, Event, Inner, Launch, LaunchPlan, LaunchRecord,
    Recording,
    buffer::BufferMemory,
    call::{Call, KernelCall},
    cuda::{ContextGuard, CudaConstant, CudaMemory, CudaStream},
    event::EventInner,
    record::PendingLaunch,
};
use crate::{
    memory,
    monitor::{CancelFlag, Cancelled},
    parallel,
};
use cuda_std::{Kernel, kernel::EntryName};
use simt::{Dim3, LaunchShape};
use std::{borrow::Cow, ops::Range, sync::Arc, time::Instant};

/// Number of bytes that a thread of the CPU copies at a time: large compared with the cost of
/// scheduling.
const COPY_CHUNK: usize = 1 << 20;

/// Minimum number of bytes that [`Stream::require`] checks.
const MIN_REQUIRED: u64 = 1 << 20;

/// Purpose of the memory of a downloaded buffer, quoted in errors.
const DOWNLOAD: &str = "a copy of a buffer";

/// A queue of operations on one device that run in order.
///
/// On the CPU an operation has finished when its function returns. On a CUDA device functions
/// return immediately, except [`download`](Stream::download) and
/// [`synchronize`](Stream::synchronize), which also report errors of earlier operations.
///
/// Cheap to clone. Clones denote the same queue; each has a cancel flag and a callback of its own,
/// initially those of the original.
#[derive(Clone)]
pub struct Stream {
    device: Device,
    /// CUDA stream; `None` on the CPU.
    cuda: Option<CudaStream>,
    /// Flag that ends launches with an error.
    cancel: Option<CancelFlag>,
    /// Callback of functions that work in parts.
    progress: Option<ProgressHook>,
}

/// Callback that takes the finished fraction of a computation.
type ProgressHook = Arc<dyn Fn(f64) + Send + Sync>;

/// Guard of [`Stream::stay_current`]; empty for the CPU.
pub struct CurrentContextGuard<'a>(
    #[expect(dead_code, reason = "it is dropped")] Option<ContextGuard<'a>>,
);

impl Stream {
    pub(super) fn new(device: Device) -> Result<Self, DeviceError> {
        let cuda = match device.inner() {
            Inner::Cpu(_) => None,
            Inner::Cuda(cuda) => Some(cuda.stream()?),
        };
        Ok(Self {
            device,
            cuda,
            cancel: None,
            progress: None,
        })
    }

    /// Sets the flag that cancels the work of the stream. Soon after it is set, the running launch
    /// on the CPU, or the next launch on any device, returns [`DeviceError::Cancelled`], and so do
    /// the functions that use the stream. A CPU thread checks the flag between two chunks of
    /// blocks, of which it runs at least 16 per launch; a running kernel of a GPU is completed.
    ///
    /// ```
    /// use ferrovox::{device::{Device, DeviceError}, monitor::CancelFlag, synthetic};
    ///
    /// let cancel = CancelFlag::new();
    /// let stream = Device::best().stream()?.cancelled_by(&cancel);
    /// assert!(synthetic::sphere(&stream, [8, 8, 8], 3.0).is_ok());
    /// cancel.cancel();
    /// let result = synthetic::sphere(&stream, [8, 8, 8], 3.0);
    /// assert!(matches!(result, Err(DeviceError::Cancelled(_))));
    /// # Ok::<(), DeviceError>(())
    /// ```
    #[must_use]
    pub fn cancelled_by(mut self, flag: &CancelFlag) -> Self {
        self.cancel = Some(flag.clone());
        self
    }

    /// Sets a callback that takes the finished fraction of a computation, from 0 to 1. Separable
    /// distance transforms on the CPU call it, and then work in at least as many parts as there
    /// are words of 32 voxels along x, up to 32; the result is the same. Other functions report
    /// nothing.
    ///
    /// ```
    /// use ferrovox::{device::Device, distance::{self, DistanceParams, Sites}, grid::DeviceMask};
    /// use std::sync::{Arc, Mutex};
    ///
    /// let fractions = Arc::new(Mutex::new(Vec::new()));
    /// let list = fractions.clone();
    /// let stream = Device::cpu().stream()?.on_progress(move |it| list.lock().unwrap().push(it));
    /// let sites = DeviceMask::from_indices(&stream, &[5], [64, 2, 2], Default::default())?;
    /// distance::transform(&stream, Sites::Voxels(&sites), &DistanceParams::default())?;
    /// assert_eq!(*fractions.lock().unwrap(), [0.5, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_progress(mut self, hook: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(hook));
        self
    }

    /// Returns `true` if progress is reported.
    pub(crate) fn reports_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Reports that `done` of `total` parts are finished.
    pub(crate) fn report_progress(&self, done: u32, total: u32) {
        if let Some(hook) = &self.progress {
            hook(f64::from(done) / f64::from(total));
        }
    }

    /// Checks the cancel flag.
    fn check_cancelled(&self) -> Result<(), Cancelled> {
        match &self.cancel {
            Some(flag) if flag.is_cancelled() => Err(Cancelled),
            _ => Ok(()),
        }
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the CUDA stream, or `None` on the CPU.
    pub(super) fn cuda(&self) -> Option<&CudaStream> {
        self.cuda.as_ref()
    }

    /// Makes the context of the device current on this thread until the guard is dropped. Every
    /// call of the driver does so otherwise, which takes about as long as enqueueing an operation:
    /// hold a guard for many calls. Does nothing on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the driver refuses.
    pub fn stay_current(&self) -> Result<CurrentContextGuard<'_>, DeviceError> {
        let guard = self.cuda.as_ref().map(CudaStream::enter).transpose()?;
        Ok(CurrentContextGuard(guard))
    }

    /// Allocates `len` elements with unspecified values.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>, DeviceError> {
        let bytes = Buffer::<T>::bytes_for(len)?;
        let memory = match (self.device.inner(), &self.cuda) {
            (Inner::Cpu(cpu), _) => BufferMemory::Cpu(cpu.alloc(bytes)?),
            (Inner::Cuda(_), Some(stream)) => BufferMemory::Cuda(stream.alloc(bytes)?),
            (Inner::Cuda(_), None) => unreachable!("a stream of a CUDA device has a CUDA stream"),
        };
        Ok(Buffer::new(self.device.clone(), memory, len))
    }

    /// Checks that `bytes` more bytes can be allocated, before work is started that needs them.
    /// Synchronises the stream if pooled memory has to be freed first. Less than 1 MiB always
    /// passes: asking the system takes longer than work on so little memory.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] with the requested and the available bytes.
    pub fn require(&self, bytes: u64) -> Result<(), DeviceError> {
        if bytes < MIN_REQUIRED {
            return Ok(());
        }
        match (self.device.inner(), &self.cuda) {
            (Inner::Cpu(cpu), _) => cpu.require(bytes),
            (Inner::Cuda(_), Some(stream)) => stream.require(bytes),
            (Inner::Cuda(_), None) => unreachable!("a stream of a CUDA device has a CUDA stream"),
        }
    }

    /// Allocates `len` elements with all bytes zero.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.alloc(len)?;
        self.fill_with_zero(&mut buffer)?;
        Ok(buffer)
    }

    /// Copies `elements` to a new buffer on the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.alloc(elements.len())?;
        self.write(&mut buffer, elements)?;
        Ok(buffer)
    }

    /// Copies `elements` to a buffer of the same length.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`].
    pub fn write<T: Element>(
        &self,
        buffer: &mut Buffer<T>,
        elements: &[T],
    ) -> Result<(), DeviceError> {
        if elements.len() != buffer.len() {
            return Err(DeviceError::LengthMismatch {
                from: elements.len(),
                to: buffer.len(),
            });
        }
        self.check_device(buffer)?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice.copy_from_slice(elements);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            stream.copy_to_device(memory, bytemuck::cast_slice(elements))?;
        }
        Ok(())
    }

    /// Copies the elements of a buffer to the host. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if that, or anything before it on the stream, failed.
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, DeviceError> {
        self.check_device(buffer)?;
        if let Some(slice) = buffer.as_slice() {
            return Ok(memory::try_copy(DOWNLOAD, slice)?);
        }
        let mut elements = memory::try_zeroed(DOWNLOAD, buffer.len())?;
        self.read(buffer, &mut elements)?;
        Ok(elements)
    }

    /// Enqueues a copy of `elements` to the first elements of a buffer. Returns immediately if they
    /// are [pinned](Device::pinned).
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than the buffer has,
    /// [`DeviceError::WrongDevice`].
    ///
    /// # Safety
    /// The elements must live and stay unchanged until the stream has been synchronised.
    pub unsafe fn begin_write<T: Element>(
        &self,
        buffer: &mut Buffer<T>,
        elements: &[T],
    ) -> Result<(), DeviceError> {
        self.check_part(buffer, elements.len(), elements.len(), buffer.len())?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice[..elements.len()].copy_from_slice(elements);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            // SAFETY: guaranteed by the caller.
            unsafe { stream.begin_copy_to_device(memory, bytemuck::cast_slice(elements))? };
        }
        Ok(())
    }

    /// Enqueues a copy of the first elements of a buffer to `elements`. Returns immediately if they
    /// are [pinned](Device::pinned).
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than the buffer has,
    /// [`DeviceError::WrongDevice`].
    ///
    /// # Safety
    /// The elements must live and not be accessed until the stream has been synchronised.
    pub unsafe fn begin_read<T: Element>(
        &self,
        buffer: &Buffer<T>,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        self.check_part(buffer, elements.len(), buffer.len(), elements.len())?;
        if let Some(slice) = buffer.as_slice() {
            elements.copy_from_slice(&slice[..elements.len()]);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            // SAFETY: guaranteed by the caller.
            unsafe { stream.begin_copy_to_host(bytemuck::cast_slice_mut(elements), memory)? };
        }
        Ok(())
    }

    /// Copies the elements of a buffer to a slice of the same length. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`], [`DeviceError::Cuda`] if
    /// anything on the stream failed.
    pub fn read<T: Element>(
        &self,
        buffer: &Buffer<T>,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        if elements.len() != buffer.len() {
            return Err(DeviceError::LengthMismatch {
                from: buffer.len(),
                to: elements.len(),
            });
        }
        if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            self.check_device(buffer)?;
            return stream.copy_to_host(bytemuck::cast_slice_mut(elements), memory);
        }
        // SAFETY: the stream is synchronised before the borrow ends, also after an error.
        let begun = unsafe { self.begin_read(buffer, elements) };
        let done = self.synchronize();
        begun.and(done)
    }

    fn check_part<T: Element>(
        &self,
        buffer: &Buffer<T>,
        part: usize,
        from: usize,
        to: usize,
    ) -> Result<(), DeviceError> {
        if part > buffer.len() {
            return Err(DeviceError::LengthMismatch { from, to });
        }
        self.check_device(buffer)
    }

    /// Copies a buffer to another of the same length on this device.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`].
    pub fn copy<T: Element>(
        &self,
        from: &Buffer<T>,
        to: &mut Buffer<T>,
    ) -> Result<(), DeviceError> {
        if from.len() != to.len() {
            return Err(DeviceError::LengthMismatch {
                from: from.len(),
                to: to.len(),
            });
        }
        self.check_device(from)?;
        self.check_device(to)?;
        match (from.memory(), to.memory(), &self.cuda) {
            (BufferMemory::Cuda(from), BufferMemory::Cuda(to), Some(stream)) => {
                stream.copy_on_device(to, from)
            }
            _ => {
                if let (Some(from), Some(to)) = (from.as_slice(), to.as_mut_slice()) {
                    let chunk = (COPY_CHUNK / size_of::<T>().max(1)).max(1);
                    parallel::for_each_chunk_mut(to, chunk, |first, to| {
                        to.copy_from_slice(&from[first..][..to.len()]);
                    });
                }
                Ok(())
            }
        }
    }

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
    /// buffers, and their uses on other streams are ordered automatically (see [`Buffer`]); other
    /// memory that the arguments point to must not be used by other streams until the launch has
    /// finished.
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

    /// Records an event at the current end of the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the driver refuses.
    pub fn record(&self) -> Result<Event, DeviceError> {
        let inner = match &self.cuda {
            None => EventInner::Cpu(Instant::now()),
            Some(stream) => EventInner::Cuda(stream.record()?),
        };
        Ok(Event { inner })
    }

    /// Blocks until all operations on the stream have finished.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if one of them failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        match &self.cuda {
            None => Ok(()),
            Some(stream) => stream.synchronize(),
        }
    }

    /// Sets all bytes of a buffer to zero.
    ///
    /// # Errors
    /// [`DeviceError::WrongDevice`], [`DeviceError::Cuda`].
    pub fn fill_with_zero<T: Element>(&self, buffer: &mut Buffer<T>) -> Result<(), DeviceError> {
        self.check_device(buffer)?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice.fill(T::zeroed());
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            stream.fill_with_zero(memory, buffer.bytes())?;
        }
        Ok(())
    }

    /// Enqueues a copy of a range of device memory to the beginning of a constant.
    pub(super) fn copy_to_constant(
        &self,
        constant: &CudaConstant,
        from: &CudaMemory,
        bytes: Range<usize>,
    ) -> Result<(), DeviceError> {
        match &self.cuda {
            Some(stream) => stream.copy_to_constant(constant, from, bytes),
            None => unreachable!("a constant of a CUDA device has a CUDA stream"),
        }
    }

    /// Checks that a buffer belongs to the device of this stream.
    pub(crate) fn check_device<T: Element>(&self, buffer: &Buffer<T>) -> Result<(), DeviceError> {
        if buffer.device().id() == self.device.id() {
            return Ok(());
        }
        Err(DeviceError::WrongDevice {
            buffer: buffer.device().id(),
            stream: self.device.id(),
        })
    }
}
