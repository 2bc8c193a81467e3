//! Settings of a context.

use bitflags::bitflags;

bitflags! {
    /// Flags of a context, such as the scheduling policy of waiting host threads.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ContextFlags: u32 {
        /// Waiting threads spin: lowest latency, at the cost of a busy core.
        const SCHED_SPIN = 0x01;
        /// Waiting threads yield to other threads between polls.
        const SCHED_YIELD = 0x02;
        /// Waiting threads block until the device signals them.
        const SCHED_BLOCKING_SYNC = 0x04;
        /// The driver chooses the policy.
        const SCHED_AUTO = 0x00;
        /// Supports pinned host memory mapped into the device's address space.
        const MAP_HOST = 0x08;
        /// Keeps local memory at its largest size so far, which avoids resizing it at launches.
        const LMEM_RESIZE_TO_MAX = 0x10;
    }
}

/// Preferred split of the storage between L1 cache and shared memory.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum CacheConfig {
    /// No preference for L1 cache or shared memory.
    PreferNone = 0,
    /// Prefer shared memory.
    PreferShared = 1,
    /// Prefer L1 cache.
    PreferL1 = 2,
    /// Equal sizes.
    PreferEqual = 3,
}

impl CacheConfig {
    pub(crate) fn from_number(number: i32) -> CacheConfig {
        match number {
            1 => CacheConfig::PreferShared,
            2 => CacheConfig::PreferL1,
            3 => CacheConfig::PreferEqual,
            _ => CacheConfig::PreferNone,
        }
    }
}

/// Resource limit of a context.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum ResourceLimit {
    /// Stack size per thread, in bytes.
    StackSize = 0,
    /// Size of the buffer for text printed by kernels, in bytes.
    PrintfFifoSize = 1,
    /// Size of the heap for allocations in kernels, in bytes.
    MallocHeapSize = 2,
    /// Maximum nesting depth at which kernels can wait for child kernels.
    DeviceRuntimeSynchronizeDepth = 3,
    /// Maximum number of pending launches by kernels.
    DeviceRuntimePendingLaunchCount = 4,
    /// Maximum fetch granularity of the L2 cache in bytes: a hint, at most 128.
    MaxL2FetchGranularity = 5,
}

/// Width of shared-memory banks. Devices since Maxwell always use 4-byte banks.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum SharedMemoryConfig {
    /// The device's default.
    DefaultBankSize = 0,
    /// 4 bytes.
    FourByteBankSize = 1,
    /// 8 bytes.
    EightByteBankSize = 2,
}

impl SharedMemoryConfig {
    pub(crate) fn from_number(number: i32) -> SharedMemoryConfig {
        match number {
            1 => SharedMemoryConfig::FourByteBankSize,
            2 => SharedMemoryConfig::EightByteBankSize,
            _ => SharedMemoryConfig::DefaultBankSize,
        }
    }
}

/// Range of stream priorities; smaller numbers are higher priorities.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct StreamPriorityRange {
    /// Lowest priority, the largest number.
    pub least: i32,
    /// Highest priority, the smallest number.
    pub greatest: i32,
}
