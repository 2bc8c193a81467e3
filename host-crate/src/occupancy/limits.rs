//! What the calculator needs to know of a device and of a kernel.

/// What a multiprocessor of a device can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Multiprocessors of the device; threads of the CPU.
    pub multiprocessors: u32,
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Warps on a multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Blocks on a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// 32-bit registers that a block can have.
    pub registers_per_block: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: u32,
    /// Shared memory that the system takes of each block, in bytes.
    pub reserved_shared_bytes_per_block: u32,
    /// The unit in which shared memory is given to blocks, in bytes.
    pub shared_granularity: u32,
}

impl DeviceLimits {
    /// The CPU: a block of one thread on each of its threads.
    pub const fn cpu(threads: u32) -> Self {
        Self {
            multiprocessors: threads,
            threads_per_block: 1,
            warps_per_multiprocessor: 1,
            blocks_per_multiprocessor: 1,
            registers_per_multiprocessor: 0,
            registers_per_block: 0,
            shared_bytes_per_multiprocessor: u32::MAX,
            reserved_shared_bytes_per_block: 0,
            shared_granularity: 1,
        }
    }
}

/// What a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Shared memory per block that the kernel declares, in bytes.
    pub static_shared_bytes: u32,
    /// The largest block with which it can be launched.
    pub max_threads: u32,
}
