//! Occupancy by equation (2) of Zhao, Wang and Yuan (2016), which ignores allocation granularities.

use super::{
    Allocation, BlockConfig, BlockLimits, DeviceLimits, KernelResources, OccupancyModel, explain,
    limits::{WARP, max_shared_bytes},
};

/// Model of Zhao, Wang and Yuan (2016), equation (2): the number of active blocks is the minimum of
/// (shared memory per multiprocessor / per block), (registers per multiprocessor / per block) and
/// the maximum number of blocks. Occupancy is the number of their warps divided by the maximum.
/// Blocks and warps are rounded to whole numbers, and warps are capped at the maximum.
///
/// Zhao et al. (2016) print a drop from 93.8 % to 87.5 % at 193 threads on the FX 5800 for a kernel
/// with 42 registers; their equation gives these values for a kernel with at most 16 registers.
/// With 42 registers it gives 37.5 % at 192 threads.
///
/// ```
/// use occupancy::{BlockConfig, Gpu, KernelResources, OccupancyModel, PaperModel};
///
/// let fx_5800 = PaperModel::new(Gpu::named("FX 5800")?.limits());
/// let at = |registers, threads| {
///     let kernel = KernelResources::new(registers);
///     let occupancy = fx_5800.occupancy(&kernel, &BlockConfig::new(threads));
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
    /// Creates the model of a device. The two devices of Zhao et al. (2016) are [available by
    /// name](super::Gpu::named): FX 5800 and GTX 580.
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
        let by =
            |available: u32, per_block: u32| available.checked_div(per_block).unwrap_or(u32::MAX);
        let is_launchable = block.threads <= device.threads_per_block.min(kernel.max_threads);
        let fits = shared_bytes <= max_shared_bytes(device, block.opt_in);
        Allocation {
            registers,
            shared_bytes,
            shared_pool_bytes: device.shared_bytes_per_multiprocessor,
            limits: BlockLimits {
                warps: if is_launchable && warps > 0 {
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
