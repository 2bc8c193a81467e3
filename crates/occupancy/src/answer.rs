//! An occupancy, and what bounds it.

use super::{Allocation, DeviceLimits, Limiter, limits::WARP};

/// What runs on one multiprocessor at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads of a block.
    pub threads: u32,
    /// Warps of a block: the last one may have threads to spare.
    pub warps_per_block: u32,
    /// Blocks that run at a time; 0 if not even one can.
    pub active_blocks: u32,
    /// Warps that run at a time.
    pub active_warps: u32,
    /// Warps for which there is room.
    pub max_warps: u32,
    /// What a block is given, and how many blocks each resource has room for.
    pub allocation: Allocation,
}

impl Occupancy {
    pub(super) fn new(device: &DeviceLimits, threads: u32, allocation: Allocation) -> Self {
        let warps_per_block = threads.div_ceil(WARP);
        let active_blocks = allocation.limits.least();
        Self {
            threads,
            warps_per_block,
            active_blocks,
            active_warps: active_blocks * warps_per_block,
            max_warps: device.warps_per_multiprocessor,
            allocation,
        }
    }

    /// Active warps by the most warps: 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.active_warps) / f64::from(self.max_warps.max(1))
    }

    /// Threads that run at a time.
    pub fn active_threads(&self) -> u32 {
        self.active_blocks * self.threads
    }

    /// Whether this resource bounds the number of blocks. Several do where they tie.
    pub fn is_limited_by(&self, limiter: Limiter) -> bool {
        self.allocation.limits.of(limiter) == Some(self.active_blocks)
    }

    /// Everything that bounds the number of blocks.
    ///
    /// ```
    /// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, Limiter, OccupancyModel};
    ///
    /// let hopper = HardwareModel::of(ComputeCapability::new(9, 0))?;
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
