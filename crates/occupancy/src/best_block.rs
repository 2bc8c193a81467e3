//! Best block size for a kernel.

use super::{BlockConfig, KernelResources, OccupancyModel, limits::WARP};

/// Block size with the most resident threads per multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestBlock {
    /// Threads per block.
    pub threads: u32,
    /// Resident blocks of this size per multiprocessor.
    pub active_blocks: u32,
    /// Smallest number of blocks that fills the device.
    pub min_grid_size: u64,
}

/// Finds the best block size by the rule of `cudaOccupancyMaxPotentialBlockSize`: from the largest
/// block downwards in steps of one warp, a smaller block replaces a larger one only if it has
/// strictly more resident threads. The search ends early once the multiprocessor is full. The
/// largest size, the minimum of `block.threads` and the limits of kernel and device, need not be a
/// multiple of the warp size; all others are. Returns `None` if no block can run.
///
/// A block of `threads` threads gets `dynamic_shared_bytes(threads)` bytes of dynamic shared memory
/// and is skipped if `suits(threads)` is false. Takes time proportional to the number of warps of
/// the largest block.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, best_block};
///
/// let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0))?;
/// let largest = BlockConfig::new(1024);
/// let kernel = KernelResources::new(40);
/// let best = best_block(&hopper, &kernel, &largest, |_| 0, |_| true).unwrap();
/// assert_eq!((best.threads, best.active_blocks), (768, 2));
/// // With 100 bytes of shared memory per thread:
/// let best = best_block(&hopper, &kernel, &largest, |threads| 100 * threads, |_| true).unwrap();
/// assert_eq!((best.threads, best.active_blocks), (768, 2));
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
pub fn best_block(
    model: &(impl OccupancyModel + ?Sized),
    kernel: &KernelResources,
    block: &BlockConfig,
    dynamic_shared_bytes: impl Fn(u32) -> u32,
    suits: impl Fn(u32) -> bool,
) -> Option<BestBlock> {
    let device = model.device();
    let largest = block
        .threads
        .min(device.threads_per_block)
        .min(kernel.max_threads);
    let full = device.threads_per_multiprocessor();
    let (mut best, mut max_active) = (None, 0);
    for warps in (1..=largest.div_ceil(WARP)).rev() {
        let threads = largest.min(warps * WARP);
        if !suits(threads) {
            continue;
        }
        let block = block
            .with_threads(threads)
            .with_dynamic_shared(dynamic_shared_bytes(threads));
        let active_blocks = model.active_blocks(kernel, &block);
        let active = active_blocks * threads;
        if active > max_active {
            max_active = active;
            best = Some(BestBlock {
                threads,
                active_blocks,
                min_grid_size: u64::from(active_blocks) * u64::from(device.multiprocessors),
            });
        }
        if active == full {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComputeCapability, HardwareModel};

    fn best(registers: u32, largest: u32) -> Option<BestBlock> {
        let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let kernel = KernelResources::new(registers);
        best_block(
            &hopper,
            &kernel,
            &BlockConfig::new(largest),
            |_| 0,
            |_| true,
        )
    }

    #[test]
    fn largest_block_need_not_be_a_multiple_of_the_warp_size() {
        // 20 blocks of 100 threads are 2000; 32 blocks of 64 are all 2048
        assert_eq!(best(32, 100).unwrap().threads, 64);
        assert_eq!(best(255, 1024).unwrap().threads, 256);
        // 100 KiB of shared memory allow two blocks, regardless of the block size
        let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let kernel = KernelResources::new(32).with_max_threads(100);
        let shared = |_| 100 * 1024;
        let best_of_two = best_block(&hopper, &kernel, &BlockConfig::new(1024), shared, |_| true);
        assert_eq!(best_of_two.unwrap().threads, 100);
        assert_eq!(best(32, 0), None);
        assert_eq!(
            best(32, 1),
            Some(BestBlock {
                threads: 1,
                active_blocks: 32,
                min_grid_size: 32
            })
        );
    }

    #[test]
    fn there_is_no_best_block_if_no_block_can_run() {
        let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let too_much = |_| 300_000;
        let kernel = KernelResources::new(32);
        assert_eq!(
            best_block(&hopper, &kernel, &BlockConfig::new(1024), too_much, |_| {
                true
            }),
            None
        );
    }
}
