//! The interface of an occupancy model, and the checks common to all models.

use super::{
    Allocation, BlockConfig, DeviceLimits, KernelResources, Occupancy, OccupancyError,
    limits::max_shared_bytes,
};

/// Named barriers available to a block.
const BARRIERS_PER_BLOCK: u32 = 16;

/// Rules that determine how many blocks are resident on a multiprocessor:
/// [`HardwareModel`](super::HardwareModel) for real devices, [`PaperModel`](super::PaperModel) for
/// equation (2) of Zhao et al. (2016).
pub trait OccupancyModel {
    /// Returns the limits of the modelled device.
    fn device(&self) -> &DeviceLimits;

    /// Returns the resources allocated to a block and the number of blocks that each resource
    /// allows. Accepts any input: a configuration that cannot run has a limit of 0 blocks. Takes
    /// constant time.
    fn allocate(&self, kernel: &KernelResources, block: &BlockConfig) -> Allocation;

    /// Explains how the numbers of [`allocate`](Self::allocate) are derived: one or two sentences
    /// per resource, then the resulting occupancy.
    fn explain(&self, kernel: &KernelResources, block: &BlockConfig) -> Vec<String>;

    /// Returns the number of resident blocks per multiprocessor, or 0 if not even one fits. Takes
    /// constant time.
    fn active_blocks(&self, kernel: &KernelResources, block: &BlockConfig) -> u32 {
        self.allocate(kernel, block).limits.min()
    }

    /// Computes the occupancy of a kernel launched with blocks of this configuration. Takes
    /// constant time.
    ///
    /// The occupancy is 0 if every request is permitted by itself, but the block needs more
    /// registers than a block can have.
    ///
    /// # Errors
    /// [`OccupancyError`] if the block size, the registers, the shared memory, the barriers or the
    /// carveout exceed what the device supports.
    fn occupancy(
        &self,
        kernel: &KernelResources,
        block: &BlockConfig,
    ) -> Result<Occupancy, OccupancyError> {
        check(self.device(), kernel, block)?;
        Ok(Occupancy::new(
            self.device(),
            block.threads,
            self.allocate(kernel, block),
        ))
    }
}

/// Returns an error if the launch requests more than the device supports.
fn check(
    device: &DeviceLimits,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Result<(), OccupancyError> {
    let threads = block.threads;
    if threads == 0 || threads > device.threads_per_block {
        let max = device.threads_per_block;
        return Err(OccupancyError::BlockSize { threads, max });
    }
    if threads > kernel.max_threads {
        let max = kernel.max_threads;
        return Err(OccupancyError::KernelBlockSize { threads, max });
    }
    if kernel.registers > device.registers_per_thread {
        return Err(OccupancyError::Registers {
            registers: kernel.registers,
            max: device.registers_per_thread,
        });
    }
    if kernel.barriers > BARRIERS_PER_BLOCK {
        return Err(OccupancyError::Barriers {
            barriers: kernel.barriers,
            max: BARRIERS_PER_BLOCK,
        });
    }
    check_shared(device, kernel, block)
}

fn check_shared(
    device: &DeviceLimits,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Result<(), OccupancyError> {
    use super::Carveout;
    let bytes = u64::from(kernel.static_shared_bytes) + u64::from(block.dynamic_shared_bytes);
    let max = max_shared_bytes(device, block.opt_in);
    if bytes > u64::from(max) {
        return Err(OccupancyError::SharedMemory {
            bytes,
            static_bytes: kernel.static_shared_bytes,
            dynamic_bytes: block.dynamic_shared_bytes,
            max,
            max_opt_in: device.shared_bytes_per_block_opt_in,
        });
    }
    let all = device.shared_bytes_per_multiprocessor;
    let requested = match block.carveout {
        Carveout::Percent(percent) if percent > 100 => format!("{percent} percent"),
        Carveout::Bytes(bytes) if bytes > all => format!("{bytes} bytes"),
        _ => return Ok(()),
    };
    Err(OccupancyError::Carveout {
        given: requested,
        max: all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Carveout, ComputeCapability, HardwareModel, PaperModel};

    fn error_for(kernel: KernelResources, block: BlockConfig) -> OccupancyError {
        let model = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        model.occupancy(&kernel, &block).unwrap_err()
    }

    #[test]
    fn requests_beyond_the_device_limits_are_errors() {
        let (kernel, block) = (KernelResources::new(32), BlockConfig::new(128));
        for threads in [0, 1025, u32::MAX] {
            let text = error_for(kernel, block.with_threads(threads)).to_string();
            assert!(
                text.contains(&threads.to_string()) && text.contains("1024"),
                "{text}"
            );
        }
        let text = error_for(kernel.with_max_threads(64), block).to_string();
        assert!(text.contains("128") && text.contains("64"), "{text}");
        let text = error_for(KernelResources::new(256), block).to_string();
        assert!(text.contains("256") && text.contains("255"), "{text}");
        let text = error_for(kernel.with_barriers(17), block).to_string();
        assert!(text.contains("17") && text.contains("16"), "{text}");
        let text = error_for(
            kernel.with_static_shared(1),
            block.with_dynamic_shared(232_448),
        )
        .to_string();
        assert!(text.contains("232449") && text.contains("232448"), "{text}");
        let plain = block.with_dynamic_shared(49_153).without_opt_in();
        let text = error_for(kernel, plain).to_string();
        assert!(text.contains("49152") && text.contains("232448"), "{text}");
        let text = error_for(kernel, block.with_carveout(Carveout::Percent(101))).to_string();
        assert!(text.contains("101 percent"), "{text}");
        let text = error_for(kernel, block.with_carveout(Carveout::Bytes(300_000))).to_string();
        assert!(text.contains("300000") && text.contains("233472"), "{text}");
    }

    #[test]
    fn extreme_inputs_do_not_panic() {
        let devices = ComputeCapability::supported()
            .map(|capability| DeviceLimits::for_capability(capability).unwrap())
            .chain([DeviceLimits::cpu(4)]);
        for device in devices {
            for registers in [0, 1, 255, 256, u32::MAX] {
                for threads in [0, 1, 1024, u32::MAX] {
                    for bytes in [0, 1, 1 << 20, u32::MAX] {
                        for carveout in [
                            Carveout::Percent(0),
                            Carveout::Percent(u32::MAX),
                            Carveout::Bytes(u32::MAX),
                        ] {
                            let kernel = KernelResources::new(registers)
                                .with_static_shared(bytes)
                                .with_barriers(registers);
                            let block = BlockConfig::new(threads)
                                .with_dynamic_shared(bytes)
                                .with_carveout(carveout);
                            HardwareModel::new(device).active_blocks(&kernel, &block);
                            PaperModel::new(device).active_blocks(&kernel, &block);
                        }
                    }
                }
            }
        }
    }
}
