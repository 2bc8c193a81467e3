//! Inputs of the calculator: the resources of a kernel and the configuration of a block.

/// Resources that a kernel uses.
///
/// ```
/// use occupancy::KernelResources;
///
/// let kernel = KernelResources::new(42).with_static_shared(1548);
/// assert_eq!((kernel.registers, kernel.barriers), (42, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Shared memory per block that the kernel declares, in bytes.
    pub static_shared_bytes: u32,
    /// Maximum number of threads per block with which the kernel can be launched.
    pub max_threads: u32,
    /// Number of barriers that a block uses; 1 for a kernel that only calls `sync_threads`.
    pub barriers: u32,
}

impl KernelResources {
    /// Describes a kernel with `registers` registers per thread, no static shared memory, one
    /// barrier and no limit on the block size.
    pub const fn new(registers: u32) -> Self {
        Self {
            registers,
            static_shared_bytes: 0,
            max_threads: u32::MAX,
            barriers: 1,
        }
    }

    /// Returns the kernel with `bytes` bytes of static shared memory per block.
    pub const fn with_static_shared(self, bytes: u32) -> Self {
        Self {
            static_shared_bytes: bytes,
            ..self
        }
    }

    /// Returns the kernel with a launch bound of `threads` threads per block.
    pub const fn with_max_threads(self, threads: u32) -> Self {
        Self {
            max_threads: threads,
            ..self
        }
    }

    /// Returns the kernel with this number of barriers.
    pub const fn with_barriers(self, barriers: u32) -> Self {
        Self { barriers, ..self }
    }
}

/// Launch configuration of a block.
///
/// ```
/// use occupancy::{BlockConfig, Carveout};
///
/// let block = BlockConfig::new(256)
///     .with_dynamic_shared(64 * 1024)
///     .with_carveout(Carveout::Percent(50));
/// assert!(block.opt_in);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockConfig {
    /// Threads per block.
    pub threads: u32,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Preferred split of the storage between shared memory and L1 cache.
    pub carveout: Carveout,
    /// `true` if the kernel opts in to more than 48 KiB of shared memory per block, on devices that
    /// support it (7.0 and later).
    pub opt_in: bool,
}

impl BlockConfig {
    /// Describes a block of `threads` threads without dynamic shared memory, with the default
    /// carveout and opt-in, as ferrovox launches its kernels.
    pub const fn new(threads: u32) -> Self {
        Self {
            threads,
            dynamic_shared_bytes: 0,
            carveout: Carveout::Default,
            opt_in: true,
        }
    }

    /// Returns the block with `bytes` bytes of dynamic shared memory.
    pub const fn with_dynamic_shared(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self
        }
    }

    /// Returns the block with this carveout.
    pub const fn with_carveout(self, carveout: Carveout) -> Self {
        Self { carveout, ..self }
    }

    /// Returns the block without opt-in to more than 48 KiB of shared memory.
    pub const fn without_opt_in(self) -> Self {
        Self {
            opt_in: false,
            ..self
        }
    }

    /// Returns the block with this number of threads.
    pub const fn with_threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }
}

/// Preferred share of shared memory in the storage that it shares with the L1 cache. The device
/// uses the next larger of its configurations, or a larger one if not even one block would fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carveout {
    /// Maximum shared memory.
    #[default]
    Default,
    /// Percentage of the maximum, 0 to 100.
    Percent(u32),
    /// Number of bytes.
    Bytes(u32),
}

impl From<ptxas_figures::ResourceUsage> for KernelResources {
    fn from(recorded: ptxas_figures::ResourceUsage) -> Self {
        Self::new(recorded.registers)
            .with_static_shared(recorded.static_shared_bytes)
            .with_barriers(recorded.barriers)
    }
}
