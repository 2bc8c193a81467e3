//! Block sizes for launches, by the model of real hardware.

use super::{
    BlockConfig, DeviceLimits, HardwareModel, KernelResources, OccupancyModel, best_block,
    limits::WARP,
};

/// Returns the number of blocks of `threads` threads resident on one multiprocessor, or 0 if not
/// even one fits.
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

/// Returns the multiple of the warp size, at most `largest`, with the most resident threads per
/// multiprocessor, by the rule of [`best_block`]. If no such block can run, returns one warp, and
/// the launch reports the reason.
pub fn block_size(
    device: &DeviceLimits,
    kernel: &KernelResources,
    largest: u32,
    dynamic_shared_bytes: u32,
) -> u32 {
    let dynamic_shared_bytes = |_| dynamic_shared_bytes;
    block_size_among(device, kernel, largest, dynamic_shared_bytes, |_| true)
}

/// Like [`block_size`], but considers only the sizes for which `suits` is true, each with
/// `dynamic_shared_bytes(threads)` bytes of dynamic shared memory.
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
        DeviceLimits::for_capability(ComputeCapability::new(major, minor)).unwrap()
    }

    #[test]
    fn registers_are_allocated_per_partition_of_a_multiprocessor() {
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
    fn reserved_shared_memory_counts() {
        assert_eq!(
            active_blocks(&device(8, 6), &KernelResources::new(16), 128, 51200),
            1
        );
    }

    #[test]
    fn block_sizes_out_of_range_have_no_active_blocks() {
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
    fn best_block_is_the_largest_that_fills_the_device() {
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
    fn only_suitable_sizes_are_considered() {
        // 36 warps of 56 registers fit: 192 threads fill them, 256 do not
        let (device, kernel) = (device(9, 0), KernelResources::new(56));
        assert_eq!(block_size(&device, &kernel, 256, 0), 192);
        let suits = |threads| 256 % threads == 0;
        assert_eq!(block_size_among(&device, &kernel, 256, |_| 0, suits), 128);
    }

    #[test]
    fn blocks_on_the_cpu_have_one_thread() {
        let kernel = KernelResources::new(0);
        assert_eq!(block_size(&DeviceLimits::cpu(2), &kernel, 1024, 0), 1);
        assert_eq!(active_blocks(&DeviceLimits::cpu(2), &kernel, 1, 1 << 20), 1);
    }
}
