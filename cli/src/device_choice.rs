//! `--device`.

use anyhow::Context;
use ferrovox::device::Device;
use std::{fmt, str::FromStr};

/// A device's name that could mean one; whether it exists is found out by [`open`](DeviceChoice::open).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice(String);

impl DeviceChoice {
    /// The device of that name.
    pub fn open(&self) -> anyhow::Result<Device> {
        Device::from_str(&self.0).with_context(|| format!("--device {}", self.0))
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    /// Looks at the words only: a device that makes sense but is not there is a failure, not a wrong usage.
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

#[cfg(test)]
mod tests {
    use super::*;

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
