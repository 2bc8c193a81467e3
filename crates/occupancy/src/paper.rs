//! The model of Zhao, Wang and Yuan (2016): its equation (2), without units of allocation.

use super::{
    Allocation, BlockConfig, BlockLimits, DeviceLimits, KernelResources, OccupancyModel, explain,
    limits::{WARP, most_shared},
};

/// Equation (2) of Zhao, Wang and Yuan (2016): active blocks are the least of shared memory by a
/// block's shared memory, registers by a block's registers, and the most blocks; occupancy is their
/// warps by the most warps. Blocks are whole, as warps are, and there are no more warps than the
/// most.
///
/// Zhao et al. (2016) print a fall from 93.8 % to 87.5 % at 193 threads on the FX 5800 for a kernel
/// with 42 registers; that is what a kernel with 16 or fewer does. With 42 its equation gives 37.5
/// % at 192 threads.
///
/// ```
/// use occupancy::{BlockConfig, Gpu, KernelResources, OccupancyModel, PaperModel};
///
/// let fx_5800 = PaperModel::new(Gpu::named("FX 5800")?.limits());
/// let at = |registers, threads| {
///     let occupancy = fx_5800.occupancy(&KernelResources::new(registers), &BlockConfig::new(threads));
///     occupancy.map(|occupancy| occupancy.fraction())
/// };
/// assert_eq!(at(16, 192), Ok(0.9375));
/// assert_eq!(at(16, 193), Ok(0.875));
/// assert_eq!(at(42, 192), Ok(0.375));
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperModel {
    device: DeviceLimits,
}

impl PaperModel {
    /// Zhao et al.'s (2016) model of a device. Its own two are [known by name](super::Gpu::named):
    /// FX 5800 and GTX 580.
    pub const fn new(device: DeviceLimits) -> Self {
        Self { device }
    }
}

impl OccupancyModel for PaperModel {
    fn device(&self) -> &DeviceLimits {
        &self.device
    }

    fn explain(&self, kernel: &KernelResources, block: &BlockConfig) -> Vec<String> {
        explain::paper(self, kernel, block)
    }

    fn allocate(&self, kernel: &KernelResources, block: &BlockConfig) -> Allocation {
        let device = &self.device;
        let warps = block.threads.div_ceil(WARP);
        let registers = kernel.registers.saturating_mul(block.threads);
        let shared_bytes = kernel
            .static_shared_bytes
            .saturating_add(block.dynamic_shared_bytes);
        let by = |have: u32, takes: u32| have.checked_div(takes).unwrap_or(u32::MAX);
        let can_have = block.threads <= device.threads_per_block.min(kernel.max_threads);
        let fits = shared_bytes <= most_shared(device, block.opt_in);
        Allocation {
            registers,
            shared_bytes,
            shared_pool_bytes: device.shared_bytes_per_multiprocessor,
            limits: BlockLimits {
                warps: if can_have && warps > 0 {
                    device.warps_per_multiprocessor / warps
                } else {
                    0
                },
                blocks: device.blocks_per_multiprocessor,
                registers: by(device.registers_per_multiprocessor, registers),
                shared: if fits {
                    by(device.shared_bytes_per_multiprocessor, shared_bytes)
                } else {
                    0
                },
                barriers: u32::MAX,
            },
        }
    }
}
