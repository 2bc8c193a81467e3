//! The devices that a test runs on.

use ferrovox::device::{CpuOptions, Device};
use simt::Mode;

/// A device, and how it is set up.
pub struct TestDevice {
    /// For messages: `cpu`, `cpu checked, blocks of 64`, `cuda:0`.
    pub label: String,
    /// The device.
    pub device: Device,
}

/// The CPU as users have it, the CPU in checked mode with blocks of several sizes, and every CUDA
/// device present.
///
/// A machine without a GPU says so on stderr, so that a log shows what was tested.
pub fn all() -> Vec<TestDevice> {
    let mut devices = fast();
    for (block, seed) in [(1, 11), (64, 12), (100, 13)] {
        let options = CpuOptions {
            mode: Mode::Checked { seed },
            block,
        };
        devices.push(TestDevice {
            label: format!("cpu checked, blocks of {block}"),
            device: Device::cpu_with(options),
        });
    }
    devices
}

/// The CPU as users have it, and every CUDA device present: for what would take checked mode too
/// long.
pub fn fast() -> Vec<TestDevice> {
    let mut devices = vec![TestDevice {
        label: "cpu".into(),
        device: Device::cpu(),
    }];
    match Device::cuda_count() {
        Ok(count) => {
            for index in 0..count {
                let device = Device::cuda(index).expect("a device that was counted opens");
                devices.push(TestDevice {
                    label: device.id(),
                    device,
                });
            }
        }
        Err(error) => eprintln!("no CUDA device is tested: {error}"),
    }
    devices
}
