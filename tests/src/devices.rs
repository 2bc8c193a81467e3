//! Devices on which tests run.

use ferrovox::device::{CpuOptions, Device};
use simt::Mode;

/// Device with its configuration.
pub struct TestDevice {
    /// Name for messages: `cpu`, `cpu checked, blocks of 64`, `cuda:0`.
    pub label: String,
    /// Device.
    pub device: Device,
}

/// Returns the CPU as users have it, the CPU in checked mode with several block sizes, and every
/// CUDA device present.
///
/// Prints a message to stderr if the machine has no GPU, so that a log shows what was tested.
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

/// Returns the CPU as users have it, and every CUDA device present: for tests that would take too
/// long in checked mode.
pub fn fast() -> Vec<TestDevice> {
    let mut devices = vec![TestDevice {
        label: "cpu".into(),
        device: Device::cpu(),
    }];
    match Device::cuda_count() {
        Ok(count) => {
            for index in 0..count {
                let device = Device::cuda(index).expect("counted devices can be opened");
                devices.push(TestDevice {
                    label: device.id(),
                    device,
                });
            }
        }
        Err(error) => eprintln!("CUDA devices are not tested: {error}"),
    }
    devices
}
