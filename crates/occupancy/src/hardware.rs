//! What the hardware does: allocation by warps, parts of a multiprocessor and units.
//!
//! Sources: the rules and units of NVIDIA's `cuda_occupancy.h` (3.0 and later) and of its occupancy
//! calculator of the time (1.x, 2.x). Held to the header over millions of cases by
//! `tests/occupancy`.

use super::{
    Allocation, BlockConfig, BlockLimits, Carveout, ComputeCapability, DeviceLimits,
    KernelResources, OccupancyError, OccupancyModel, explain,
    limits::{WARP, most_shared},
    registers::RegisterRule,
};

/// No limit at all.
const NO_LIMIT: u32 = u32::MAX;

/// The model of real hardware, for compute capability 1.0 to 12.1. Partitioned global caching (5.2,
/// 5.3, 6.1, 6.2), which must be asked for and halves what a block can be given, is taken to be
/// off, as it is by default.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, OccupancyModel};
///
/// let ampere = HardwareModel::of(ComputeCapability::new(8, 0))?;
/// // registers are given out by quarters of a multiprocessor: 65536 / (92 · 224) would be 3
/// let occupancy = ampere.occupancy(&KernelResources::new(92), &BlockConfig::new(224))?;
/// assert_eq!(occupancy.active_blocks, 2);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareModel {
    device: DeviceLimits,
}

impl HardwareModel {
    /// The model of a device.
    pub const fn new(device: DeviceLimits) -> Self {
        Self { device }
    }

    /// The model of a compute capability, with one multiprocessor.
    ///
    /// # Errors
    /// [`OccupancyError::UnknownCapability`].
    pub fn of(capability: ComputeCapability) -> Result<Self, OccupancyError> {
        DeviceLimits::of(capability).map(Self::new)
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
                    (there_are, 1) => there_are,
                    (there_are, used) => there_are / used,
                },
            },
        }
    }
}

/// Blocks for whose warps there is room.
fn warps(device: &DeviceLimits, kernel: &KernelResources, threads: u32) -> u32 {
    if threads == 0 || threads > device.threads_per_block.min(kernel.max_threads) {
        return 0;
    }
    device.warps_per_multiprocessor / threads.div_ceil(WARP)
}

/// Registers that a block is given, and the blocks for whose registers there is room.
fn registers(device: &DeviceLimits, per_thread: u32, threads: u32) -> (u32, u32) {
    let warps = threads.div_ceil(WARP).max(1);
    if per_thread == 0 {
        return (0, NO_LIMIT);
    }
    let rule = RegisterRule::of(device, per_thread);
    // the products below stay small
    if per_thread > rule.most_per_thread || warps > 32 {
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

/// `number` rounded up to a multiple of `unit`, which is a power of two, as all units here are:
/// launches ask often, and divisions take long.
const fn round_up(number: u32, unit: u32) -> u32 {
    debug_assert!(unit.is_power_of_two());
    number.saturating_add(unit - 1) & !(unit - 1)
}

/// What becomes of a block's shared memory.
struct Shared {
    /// What the block is given, with what the system takes.
    allocated: u32,
    /// What of the multiprocessor's storage is shared memory.
    pool: u32,
    /// The blocks for which there is room.
    blocks: u32,
}

fn shared(device: &DeviceLimits, static_bytes: u32, block: &BlockConfig) -> Shared {
    let own = static_bytes.saturating_add(block.dynamic_shared_bytes);
    let with_reserved = own.saturating_add(device.reserved_shared_bytes_per_block);
    let allocated = round_up(with_reserved, device.shared_granularity);
    let preferred = preferred(device, block.carveout);
    if own > most_shared(device, block.opt_in) {
        return Shared {
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
    Shared {
        allocated,
        pool,
        blocks: pool.checked_div(allocated).unwrap_or(NO_LIMIT),
    }
}

/// The configuration that a carveout asks for, in bytes.
fn preferred(device: &DeviceLimits, carveout: Carveout) -> u32 {
    let all = device.shared_bytes_per_multiprocessor;
    let wanted = match carveout {
        Carveout::Default => return all,
        Carveout::Percent(percent) => (u64::from(all) * u64::from(percent.min(100)) / 100) as u32,
        Carveout::Bytes(bytes) => bytes,
    };
    let reaches = |bytes: &u32| *bytes >= wanted;
    device.shared_configurations().find(reaches).unwrap_or(all)
}
