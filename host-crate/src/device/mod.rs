//! Devices that run kernels: the CPU and CUDA devices.
//!
//! A [`Device`] creates [`Stream`]s; a stream allocates [`Buffer`]s, copies, and launches kernels
//! in order. All operations are asynchronous unless documented otherwise: [`Stream::download`] and
//! [`Stream::synchronize`] block.
//!
//! ```
//! use ferrovox::device::{Device, Launch};
//! use ferrovox_kernels::{synthetic::fill_sphere, grid::Grid, rows::Rows};
//!
//! let stream = Device::best().stream()?;
//! let grid = Grid { nx: 8, ny: 8, nz: 8 };
//! let rows = Rows { nx: 8, ny: 8, nz: 8, chunk: 8, run: 1 };
//! let mut samples = stream.alloc::<f32>(512)?;
//! // SAFETY: `samples` holds the grid's 512 samples, and `rows` is their extent.
//! unsafe {
//!     let args = (grid, rows, [3.5; 3], 2.0, samples.view_mut());
//!     stream.launch::<fill_sphere>(Launch::pieces(rows.chunks()), args)?;
//! }
//! assert!(stream.download(&samples)?.iter().any(|&value| value > 0.0));
//! # Ok::<(), ferrovox::device::DeviceError>(())
//! ```

mod borrowed;
mod buffer;
mod call;
mod compressed;
mod constant;
mod cpu;
mod cuda;
mod error;
mod event;
mod foreign;
mod info;
mod inspect;
mod launch;
mod launch_config;
mod launch_override;
mod machine_code;
mod modules;
mod pinned;
mod pinned_registry;
mod ptx;
mod record;
mod recorded;
mod stream;
mod threads;
mod usage;
mod work;

pub use borrowed::Borrowed;
pub use buffer::{Buffer, Element};
pub use constant::Constant;
pub use cpu::CpuOptions;
pub use error::DeviceError;
pub use event::Event;
pub use info::DeviceInfo;
pub use launch::{Launch, LaunchPlan};
pub use launch_config::BlockSizeSource;
pub use launch_override::LaunchOverride;
pub use modules::{RecordedResources, recorded_resources, shipped_ptx};
pub use pinned::HostBuffer;
pub use record::{LaunchRecord, Recording};
pub use recorded::{RecordedKernel, recorded_kernel};
pub use stream::{CurrentContextGuard, Stream};
pub(crate) use threads::no_thread;
pub use threads::{run_job, start_threads};
pub use usage::MemoryUse;
pub(crate) use work::{items_launch, rows, rows_launch};

use crate::{occupancy::DeviceLimits, parallel};
use cpu::CpuDevice;
use cuda::CudaDevice;
use record::Launches;
use std::{fmt, str::FromStr, sync::Arc};
use usage::Usage;

/// A device that runs kernels. Cheap to clone; clones denote the same device.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
    shared: Arc<Shared>,
}

/// State shared by the clones of a device.
#[derive(Default)]
struct Shared {
    usage: Usage,
    launches: Launches,
    /// `true` if the block size of the environment applies to the device and is checked later,
    /// since the constructor cannot return an error.
    uses_environment: bool,
}

enum Inner {
    Cpu(CpuDevice),
    Cuda(Box<CudaDevice>),
}

/// Kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// The CPU, through the SIMT executor.
    Cpu,
    /// An NVIDIA GPU, through the CUDA driver.
    Cuda,
}

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes that can be allocated now.
    pub free: u64,
    /// Total bytes.
    pub total: u64,
}

impl Device {
    /// Returns all devices of this machine that can be opened: CUDA devices by index, then the CPU
    /// (with the feature `cpu`).
    pub fn all() -> Vec<Device> {
        let cuda =
            (0..CudaDevice::count().unwrap_or(0)).filter_map(|index| Device::cuda(index).ok());
        cuda.chain(cfg!(feature = "cpu").then(Device::cpu))
            .collect()
    }

    /// Returns the first CUDA device that can be opened, otherwise the CPU.
    pub fn best() -> Device {
        Device::cuda(0).unwrap_or_else(|_| Device::cpu())
    }

    /// Returns the CPU: all threads of rayon, blocks of one thread, no checks except bounds.
    /// `FERROVOX_BLOCK` sets the threads per block, for experiments.
    pub fn cpu() -> Device {
        let inner = Inner::Cpu(CpuDevice::new(CpuOptions::default()));
        let device = Device {
            shared: Arc::new(Shared {
                uses_environment: true,
                ..Shared::default()
            }),
            ..Device::new(inner)
        };
        // an error is reported by the first stream
        let _ = device.apply_environment();
        device
    }

    /// Returns the CPU with a choice of mode and block size, for tests and experiments.
    pub fn cpu_with(options: CpuOptions) -> Device {
        Device::new(Inner::Cpu(CpuDevice::new(options)))
    }

    /// Opens a CUDA device by its index. `FERROVOX_BLOCK` sets the block size of all launches, for
    /// experiments.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] without a driver, [`DeviceError::NoSuchDevice`] if there are fewer
    /// devices, [`DeviceError::Cuda`] for an error of the driver, [`DeviceError::Variable`] or
    /// [`DeviceError::Occupancy`] for an invalid `FERROVOX_BLOCK`.
    pub fn cuda(index: usize) -> Result<Device, DeviceError> {
        let device = Device::new(Inner::Cuda(Box::new(CudaDevice::open(index)?)));
        device.apply_environment()?;
        Ok(device)
    }

    /// Returns the number of CUDA devices.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] on a machine without a driver.
    pub fn cuda_count() -> Result<usize, DeviceError> {
        CudaDevice::count()
    }

    /// Returns the kind of the device.
    pub fn kind(&self) -> DeviceKind {
        match &*self.inner {
            Inner::Cpu(_) => DeviceKind::Cpu,
            Inner::Cuda(_) => DeviceKind::Cuda,
        }
    }

    /// Returns the name that selects the device: `cpu`, `cuda:0`.
    pub fn id(&self) -> String {
        match &*self.inner {
            Inner::Cpu(_) => "cpu".to_owned(),
            Inner::Cuda(device) => format!("cuda:{}", device.index()),
        }
    }

    /// Returns the product name of the device.
    pub fn name(&self) -> String {
        match &*self.inner {
            Inner::Cpu(device) => device.name(),
            Inner::Cuda(device) => device.name().to_owned(),
        }
    }

    /// Returns the limits of launches on the device.
    pub fn limits(&self) -> &DeviceLimits {
        match &*self.inner {
            Inner::Cpu(device) => device.limits(),
            Inner::Cuda(device) => device.limits(),
        }
    }

    /// Returns the maximum clock rate of the multiprocessors in kHz according to the driver; `None`
    /// for the CPU.
    pub fn clock_khz(&self) -> Option<u32> {
        match &*self.inner {
            Inner::Cpu(_) => None,
            Inner::Cuda(device) => device.clock_khz(),
        }
    }

    /// Returns the memory of the device.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the driver does not report it.
    pub fn memory(&self) -> Result<Memory, DeviceError> {
        match &*self.inner {
            Inner::Cpu(device) => Ok(device.memory()),
            Inner::Cuda(device) => device.memory(),
        }
    }

    /// Returns the bytes held by buffers of this device and its clones: now, and the maximum since
    /// the last [`reset_peak_memory`](Device::reset_peak_memory).
    ///
    /// ```
    /// use ferrovox::device::Device;
    ///
    /// let device = Device::cpu();
    /// let stream = device.stream()?;
    /// drop(stream.alloc::<u32>(1000)?);
    /// let _kept = stream.alloc::<u8>(500)?;
    /// let usage = device.memory_use();
    /// assert_eq!((usage.now, usage.peak), (500, 4000));
    /// # Ok::<(), ferrovox::device::DeviceError>(())
    /// ```
    pub fn memory_use(&self) -> MemoryUse {
        self.shared.usage.read()
    }

    /// Resets the peak of [`memory_use`](Device::memory_use) to the current number of bytes.
    pub fn reset_peak_memory(&self) {
        self.shared.usage.reset_peak();
    }

    /// Creates a stream. Its operations run in order, and concurrently with those of other streams.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] for an error of the driver, [`DeviceError::Variable`] or
    /// [`DeviceError::Occupancy`] for an invalid `FERROVOX_BLOCK` on the CPU,
    /// [`DeviceError::NoThreads`] if the [thread pool](start_threads) cannot be started,
    /// [`DeviceError::NoCpuKernels`] for the CPU without the feature `cpu`.
    pub fn stream(&self) -> Result<Stream, DeviceError> {
        if self.kind() == DeviceKind::Cpu && !cfg!(feature = "cpu") {
            return Err(DeviceError::NoCpuKernels);
        }
        start_threads()?;
        self.check_environment()?;
        Stream::new(self.clone())
    }

    /// Allocates zeroed pinned host memory for `len` elements, for fast copies to and from this
    /// device.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the driver cannot pin this much, [`DeviceError::TooLarge`].
    pub fn pinned<T: Element>(&self, len: usize) -> Result<HostBuffer<T>, DeviceError> {
        HostBuffer::new(self, len)
    }

    /// Calls `work` while another thread, if one is idle, loads the machine code of the kernels.
    /// Otherwise their first launch would load it.
    pub(crate) fn load_kernels_during<R>(&self, work: impl FnOnce() -> R) -> R {
        match &*self.inner {
            Inner::Cpu(_) => work(),
            Inner::Cuda(device) => parallel::with_background(|| device.load_machine_code(), work),
        }
    }

    fn new(inner: Inner) -> Device {
        Device {
            inner: Arc::new(inner),
            shared: Arc::default(),
        }
    }

    fn launches(&self) -> &Launches {
        &self.shared.launches
    }

    fn usage(&self) -> &Usage {
        &self.shared.usage
    }

    fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}: {})", self.id(), self.name())
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.id(), self.name())
    }
}

impl FromStr for Device {
    type Err = DeviceError;

    /// Parses `auto` (the best device), `cpu`, `cuda` (the first CUDA device) or `cuda:i`.
    fn from_str(text: &str) -> Result<Device, DeviceError> {
        match text {
            "auto" => Ok(Device::best()),
            "cpu" => Ok(Device::cpu()),
            "cuda" => Device::cuda(0),
            _ => match text
                .strip_prefix("cuda:")
                .and_then(|index| index.parse().ok())
            {
                Some(index) => Device::cuda(index),
                None => Err(DeviceError::UnknownName {
                    name: text.to_owned(),
                }),
            },
        }
    }
}
