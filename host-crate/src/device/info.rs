//! Descriptions of devices that are not opened.

use super::{Device, DeviceKind, Memory, cuda::CudaDevice};

/// Description of a device of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Name that selects the device: `cpu`, `cuda:0`.
    pub id: String,
    /// Product name.
    pub name: String,
    /// Kind of the device.
    pub kind: DeviceKind,
    /// Number of multiprocessors of a GPU, or of threads of the CPU.
    pub multiprocessors: u32,
    /// Memory of the device; `None` if the system does not report it.
    pub memory: Option<Memory>,
}

impl DeviceInfo {
    /// Describes the devices that [`Device::all`] opens, in the same order. A CUDA device is opened
    /// only if the driver does not report otherwise whether it is usable and its free memory,
    /// because opening takes some tenths of a second.
    ///
    /// ```
    /// use ferrovox::device::DeviceInfo;
    ///
    /// for device in DeviceInfo::all() {
    ///     println!("{}: {}", device.id, device.name);
    /// }
    /// ```
    pub fn all() -> Vec<Self> {
        let count = CudaDevice::count().unwrap_or(0);
        let cuda = (0..count).filter_map(Self::from_cuda_device);
        let cpu = cfg!(feature = "cpu").then(|| Self::from_device(&Device::cpu()));
        cuda.chain(cpu).collect()
    }

    /// Describes a CUDA device, or returns `None` if it cannot be opened.
    fn from_cuda_device(index: usize) -> Option<Self> {
        let Some(properties) = CudaDevice::properties(index) else {
            return Device::cuda(index).ok().as_ref().map(Self::from_device);
        };
        Some(Self {
            id: format!("cuda:{index}"),
            name: properties.name,
            kind: DeviceKind::Cuda,
            multiprocessors: properties.multiprocessors,
            memory: Some(properties.memory),
        })
    }

    /// Describes an open device.
    fn from_device(device: &Device) -> Self {
        // The CPU reports u64::MAX if the system does not report its memory.
        let memory = device.memory().ok();
        Self {
            id: device.id(),
            name: device.name(),
            kind: device.kind(),
            multiprocessors: device.limits().multiprocessors,
            memory: memory.filter(|memory| memory.total != u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_those_of_the_open_devices() {
        let fixed = |it: DeviceInfo| {
            let total = it.memory.map(|memory| memory.total);
            (it.id, it.name, it.kind, it.multiprocessors, total)
        };
        let described: Vec<_> = DeviceInfo::all().into_iter().map(fixed).collect();
        let opened = Device::all();
        let opened: Vec<_> = opened
            .iter()
            .map(|device| fixed(DeviceInfo::from_device(device)))
            .collect();
        assert_eq!(described, opened);
    }
}
