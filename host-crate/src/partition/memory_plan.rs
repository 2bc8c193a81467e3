//! Estimates of memory, the plan that fits it, and the procedure after a failed allocation.
//!
//! All algorithms follow one procedure, on one device or on several:
//!
//! 1. **Estimate.** [`MemoryEstimate`] holds the bytes that the computation needs on the host and
//!    on its devices, from the sizes of its input. It is compared with the job's limit, or with
//!    the memory that is free.
//! 2. **Plan.** [`MemoryPlan`] is the result: in core, in parts, or streamed.
//! 3. **Retry.** The allocator of a device frees its pools and retries a failed allocation once.
//!    If memory still runs out, [`none_if_out_of_memory`] hands over to the next smaller plan, if
//!    the algorithm has one: the mesh of a volume on a device is extracted in parts, a volume is
//!    streamed, a piece of a slab is halved ([`within_budget`](super::budget::within_budget)), a
//!    skeleton's geodesics are computed on the host. Otherwise the error is returned.
//!
//! Every plan produces the same result.

use crate::device::{Device, DeviceError, DeviceKind};

/// A way of dividing a computation, from the fastest to the one that needs least memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryPlan {
    /// The input and the result are in memory as a whole.
    InCore,
    /// The input is in memory as a whole, and the result is computed in parts.
    InParts,
    /// Only parts of the input and of the result are in memory.
    Streamed,
}

/// Bytes that a computation is estimated to need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryEstimate {
    /// Bytes of the host's memory.
    pub host: u64,
    /// Bytes of device memory, of all devices together.
    pub device: u64,
}

impl MemoryEstimate {
    /// Returns the bytes needed in the memory that needs most: the host's, which the CPU as a
    /// device shares, or one device's.
    pub fn in_one_memory(self, devices: &[Device]) -> u64 {
        if devices.iter().any(is_cpu) {
            self.host.saturating_add(self.device)
        } else {
            self.host.max(self.device)
        }
    }

    /// Returns `true` if the estimate exceeds the free memory of the host or of a device. Devices
    /// have equal shares; a device that is named several times has several.
    ///
    /// # Errors
    /// Errors of the driver when it is queried for its free memory.
    pub fn exceeds_free(self, devices: &[Device]) -> Result<bool, DeviceError> {
        let share = self.device / devices.len().max(1) as u64;
        let shares_on_host = devices.iter().filter(|device| is_cpu(device)).count() as u64;
        let on_host = self
            .host
            .saturating_add(share.saturating_mul(shares_on_host));
        if on_host > Device::cpu().memory()?.free {
            return Ok(true);
        }
        for device in devices.iter().filter(|device| !is_cpu(device)) {
            let shares = devices.iter().filter(|other| other.id() == device.id());
            if share.saturating_mul(shares.count() as u64) > device.memory()?.free {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_cpu(device: &Device) -> bool {
    device.kind() == DeviceKind::Cpu
}

/// Errors that may be caused by a lack of memory.
pub(crate) trait MemoryError {
    /// Returns `true` if an allocation on the host or on a device failed, however deep that error
    /// is nested.
    fn is_out_of_memory(&self) -> bool;
}

impl MemoryError for DeviceError {
    fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. } | Self::HostMemory(_))
    }
}

/// Returns `None` if an attempt ran out of memory, so that the caller continues with a smaller
/// plan. Other errors are passed on.
pub(crate) fn none_if_out_of_memory<T, E: MemoryError>(
    attempt: Result<T, E>,
) -> Result<Option<T>, E> {
    match attempt {
        Ok(result) => Ok(Some(result)),
        Err(error) if error.is_out_of_memory() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::OutOfMemory;

    const LACK: OutOfMemory = OutOfMemory {
        purpose: "a list",
        bytes: 8,
    };

    #[test]
    fn only_a_lack_of_memory_leads_to_a_smaller_plan() {
        let attempt = |error: Option<DeviceError>| none_if_out_of_memory(error.map_or(Ok(1), Err));
        assert_eq!(attempt(None).unwrap(), Some(1));
        assert_eq!(attempt(Some(LACK.into())).unwrap(), None);
        let too_large = DeviceError::TooLarge { len: 1, size: 1 };
        assert!(attempt(Some(too_large)).is_err());
    }

    #[test]
    fn the_cpu_as_a_device_shares_the_memory_of_the_host() {
        let estimate = MemoryEstimate { host: 3, device: 5 };
        assert_eq!(estimate.in_one_memory(&[Device::cpu()]), 8);
        assert_eq!(estimate.in_one_memory(&[]), 5);
    }

    #[test]
    fn devices_have_equal_shares_of_the_free_memory() {
        let devices = [Device::cpu(), Device::cpu()];
        let bytes = |host, device| MemoryEstimate { host, device };
        assert!(!bytes(0, 2).exceeds_free(&devices).unwrap());
        assert!(bytes(0, u64::MAX).exceeds_free(&devices).unwrap());
        assert!(bytes(u64::MAX, 0).exceeds_free(&[]).unwrap());
    }
}
