//! Errors of devices.

use crate::{error::ErrorKind, memory::OutOfMemory, monitor::Cancelled, occupancy::OccupancyError};

/// An error of a device. Messages name the object, the numbers, and a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The work was cancelled by the caller, through a [`CancelFlag`](crate::monitor::CancelFlag).
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The machine has no CUDA driver.
    #[error("{detail}; or use the device cpu")]
    NoDriver {
        /// Attempted libraries and their errors.
        detail: String,
    },
    /// The library was built without kernels for the CPU.
    #[error(
        "this program was built without the feature `cpu` of ferrovox, so it needs a CUDA device: use the device cuda, or enable the feature"
    )]
    NoCpuKernels,
    /// There is no CUDA device with this index.
    #[error("there is no device cuda:{index}: {}; `ferrovox devices` lists what there is", how_many(*.count))]
    NoSuchDevice {
        /// Requested index.
        index: usize,
        /// Number of CUDA devices.
        count: usize,
    },
    /// The system cannot create more threads.
    #[error(
        "the system cannot create more threads: {reason}; each needs {} bytes of memory for its stack; end other programs, raise the limits (ulimit -u, ulimit -v), or use fewer threads (RAYON_NUM_THREADS)",
        thread_stack_bytes()
    )]
    NoThreads {
        /// Message of the system.
        reason: String,
    },
    /// The device is older than the shipped PTX supports.
    #[error(
        "{device} has compute capability {capability}; ferrovox needs 7.0 or newer: use the device cpu"
    )]
    Unsupported {
        /// Name of the device.
        device: String,
        /// Compute capability of the device.
        capability: String,
    },
    /// The name does not denote a device.
    #[error("`{name}` is not a device; use auto, cpu, cuda or cuda:0 (cuda:1, …)")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The memory of the device is insufficient.
    #[error(
        "{device} has not enough memory: {requested} bytes requested, {free} of {total} bytes free; use a smaller volume or another device"
    )]
    OutOfMemory {
        /// Name of the device.
        device: String,
        /// Requested bytes.
        requested: u64,
        /// Free bytes.
        free: u64,
        /// Total bytes.
        total: u64,
    },
    /// The memory of the host is insufficient.
    #[error(transparent)]
    HostMemory(#[from] OutOfMemory),
    /// A buffer has more elements than can be addressed.
    #[error("a buffer of {len} elements of {size} bytes cannot be addressed")]
    TooLarge {
        /// Number of elements.
        len: usize,
        /// Bytes per element.
        size: usize,
    },
    /// A copy between buffers of different length.
    #[error("cannot copy {from} elements to a buffer of {to}: the lengths must agree")]
    LengthMismatch {
        /// Number of source elements.
        from: usize,
        /// Number of destination elements.
        to: usize,
    },
    /// A buffer of one device was used with a stream of another.
    #[error("a buffer of {buffer} was used with a stream of {stream}; copy it there first")]
    WrongDevice {
        /// Device of the buffer.
        buffer: String,
        /// Device of the stream.
        stream: String,
    },
    /// The shipped PTX has no such kernel.
    #[error("the PTX for {device} has no kernel `{kernel}`; rebuild it with `cargo xtask ptx`")]
    UnknownKernel {
        /// Entry point of the kernel.
        kernel: String,
        /// Name of the device.
        device: String,
    },
    /// The device does not support a block size, a number of registers or an amount of shared
    /// memory, or a kernel is unknown.
    #[error(transparent)]
    Occupancy(#[from] OccupancyError),
    /// A block requested by a launch override cannot run.
    #[error(
        "{kernel} cannot run in blocks of {threads} threads with {shared_bytes} bytes of shared memory: with its {registers} registers per thread a block can have at most {max_threads} threads; choose a smaller block"
    )]
    NoRoom {
        /// Entry point of the kernel.
        kernel: String,
        /// Threads per block.
        threads: u32,
        /// Registers per thread.
        registers: u32,
        /// Maximum threads per block of this kernel.
        max_threads: u32,
        /// Shared memory per block, in bytes.
        shared_bytes: u64,
    },
    /// An environment variable has an invalid value.
    #[error("{name} is `{text}`; set it to {wanted}")]
    Variable {
        /// Name of the variable.
        name: &'static str,
        /// Value of the variable.
        text: String,
        /// Description of valid values.
        wanted: String,
    },
    /// The kernel has no such constant.
    #[error(
        "the kernel `{kernel}` has no constant `{constant}` on {device}; rebuild the PTX with `cargo xtask ptx`"
    )]
    UnknownConstant {
        /// Symbol of the constant.
        constant: String,
        /// Entry point of the kernel.
        kernel: String,
        /// Name of the device.
        device: String,
    },
    /// A kernel failed in the executor.
    #[error(transparent)]
    Kernel(simt::LaunchError),
    /// The CUDA driver reported an error.
    #[error("{device}: {what} failed: {detail}")]
    Cuda {
        /// Name of the device.
        device: String,
        /// Operation that failed.
        what: String,
        /// Message of the driver.
        detail: String,
    },
}

impl DeviceError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::OutOfMemory { .. } | Self::HostMemory(_) | Self::TooLarge { .. } => {
                ErrorKind::Memory
            }
            Self::NoDriver { .. }
            | Self::NoSuchDevice { .. }
            | Self::NoThreads { .. }
            | Self::Cuda { .. } => ErrorKind::Device,
            Self::NoCpuKernels | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::UnknownName { .. }
            | Self::LengthMismatch { .. }
            | Self::WrongDevice { .. }
            | Self::Occupancy(_)
            | Self::NoRoom { .. }
            | Self::Variable { .. } => ErrorKind::InvalidArgument,
            Self::UnknownKernel { .. } | Self::UnknownConstant { .. } | Self::Kernel(_) => {
                ErrorKind::Internal
            }
        }
    }
}

impl From<simt::LaunchError> for DeviceError {
    fn from(error: simt::LaunchError) -> Self {
        match error {
            simt::LaunchError::Cancelled { .. } => Self::Cancelled(Cancelled),
            error => Self::Kernel(error),
        }
    }
}

fn how_many(count: usize) -> String {
    match count {
        0 => "there is none".to_owned(),
        1 => "there is one, cuda:0".to_owned(),
        _ => format!("there are {count}, cuda:0 to cuda:{}", count - 1),
    }
}

/// Returns the size of the stack that the standard library gives to threads, in bytes.
fn thread_stack_bytes() -> u64 {
    let variable = std::env::var("RUST_MIN_STACK").ok();
    variable
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(2 << 20)
}
