//! Resources allocated to a block, and the limits that follow for the number of blocks.

/// Resources of a multiprocessor allocated to one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Registers allocated to the block.
    pub registers: u32,
    /// Shared memory allocated to the block, including the part reserved by the system, in bytes.
    pub shared_bytes: u32,
    /// Shared memory of the multiprocessor in the configuration selected by the carveout, in bytes.
    pub shared_pool_bytes: u32,
    /// Number of blocks that each resource allows.
    pub limits: BlockLimits,
}

/// Number of resident blocks that each resource allows by itself; `u32::MAX` if the resource does
/// not limit them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLimits {
    /// Limit by warps.
    pub warps: u32,
    /// Maximum number of resident blocks.
    pub blocks: u32,
    /// Limit by registers.
    pub registers: u32,
    /// Limit by shared memory.
    pub shared: u32,
    /// Limit by barriers.
    pub barriers: u32,
}

impl BlockLimits {
    /// Returns the limit set by one resource, or `None` if it sets none.
    pub const fn limit(&self, limiter: Limiter) -> Option<u32> {
        let blocks = match limiter {
            Limiter::Warps => self.warps,
            Limiter::Blocks => self.blocks,
            Limiter::Registers => self.registers,
            Limiter::SharedMemory => self.shared,
            Limiter::Barriers => self.barriers,
        };
        if blocks == u32::MAX {
            None
        } else {
            Some(blocks)
        }
    }

    /// Returns the smallest limit, which is the number of resident blocks.
    pub const fn min(&self) -> u32 {
        const fn smaller(a: u32, b: u32) -> u32 {
            if a < b { a } else { b }
        }
        let by_kernel = smaller(self.registers, smaller(self.shared, self.barriers));
        smaller(by_kernel, smaller(self.warps, self.blocks))
    }
}

/// Resource that can limit the number of resident blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// Resident warps, and therefore threads.
    Warps,
    /// Maximum number of resident blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Barriers; a limit on 9.0 and later only.
    Barriers,
}

impl Limiter {
    /// All limiters, in the order of reports.
    pub const ALL: [Self; 5] = [
        Self::Warps,
        Self::Blocks,
        Self::Registers,
        Self::SharedMemory,
        Self::Barriers,
    ];

    /// Returns the unit of the amounts in [`slack`](super::slack()).
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Warps => "threads per block",
            Self::Blocks => "blocks",
            Self::Registers => "registers per thread",
            Self::SharedMemory => "bytes per block",
            Self::Barriers => "barriers per block",
        }
    }

    /// Returns the name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Barriers => "barriers",
        }
    }
}
