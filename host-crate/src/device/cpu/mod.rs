//! The CPU as a device.

mod memory;

pub(super) use memory::CpuMemory;

use super::{DeviceError, Launch, LaunchOverride, Memory, choice::Choice, threads::thread_count};
use crate::{memory::system_memory, occupancy::DeviceLimits};
use memory::Pool;
use simt::Mode;
use std::sync::Arc;

/// How the CPU runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOptions {
    /// Fast, or checked with a seed for the order of blocks and threads.
    pub mode: Mode,
    /// Threads per block. One is fastest, since then no thread ever waits for another; more is for
    /// finding out whether a kernel is right.
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

    /// What a launch will be.
    pub fn choose(&self, launch: &Launch, launch_override: Option<&LaunchOverride>) -> Choice {
        Choice::on_cpu(&self.limits, self.options.block, launch, launch_override)
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

    /// Memory whose contents are unspecified (but initialised).
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

    /// Whether `bytes` more can be had. Systems promise more memory than they have, so asking for
    /// it proves nothing.
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

    /// That of the system, or what a control group and the process's limits leave of it.
    pub fn memory(&self) -> Memory {
        let memory = system_memory();
        Memory {
            free: memory.free,
            total: memory.total,
        }
    }
}
