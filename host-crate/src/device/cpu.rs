//! The CPU as a device.

use super::{DeviceError, Memory};
use crate::occupancy::DeviceLimits;
use memmap2::MmapMut;
use simt::Mode;

/// How the CPU runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOptions {
    /// Fast, or checked with a seed for the order of blocks and threads.
    pub mode: Mode,
    /// Threads per block. One is fastest, since then no thread ever waits for another; more is for finding out whether a
    /// kernel is right.
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
}

impl CpuDevice {
    pub fn new(options: CpuOptions) -> Self {
        let threads = rayon::current_num_threads();
        Self {
            options,
            limits: DeviceLimits::cpu(threads as u32),
        }
    }

    pub fn options(&self) -> CpuOptions {
        self.options
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
        let threads = rayon::current_num_threads();
        format!(
            "{}, {threads} thread{}",
            model.as_deref().unwrap_or(std::env::consts::ARCH),
            if threads == 1 { "" } else { "s" }
        )
    }

    pub fn memory(&self) -> Memory {
        let field = |text: &str, name: &str| -> Option<u64> {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace()
                .nth(1)?
                .parse::<u64>()
                .ok()
                .map(|kib| kib * 1024)
        };
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        Memory {
            free: field(&text, "MemAvailable:").unwrap_or(u64::MAX),
            total: field(&text, "MemTotal:").unwrap_or(u64::MAX),
        }
    }
}

/// Memory of the CPU as a device: zero at first, page by page when it is touched, aligned to a page.
pub(super) struct CpuMemory {
    map: Option<MmapMut>,
}

/// From this size on, memory is asked for in huge pages: one fault for 2 MiB instead of 512.
const HUGE_FROM: usize = 4 << 20;

impl CpuMemory {
    pub fn zeroed(device: &str, bytes: usize) -> Result<Self, DeviceError> {
        if bytes == 0 {
            return Ok(Self { map: None });
        }
        let map = MmapMut::map_anon(bytes).map_err(|_| {
            let memory = CpuDevice::new(CpuOptions::default()).memory();
            DeviceError::OutOfMemory {
                device: device.to_owned(),
                requested: bytes as u64,
                free: memory.free,
                total: memory.total,
            }
        })?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_FROM {
            // a wish: where the kernel has no huge pages, ordinary ones serve
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Self { map: Some(map) })
    }

    /// The first byte; dangling (but aligned) when the memory is empty.
    pub fn pointer(&self) -> *mut u8 {
        match &self.map {
            Some(map) => map.as_ptr().cast_mut(),
            None => std::ptr::without_provenance_mut(64),
        }
    }
}
