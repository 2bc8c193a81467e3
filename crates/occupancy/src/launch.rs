//! What launches ask: the model of real hardware, in whole warps.

use super::{
    BlockConfig, DeviceLimits, HardwareModel, KernelResources, OccupancyModel, best_block,
    limits::WARP,
};

/// How many blocks of `threads` threads run on one multiprocessor at once: 0 if not even one can.
///
/// ```
/// use occupancy::{Gpu, KernelResources, active_blocks, block_size};
///
/// let h200 = Gpu::named("H200")?.limits();
/// let kernel = KernelResources::new(40);
/// assert_eq!(active_blocks(&h200, &kernel, 256, 0), 6);
/// assert_eq!(block_size(&h200, &kernel, 1024, 0), 768);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
pub fn active_blocks(
    device: &DeviceLimits,
    kernel: &KernelResources,
    threads: u32,
    dynamic_shared_bytes: u32,
) -> u32 {
    let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
    HardwareModel::new(*device).active_blocks(kernel, &block)
}

/// The number of threads per block, whole warps, with which the most threads are active on a
/// multiprocessor, `largest` at most: by the rule of [`best_block`]. If no whole number of warps
/// can run, the answer is one warp, and the launch fails with the reason.
pub fn block_size(
    device: &DeviceLimits,
    kernel: &KernelResources,
    largest: u32,
    dynamic_shared_bytes: u32,
) -> u32 {
    let dynamic_shared_bytes = |_| dynamic_shared_bytes;
    block_size_among(device, kernel, largest, dynamic_shared_bytes, |_| true)
}

/// As [`block_size`], among the sizes for which `suits` is true, each with the dynamic shared
/// memory that it takes.
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
    let block = BlockConfig::new(largest / WARP * WARP);
    let model = HardwareModel::new(*device);
    best_block(&model, kernel, &block, dynamic_shared_bytes, suits)
        .map_or(WARP, |best| best.threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ComputeCapability;

    fn device(major: u8, minor: u8) -> DeviceLimits {
        DeviceLimits::of(ComputeCapability::new(major, minor)).unwrap()
    }

    #[test]
    fn registers_are_given_out_by_quarters_of_a_multiprocessor() {
        // the naive formula, registers / (registers per thread · threads), gives 3
        assert_eq!(
            active_blocks(&device(8, 0), &KernelResources::new(92), 224, 0),
            2
        );
        assert_eq!(
            active_blocks(&device(9, 0), &KernelResources::new(33), 1024, 0),
            1
        );
        assert_eq!(
            active_blocks(&device(9, 0), &KernelResources::new(32), 64, 0),
            32
        );
    }

    #[test]
    fn the_reserved_shared_memory_counts() {
        assert_eq!(
            active_blocks(&device(8, 6), &KernelResources::new(16), 128, 51200),
            1
        );
    }

    #[test]
    fn more_threads_than_a_block_can_have_run_nowhere() {
        assert_eq!(
            active_blocks(&device(9, 0), &KernelResources::new(16), 1025, 0),
            0
        );
        assert_eq!(
            active_blocks(&device(9, 0), &KernelResources::new(16), 0, 0),
            0
        );
    }

    #[test]
    fn the_best_block_is_the_largest_of_those_that_fill_the_device() {
        let hopper = device(9, 0);
        assert_eq!(
            block_size(&hopper, &KernelResources::new(32), 1024, 0),
            1024
        );
        // 21 blocks of 96 are 2016 threads, 32 blocks of 64 are all 2048
        assert_eq!(block_size(&hopper, &KernelResources::new(32), 100, 0), 64);
        assert_eq!(
            block_size(&hopper, &KernelResources::new(255), 1024, 0),
            256
        );
    }

    #[test]
    fn only_sizes_that_suit_are_taken() {
        // 36 warps of 56 registers fit: 192 threads fill them, 256 do not
        let (device, kernel) = (device(9, 0), KernelResources::new(56));
        assert_eq!(block_size(&device, &kernel, 256, 0), 192);
        let suits = |threads| 256 % threads == 0;
        assert_eq!(block_size_among(&device, &kernel, 256, |_| 0, suits), 128);
    }

    #[test]
    fn the_cpu_takes_one_thread() {
        let kernel = KernelResources::new(0);
        assert_eq!(block_size(&DeviceLimits::cpu(2), &kernel, 1024, 0), 1);
        assert_eq!(active_blocks(&DeviceLimits::cpu(2), &kernel, 1, 1 << 20), 1);
    }
}
