//! The machine that a report is from.

use serde::Serialize;

/// What a reader must know of the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Host {
    /// The processor's name, if the system tells it.
    pub cpu: Option<String>,
    /// Threads that this process may use.
    pub threads: usize,
    /// The version of NVIDIA's kernel driver, if there is one.
    pub driver: Option<String>,
}

impl Host {
    /// This machine.
    pub fn this() -> Self {
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
