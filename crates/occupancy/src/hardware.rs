//! Occupancy of real hardware: warp allocation with allocation granularities and multiprocessor
//! partitions.
//!
//! Sources: the rules and granularities of NVIDIA's `cuda_occupancy.h` (3.0 and later) and of
//! NVIDIA's former occupancy calculator spreadsheet (1.x, 2.x). `tests/occupancy` compares this
//! model with the header on millions of configurations.

use super::{
    Allocation, BlockConfig, BlockLimits, Carveout, ComputeCapability, DeviceLimits,
    KernelResources, OccupancyError, OccupancyModel, explain,
    limits::{WARP, max_shared_bytes},
    register_rule::RegisterRule,
};

/// Limit of a resource that does not restrict the number of blocks.
const NO_LIMIT: u32 = u32::MAX;

/// Model of real hardware, for compute capabilities 1.0 to 12.1. Partitioned global caching (5.2,
/// 5.3, 6.1, 6.2), which halves the resources of a block, is assumed to be off, its default.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, OccupancyModel};
///
/// let ampere = HardwareModel::for_capability(ComputeCapability::new(8, 0))?;
/// // registers are allocated per quarter of a multiprocessor: 65536 / (92 · 224) would be 3
/// let occupancy = ampere.occupancy(&KernelResources::new(92), &BlockConfig::new(224))?;
/// assert_eq!(occupancy.active_blocks, 2);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareModel {
    device: DeviceLimits,
}

impl HardwareModel {
    /// Creates the model of a device.
    pub const fn new(device: DeviceLimits) -> Self {
        Self { device }
    }

    /// Creates the model of a compute capability, with one multiprocessor.
    ///
    /// # Errors
    /// [`OccupancyError::UnknownCapability`].
    pub fn for_capability(capability: ComputeCapability) -> Result<Self, OccupancyError> {
        DeviceLimits::for_capability(capability).map(Self::new)
    }
}

impl OccupancyModel for HardwareModel {
    fn device(&self) -> &DeviceLimits {
        &self.device
    }

    fn explain(&self, kernel: &KernelResources, block: &BlockConfig) -> Vec<String> {
        explain::hardware(self, kernel, block)
    }

    fn allocate(&self, kernel: &KernelResources, block: &BlockConfig) -> Allocation {
        let device = &self.device;
        let (registers, by_registers) = registers(device, kernel.registers, block.threads);
        let shared = shared(device, kernel.static_shared_bytes, block);
        Allocation {
            registers,
            shared_bytes: shared.allocated,
            shared_pool_bytes: shared.pool,
            limits: BlockLimits {
                warps: warps(device, kernel, block.threads),
                blocks: device.blocks_per_multiprocessor,
                registers: by_registers,
                shared: shared.blocks,
                barriers: match (device.barriers_per_multiprocessor, kernel.barriers) {
                    (NO_LIMIT, _) | (_, 0) => NO_LIMIT,
                    (available, 1) => available,
                    (available, used) => available / used,
                },
            },
        }
    }
}

/// Returns the number of blocks that the warps allow.
fn warps(device: &DeviceLimits, kernel: &KernelResources, threads: u32) -> u32 {
    if threads == 0 || threads > device.threads_per_block.min(kernel.max_threads) {
        return 0;
    }
    device.warps_per_multiprocessor / threads.div_ceil(WARP)
}

/// Returns the registers allocated to a block, and the number of blocks that the registers allow.
fn registers(device: &DeviceLimits, per_thread: u32, threads: u32) -> (u32, u32) {
    let warps = threads.div_ceil(WARP).max(1);
    if per_thread == 0 {
        return (0, NO_LIMIT);
    }
    let rule = RegisterRule::new(device, per_thread);
    // these bounds keep the products below from overflowing
    if per_thread > rule.max_per_thread || warps > 32 {
        return (0, 0);
    }
    if rule.by_blocks {
        let block = round_up(per_thread * WARP * round_up(warps, 2), rule.unit);
        return (block, device.registers_per_multiprocessor / block);
    }
    let warp = round_up(per_thread * WARP, rule.unit);
    let block = warp * warps;
    if warp * round_up(warps, rule.checked_parts) > device.registers_per_block {
        return (block, 0);
    }
    let per_part = (device.registers_per_multiprocessor >> rule.parts.trailing_zeros()) / warp;
    (block, per_part * rule.parts / warps)
}

/// Rounds `number` up to a multiple of `unit`, which must be a power of two. Avoids a division,
/// because every launch evaluates the model.
const fn round_up(number: u32, unit: u32) -> u32 {
    debug_assert!(unit.is_power_of_two());
    number.saturating_add(unit - 1) & !(unit - 1)
}

/// Allocation of a block's shared memory, in bytes.
struct SharedAllocation {
    /// Bytes allocated to the block, including the part reserved by the system.
    allocated: u32,
    /// Bytes of shared memory of the multiprocessor in the selected configuration.
    pool: u32,
    /// Number of blocks that fit.
    blocks: u32,
}

fn shared(device: &DeviceLimits, static_bytes: u32, block: &BlockConfig) -> SharedAllocation {
    let requested = static_bytes.saturating_add(block.dynamic_shared_bytes);
    let with_reserved = requested.saturating_add(device.reserved_shared_bytes_per_block);
    let allocated = round_up(with_reserved, device.shared_granularity);
    let preferred = preferred_configuration(device, block.carveout);
    if requested > max_shared_bytes(device, block.opt_in) {
        return SharedAllocation {
            allocated,
            pool: preferred,
            blocks: 0,
        };
    }
    let pool = if preferred >= allocated {
        preferred
    } else if device
        .capability
        .is_some_and(|capability| capability.major < 7)
    {
        device.shared_bytes_per_multiprocessor
    } else {
        let fits = |bytes: &u32| *bytes >= allocated;
        device
            .shared_configurations()
            .find(fits)
            .unwrap_or(device.shared_bytes_per_multiprocessor)
    };
    SharedAllocation {
        allocated,
        pool,
        blocks: pool.checked_div(allocated).unwrap_or(NO_LIMIT),
    }
}

/// Returns the shared-memory configuration selected by a carveout, in bytes.
fn preferred_configuration(device: &DeviceLimits, carveout: Carveout) -> u32 {
    let total = device.shared_bytes_per_multiprocessor;
    let requested = match carveout {
        Carveout::Default => return total,
        Carveout::Percent(percent) => (u64::from(total) * u64::from(percent.min(100)) / 100) as u32,
        Carveout::Bytes(bytes) => bytes,
    };
    let suffices = |bytes: &u32| *bytes >= requested;
    device
        .shared_configurations()
        .find(suffices)
        .unwrap_or(total)
}
