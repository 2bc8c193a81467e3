//! Multiprocessor limits by compute capability.
//!
//! Sources: the tables of technical specifications in NVIDIA's programming guides (1.x to 3.x in
//! the editions of their time; 5.0 and later also in `arch_traits` of CUDA's C++ library), and the
//! constants of `cuda_occupancy.h`.

use super::ComputeCapability;

/// Limits of one capability that are not common to its whole generation.
pub(super) struct Row {
    pub capability: ComputeCapability,
    pub warps: u32,
    pub blocks: u32,
    /// Registers per multiprocessor, in units of 1024.
    pub registers_k: u32,
    /// Maximum registers per block, in units of 1024.
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

/// Limits of all supported capabilities, oldest first. 10.1 was the former number of 11.0; 10.7
/// appears only in `cuda_occupancy.h`, and its shared memory is the largest configuration listed
/// there.
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

/// Returns the row of a capability, or `None` if it is not supported.
pub(super) fn find_row(capability: ComputeCapability) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.capability == capability)
}

/// Returns the maximum number of registers per thread.
pub(super) const fn registers_per_thread(capability: ComputeCapability) -> u32 {
    match (capability.major, capability.minor) {
        (0 | 1, _) => 124,
        (2, _) | (3, 0) => 63,
        _ => 255,
    }
}

/// Returns the maximum number of threads per block.
pub(super) const fn threads_per_block(capability: ComputeCapability) -> u32 {
    if capability.major < 2 { 512 } else { 1024 }
}

/// Returns the allocation granularity of shared memory, in bytes.
pub(super) const fn shared_granularity(capability: ComputeCapability) -> u32 {
    match capability.major {
        0 | 1 => 512,
        2 => 128,
        3..=7 => 256,
        _ => 128,
    }
}

/// Returns the shared memory that the system reserves per block, in bytes.
pub(super) const fn reserved_shared_bytes(capability: ComputeCapability) -> u32 {
    if capability.major < 8 { 0 } else { 1024 }
}

/// Returns the number of barriers shared by the resident blocks of a multiprocessor that holds at
/// most `blocks` of them; `u32::MAX` (no limit) before 9.0.
pub(super) const fn barriers(capability: ComputeCapability, blocks: u32) -> u32 {
    match (capability.major, capability.minor) {
        (..=8, _) => u32::MAX,
        (9, _) | (10, 0) => 2 * blocks,
        _ => blocks,
    }
}

/// Returns the supported splits between shared memory and L1 cache: KiB of shared memory, in
/// ascending order. The largest uses the whole storage.
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
        // shared memory and L1 cache are separate
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_among_the_shared_memory_configurations() {
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
