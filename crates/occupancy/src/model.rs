//! What a model is asked, and what it answers.

use super::{
    Allocation, BlockConfig, DeviceLimits, KernelResources, Occupancy, OccupancyError,
    limits::most_shared,
};

/// Barriers that a block has.
const BARRIERS_PER_BLOCK: u32 = 16;

/// A way to work out how many blocks run on a multiprocessor at a time:
/// [`HardwareModel`](super::HardwareModel) for real devices, [`PaperModel`](super::PaperModel) for
/// Zhao et al.'s (2016) equation.
pub trait OccupancyModel {
    /// The device that is modelled.
    fn device(&self) -> &DeviceLimits;

    /// What a block is given, and how many blocks each resource has room for. Any numbers can be
    /// asked about: what cannot run has room for no block. Takes constant time.
    fn allocate(&self, kernel: &KernelResources, block: &BlockConfig) -> Allocation;

    /// How the numbers of [`allocate`](Self::allocate) come about, a sentence or two for each
    /// resource, and what follows.
    fn explain(&self, kernel: &KernelResources, block: &BlockConfig) -> Vec<String>;

    /// How many blocks run on one multiprocessor at a time: 0 if not even one can. Takes constant
    /// time.
    fn active_blocks(&self, kernel: &KernelResources, block: &BlockConfig) -> u32 {
        self.allocate(kernel, block).limits.least()
    }

    /// The occupancy of a kernel in blocks of this kind. Takes constant time.
    ///
    /// A block that asks for nothing forbidden, but whose registers are more than a block can have,
    /// has an occupancy of 0.
    ///
    /// # Errors
    /// [`OccupancyError`] for a block, registers, shared memory, barriers or a carveout that the
    /// device does not have.
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

/// Fails for what the device does not have.
fn check(
    device: &DeviceLimits,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Result<(), OccupancyError> {
    let threads = block.threads;
    if threads == 0 || threads > device.threads_per_block {
        let most = device.threads_per_block;
        return Err(OccupancyError::BlockSize { threads, most });
    }
    if threads > kernel.max_threads {
        let most = kernel.max_threads;
        return Err(OccupancyError::KernelBlockSize { threads, most });
    }
    if kernel.registers > device.registers_per_thread {
        return Err(OccupancyError::Registers {
            registers: kernel.registers,
            most: device.registers_per_thread,
        });
    }
    if kernel.barriers > BARRIERS_PER_BLOCK {
        return Err(OccupancyError::Barriers {
            barriers: kernel.barriers,
            most: BARRIERS_PER_BLOCK,
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
    let most = most_shared(device, block.opt_in);
    if bytes > u64::from(most) {
        return Err(OccupancyError::SharedMemory {
            bytes,
            static_bytes: kernel.static_shared_bytes,
            dynamic_bytes: block.dynamic_shared_bytes,
            most,
            most_opt_in: device.shared_bytes_per_block_opt_in,
        });
    }
    let all = device.shared_bytes_per_multiprocessor;
    let given = match block.carveout {
        Carveout::Percent(percent) if percent > 100 => format!("{percent} percent"),
        Carveout::Bytes(bytes) if bytes > all => format!("{bytes} bytes"),
        _ => return Ok(()),
    };
    Err(OccupancyError::Carveout { given, most: all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Carveout, ComputeCapability, HardwareModel, PaperModel};

    fn asked(kernel: KernelResources, block: BlockConfig) -> OccupancyError {
        let model = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
        model.occupancy(&kernel, &block).unwrap_err()
    }

    #[test]
    fn what_the_device_does_not_have_is_refused() {
        let (kernel, block) = (KernelResources::new(32), BlockConfig::new(128));
        for threads in [0, 1025, u32::MAX] {
            let text = asked(kernel, block.with_threads(threads)).to_string();
            assert!(
                text.contains(&threads.to_string()) && text.contains("1024"),
                "{text}"
            );
        }
        let text = asked(kernel.with_max_threads(64), block).to_string();
        assert!(text.contains("128") && text.contains("64"), "{text}");
        let text = asked(KernelResources::new(256), block).to_string();
        assert!(text.contains("256") && text.contains("255"), "{text}");
        let text = asked(kernel.with_barriers(17), block).to_string();
        assert!(text.contains("17") && text.contains("16"), "{text}");
        let text = asked(
            kernel.with_static_shared(1),
            block.with_dynamic_shared(232_448),
        )
        .to_string();
        assert!(text.contains("232449") && text.contains("232448"), "{text}");
        let plain = block.with_dynamic_shared(49_153).without_opt_in();
        let text = asked(kernel, plain).to_string();
        assert!(text.contains("49152") && text.contains("232448"), "{text}");
        let text = asked(kernel, block.with_carveout(Carveout::Percent(101))).to_string();
        assert!(text.contains("101 percent"), "{text}");
        let text = asked(kernel, block.with_carveout(Carveout::Bytes(300_000))).to_string();
        assert!(text.contains("300000") && text.contains("233472"), "{text}");
    }

    #[test]
    fn the_least_numbers_panic_nowhere() {
        let devices = ComputeCapability::known()
            .map(|capability| DeviceLimits::of(capability).unwrap())
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
