//! Occupancy of a kernel, and the resources that limit it.

use super::{Allocation, DeviceLimits, Limiter, limits::WARP};

/// Number of resident blocks and warps on one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads per block.
    pub threads: u32,
    /// Warps per block, the last of which may be partial.
    pub warps_per_block: u32,
    /// Number of resident blocks; 0 if not even one fits.
    pub active_blocks: u32,
    /// Number of resident warps.
    pub active_warps: u32,
    /// Maximum number of resident warps.
    pub max_warps: u32,
    /// Resources allocated to a block, and the number of blocks that each resource allows.
    pub allocation: Allocation,
}

impl Occupancy {
    pub(super) fn new(device: &DeviceLimits, threads: u32, allocation: Allocation) -> Self {
        let warps_per_block = threads.div_ceil(WARP);
        let active_blocks = allocation.limits.min();
        Self {
            threads,
            warps_per_block,
            active_blocks,
            active_warps: active_blocks * warps_per_block,
            max_warps: device.warps_per_multiprocessor,
            allocation,
        }
    }

    /// Returns the occupancy: active warps divided by the maximum, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.active_warps) / f64::from(self.max_warps.max(1))
    }

    /// Returns the number of resident threads.
    pub fn active_threads(&self) -> u32 {
        self.active_blocks * self.threads
    }

    /// Returns `true` if `limiter` limits the number of blocks; several resources can tie.
    pub fn is_limited_by(&self, limiter: Limiter) -> bool {
        self.allocation.limits.limit(limiter) == Some(self.active_blocks)
    }

    /// Returns all resources that limit the number of blocks.
    ///
    /// ```
    /// use occupancy::{BlockConfig, ComputeCapability, HardwareModel};
    /// use occupancy::{KernelResources, Limiter, OccupancyModel};
    ///
    /// let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0))?;
    /// let occupancy = hopper.occupancy(&KernelResources::new(32), &BlockConfig::new(64))?;
    /// assert_eq!((occupancy.active_blocks, occupancy.fraction()), (32, 1.0));
    /// let limiters: Vec<Limiter> = occupancy.limiters().collect();
    /// assert_eq!(limiters, [Limiter::Warps, Limiter::Blocks, Limiter::Registers]);
    /// # Ok::<(), occupancy::OccupancyError>(())
    /// ```
    pub fn limiters(&self) -> impl Iterator<Item = Limiter> + use<> {
        let this = *self;
        Limiter::ALL
            .into_iter()
            .filter(move |&limiter| this.is_limited_by(limiter))
    }
}
