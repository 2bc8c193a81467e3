//! Calculator input of a measured kernel, and its results.

use ferrovox::{
    device::{Device, RecordedResources, recorded_kernel},
    occupancy::{
        BlockConfig, ComputeCapability, DeviceLimits, Gpu, HardwareModel, KernelResources, Limiter,
        Occupancy, OccupancyModel, Slack, best_block, slack,
    },
};

use crate::support::Outcome;

/// A kernel on a device.
#[derive(Clone)]
pub struct CalculatorInput {
    /// Name of the device whose occupancy is computed.
    pub device: String,
    pub model: HardwareModel,
    pub kernel: KernelResources,
    /// Recorded resource usage of the kernel, including spills.
    pub recorded: Option<RecordedResources>,
}

impl CalculatorInput {
    /// Describes a kernel of the library on `device`; on the CPU, `gpu_name` selects the GPU
    /// instead.
    pub fn new(device: &Device, kernel: &str, gpu_name: &str) -> Outcome<Self> {
        let compiled = device.kernel_resources(kernel)?;
        let (name, limits): (String, DeviceLimits) = match compiled {
            Some(_) => (device.name(), *device.limits()),
            None => {
                let gpu = Gpu::named(gpu_name)?;
                (gpu.name.to_owned(), gpu.limits())
            }
        };
        let capability = limits.capability.unwrap_or(ComputeCapability::new(9, 0));
        let recorded = recorded_kernel(kernel, capability)?.resources;
        Ok(Self {
            device: name,
            model: HardwareModel::new(limits),
            kernel: compiled.unwrap_or(recorded.into()),
            recorded: Some(recorded),
        })
    }

    /// Returns the registers per thread, if known.
    pub fn registers(&self) -> Option<u32> {
        Some(self.kernel.registers).filter(|&registers| registers > 0)
    }

    /// Returns the occupancy for a block configuration, or `None` if the device does not support
    /// it.
    pub fn occupancy(&self, threads: u32, dynamic_shared_bytes: u32) -> Option<Occupancy> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        self.model.occupancy(&self.kernel, &block).ok()
    }

    /// Returns the best block size without dynamic shared memory.
    pub fn best_block_size(&self) -> u32 {
        let largest = BlockConfig::new(self.model.device().threads_per_block);
        let best = best_block(&self.model, &self.kernel, &largest, |_| 0, |_| true);
        best.map_or(32, |best| best.threads)
    }

    /// Returns the calculator's explanation for a block configuration.
    pub fn explain(&self, threads: u32, dynamic_shared_bytes: u32) -> Vec<String> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        self.model.explain(&self.kernel, &block)
    }

    /// Returns the slack of every adjustable resource.
    pub fn slacks(&self, threads: u32, dynamic_shared_bytes: u32) -> Vec<(Limiter, Slack)> {
        let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared_bytes);
        let with_slack =
            |limiter| Some((limiter, slack(&self.model, &self.kernel, &block, limiter)?));
        Limiter::ALL.into_iter().filter_map(with_slack).collect()
    }
}
