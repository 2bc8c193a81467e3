//! How a grid of blocks goes through a device.

use super::{DeviceLimits, Occupancy};

/// A grid, in waves of as many blocks as the device runs at a time, if all take equally long.
///
/// ```
/// use occupancy::{BlockConfig, Gpu, HardwareModel, KernelResources, OccupancyModel, Waves};
///
/// let h200 = HardwareModel::new(Gpu::named("H200")?.limits());
/// let occupancy = h200.occupancy(&KernelResources::new(92), &BlockConfig::new(224))?;
/// let waves = Waves::new(h200.device(), &occupancy, 1000).unwrap();
/// assert_eq!((waves.blocks_per_wave, waves.full, waves.tail_blocks), (264, 3, 208));
/// assert_eq!(waves.count(), 4);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waves {
    /// Blocks of the grid.
    pub grid: u64,
    /// Blocks that the device runs at a time.
    pub blocks_per_wave: u64,
    /// Waves that fill the device.
    pub full: u64,
    /// Blocks of the last wave, if they do not fill the device.
    pub tail_blocks: u64,
}

impl Waves {
    /// The waves of a grid of this many blocks; none where no block can run.
    pub fn new(device: &DeviceLimits, occupancy: &Occupancy, grid: u64) -> Option<Self> {
        let blocks_per_wave =
            u64::from(occupancy.active_blocks) * u64::from(device.multiprocessors);
        Some(Self {
            grid,
            blocks_per_wave,
            full: grid.checked_div(blocks_per_wave)?,
            tail_blocks: grid % blocks_per_wave,
        })
    }

    /// How many waves there are, the tail included.
    pub fn count(&self) -> u64 {
        self.full + u64::from(self.tail_blocks > 0)
    }

    /// How full the last wave is: 0 to 1, 1 where there is no tail.
    pub fn tail_fraction(&self) -> f64 {
        match self.tail_blocks {
            0 => 1.0,
            blocks => blocks as f64 / self.blocks_per_wave as f64,
        }
    }

    /// How much of the device the grid uses over its time: blocks by the blocks that as many full
    /// waves would have.
    pub fn utilisation(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            count => self.grid as f64 / (count as f64 * self.blocks_per_wave as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, OccupancyModel};

    #[test]
    fn grids_are_cut_into_waves() {
        let device = DeviceLimits::of(ComputeCapability::new(9, 0))
            .unwrap()
            .with_multiprocessors(10);
        let model = HardwareModel::new(device);
        let occupancy = model
            .occupancy(&KernelResources::new(32), &BlockConfig::new(1024))
            .unwrap();
        let waves = |grid| Waves::new(&device, &occupancy, grid).unwrap();
        assert_eq!((waves(0).count(), waves(0).utilisation()), (0, 0.0));
        assert_eq!(
            (
                waves(20).count(),
                waves(20).tail_blocks,
                waves(20).tail_fraction()
            ),
            (1, 0, 1.0)
        );
        assert_eq!(
            (
                waves(21).count(),
                waves(21).tail_blocks,
                waves(21).tail_fraction()
            ),
            (2, 1, 0.05)
        );
        assert_eq!(waves(30).utilisation(), 0.75);
        assert_eq!(waves(u64::MAX).count(), u64::MAX.div_ceil(20));
        let none = model
            .occupancy(&KernelResources::new(255), &BlockConfig::new(1024))
            .unwrap();
        assert_eq!(Waves::new(&device, &none, 5), None);
    }
}
