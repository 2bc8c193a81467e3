//! Register allocation rules by compute capability.

use super::{ComputeCapability, DeviceLimits};

/// Register allocation rule of a device.
pub(super) struct RegisterRule {
    /// `true` if registers are allocated per block, with an even number of warps (before 2.0),
    /// instead of per warp.
    pub by_blocks: bool,
    /// Allocation granularity, in registers.
    pub unit: u32,
    /// Number of partitions of a multiprocessor, over which the warps of a block are distributed.
    pub parts: u32,
    /// Number of partitions assumed by the launch check: a block is rejected unless it fits when
    /// its warps are distributed evenly over this many.
    pub checked_parts: u32,
    /// Maximum number of registers that can be allocated to a thread.
    pub max_per_thread: u32,
}

impl RegisterRule {
    pub fn new(device: &DeviceLimits, per_thread: u32) -> Self {
        let capability = device.capability.unwrap_or(ComputeCapability::new(12, 1));
        let parts = match (capability.major, capability.minor) {
            (2, _) | (6, 0) => 2,
            _ => 4,
        };
        Self {
            by_blocks: capability.major < 2,
            unit: register_unit(capability, per_thread),
            parts,
            // on 6.0 the launch check assumes the four partitions of the rest of its generation
            checked_parts: if capability.major == 6 { 4 } else { parts },
            // from 7.0 on, at most one granule of 256 registers is allocated per thread, 255 of
            // them addressable
            max_per_thread: match capability.major {
                ..7 => device.registers_per_thread,
                _ => 256,
            },
        }
    }
}

/// Returns the granularity at which registers are allocated to a warp, or to a block before 2.0.
const fn register_unit(capability: ComputeCapability, per_thread: u32) -> u32 {
    match (capability.major, capability.minor, per_thread) {
        (..=1, ..=1, _) => 256,
        (..=1, ..) => 512,
        (2, _, 21 | 22 | 29 | 30 | 37 | 38 | 45 | 46) => 128,
        (2, ..) => 64,
        _ => 256,
    }
}
