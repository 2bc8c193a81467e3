//! Choice of the block size of a launch.

use super::{DeviceError, Launch, LaunchOverride, LaunchPlan};
use crate::occupancy::{DeviceLimits, KernelResources, active_blocks, block_size_among};

/// Origin of a block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSizeSource {
    /// The occupancy calculator.
    Calculator,
    /// The program, on the CPU: [`CpuOptions::block`](super::CpuOptions).
    CpuOptions,
    /// A [`LaunchOverride`], or `FERROVOX_BLOCK`.
    LaunchOverride,
}

/// Grid and block of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaunchConfig {
    /// Threads per block.
    pub threads: u32,
    /// Blocks of the grid.
    pub blocks: u32,
    pub dynamic_shared_bytes: u32,
    /// Number of blocks that the device runs concurrently.
    pub resident_blocks: u32,
    /// Origin of `threads`.
    pub source: BlockSizeSource,
}

impl LaunchConfig {
    pub fn plan(&self) -> LaunchPlan {
        LaunchPlan {
            threads: self.threads,
            resident_blocks: self.resident_blocks,
        }
    }

    /// Chooses the blocks of a launch on the CPU: the calculator's choice, which is one thread,
    /// unless the program requests more.
    pub fn on_cpu(
        limits: &DeviceLimits,
        options_block: u32,
        launch: &Launch,
        launch_override: Option<&LaunchOverride>,
    ) -> Self {
        let (threads, source) = match (launch_override.and_then(|it| it.block), options_block) {
            (Some(most), _) => (
                launch.largest_block_up_to(most),
                BlockSizeSource::LaunchOverride,
            ),
            (None, 1) => (
                max_occupancy_block(limits, &KernelResources::new(0), launch, 0),
                BlockSizeSource::Calculator,
            ),
            (None, block) => (
                block.min(launch.max_threads()).max(launch.min_threads()),
                BlockSizeSource::CpuOptions,
            ),
        };
        Self {
            threads,
            blocks: launch.blocks(threads),
            dynamic_shared_bytes: dynamic_shared(launch, threads, launch_override),
            resident_blocks: limits.multiprocessors,
            source,
        }
    }

    /// Chooses the blocks of a launch on a GPU.
    ///
    /// # Errors
    /// [`DeviceError::NoRoom`] if no block of the size requested by a launch override can run.
    pub fn on_gpu(
        limits: &DeviceLimits,
        entry: &str,
        kernel: &KernelResources,
        launch: &Launch,
        launch_override: Option<&LaunchOverride>,
    ) -> Result<Self, DeviceError> {
        let extra = launch_override.map_or(0, |it| it.extra_shared_bytes);
        let (threads, source) = match launch_override.and_then(|it| it.block) {
            Some(most) => (
                launch.largest_block_up_to(most),
                BlockSizeSource::LaunchOverride,
            ),
            None => (
                max_occupancy_block(limits, kernel, launch, extra),
                BlockSizeSource::Calculator,
            ),
        };
        let dynamic_shared_bytes = dynamic_shared(launch, threads, launch_override);
        let active = active_blocks(limits, kernel, threads, dynamic_shared_bytes);
        if active == 0 && launch_override.is_some() {
            return Err(DeviceError::NoRoom {
                kernel: entry.to_owned(),
                threads,
                registers: kernel.registers,
                max_threads: kernel.max_threads,
                shared_bytes: u64::from(kernel.static_shared_bytes)
                    + u64::from(dynamic_shared_bytes),
            });
        }
        Ok(Self {
            threads,
            blocks: launch.blocks(threads),
            dynamic_shared_bytes,
            resident_blocks: active.max(1) * limits.multiprocessors,
            source,
        })
    }
}

/// Returns the block size with the highest occupancy that the launch permits, at least its minimum.
fn max_occupancy_block(
    limits: &DeviceLimits,
    kernel: &KernelResources,
    launch: &Launch,
    extra: u32,
) -> u32 {
    block_size_among(
        limits,
        kernel,
        launch.largest_block(),
        |threads| launch.dynamic_shared(threads).saturating_add(extra),
        |threads| launch.allows_threads(threads),
    )
    .max(launch.min_threads())
}

fn dynamic_shared(launch: &Launch, threads: u32, launch_override: Option<&LaunchOverride>) -> u32 {
    let extra = launch_override.map_or(0, |it| it.extra_shared_bytes);
    launch.dynamic_shared(threads).saturating_add(extra)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::Gpu;

    fn block(threads: u32) -> LaunchOverride {
        LaunchOverride {
            block: Some(threads),
            ..LaunchOverride::default()
        }
    }

    #[test]
    fn launch_override_is_limited_by_the_launch() {
        let h200 = Gpu::named("H200").unwrap().limits();
        let kernel = KernelResources::new(32).with_max_threads(1024);
        let threads = |launch: Launch, asked: u32| {
            let choice =
                LaunchConfig::on_gpu(&h200, "k", &kernel, &launch, Some(&block(asked))).unwrap();
            assert_eq!(choice.source, BlockSizeSource::LaunchOverride);
            choice.threads
        };
        assert_eq!(threads(Launch::pieces(5), 193), 193);
        assert_eq!(
            threads(Launch::pieces(5).max_threads_per_block(128), 193),
            128
        );
        assert_eq!(
            threads(Launch::pieces(5).exact_threads_per_block(256), 193),
            256
        );
        assert_eq!(
            threads(Launch::pieces(5).exact_threads_per_block(256), 900),
            256
        );
        assert_eq!(threads(Launch::pieces(5).block_divides(256), 193), 128);
        assert_eq!(threads(Launch::pieces(5).block_divides(64), 1000), 64);
        assert_eq!(threads(Launch::warp_pieces(5), 193), 192, "whole warps");
        assert_eq!(threads(Launch::warp_pieces(5), 20), 20);
    }

    #[test]
    fn block_that_cannot_run_is_an_error() {
        let h200 = Gpu::named("H200").unwrap().limits();
        let kernel = KernelResources::new(80).with_max_threads(768);
        let config = |launch_override: &LaunchOverride| {
            LaunchConfig::on_gpu(
                &h200,
                "greedy",
                &kernel,
                &Launch::pieces(5),
                Some(launch_override),
            )
        };
        let error = config(&block(1024)).unwrap_err().to_string();
        for fact in ["greedy", "1024", "80", "768"] {
            assert!(error.contains(fact), "{error}");
        }
        assert!(config(&block(768)).is_ok());
        let padded = LaunchOverride {
            extra_shared_bytes: 100_000,
            ..block(128)
        };
        let choice = config(&padded).unwrap();
        assert_eq!(choice.dynamic_shared_bytes, 100_000);
        assert_eq!(choice.resident_blocks, 2 * 132);
    }

    #[test]
    fn calculator_decides_without_an_override() {
        let h200 = Gpu::named("H200").unwrap().limits();
        let kernel = KernelResources::new(40).with_max_threads(1024);
        let launch = Launch::pieces(5).dynamic_shared_bytes_per_thread(100);
        let choice = LaunchConfig::on_gpu(&h200, "k", &kernel, &launch, None).unwrap();
        assert_eq!(
            (choice.threads, choice.source),
            (768, BlockSizeSource::Calculator)
        );
        assert_eq!(choice.dynamic_shared_bytes, 76_800);
        let cpu = DeviceLimits::cpu(3);
        let choice = LaunchConfig::on_cpu(&cpu, 1, &launch, None);
        assert_eq!(
            (choice.threads, choice.source),
            (1, BlockSizeSource::Calculator)
        );
        for options_block in [1, 64, 500] {
            let launch = launch.exact_threads_per_block(96);
            assert_eq!(
                LaunchConfig::on_cpu(&cpu, options_block, &launch, None).threads,
                96
            );
        }
        let choice = LaunchConfig::on_cpu(&cpu, 64, &launch.max_threads_per_block(32), None);
        assert_eq!(
            (choice.threads, choice.source),
            (32, BlockSizeSource::CpuOptions)
        );
    }
}
