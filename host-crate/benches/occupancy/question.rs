//! What the calculator says of a configuration that is measured.

use ferrovox::{
    device::{Device, RecordedResources, recorded_kernel},
    occupancy::{
        BlockConfig, ComputeCapability, DeviceLimits, Gpu, HardwareModel, KernelResources, Limiter,
        Occupancy, OccupancyModel, Slack, best_block, slack,
    },
};

use crate::support::Outcome;

/// A device and a kernel on it.
#[derive(Clone)]
pub struct Question {
    /// The device that the occupancy is of.
    pub device: String,
    pub model: HardwareModel,
    pub kernel: KernelResources,
    /// What is recorded of the kernel, with spills.
    pub recorded: Option<RecordedResources>,
}

impl Question {
    /// A kernel of the library on a device; for the CPU on a GPU that stands in for it.
    pub fn of(device: &Device, kernel: &str, stands_in: &str) -> Outcome<Self> {
        let own = device.kernel_resources(kernel)?;
        let (name, limits): (String, DeviceLimits) = match own {
            Some(_) => (device.name(), *device.limits()),
            None => {
                let gpu = Gpu::named(stands_in)?;
                (gpu.name.to_owned(), gpu.limits())
            }
        };
        let capability = limits.capability.unwrap_or(ComputeCapability::new(9, 0));
        let recorded = recorded_kernel(kernel, capability)?.resources;
        Ok(Self {
            device: name,
            model: HardwareModel::new(limits),
            kernel: own.unwrap_or(recorded.into()),
            recorded: Some(recorded),
        })
    }

    /// The kernel's registers, if they are known.
    pub fn registers(&self) -> Option<u32> {
        Some(self.kernel.registers).filter(|&registers| registers > 0)
    }

    /// The occupancy of a block, if the device can have it.
    pub fn occupancy(&self, threads: u32, dynamic_shared_bytes: u32) -> Option<Occupancy> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        self.model.occupancy(&self.kernel, &block).ok()
    }

    /// The best block size, without dynamic shared memory.
    pub fn best(&self) -> u32 {
        let largest = BlockConfig::new(self.model.device().threads_per_block);
        let best = best_block(&self.model, &self.kernel, &largest, |_| 0, |_| true);
        best.map_or(32, |best| best.threads)
    }

    /// The calculator's working.
    pub fn explain(&self, threads: u32, dynamic_shared_bytes: u32) -> Vec<String> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        self.model.explain(&self.kernel, &block)
    }

    /// The slack of every resource that has one.
    pub fn slacks(&self, threads: u32, dynamic_shared_bytes: u32) -> Vec<(Limiter, Slack)> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        let of = |limiter| Some((limiter, slack(&self.model, &self.kernel, &block, limiter)?));
        Limiter::ALL.into_iter().filter_map(of).collect()
    }
}
