//! `ferrovox devices`.

use crate::support::Folder;

#[test]
fn cpu_is_always_listed() {
    let folder = Folder::new();
    let run = folder.run("devices").ok();
    assert!(
        run.stdout.lines().any(|line| line.starts_with("cpu ")),
        "{}",
        run.stdout
    );
    let report = folder.run("devices --json").ok().json();
    let devices = report["devices"].as_array().unwrap();
    let cpu = devices.last().unwrap();
    assert_eq!(
        (cpu["device"].as_str(), cpu["kind"].as_str()),
        (Some("cpu"), Some("cpu"))
    );
    assert!(cpu["multiprocessors"].as_u64().unwrap() >= 1);
    // The reason is stated if and only if there is no CUDA device.
    assert_eq!(
        devices.len() == 1,
        report["cuda_error"].is_string(),
        "{report}"
    );
}
