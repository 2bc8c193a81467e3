//! Occupancy as a function of one parameter, all others fixed.
//!
//! Each function returns a lazy iterator of (parameter, occupancy). Values that the device does not
//! support are skipped; supported values with which no block fits have an occupancy of 0.
//!
//! ```
//! use occupancy::{BlockConfig, Gpu, KernelResources, PaperModel, curve};
//!
//! // Figure 3(a) of Zhao et al. (2016): the FX 5800, a kernel with at most 16 registers.
//! let fx_5800 = PaperModel::new(Gpu::named("FX 5800")?.limits());
//! let kernel = KernelResources::new(16);
//! let config = BlockConfig::new(0);
//! let figure: Vec<(u32, f64)> = curve::over_threads(&fx_5800, &kernel, &config, |_| 0)
//!     .map(|(threads, occupancy)| (threads, occupancy.fraction()))
//!     .collect();
//! assert_eq!(figure[192 - 1..=193 - 1], [(192, 0.9375), (193, 0.875)]);
//! assert_eq!(figure[320 - 1..=321 - 1], [(320, 0.9375), (321, 0.6875)]);
//! # Ok::<(), occupancy::OccupancyError>(())
//! ```

use super::{BlockConfig, Carveout, KernelResources, Occupancy, OccupancyModel};

/// Returns the occupancy by block size, from 1 thread to the maximum, each with
/// `dynamic_shared_bytes(threads)` bytes of dynamic shared memory.
pub fn over_threads<'m, M: OccupancyModel + ?Sized, D: Fn(u32) -> u32>(
    model: &'m M,
    kernel: &KernelResources,
    block: &BlockConfig,
    dynamic_shared_bytes: D,
) -> impl Iterator<Item = (u32, Occupancy)> + use<'m, M, D> {
    let (kernel, block) = (*kernel, *block);
    let max = model.device().threads_per_block;
    (1..=max).filter_map(move |threads| {
        let block = block
            .with_threads(threads)
            .with_dynamic_shared(dynamic_shared_bytes(threads));
        Some((threads, model.occupancy(&kernel, &block).ok()?))
    })
}

/// Returns the occupancy by registers per thread, from 1 to the maximum.
pub fn over_registers<'m, M: OccupancyModel + ?Sized>(
    model: &'m M,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> impl Iterator<Item = (u32, Occupancy)> + use<'m, M> {
    let (kernel, block) = (*kernel, *block);
    let max = model.device().registers_per_thread;
    (1..=max).filter_map(move |registers| {
        let kernel = KernelResources {
            registers,
            ..kernel
        };
        Some((registers, model.occupancy(&kernel, &block).ok()?))
    })
}

/// Returns the occupancy by bytes of dynamic shared memory, from 0 to the maximum that the kernel's
/// static shared memory leaves, in steps of the device's allocation granularity.
pub fn over_dynamic_shared<'m, M: OccupancyModel + ?Sized>(
    model: &'m M,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> impl Iterator<Item = (u32, Occupancy)> + use<'m, M> {
    let (kernel, block) = (*kernel, *block);
    let device = model.device();
    let max = super::limits::max_shared_bytes(device, block.opt_in)
        .saturating_sub(kernel.static_shared_bytes);
    let step = device.shared_granularity.max(1) as usize;
    (0..=max).step_by(step).filter_map(move |bytes| {
        let block = block.with_dynamic_shared(bytes);
        Some((bytes, model.occupancy(&kernel, &block).ok()?))
    })
}

/// Returns the occupancy by shared-memory configuration, in bytes; a single point if the device has
/// only one.
pub fn over_carveout<'m, M: OccupancyModel + ?Sized>(
    model: &'m M,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> impl Iterator<Item = (u32, Occupancy)> + use<'m, M> {
    let (kernel, block) = (*kernel, *block);
    let configurations = model.device().shared_configurations();
    configurations.filter_map(move |bytes| {
        let block = block.with_carveout(Carveout::Bytes(bytes));
        Some((bytes, model.occupancy(&kernel, &block).ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComputeCapability, HardwareModel};

    #[test]
    fn curves_cover_the_whole_range() {
        let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let (kernel, block) = (KernelResources::new(32), BlockConfig::new(256));
        let blocks = |curve: &mut dyn Iterator<Item = (u32, Occupancy)>| -> Vec<(u32, u32)> {
            curve
                .map(|(at, occupancy)| (at, occupancy.active_blocks))
                .collect()
        };
        let threads = blocks(&mut over_threads(&hopper, &kernel, &block, |_| 0));
        assert_eq!(
            (threads.len(), threads[0], threads[1023]),
            (1024, (1, 32), (1024, 2))
        );
        let registers = blocks(&mut over_registers(&hopper, &kernel, &block));
        assert_eq!(
            (registers.len(), registers[31], registers[254]),
            (255, (32, 8), (255, 1))
        );
        assert!(registers.is_sorted_by(|a, b| a.1 >= b.1));
        let shared = blocks(&mut over_dynamic_shared(&hopper, &kernel, &block));
        assert_eq!(
            (shared[0], *shared.last().unwrap()),
            ((0, 8), (227 * 1024, 1))
        );
        let carveout = blocks(&mut over_carveout(
            &hopper,
            &kernel,
            &block.with_dynamic_shared(7 * 1024),
        ));
        assert_eq!(
            carveout[..5],
            [(0, 1), (8192, 1), (16384, 2), (32768, 4), (65536, 8)]
        );
        assert_eq!(carveout.last(), Some(&(228 * 1024, 8)));
    }

    #[test]
    fn dynamic_shared_memory_can_depend_on_the_block_size() {
        let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let curve = over_threads(
            &hopper,
            &KernelResources::new(32),
            &BlockConfig::new(1),
            |threads| 400 * threads,
        );
        let last = curve.last().unwrap();
        // 582 threads need 232800 bytes; the maximum per block is 232448
        assert_eq!((last.0, last.1.active_blocks), (581, 1));
    }
}
