//! What the calculator takes of a kernel and of a launch.

/// What a kernel takes.
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
    /// The largest block with which it can be launched.
    pub max_threads: u32,
    /// Barriers that a block uses: 1 for `sync_threads` alone.
    pub barriers: u32,
}

impl KernelResources {
    /// A kernel with this many registers per thread, no shared memory of its own, one barrier, for
    /// blocks of any size.
    pub const fn new(registers: u32) -> Self {
        Self {
            registers,
            static_shared_bytes: 0,
            max_threads: u32::MAX,
            barriers: 1,
        }
    }

    /// The same with this much shared memory per block that it declares, in bytes.
    pub const fn with_static_shared(self, bytes: u32) -> Self {
        Self {
            static_shared_bytes: bytes,
            ..self
        }
    }

    /// The same, compiled for blocks of this many threads at most.
    pub const fn with_max_threads(self, threads: u32) -> Self {
        Self {
            max_threads: threads,
            ..self
        }
    }

    /// The same with this many barriers.
    pub const fn with_barriers(self, barriers: u32) -> Self {
        Self { barriers, ..self }
    }
}

/// A block, as a launch asks for it.
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
    /// Threads in the block.
    pub threads: u32,
    /// Shared memory that the launch adds to what the kernel declares, in bytes.
    pub dynamic_shared_bytes: u32,
    /// How much of the storage shared with the L1 cache is to be shared memory.
    pub carveout: Carveout,
    /// Whether the kernel is allowed more shared memory than 48 KiB, where the device has it (7.0
    /// and later).
    pub opt_in: bool,
}

impl BlockConfig {
    /// A block of this many threads, without dynamic shared memory, with the default carveout,
    /// which opts in where needed: that is how this library launches.
    pub const fn new(threads: u32) -> Self {
        Self {
            threads,
            dynamic_shared_bytes: 0,
            carveout: Carveout::Default,
            opt_in: true,
        }
    }

    /// The same with this much dynamic shared memory, in bytes.
    pub const fn with_dynamic_shared(self, bytes: u32) -> Self {
        Self {
            dynamic_shared_bytes: bytes,
            ..self
        }
    }

    /// The same with another carveout.
    pub const fn with_carveout(self, carveout: Carveout) -> Self {
        Self { carveout, ..self }
    }

    /// The same for a kernel that does not opt in to more than 48 KiB of shared memory.
    pub const fn without_opt_in(self) -> Self {
        Self {
            opt_in: false,
            ..self
        }
    }

    /// The same with another number of threads.
    pub const fn with_threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }
}

/// How much of the storage that shared memory and L1 cache share is to be shared memory. The device
/// takes the next larger of its configurations, and a larger one where not even one block fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carveout {
    /// As much as there is.
    #[default]
    Default,
    /// This many hundredths of it, 0 to 100.
    Percent(u32),
    /// This many bytes.
    Bytes(u32),
}

impl From<ptxas_figures::Figures> for KernelResources {
    fn from(recorded: ptxas_figures::Figures) -> Self {
        Self::new(recorded.registers)
            .with_static_shared(recorded.static_shared_bytes)
            .with_barriers(recorded.barriers)
    }
}
