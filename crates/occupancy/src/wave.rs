//! Waves of a grid: how many times the device is filled with blocks.

use super::{DeviceLimits, Occupancy};

/// Division of a grid into waves, each of as many blocks as are resident on the device at the same
/// time, assuming blocks of equal duration.
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
    /// Number of blocks of the grid.
    pub grid: u64,
    /// Number of blocks resident on the whole device at the same time.
    pub blocks_per_wave: u64,
    /// Number of full waves.
    pub full: u64,
    /// Number of blocks in the last, partial wave; 0 if all waves are full.
    pub tail_blocks: u64,
}

impl Waves {
    /// Divides a grid of `grid` blocks into waves; returns `None` if no block can run.
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

    /// Returns the number of waves, including the partial one.
    pub fn count(&self) -> u64 {
        self.full + u64::from(self.tail_blocks > 0)
    }

    /// Returns the fraction of the device that the last wave fills, from 0 to 1; 1 if all waves are
    /// full.
    pub fn tail_fraction(&self) -> f64 {
        match self.tail_blocks {
            0 => 1.0,
            blocks => blocks as f64 / self.blocks_per_wave as f64,
        }
    }

    /// Returns the fraction of the device used over the duration of the grid: its blocks divided by
    /// the capacity of as many full waves.
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
    fn grids_are_divided_into_waves() {
        let device = DeviceLimits::for_capability(ComputeCapability::new(9, 0))
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
