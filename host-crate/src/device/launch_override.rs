//! Overrides of the block sizes that the calculator chooses, for measurements.

use super::{DeviceError, recorded_resources};
use crate::occupancy::{DeviceLimits, OccupancyError};
use simt::MAX_BLOCK_THREADS;
use std::collections::BTreeSet;

/// Environment variable with a block size for all launches.
const BLOCK: &str = "FERROVOX_BLOCK";

/// An override of the launches of a device, until
/// [`Device::set_launch_override`](super::Device::set_launch_override) is called again. Results do
/// not change: kernels work with blocks of any size.
///
/// A launch that restricts its block size uses the largest permitted size up to the requested one;
/// the size used is [recorded](super::Device::record_launches). If no block of that size can run
/// for lack of registers or shared memory, the launch is an error.
///
/// ```
/// use ferrovox::device::{Device, LaunchOverride};
///
/// let device = Device::cpu();
/// device.set_launch_override(LaunchOverride { block: Some(96), ..LaunchOverride::default() })?;
/// let error = device.set_launch_override(LaunchOverride { block: Some(0),
///     ..LaunchOverride::default() });
/// assert!(error.unwrap_err().to_string().contains("1 to 1024"));
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchOverride {
    /// Entry point of the kernel that the override applies to; `None` for all kernels.
    pub kernel: Option<String>,
    /// Threads per block; `FERROVOX_BLOCK` sets it for the devices of a process.
    pub block: Option<u32>,
    /// Maximum number of registers per thread, for which the driver recompiles the kernel. Ignored
    /// on the CPU.
    pub max_registers: Option<u32>,
    /// Unused dynamic shared memory per block in bytes, which reduces the number of resident
    /// blocks.
    pub extra_shared_bytes: u32,
}

impl LaunchOverride {
    /// Returns `true` if nothing is overridden.
    pub fn is_none(&self) -> bool {
        *self
            == Self {
                kernel: self.kernel.clone(),
                ..Self::default()
            }
    }

    /// Returns `true` if the override applies to this kernel.
    pub(super) fn is_about(&self, entry: &str) -> bool {
        self.kernel.as_deref().is_none_or(|kernel| kernel == entry)
    }

    /// Reads the override of the environment.
    pub(super) fn from_environment() -> Result<Self, DeviceError> {
        let Some(text) = std::env::var_os(BLOCK) else {
            return Ok(Self::default());
        };
        let text = text.to_string_lossy();
        let block = text.parse().map_err(|_| DeviceError::Variable {
            name: BLOCK,
            text: text.clone().into_owned(),
            wanted: format!("a number of threads from 1 to {MAX_BLOCK_THREADS}"),
        })?;
        Ok(Self {
            block: Some(block),
            ..Self::default()
        })
    }

    /// Fails for values that no launch on the device can have.
    pub(super) fn check(&self, limits: &DeviceLimits) -> Result<(), DeviceError> {
        let is_gpu = limits.capability.is_some();
        let max = if is_gpu {
            limits.threads_per_block
        } else {
            MAX_BLOCK_THREADS
        };
        if let Some(threads) = self.block
            && !(1..=max).contains(&threads)
        {
            return Err(OccupancyError::BlockSize { threads, max }.into());
        }
        if let Some(registers) = self.max_registers
            && is_gpu
            && !(1..=limits.registers_per_thread).contains(&registers)
        {
            let max = limits.registers_per_thread;
            return Err(OccupancyError::Registers { registers, max }.into());
        }
        let max = limits
            .shared_bytes_per_block_opt_in
            .min(simt::MAX_DYNAMIC_SHARED_BYTES);
        if self.extra_shared_bytes > max {
            return Err(OccupancyError::SharedMemory {
                bytes: self.extra_shared_bytes.into(),
                static_bytes: 0,
                dynamic_bytes: self.extra_shared_bytes,
                max,
                max_opt_in: max,
            }
            .into());
        }
        self.kernel.as_deref().map_or(Ok(()), check_kernel)
    }
}

/// Fails for a kernel that this library does not have.
fn check_kernel(name: &str) -> Result<(), DeviceError> {
    let arches = recorded_resources().values();
    let known: BTreeSet<&str> = arches
        .flat_map(|kernels| kernels.keys().map(String::as_str))
        .collect();
    if known.contains(name) {
        return Ok(());
    }
    Err(OccupancyError::unknown_kernel(name, known.into_iter()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::Gpu;

    #[test]
    fn impossible_launch_overrides_are_errors() {
        let h200 = Gpu::named("H200").unwrap().limits();
        let none = LaunchOverride::default;
        for (launch_override, fact) in [
            (
                LaunchOverride {
                    block: Some(1025),
                    ..none()
                },
                "1025",
            ),
            (
                LaunchOverride {
                    block: Some(0),
                    ..none()
                },
                "1 to 1024",
            ),
            (
                LaunchOverride {
                    max_registers: Some(256),
                    ..none()
                },
                "255",
            ),
            (
                LaunchOverride {
                    extra_shared_bytes: 300_000,
                    ..none()
                },
                "300000",
            ),
            (
                LaunchOverride {
                    kernel: Some("fill_spere".into()),
                    ..none()
                },
                "did you mean fill_sphere",
            ),
        ] {
            let error = launch_override.check(&h200).unwrap_err().to_string();
            assert!(error.contains(fact), "{fact}: {error}");
            assert!(!launch_override.is_none() || launch_override.kernel.is_some());
        }
        let fine = LaunchOverride {
            kernel: Some("fill_sphere".into()),
            block: Some(1024),
            max_registers: Some(32),
            extra_shared_bytes: 1000,
        };
        assert!(fine.check(&h200).is_ok());
        assert!(fine.check(&DeviceLimits::cpu(2)).is_ok());
        assert!(
            fine.is_about("fill_sphere") && !fine.is_about("fill_gyroid") && none().is_about("any")
        );
    }
}
