//! What can go wrong on a device.

use crate::{memory::OutOfMemory, monitor::Cancelled, occupancy::OccupancyError};

/// An error of a device: what was asked, with which numbers, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The work was stopped by its caller, through a [`CancelFlag`](crate::monitor::CancelFlag).
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The machine has no CUDA driver.
    #[error("{detail}; or use the device cpu")]
    NoDriver {
        /// What was tried.
        detail: String,
    },
    /// There is no CUDA device of that number.
    #[error("there is no device cuda:{index}: {}; `ferrovox devices` lists what there is", how_many(*.count))]
    NoSuchDevice {
        /// The number asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The system makes no more threads.
    #[error(
        "the system makes no more threads: {reason}; end other programs, allow more (ulimit -u), or use fewer (RAYON_NUM_THREADS)"
    )]
    NoThreads {
        /// The system's words.
        reason: String,
    },
    /// A device older than any for which there is PTX.
    #[error(
        "{device} has compute capability {capability}; ferrovox needs 7.0 or newer: use the device cpu"
    )]
    Unsupported {
        /// The device.
        device: String,
        /// Its compute capability.
        capability: String,
    },
    /// A device's name that means nothing.
    #[error("`{name}` is no device; use auto, cpu, cuda or cuda:0 (cuda:1, …)")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The device has not enough memory.
    #[error(
        "{device} has not enough memory: {requested} bytes asked for, {free} of {total} bytes free; use a smaller volume, or another device"
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: u64,
        /// Bytes free.
        free: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The host has not enough memory.
    #[error(transparent)]
    HostMemory(#[from] OutOfMemory),
    /// More elements than memory can be addressed for.
    #[error("a buffer of {len} elements of {size} bytes cannot be addressed")]
    TooLarge {
        /// How many elements.
        len: usize,
        /// The size of each.
        size: usize,
    },
    /// A copy between things of different length.
    #[error("cannot copy {from} elements to a buffer of {to}: the lengths must agree")]
    LengthMismatch {
        /// Elements given.
        from: usize,
        /// Elements wanted.
        to: usize,
    },
    /// A buffer of one device used with another.
    #[error("a buffer of {buffer} was used with a stream of {stream}; copy it there first")]
    WrongDevice {
        /// Where the buffer is.
        buffer: String,
        /// Where the stream is.
        stream: String,
    },
    /// The shipped PTX has no such kernel.
    #[error("the PTX for {device} has no kernel `{kernel}`; rebuild it with `cargo xtask ptx`")]
    UnknownKernel {
        /// The kernel's entry point.
        kernel: String,
        /// The device.
        device: String,
    },
    /// A block size, registers or shared memory that the device does not have, or a kernel that
    /// there is not.
    #[error(transparent)]
    Occupancy(#[from] OccupancyError),
    /// A block that cannot run, asked for by a launch override.
    #[error(
        "{kernel} cannot run in blocks of {threads} threads with {shared_bytes} bytes of shared memory: it takes {registers} registers per thread, with which a block can have {most_threads} threads at most; choose a smaller block"
    )]
    NoRoom {
        /// The kernel's entry point.
        kernel: String,
        /// Threads of the block.
        threads: u32,
        /// Registers of a thread.
        registers: u32,
        /// The most threads that the kernel can have in a block.
        most_threads: u32,
        /// Shared memory of the block, in bytes.
        shared_bytes: u64,
    },
    /// An environment variable that means nothing.
    #[error("{name} is `{text}`; it should be {wanted}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What it is.
        text: String,
        /// What it should be.
        wanted: String,
    },
    /// A kernel has no such constant.
    #[error(
        "the kernel `{kernel}` has no constant `{constant}` on {device}; rebuild the PTX with `cargo xtask ptx`"
    )]
    UnknownConstant {
        /// The constant's symbol.
        constant: String,
        /// The kernel's entry point.
        kernel: String,
        /// The device.
        device: String,
    },
    /// A kernel failed under the executor.
    #[error(transparent)]
    Kernel(#[from] simt::LaunchError),
    /// The CUDA driver reported an error.
    #[error("{device}: {what} failed: {detail}")]
    Cuda {
        /// The device.
        device: String,
        /// What was being done.
        what: String,
        /// The driver's message.
        detail: String,
    },
}

fn how_many(count: usize) -> String {
    match count {
        0 => "there is none".to_owned(),
        1 => "there is one, cuda:0".to_owned(),
        _ => format!("there are {count}, cuda:0 to cuda:{}", count - 1),
    }
}
