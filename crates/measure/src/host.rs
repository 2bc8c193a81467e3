//! Description of the machine on which a benchmark runs.

use serde::Serialize;

/// Properties of the machine that affect measurements.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Host {
    /// Name of the processor, if the system reports it.
    pub cpu: Option<String>,
    /// Number of threads available to this process.
    pub threads: usize,
    /// Version of NVIDIA's kernel driver, if one is loaded.
    pub driver: Option<String>,
}

impl Host {
    /// Reads the description of this machine.
    pub fn current() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let driver = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
        Self {
            cpu: cpuinfo
                .lines()
                .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
                .map(|(_, name)| name.trim().to_owned()),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            driver: driver
                .split_whitespace()
                .find(|word| {
                    word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.')
                })
                .map(str::to_owned),
        }
    }
}
