//! Threads that cannot be started, small stacks, and file names with control characters.

use crate::{
    samples::{ball, nifti},
    support::{Folder, Run, binary, is_root},
};
use std::{fs, os::unix::fs::PermissionsExt, process::Command};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

/// Threads with impossibly large stacks simulate a system that cannot start threads.
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let folder = folder();
    let before = folder.content();
    for arguments in [
        "mesh ball.nii --iso 50 -o out.ply --device cpu",
        "mesh ball.nii --iso 50 -o out.ply --device cpu,cpu",
        "distance ball.nii --iso 50 -o d.npy",
        "info ball.nii --stats",
        "devices",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut command = folder.command(&words);
        Run::finish(command.env("RUST_MIN_STACK", (1_u64 << 56).to_string()))
            .refused(&["the system cannot create more threads", "ulimit -u"]);
        assert_eq!(folder.content(), before);
    }
}

/// Runs as a user without other processes, with an increasing limit of threads until there are
/// enough.
#[test]
fn running_out_of_threads_anywhere_is_an_error() {
    if !is_root() {
        test_cases::report_skip(format_args!(
            "only root can limit the threads of another user"
        ));
        return;
    }
    if !test_cases::has_programs(&["setpriv", "prlimit"]) {
        return;
    }
    let folder = folder();
    folder.file("zeros.raw", vec![0; 52 * 52 * 52]);
    fs::copy(binary(), folder.path("ferrovox")).unwrap();
    for name in ["", "ferrovox"] {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o777)).unwrap();
    }
    for command in [
        "mesh ball.nii --iso 50 -o out.ply",
        "mesh zeros.raw --dims 52x52x52 --type u8 --iso 1 --memory 900K -o out.ply",
        "distance ball.nii --iso 50 -o out.npy",
    ] {
        let before = folder.content().len();
        let run = |limit: u32| {
            let limited = format!(
                "--reuid 61234 --clear-groups prlimit --nproc={limit} ./ferrovox {command} --device cpu,cpu,cpu"
            );
            let mut run = Command::new("setpriv");
            run.args(limited.split(' ')).current_dir(folder.path(""));
            Run::finish(run.env("RAYON_NUM_THREADS", "2"))
        };
        let mut limit = 1;
        loop {
            let run = run(limit);
            if run.status == Some(0) {
                break;
            }
            run.refused(&["Resource temporarily unavailable"]);
            assert_eq!(folder.content().len(), before, "{command} {limit}");
            limit += 1;
            assert!(limit < 50, "{command}");
        }
        assert!(limit > 4, "{command} {limit}");
        fs::remove_file(folder.path(command.rsplit(' ').next().unwrap())).unwrap();
    }
}

#[test]
fn small_stack_is_sufficient() {
    let folder = folder();
    let script = "ulimit -s 64 && $FERROVOX mesh ball.nii --iso 50 -o out.ply && $FERROVOX skeleton ball.nii --iso 50 -o s.swc \
        && $FERROVOX --help >help";
    if let Some(run) = folder.shell(script) {
        run.ok();
    }
}

#[test]
fn control_characters_are_escaped() {
    let folder = Folder::new();
    let name = "\u{1b}[2Jbad\u{9b}31m\n\u{202e}.nii";
    folder
        .file(name, nifti(&ball(), [16, 16, 16]))
        .file(
            "head.nrrd",
            b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nspace: \x1b]0;title\x07\nodd\x1b[2J: value\x1b[31m\n\n12345678",
        )
        .file("gone.nhdr", b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\ndata file: \x1b[2J\x07.raw\n")
        .file("type.nrrd", b"NRRD0004\ntype: \x1b[2J\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n12345678");
    let out = "\u{1b}[5mout.ply";
    for arguments in [
        &["info", name][..],
        &["info", name, "--json"],
        &["info", "head.nrrd"],
        &["info", "head.nrrd", "--json"],
        &["info", "gone.nhdr"],
        &["info", "type.nrrd"],
        &["info", "type.nrrd", "--json"],
        &["info", "\u{1b}[2Jgone.nii"],
        &["mesh", name, "--iso", "50", "-o", out],
        &["mesh", name, "--iso", "50", "-o", out, "--json"],
        &["mesh", name, "--iso", "500", "-o", out],
        &["mesh", name, "--iso", "\u{1b}[2J50", "-o", out],
        &["\u{1b}[2J"],
        &[
            "mesh",
            name,
            "--iso",
            "50",
            "--device",
            "\u{1b}[2J",
            "-o",
            out,
        ],
        &["render", name, "--iso", "50", "-o", "\u{1b}[2J.xyz"],
        &["distance", name, "--iso", "50", "-o", "\u{9b}[2J.npy"],
        &["skeleton", name, "--iso", "50", "-o", "\u{9b}[2J.swc"],
    ] {
        let run = Run::finish(&mut folder.command(arguments));
        for text in [&run.stdout, &run.stderr] {
            let raw = text.chars().find(|it| {
                (it.is_control() && *it != '\n') || ('\u{2028}'..='\u{202e}').contains(it)
            });
            assert_eq!(raw, None, "{arguments:?}: {text:?}");
        }
        assert!(!(run.stdout + &run.stderr).is_empty());
    }
}
