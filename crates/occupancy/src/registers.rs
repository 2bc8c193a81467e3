//! How registers are given out, by compute capability.

use super::{ComputeCapability, DeviceLimits};

/// How registers are given out.
pub(super) struct RegisterRule {
    /// To blocks of an even number of warps, as before 2.0, not to warps.
    pub by_blocks: bool,
    /// The unit, in registers.
    pub unit: u32,
    /// The parts of a multiprocessor, to which a block's warps are dealt out.
    pub parts: u32,
    /// A block is launched only if it fits when this many parts take equally many of its warps.
    pub checked_parts: u32,
    /// Registers that a thread can be given.
    pub most_per_thread: u32,
}

impl RegisterRule {
    pub fn of(device: &DeviceLimits, per_thread: u32) -> Self {
        let capability = device.capability.unwrap_or(ComputeCapability::new(12, 1));
        let parts = match (capability.major, capability.minor) {
            (2, _) | (6, 0) => 2,
            _ => 4,
        };
        Self {
            by_blocks: capability.major < 2,
            unit: register_unit(capability, per_thread),
            parts,
            // 6.0 keeps to what the rest of its generation can launch, which has four parts
            checked_parts: if capability.major == 6 { 4 } else { parts },
            // from 7.0 on a thread is never given more than a unit's 256, of which it can name 255
            most_per_thread: match capability.major {
                ..7 => device.registers_per_thread,
                _ => 256,
            },
        }
    }
}

/// The unit in which a warp, or before 2.0 a block, is given registers.
const fn register_unit(capability: ComputeCapability, per_thread: u32) -> u32 {
    match (capability.major, capability.minor, per_thread) {
        (..=1, ..=1, _) => 256,
        (..=1, ..) => 512,
        (2, _, 21 | 22 | 29 | 30 | 37 | 38 | 45 | 46) => 128,
        (2, ..) => 64,
        _ => 256,
    }
}
