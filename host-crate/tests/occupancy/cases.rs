//! Random inputs of the calculator, concentrated where the results change.

use ferrovox::occupancy::{
    BlockConfig, Carveout, ComputeCapability, DeviceLimits, HardwareModel, KernelResources,
    OccupancyModel,
};

/// Input for one compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub threads: u32,
    pub registers: u32,
    pub static_bytes: u32,
    pub dynamic_bytes: u32,
    /// Dynamic shared memory per thread, in bytes, for the best block size.
    pub bytes_per_thread: u32,
    /// Carveout in percent; -1 for the default.
    pub carveout: i32,
    /// Cache configuration of 3.x: 0 no preference, 1 shared memory, 2 cache, 3 equal.
    pub cache: u32,
    pub opt_in: bool,
    pub barriers: u32,
}

/// Result for a case. `u32::MAX` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub active: u32,
    pub warps: u32,
    pub blocks: u32,
    pub registers: u32,
    pub shared: u32,
    pub barriers: u32,
    pub allocated_registers: u32,
    pub allocated_shared: u32,
}

impl Case {
    pub fn kernel(&self) -> KernelResources {
        KernelResources::new(self.registers)
            .with_static_shared(self.static_bytes)
            .with_barriers(self.barriers)
    }

    pub fn block(&self, device: &DeviceLimits) -> BlockConfig {
        let configuration = |at| {
            device
                .shared_configurations()
                .nth(at)
                .expect("it has three")
        };
        let carveout = match (device.capability.map_or(0, |it| it.major), self.cache) {
            (3, 2) => Carveout::Bytes(configuration(0)),
            (3, 3) => Carveout::Bytes(configuration(1)),
            (..7, _) => Carveout::Default,
            _ => u32::try_from(self.carveout).map_or(Carveout::Default, Carveout::Percent),
        };
        let block = BlockConfig::new(self.threads)
            .with_dynamic_shared(self.dynamic_bytes)
            .with_carveout(carveout);
        if self.opt_in {
            block
        } else {
            block.without_opt_in()
        }
    }

    /// Returns the result of the calculator.
    pub fn answer(&self, model: &HardwareModel) -> Answer {
        let allocation = model.allocate(&self.kernel(), &self.block(model.device()));
        let limits = allocation.limits;
        Answer {
            active: limits.min(),
            warps: limits.warps,
            blocks: limits.blocks,
            registers: limits.registers,
            shared: limits.shared,
            barriers: limits.barriers,
            allocated_registers: allocation.registers,
            allocated_shared: allocation.shared_bytes,
        }
    }
}

/// Pseudo-random numbers (Vigna's splitmix64), reproducible by seed.
pub struct Draw(u64);

impl Draw {
    pub fn new(capability: ComputeCapability, what: u64) -> Self {
        Self(u64::from(capability.number()) << 32 | what)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns a case, in most of which one more thread or byte of shared memory makes a
    /// difference.
    pub fn case(&mut self, device: &DeviceLimits) -> Case {
        let major = device.capability.map_or(0, |it| it.major);
        let around =
            |draw: &mut Self, at: u32, by: u32| (at + draw.below(2 * by + 1)).saturating_sub(by);
        let most = device.threads_per_block;
        let threads = match self.below(4) {
            0 => 1 + self.below(most),
            1 => {
                let warps = 32 * (1 + self.below(most / 32));
                around(self, warps, 1)
            }
            _ => 32 * (1 + self.below(most / 32)),
        };
        let most_registers = if major < 7 {
            device.registers_per_thread
        } else {
            256
        };
        let most_shared = device.shared_bytes_per_block_opt_in;
        let total = match self.below(4) {
            0 => 0,
            1 => self.below(most_shared + 600),
            _ => {
                let configurations = device.shared_configurations();
                let at = self.below(configurations.count() as u32) as usize;
                let pool = device.shared_configurations().nth(at).expect("counted");
                let share = pool / (1 + self.below(device.blocks_per_multiprocessor));
                let reserved = device.reserved_shared_bytes_per_block;
                around(self, share.saturating_sub(reserved), 300)
            }
        };
        let static_bytes = match self.below(3) {
            0 => 0,
            1 => total.min(device.shared_bytes_per_block),
            _ => self.below(total.min(device.shared_bytes_per_block) + 1),
        };
        Case {
            threads: threads.clamp(1, most),
            registers: self.below(most_registers + 1),
            static_bytes,
            dynamic_bytes: total - static_bytes,
            bytes_per_thread: [0, 4, 100, 700][self.below(4) as usize],
            carveout: match self.below(3) {
                0 => -1,
                _ => self.below(101) as i32,
            },
            cache: match major {
                3 => self.below(4),
                _ => 0,
            },
            opt_in: self.below(4) > 0,
            barriers: match self.below(2) {
                0 => 1,
                _ => self.below(17),
            },
        }
    }
}
