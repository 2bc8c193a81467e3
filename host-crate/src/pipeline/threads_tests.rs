//! Pipelines on a system that cannot create threads.

use super::{
    VolumeSource,
    info::{self, InfoJob},
};
use crate::{device::Device, monitor::Monitor};
use std::process::Command;

/// Environment variable that marks the child process, which cannot create threads.
const CHILD: &str = "FERROVOX_TEST_WITHOUT_THREADS";

#[test]
fn missing_threads_are_an_error_of_pipelines_and_streams() {
    if std::env::var_os(CHILD).is_some() {
        let job = InfoJob {
            source: VolumeSource::new("nothing.npy"),
            statistics: true,
            ..InfoJob::default()
        };
        println!("{}", info::run(&job, &Monitor::new()).unwrap_err());
        println!("{}", Device::cpu().stream().err().unwrap());
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .arg("missing_threads_are_an_error_of_pipelines_and_streams")
        .args(["--nocapture", "--test-threads=1"])
        // stack size that no machine can provide
        .env("RUST_MIN_STACK", (1_u64 << 56).to_string())
        .env(CHILD, "")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    let errors = text
        .matches("the system cannot create more threads")
        .count();
    assert_eq!(
        errors,
        2,
        "{text} {}",
        String::from_utf8_lossy(&child.stderr)
    );
}
