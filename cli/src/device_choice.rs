//! `--device`.

use anyhow::Context;
use ferrovox::{device::Device, pipeline::VolumeSource};
use std::{fmt, str::FromStr};

/// A device's name that could mean one; whether it exists is found out by
/// [`open`](DeviceChoice::open).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice(String);

impl DeviceChoice {
    /// The device of that name.
    pub fn open(&self) -> anyhow::Result<Device> {
        Device::from_str(&self.0).with_context(|| format!("--device {}", self.0))
    }

    /// The source of a volume that is read while this device is opened, which takes a driver some
    /// tenths of a second.
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

    /// Looks at the words only: a device that makes sense but is not there is a failure, not a
    /// wrong usage.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text
            .strip_prefix("cuda:")
            .map(|index| index.parse::<usize>());
        if matches!(text, "auto" | "cpu" | "cuda") || matches!(number, Some(Ok(_))) {
            Ok(Self(text.to_owned()))
        } else {
            Err(
                "use auto, cpu, cuda or cuda:0 (cuda:1, …); `ferrovox devices` lists what there is"
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

/// Several devices, or one: names with commas between them. After `cuda:0` a number alone is a CUDA
/// device too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceList(Vec<Named>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    One(DeviceChoice),
    /// Every CUDA device there is.
    AllCuda,
}

impl DeviceList {
    /// The devices for work that may need none: then those that the user names, which must be
    /// there, and `auto` is nothing.
    pub fn open_if(&self, is_needed: bool) -> anyhow::Result<Vec<Device>> {
        let is_auto = matches!(&self.0[..], [Named::One(choice)] if choice.0 == "auto");
        if is_auto && !is_needed {
            Ok(Vec::new())
        } else {
            self.open()
        }
    }

    /// [The same](DeviceChoice::read_ahead) for these devices.
    pub fn read_ahead(&self, source: VolumeSource) -> VolumeSource {
        match &self.0[..] {
            [Named::One(choice)] => choice.read_ahead(source),
            _ => source.read_ahead(),
        }
    }

    /// The devices of these names.
    pub fn open(&self) -> anyhow::Result<Vec<Device>> {
        let mut devices = Vec::new();
        for named in &self.0 {
            match named {
                Named::One(choice) => devices.push(choice.open()?),
                Named::AllCuda => {
                    let count = Device::cuda_count().context("--device cuda:all")?;
                    // none is an error that says so
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
                devices.push(Named::AllCuda);
                continue;
            }
            let is_number = name.parse::<usize>().is_ok();
            let choice = if is_number && after_cuda {
                format!("cuda:{name}").parse()
            } else {
                name.parse()
            };
            after_cuda = is_number && after_cuda || name.starts_with("cuda:");
            devices.push(Named::One(choice.map_err(|problem: String| {
                format!("{problem}; several as cuda:0,1 or cuda:all")
            })?));
        }
        Ok(Self(devices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_devices() {
        let names = |text: &str| -> Vec<String> {
            let list = text.parse::<DeviceList>().unwrap();
            let name = |named: &Named| match named {
                Named::One(choice) => choice.to_string(),
                Named::AllCuda => "all".to_owned(),
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
    fn words_that_could_be_a_device() {
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
