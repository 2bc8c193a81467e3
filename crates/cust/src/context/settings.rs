//! What can be set on a context.

use bitflags::bitflags;

bitflags! {
    /// How host threads wait in a context, among others.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ContextFlags: u32 {
        /// Spin: the quickest answer, at the price of a busy core.
        const SCHED_SPIN = 0x01;
        /// Give the core to other threads between looks.
        const SCHED_YIELD = 0x02;
        /// Sleep until the device wakes the thread.
        const SCHED_BLOCKING_SYNC = 0x04;
        /// Let the driver choose.
        const SCHED_AUTO = 0x00;
        /// Allow pinned host memory that the device can reach.
        const MAP_HOST = 0x08;
        /// Keep local memory at its greatest size so far, so that launches never wait for it to be
        /// resized.
        const LMEM_RESIZE_TO_MAX = 0x10;
    }
}

/// How L1 cache and shared memory divide the storage they share.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum CacheConfig {
    /// As the driver likes.
    PreferNone = 0,
    /// More shared memory.
    PreferShared = 1,
    /// More L1 cache.
    PreferL1 = 2,
    /// Half and half.
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

/// A limit of a context.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum ResourceLimit {
    /// Bytes of stack per thread.
    StackSize = 0,
    /// Bytes that hold what kernels print until the host fetches it.
    PrintfFifoSize = 1,
    /// Bytes that kernels can allocate from.
    MallocHeapSize = 2,
    /// How deep kernels that launch kernels may wait for each other.
    DeviceRuntimeSynchronizeDepth = 3,
    /// How many launches by kernels may be waiting.
    DeviceRuntimePendingLaunchCount = 4,
    /// The most bytes L2 fetches at a time: a hint, up to 128.
    MaxL2FetchGranularity = 5,
}

/// The width of a shared-memory bank. Devices since Maxwell have 4-byte banks, whatever is set.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum SharedMemoryConfig {
    /// As the device likes.
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

/// The priorities that streams can have: smaller numbers go first.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct StreamPriorityRange {
    /// The least urgent, the greatest number.
    pub least: i32,
    /// The most urgent, the smallest number.
    pub greatest: i32,
}
