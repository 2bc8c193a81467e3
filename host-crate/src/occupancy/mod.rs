//! From a kernel's resources and a device's limits to the number of threads per block.
//!
//! [`block_size`] is the one place where launches get their block size from.
//!
//! ```
//! use ferrovox::occupancy::{DeviceLimits, KernelResources, active_blocks, block_size};
//!
//! let h200 = DeviceLimits {
//!     multiprocessors: 132,
//!     threads_per_block: 1024,
//!     warps_per_multiprocessor: 64,
//!     blocks_per_multiprocessor: 32,
//!     registers_per_multiprocessor: 65536,
//!     registers_per_block: 65536,
//!     shared_bytes_per_multiprocessor: 228 * 1024,
//!     reserved_shared_bytes_per_block: 1024,
//!     shared_granularity: 128,
//! };
//! let kernel = KernelResources { registers: 40, static_shared_bytes: 0, max_threads: 1024 };
//! assert_eq!(active_blocks(&h200, &kernel, 256, 0), 6);
//! assert_eq!(block_size(&h200, &kernel, 1024, 0), 768);
//! ```

mod limits;

pub use limits::{DeviceLimits, KernelResources};

const WARP: u32 = 32;

/// How many blocks of `threads` threads run on one multiprocessor at once: 0 if not even one can.
///
/// The rules are those of compute capability 7.0 and later: registers are given to warps in units of 256, by the four parts
/// of a multiprocessor; shared memory to blocks in units of [`DeviceLimits::shared_granularity`].
pub fn active_blocks(
    device: &DeviceLimits,
    kernel: &KernelResources,
    threads: u32,
    dynamic_shared_bytes: u32,
) -> u32 {
    const PARTS: u32 = 4;
    const REGISTER_UNIT: u32 = 256;
    if threads == 0 || threads > device.threads_per_block.min(kernel.max_threads) {
        return 0;
    }
    let warps = threads.div_ceil(WARP);
    let by_warps = device.warps_per_multiprocessor / warps;

    let per_warp = (kernel.registers * WARP).next_multiple_of(REGISTER_UNIT);
    let by_registers = if kernel.registers == 0 {
        u32::MAX
    } else if per_warp * warps.next_multiple_of(PARTS) > device.registers_per_block {
        0
    } else {
        device.registers_per_multiprocessor / PARTS / per_warp * PARTS / warps
    };

    let own = kernel.static_shared_bytes as u64 + dynamic_shared_bytes as u64;
    let shared = (own + device.reserved_shared_bytes_per_block as u64)
        .next_multiple_of(device.shared_granularity.max(1) as u64);
    let by_shared = (device.shared_bytes_per_multiprocessor as u64)
        .checked_div(shared)
        .unwrap_or(u64::MAX);

    by_warps
        .min(by_registers)
        .min(by_shared.min(u32::MAX as u64) as u32)
        .min(device.blocks_per_multiprocessor)
}

/// The number of threads per block with which the most threads are active on a multiprocessor, `largest` at most.
///
/// As `cudaOccupancyMaxPotentialBlockSize` does it: from the largest block down by a warp, a smaller one is kept only if
/// strictly more threads are active with it. If no whole number of warps can run, the answer is one warp, and the launch
/// will say why not.
pub fn block_size(
    device: &DeviceLimits,
    kernel: &KernelResources,
    largest: u32,
    dynamic_shared_bytes: u32,
) -> u32 {
    let dynamic_shared_bytes = |_| dynamic_shared_bytes;
    block_size_among(device, kernel, largest, dynamic_shared_bytes, |_| true)
}

/// As [`block_size`], among the sizes that `suits` says yes to, each with the dynamic shared memory that it takes.
pub fn block_size_among(
    device: &DeviceLimits,
    kernel: &KernelResources,
    largest: u32,
    dynamic_shared_bytes: impl Fn(u32) -> u32,
    suits: impl Fn(u32) -> bool,
) -> u32 {
    let largest = largest
        .min(device.threads_per_block)
        .min(kernel.max_threads);
    if largest < WARP {
        return largest.max(1);
    }
    let full = device.warps_per_multiprocessor * WARP;
    let (mut best, mut most_active) = (WARP, 0);
    let mut threads = largest / WARP * WARP;
    while threads > 0 {
        let active = if suits(threads) {
            active_blocks(device, kernel, threads, dynamic_shared_bytes(threads)) * threads
        } else {
            0
        };
        if active > most_active {
            (best, most_active) = (threads, active);
        }
        if active == full {
            break;
        }
        threads -= WARP;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(shared_kib: u32, warps: u32, blocks: u32) -> DeviceLimits {
        DeviceLimits {
            multiprocessors: 100,
            threads_per_block: 1024,
            warps_per_multiprocessor: warps,
            blocks_per_multiprocessor: blocks,
            registers_per_multiprocessor: 65536,
            registers_per_block: 65536,
            shared_bytes_per_multiprocessor: shared_kib * 1024,
            reserved_shared_bytes_per_block: 1024,
            shared_granularity: 128,
        }
    }

    fn kernel(registers: u32) -> KernelResources {
        KernelResources {
            registers,
            static_shared_bytes: 0,
            max_threads: 1024,
        }
    }

    #[test]
    fn registers_are_given_out_by_quarters_of_a_multiprocessor() {
        // the naive formula, registers / (registers per thread · threads), says 3
        assert_eq!(active_blocks(&device(164, 64, 32), &kernel(92), 224, 0), 2);
        assert_eq!(active_blocks(&device(228, 64, 32), &kernel(33), 1024, 0), 1);
        assert_eq!(active_blocks(&device(228, 64, 32), &kernel(32), 64, 0), 32);
    }

    #[test]
    fn the_reserved_shared_memory_counts() {
        assert_eq!(
            active_blocks(&device(100, 48, 16), &kernel(16), 128, 51200),
            1
        );
    }

    #[test]
    fn more_threads_than_a_block_can_have_run_nowhere() {
        assert_eq!(active_blocks(&device(228, 64, 32), &kernel(16), 1025, 0), 0);
        assert_eq!(active_blocks(&device(228, 64, 32), &kernel(16), 0, 0), 0);
    }

    #[test]
    fn the_best_block_is_the_largest_of_those_that_fill_the_device() {
        assert_eq!(block_size(&device(228, 64, 32), &kernel(32), 1024, 0), 1024);
        // 21 blocks of 96 are 2016 threads, 32 blocks of 64 are all 2048
        assert_eq!(block_size(&device(228, 64, 32), &kernel(32), 100, 0), 64);
        assert_eq!(block_size(&device(228, 64, 32), &kernel(255), 1024, 0), 256);
    }

    #[test]
    fn only_sizes_that_suit_are_taken() {
        // 36 warps of 56 registers fit: 192 threads fill them, 256 do not
        let (device, kernel) = (device(228, 64, 32), kernel(56));
        assert_eq!(block_size(&device, &kernel, 256, 0), 192);
        let suits = |threads| 256 % threads == 0;
        assert_eq!(block_size_among(&device, &kernel, 256, |_| 0, suits), 128);
    }

    #[test]
    fn the_cpu_takes_one_thread() {
        assert_eq!(block_size(&DeviceLimits::cpu(2), &kernel(0), 1024, 0), 1);
    }
}
