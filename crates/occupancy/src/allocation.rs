//! What a block is given, and what bounds the number of blocks.

/// What a block is given of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Registers that a block is given.
    pub registers: u32,
    /// Shared memory that a block is given, with what the system takes of it, in bytes.
    pub shared_bytes: u32,
    /// Shared memory that the multiprocessor has in the configuration that the carveout leads to,
    /// in bytes.
    pub shared_pool_bytes: u32,
    /// How many blocks each resource has room for.
    pub limits: BlockLimits,
}

/// How many blocks a multiprocessor's resources have room for, each by itself; `u32::MAX` where it
/// is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLimits {
    /// Room for their warps.
    pub warps: u32,
    /// The most blocks there can be.
    pub blocks: u32,
    /// Room for their registers.
    pub registers: u32,
    /// Room for their shared memory.
    pub shared: u32,
    /// Room for their barriers.
    pub barriers: u32,
}

impl BlockLimits {
    /// One of them, `None` where it is no limit.
    pub const fn of(&self, limiter: Limiter) -> Option<u32> {
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

    /// The least of them: the blocks that run.
    pub const fn least(&self) -> u32 {
        const fn min(a: u32, b: u32) -> u32 {
            if a < b { a } else { b }
        }
        let of_the_kernel = min(self.registers, min(self.shared, self.barriers));
        min(of_the_kernel, min(self.warps, self.blocks))
    }
}

/// What bounds the number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// Warps, and with them threads.
    Warps,
    /// Blocks as such.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Barriers, from 9.0 on.
    Barriers,
}

impl Limiter {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Warps,
        Self::Blocks,
        Self::Registers,
        Self::SharedMemory,
        Self::Barriers,
    ];

    /// What [`slack`](super::slack()) counts of it.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Warps => "threads per block",
            Self::Blocks => "blocks",
            Self::Registers => "registers per thread",
            Self::SharedMemory => "bytes per block",
            Self::Barriers => "barriers per block",
        }
    }

    /// Its name, as reports write it.
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
