//! Signals: Ctrl-C, `kill`, a closed terminal.

use crate::{
    samples::{ball, nifti},
    support::{Folder, binary},
};
use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Handled signals: name, number, and the exit status that shells expect.
const SIGNALS: [(&str, u32, i32); 3] = [("INT", 2, 130), ("TERM", 15, 143), ("HUP", 1, 129)];

/// Returns the signals that this process does not ignore: child processes inherit ignored signals,
/// as in the background of a shell or with `nohup`.
pub fn signals() -> impl Iterator<Item = (&'static str, u32, i32)> {
    let status = fs::exists("/proc/self/status").unwrap_or(false);
    let ignored = if status {
        signal_mask("self", "SigIgn")
    } else {
        0
    };
    SIGNALS.into_iter().filter(move |&(name, number, _)| {
        let is_ignored = ignored & bit(number) != 0;
        if is_ignored {
            test_cases::report_skip(format_args!("SIG{name} is ignored here"));
        }
        !is_ignored
    })
}

/// Returns a signal mask of a process, by its name in `/proc`.
pub fn signal_mask(process: &str, mask: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let found = status.lines().find_map(|line| line.strip_prefix(mask));
    u64::from_str_radix(found.unwrap().trim_matches([':', '\t', ' ']), 16).unwrap()
}

pub fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// Waits, and fails after a minute.
pub fn wait_until(condition: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "never: {condition}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a command and waits until it handles signals; `None` if that cannot be determined.
pub fn start_listening(folder: &Folder, arguments: &str) -> Option<Child> {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let mut command = folder.command(&arguments);
    command.stdout(Stdio::piped());
    start_handling(&mut command, signals().map(|it| bit(it.1)).sum())
}

/// Starts a command and waits until it handles the signals of the mask `handled`; `None` without
/// `/proc`.
pub fn start_handling(command: &mut Command, handled: u64) -> Option<Child> {
    if !fs::exists("/proc/self/status").unwrap_or(false) {
        test_cases::report_skip(format_args!("no /proc"));
        return None;
    }
    let child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("it listens", || {
        signal_mask(&child.id().to_string(), "SigCgt") & handled == handled
    });
    Some(child)
}

pub fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

pub fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn has_parts(folder: &Folder) -> bool {
    names(folder).iter().any(|name| name.ends_with(".part"))
}

/// Returns a folder with a ball and a named pipe without a reader; `None` on systems without named
/// pipes.
fn with_pipe(name: &str) -> Option<Folder> {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let created = Command::new("mkfifo").arg(folder.path(name)).status();
    if created.is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    test_cases::report_skip(format_args!("no pipes with names"));
    None
}

/// Writes the map, and then blocks until the picture has a reader.
const WAITS: &str = "distance ball.nii --iso 50 --device cpu -o d.npy --slice z=8 --png pipe.png";

/// A map computed by slabs, some of which have been written.
#[test]
fn interrupted_work_leaves_no_files() {
    for (signal, _, status) in signals() {
        let folder = Folder::new();
        folder.file("out.npy", "before").file("large.raw", "\u{1}");
        let file = fs::File::options()
            .write(true)
            .open(folder.path("large.raw"));
        file.unwrap().set_len(512 * 512 * 512).unwrap();
        let arguments = "distance large.raw --dims 512x512x512 --type u8 --nonzero -o out.npy --device cpu --memory 81M";
        let Some(mut child) = start_listening(&folder, arguments) else {
            return;
        };
        wait_until("it writes", || {
            assert_eq!(child.try_wait().unwrap(), None);
            has_parts(&folder)
        });
        send(&child, signal);
        let ended = child.wait().unwrap();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        child.stdout.unwrap().read_to_string(&mut stdout).unwrap();
        child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(ended.code(), Some(status), "{stderr}");
        let printed = (stdout.as_str(), stderr.as_str());
        assert_eq!(printed, ("", "ferrovox: cancelled\n"));
        assert_eq!(names(&folder), ["large.raw", "out.npy"]);
        assert_eq!(fs::read(folder.path("out.npy")).unwrap(), b"before");
    }
}

/// The current stage never ends.
#[test]
fn second_signal_ends_the_command_immediately() {
    for (signal, _, status) in signals() {
        let Some(folder) = with_pipe("pipe.png") else {
            return;
        };
        let Some(mut child) = start_listening(&folder, WAITS) else {
            return;
        };
        wait_until("the map is complete", || has_parts(&folder));
        send(&child, "TERM");
        thread::sleep(Duration::from_millis(200));
        assert_eq!(child.try_wait().unwrap(), None);
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert_eq!(names(&folder), ["ball.nii", "pipe.png"]);
    }
}

#[test]
fn files_of_a_killed_command_are_removed_by_the_next() {
    let Some(folder) = with_pipe("pipe.png") else {
        return;
    };
    let Some(mut child) = start_listening(&folder, WAITS) else {
        return;
    };
    wait_until("the map is complete", || has_parts(&folder));
    // A second command leaves the file of the running one alone.
    let map = "distance ball.nii --iso 50 --device cpu -o d.npy";
    folder.run(map).ok();
    assert!(has_parts(&folder));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(has_parts(&folder));
    folder.run(map).ok();
    assert_eq!(names(&folder), ["ball.nii", "d.npy", "pipe.png"]);
}

/// Ignored signals stay ignored, as with `nohup`.
#[test]
fn ignored_signals_stay_ignored() {
    let Some(folder) = with_pipe("pipe.png") else {
        return;
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("trap '' HUP; exec \"$FERROVOX\" {WAITS}")])
        .env("FERROVOX", binary())
        .stdout(Stdio::piped())
        .current_dir(folder.path(""));
    let handled = signals().filter(|it| it.0 != "HUP").map(|it| bit(it.1));
    let Some(mut child) = start_handling(&mut command, handled.sum()) else {
        return;
    };
    let ignored = signal_mask(&child.id().to_string(), "SigIgn");
    assert_eq!(ignored & bit(1), bit(1));
    child.kill().unwrap();
    child.wait().unwrap();
}
