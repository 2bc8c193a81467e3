//! The `--device` option.

use anyhow::Context;
use ferrovox::{device::Device, pipeline::VolumeSource};
use std::{env, fmt, str::FromStr};

/// Environment variable of the CUDA driver: number of hardware queues of a device.
const QUEUES: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Limits the CUDA driver to one hardware queue, unless the environment sets a number: a command
/// has few streams, and a context with one queue is created and released faster than with the
/// default of eight. Must be called before other threads are started.
pub fn configure_driver() {
    if env::var_os(QUEUES).is_none() {
        // SAFETY: the process has one thread so far, so none reads the environment.
        unsafe { env::set_var(QUEUES, "1") };
    }
}

/// Syntactically valid device name; [`open`](DeviceChoice::open) checks that the device exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice(String);

impl DeviceChoice {
    /// Opens the device.
    pub fn open(&self) -> anyhow::Result<Device> {
        Device::from_str(&self.0).with_context(|| format!("--device {}", self.0))
    }

    /// Reads the volume while the device is being opened, which takes a driver some tenths of a
    /// second. The CPU opens at once, and the source is then returned as it is.
    pub fn read_ahead(&self, source: VolumeSource) -> VolumeSource {
        if self.0 == "cpu" {
            source
        } else {
            source.read_ahead()
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    /// Checks the syntax only: a missing device is a failure, not a usage error.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text
            .strip_prefix("cuda:")
            .map(|index| index.parse::<usize>());
        if matches!(text, "auto" | "cpu" | "cuda") || matches!(number, Some(Ok(_))) {
            Ok(Self(text.to_owned()))
        } else {
            Err(
                "use auto, cpu, cuda or cuda:0 (cuda:1, …); `ferrovox devices` lists the available ones"
                    .to_owned(),
            )
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Comma-separated device names. A number after `cuda:0` is a CUDA device too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceList(Vec<DeviceEntry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum DeviceEntry {
    Single(DeviceChoice),
    /// All CUDA devices.
    AllCuda,
}

impl DeviceList {
    /// Opens the devices for work that may not need any. If `is_needed` is `false`, devices that
    /// the user names must still exist, and `auto` opens none.
    pub fn open_if(&self, is_needed: bool) -> anyhow::Result<Vec<Device>> {
        let is_auto = matches!(&self.0[..], [DeviceEntry::Single(choice)] if choice.0 == "auto");
        if is_auto && !is_needed {
            Ok(Vec::new())
        } else {
            self.open()
        }
    }

    /// Reads the volume while these devices are being opened.
    pub fn read_ahead(&self, source: VolumeSource) -> VolumeSource {
        match &self.0[..] {
            [DeviceEntry::Single(choice)] => choice.read_ahead(source),
            _ => source.read_ahead(),
        }
    }

    /// Opens the devices.
    pub fn open(&self) -> anyhow::Result<Vec<Device>> {
        let mut devices = Vec::new();
        for entry in &self.0 {
            match entry {
                DeviceEntry::Single(choice) => devices.push(choice.open()?),
                DeviceEntry::AllCuda => {
                    let count = Device::cuda_count().context("--device cuda:all")?;
                    // Opening device 0 reports the error if there is none.
                    for index in 0..count.max(1) {
                        devices.push(Device::cuda(index).context("--device cuda:all")?);
                    }
                }
            }
        }
        Ok(devices)
    }
}

impl FromStr for DeviceList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut devices = Vec::new();
        let mut after_cuda = false;
        for name in text.split(',').map(str::trim) {
            if name == "cuda:all" {
                devices.push(DeviceEntry::AllCuda);
                continue;
            }
            let is_number = name.parse::<usize>().is_ok();
            let choice = if is_number && after_cuda {
                format!("cuda:{name}").parse()
            } else {
                name.parse()
            };
            after_cuda = is_number && after_cuda || name.starts_with("cuda:");
            devices.push(DeviceEntry::Single(choice.map_err(|problem: String| {
                format!("{problem}; for several devices use cuda:0,1 or cuda:all")
            })?));
        }
        Ok(Self(devices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_devices_are_parsed() {
        let names = |text: &str| -> Vec<String> {
            let list = text.parse::<DeviceList>().unwrap();
            let name = |entry: &DeviceEntry| match entry {
                DeviceEntry::Single(choice) => choice.to_string(),
                DeviceEntry::AllCuda => "all".to_owned(),
            };
            list.0.iter().map(name).collect()
        };
        assert_eq!(names("auto"), ["auto"]);
        assert_eq!(names("cpu,cpu"), ["cpu", "cpu"]);
        assert_eq!(names("cuda:0,1, 3"), ["cuda:0", "cuda:1", "cuda:3"]);
        assert_eq!(names("cuda:2,cpu,cuda"), ["cuda:2", "cpu", "cuda"]);
        assert_eq!(names("cuda:all,cpu"), ["all", "cpu"]);
        for text in ["", "0,1", "cpu,", "cuda:0,cpu,1", "cuda:0,-1", "cuda:all,1"] {
            let problem = text.parse::<DeviceList>().unwrap_err();
            assert!(problem.contains("cuda:all"), "{text}");
        }
    }

    #[test]
    fn device_names_are_checked_for_syntax() {
        for text in ["auto", "cpu", "cuda", "cuda:0", "cuda:17"] {
            assert_eq!(text.parse::<DeviceChoice>().unwrap().to_string(), text);
        }
        for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU"] {
            assert!(
                text.parse::<DeviceChoice>().unwrap_err().contains("cuda:0"),
                "{text}"
            );
        }
    }
}
