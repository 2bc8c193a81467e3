//! What a multiprocessor has, by compute capability.
//!
//! The figures are those of the technical specifications in NVIDIA's programming guides (1.x to 3.x
//! in their editions of the time, 5.0 and later also in the `arch_traits` of CUDA's C++ library),
//! and those that `cuda_occupancy.h` computes with.

use super::ComputeCapability;

/// One capability's figures; what is the same for a whole generation follows from the capability.
pub(super) struct Row {
    pub capability: ComputeCapability,
    pub warps: u32,
    pub blocks: u32,
    /// In units of 1024 registers.
    pub registers_k: u32,
    /// Registers that a block can have, in units of 1024.
    pub registers_per_block_k: u32,
    pub shared_kib: u32,
}

const fn row(
    (major, minor): (u8, u8),
    (warps, blocks): (u32, u32),
    (registers_k, registers_per_block_k): (u32, u32),
    shared_kib: u32,
) -> Row {
    Row {
        capability: ComputeCapability::new(major, minor),
        warps,
        blocks,
        registers_k,
        registers_per_block_k,
        shared_kib,
    }
}

/// Oldest first. 10.1 was given to what is now 11.0; 10.7 is known from `cuda_occupancy.h` alone,
/// its shared memory from the largest configuration there.
pub(super) const ROWS: [Row; 31] = [
    row((1, 0), (24, 8), (8, 8), 16),
    row((1, 1), (24, 8), (8, 8), 16),
    row((1, 2), (32, 8), (16, 16), 16),
    row((1, 3), (32, 8), (16, 16), 16),
    row((2, 0), (48, 8), (32, 32), 48),
    row((2, 1), (48, 8), (32, 32), 48),
    row((3, 0), (64, 16), (64, 64), 48),
    row((3, 2), (64, 16), (64, 32), 48),
    row((3, 5), (64, 16), (64, 64), 48),
    row((3, 7), (64, 16), (128, 64), 112),
    row((5, 0), (64, 32), (64, 64), 64),
    row((5, 2), (64, 32), (64, 64), 96),
    row((5, 3), (64, 32), (64, 32), 64),
    row((6, 0), (64, 32), (64, 64), 64),
    row((6, 1), (64, 32), (64, 64), 96),
    row((6, 2), (64, 32), (64, 32), 64),
    row((7, 0), (64, 32), (64, 64), 96),
    row((7, 2), (64, 32), (64, 64), 96),
    row((7, 5), (32, 16), (64, 64), 64),
    row((8, 0), (64, 32), (64, 64), 164),
    row((8, 6), (48, 16), (64, 64), 100),
    row((8, 7), (48, 16), (64, 64), 164),
    row((8, 8), (48, 16), (64, 64), 100),
    row((8, 9), (48, 24), (64, 64), 100),
    row((9, 0), (64, 32), (64, 64), 228),
    row((10, 0), (64, 32), (64, 64), 228),
    row((10, 3), (64, 32), (64, 64), 228),
    row((10, 7), (32, 16), (64, 64), 328),
    row((11, 0), (48, 24), (64, 64), 228),
    row((12, 0), (48, 24), (64, 64), 100),
    row((12, 1), (48, 24), (64, 64), 100),
];

/// The figures of a capability.
pub(super) fn row_of(capability: ComputeCapability) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.capability == capability)
}

/// Registers that a thread can have.
pub(super) const fn registers_per_thread(capability: ComputeCapability) -> u32 {
    match (capability.major, capability.minor) {
        (0 | 1, _) => 124,
        (2, _) | (3, 0) => 63,
        _ => 255,
    }
}

/// Threads that a block can have.
pub(super) const fn threads_per_block(capability: ComputeCapability) -> u32 {
    if capability.major < 2 { 512 } else { 1024 }
}

/// The unit in which shared memory is given to blocks, in bytes.
pub(super) const fn shared_granularity(capability: ComputeCapability) -> u32 {
    match capability.major {
        0 | 1 => 512,
        2 => 128,
        3..=7 => 256,
        _ => 128,
    }
}

/// Shared memory that the system takes of each block, in bytes.
pub(super) const fn reserved_shared_bytes(capability: ComputeCapability) -> u32 {
    if capability.major < 8 { 0 } else { 1024 }
}

/// Barriers that the blocks on a multiprocessor share, where it holds `blocks` of them; no limit
/// before 9.0.
pub(super) const fn barriers(capability: ComputeCapability, blocks: u32) -> u32 {
    match (capability.major, capability.minor) {
        (..=8, _) => u32::MAX,
        (9, _) | (10, 0) => 2 * blocks,
        _ => blocks,
    }
}

/// How shared memory and L1 cache can divide their storage: KiB of shared memory, ascending. The
/// largest is all of it.
pub(super) const fn shared_configurations_kib(capability: ComputeCapability) -> &'static [u32] {
    match (capability.major, capability.minor) {
        (2, _) => &[16, 48],
        (3, 7) => &[80, 96, 112],
        (3, _) => &[16, 32, 48],
        (7, 5) => &[32, 64],
        (7, _) => &[0, 8, 16, 32, 64, 96],
        (8, 0 | 7) => &[0, 8, 16, 32, 64, 100, 132, 164],
        (8, _) | (12, _) => &[0, 8, 16, 32, 64, 100],
        (9.., _) => &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328],
        // what does not share its storage with the cache
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_configuration_is_all_of_it() {
        for row in &ROWS {
            let configurations = shared_configurations_kib(row.capability);
            assert!(configurations.is_sorted());
            assert!(
                configurations.is_empty() || configurations.contains(&row.shared_kib),
                "{}",
                row.capability
            );
        }
    }
}
