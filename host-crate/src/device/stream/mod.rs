//! Streams: queues of operations on a device.

mod alloc;
mod copy;
mod launch;

use super::{
    Buffer, Device, DeviceError, Element, Event, Inner,
    cuda::{ContextGuard, CudaStream},
    event::EventInner,
};
use crate::monitor::{CancelFlag, Cancelled};
use std::{sync::Arc, time::Instant};

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

    /// Returns `true` if all operations on the stream have finished, without waiting for them.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if one of them failed.
    pub fn is_idle(&self) -> Result<bool, DeviceError> {
        match &self.cuda {
            None => Ok(true),
            Some(stream) => stream.is_idle(),
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
