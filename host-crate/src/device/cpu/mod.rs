//! The CPU as a device.

mod memory;

pub(super) use memory::{CpuMemory, MAX_ELEMENT_ALIGN, MIN_FOREIGN_ALIGN};

use super::{
    DeviceError, Launch, LaunchOverride, Memory, launch_config::LaunchConfig, threads::thread_count,
};
use crate::{memory::system_memory, occupancy::DeviceLimits};
use memory::Pool;
use simt::Mode;
use std::sync::Arc;

/// Options of the execution of kernels on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOptions {
    /// Execution mode: fast, or checked with a seed for the order of blocks and threads.
    pub mode: Mode,
    /// Threads per block. 1 is fastest, since no thread ever waits for another; more serve to test
    /// kernels.
    pub block: u32,
}

impl Default for CpuOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Fast,
            block: 1,
        }
    }
}

pub(super) struct CpuDevice {
    options: CpuOptions,
    limits: DeviceLimits,
    pool: Arc<Pool>,
}

impl CpuDevice {
    pub fn new(options: CpuOptions) -> Self {
        let threads = thread_count();
        Self {
            options,
            limits: DeviceLimits::cpu(threads as u32),
            pool: Arc::default(),
        }
    }

    pub fn options(&self) -> CpuOptions {
        self.options
    }

    /// Chooses the blocks of a launch.
    pub fn launch_config(
        &self,
        launch: &Launch,
        launch_override: Option<&LaunchOverride>,
    ) -> LaunchConfig {
        LaunchConfig::on_cpu(&self.limits, self.options.block, launch, launch_override)
    }

    pub fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    pub fn name(&self) -> String {
        let model = std::fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| {
                let line = text.lines().find(|line| line.starts_with("model name"))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            });
        let threads = thread_count();
        format!(
            "{}, {threads} thread{}",
            model.as_deref().unwrap_or(std::env::consts::ARCH),
            if threads == 1 { "" } else { "s" }
        )
    }

    /// Returns the freed memory that the device keeps for reuse to the system.
    pub fn release_cached_memory(&self) {
        self.pool.clear();
    }

    /// Returns the number of bytes that the device keeps for reuse.
    #[cfg(test)]
    pub fn cached_bytes(&self) -> u64 {
        self.pool.bytes()
    }

    /// Allocates memory with unspecified, initialised contents.
    pub fn alloc(&self, bytes: usize) -> Result<CpuMemory, DeviceError> {
        CpuMemory::new(&self.pool, bytes).ok_or_else(|| {
            let Memory { free, total } = self.memory();
            DeviceError::OutOfMemory {
                device: "cpu".to_owned(),
                requested: bytes as u64,
                free,
                total,
            }
        })
    }

    /// Checks that `bytes` more bytes are available. An allocation alone is no proof, since systems
    /// overcommit.
    pub fn require(&self, bytes: u64) -> Result<(), DeviceError> {
        let Memory { free, total } = self.memory();
        let free = free.saturating_add(self.pool.bytes());
        if free >= bytes {
            return Ok(());
        }
        Err(DeviceError::OutOfMemory {
            device: "cpu".to_owned(),
            requested: bytes,
            free,
            total,
        })
    }

    /// Returns the memory of the system, as limited by control groups and process limits.
    pub fn memory(&self) -> Memory {
        let memory = system_memory();
        Memory {
            free: memory.free,
            total: memory.total,
        }
    }
}
