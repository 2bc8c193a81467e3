//! The best block size.

use super::{BlockConfig, KernelResources, OccupancyModel, limits::WARP};

/// The block size with which the most threads are active on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestBlock {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of this size that run on a multiprocessor at a time.
    pub active_blocks: u32,
    /// Blocks that fill the device.
    pub least_grid: u64,
}

/// The best block size by the rule of `cudaOccupancyMaxPotentialBlockSize`, as documented and as
/// the header has it: from the largest block down by a warp, a smaller one is kept only if strictly
/// more threads are active with it, so that ties keep the larger block; it stops where the
/// multiprocessor is full. The largest, `block.threads` or what kernel and device allow, need not
/// be whole warps; the next ones are. None where no block can run.
///
/// Each size has the dynamic shared memory that `dynamic_shared_bytes` gives, in bytes, and is
/// skipped where `suits` is false. Takes time of the number of warps in the largest block.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, best_block};
///
/// let hopper = HardwareModel::of(ComputeCapability::new(9, 0))?;
/// let largest = BlockConfig::new(1024);
/// let best = best_block(&hopper, &KernelResources::new(40), &largest, |_| 0, |_| true).unwrap();
/// assert_eq!((best.threads, best.active_blocks), (768, 2));
/// // with 100 bytes of shared memory for each thread
/// let best = best_block(&hopper, &KernelResources::new(40), &largest, |threads| 100 * threads, |_| true).unwrap();
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
    let (mut best, mut most_active) = (None, 0);
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
        if active > most_active {
            most_active = active;
            best = Some(BestBlock {
                threads,
                active_blocks,
                least_grid: u64::from(active_blocks) * u64::from(device.multiprocessors),
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
        let hopper = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
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
    fn the_largest_need_not_be_whole_warps() {
        // 20 blocks of 100 threads are 2000; 32 blocks of 64 are all 2048
        assert_eq!(best(32, 100).unwrap().threads, 64);
        assert_eq!(best(255, 1024).unwrap().threads, 256);
        // 100 KiB of shared memory: two blocks, whatever their size
        let hopper = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
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
                least_grid: 32
            })
        );
    }

    #[test]
    fn where_nothing_runs_there_is_no_best() {
        let hopper = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
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
