//! Ctrl-C.

use crate::support::Folder;
use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Waits until the command listens to Ctrl-C: bit 1 of the signals that it catches.
fn wait_until_it_listens(child: &Child) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        if caught & 0b10 != 0 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it never listened");
}

/// A command that runs and listens.
fn started(folder: &Folder, arguments: &str) -> Child {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let child = folder
        .command(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_it_listens(&child);
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Eight gigabytes that take no room on the disk, and take long.
#[test]
fn work_that_is_stopped_leaves_nothing() {
    if !fs::exists("/proc/self/status").unwrap() {
        eprintln!("skipped: no /proc");
        return;
    }
    let folder = Folder::new();
    folder.file("out.ply", "before").file("large.raw", "");
    let file = fs::File::options()
        .write(true)
        .open(folder.path("large.raw"))
        .unwrap();
    if file.set_len(8_000_000_000).is_err() {
        eprintln!("skipped: no sparse files here");
        return;
    }
    let arguments = "mesh large.raw --dims 1000x200x10000 --type f32 --iso 1 -o out.ply --device cpu --memory 64M";
    let mut child = started(&folder, arguments);
    thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let status = child.wait().unwrap();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(status.code(), Some(130), "{stderr}");
    assert_eq!(
        (stdout.as_str(), stderr.as_str()),
        ("", "ferrovox: cancelled\n")
    );
    let mut names: Vec<_> = fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["large.raw", "out.ply"]);
    assert_eq!(fs::read(folder.path("out.ply")).unwrap(), b"before");
}

/// A pipe that nobody writes to: the part that is under way never ends.
#[test]
fn a_second_one_ends_it_at_once() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("pipe.nii")).status();
    if !made.is_ok_and(|status| status.success()) || !fs::exists("/proc/self/status").unwrap() {
        eprintln!("skipped: no pipes with names, or no /proc");
        return;
    }
    let mut child = started(&folder, "mesh pipe.nii --iso 1 -o out.ply --device cpu");
    interrupt(&child);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path("out.ply").exists());
}
