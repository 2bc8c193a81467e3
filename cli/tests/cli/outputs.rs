//! Written files: links, permissions, streams, and files left by killed processes.

use crate::{
    samples::{ball, nifti},
    support::{Folder, is_root},
};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink},
};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

const MESH: &str = "mesh ball.nii --iso 50 --device cpu -o";

/// The picture exceeds the limit of file sizes and is written after the skeleton.
#[test]
fn several_outputs_are_replaced_together_or_not_at_all() {
    let folder = folder();
    folder.file("s.swc", "before").file("p.png", "before");
    let before = folder.content();
    let script = "ulimit -f 8; exec \"$FERROVOX\" skeleton ball.nii --iso 50 -o s.swc --png p.png";
    let Some(run) = folder.shell(script) else {
        test_cases::report_skip(format_args!("no shell"));
        return;
    };
    run.refused(&["p.png", "write"]);
    assert_eq!(folder.content(), before);
}

#[test]
fn permissions_and_links_are_kept() {
    let folder = folder();
    for (name, mode) in [
        ("a.ply", 0o600),
        ("b.ply", 0o664),
        ("c.ply", 0o640),
        ("p.png", 0o600),
    ] {
        folder.file(name, "before");
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
        symlink(name, folder.path(&format!("to-{name}"))).unwrap();
        let command = match name {
            "p.png" => "render ball.nii --iso 50 --device cpu -o",
            _ => MESH,
        };
        folder.run(&format!("{command} to-{name}")).ok();
        let there = fs::metadata(folder.path(name)).unwrap();
        assert_eq!(
            (there.mode() & 0o7777, there.len() > 10),
            (mode, true),
            "{name}"
        );
        let link = fs::symlink_metadata(folder.path(&format!("to-{name}"))).unwrap();
        assert!(link.is_symlink(), "{name}");
    }
    if is_root() {
        folder.file("theirs.ply", "before");
        lchown(folder.path("theirs.ply"), Some(1234), Some(2345)).unwrap();
        folder.run(&format!("{MESH} theirs.ply")).ok();
        let there = fs::metadata(folder.path("theirs.ply")).unwrap();
        assert_eq!((there.uid(), there.gid()), (1234, 2345));
    }
}

#[test]
fn link_to_a_missing_file_creates_it() {
    let folder = folder();
    fs::create_dir(folder.path("far")).unwrap();
    symlink("far/new.ply", folder.path("link.ply")).unwrap();
    symlink("link.ply", folder.path("again.ply")).unwrap();
    folder.run(&format!("{MESH} again.ply")).ok();
    assert!(
        fs::symlink_metadata(folder.path("link.ply"))
            .unwrap()
            .is_symlink()
    );
    assert!(fs::metadata(folder.path("far/new.ply")).unwrap().is_file());
    symlink("nowhere/new.ply", folder.path("lost.ply")).unwrap();
    folder.refuses(
        &format!("{MESH} lost.ply"),
        &["lost.ply", "no folder", "nowhere"],
    );
    symlink("round.ply", folder.path("round.ply")).unwrap();
    folder.refuses(&format!("{MESH} round.ply"), &["round.ply", "links"]);
}

/// The rules are those of Linux' `protected_symlinks`, `protected_fifos` and `protected_regular`.
#[test]
fn files_of_other_users_in_shared_folders_are_rejected() {
    if !is_root() {
        test_cases::report_skip(format_args!("only root can make files of other users"));
        return;
    }
    let folder = folder();
    fs::create_dir(folder.path("shared")).unwrap();
    folder.file("mine.ply", "before").file("mine.png", "before");
    let shared = |mode, owner| {
        fs::set_permissions(folder.path("shared"), fs::Permissions::from_mode(mode)).unwrap();
        lchown(folder.path("shared"), Some(owner), None).unwrap();
    };
    for end in ["ply", "png"] {
        symlink(
            format!("../mine.{end}"),
            folder.path(&format!("shared/link.{end}")),
        )
        .unwrap();
        lchown(folder.path(&format!("shared/link.{end}")), Some(1234), None).unwrap();
    }
    folder.file("shared/file.ply", "before");
    lchown(folder.path("shared/file.ply"), Some(1234), None).unwrap();
    shared(0o1777, 0);
    let facts = [
        "shared/link.",
        "belongs to another user (ID 1234)",
        "another folder",
    ];
    folder.refuses("render ball.nii --iso 50 -o shared/link.png", &facts);
    folder.refuses(&format!("{MESH} shared/link.ply"), &facts);
    folder.refuses(
        &format!("{MESH} shared/file.ply"),
        &["shared/file.ply", "another user"],
    );
    // A link to the link.
    symlink("shared/link.ply", folder.path("link.ply")).unwrap();
    folder.refuses(&format!("{MESH} link.ply"), &facts);
    // Files of the folder's owner are accepted, and so are all files in other folders.
    for (mode, owner) in [(0o1777, 1234), (0o755, 0), (0o777, 0)] {
        folder.file("mine.ply", "before");
        shared(mode, owner);
        folder.run(&format!("{MESH} shared/link.ply")).ok();
        assert!(
            fs::metadata(folder.path("mine.ply")).unwrap().len() > 10,
            "{mode:o}"
        );
    }
}

/// The temporary file of a killed process is removed; one that is still being written is kept.
#[test]
fn temporary_files_of_killed_commands_are_removed() {
    let folder = folder();
    let name = |slot: u32| {
        // The temporary file of out.ply.
        let hash = "out.ply"
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        format!(".ferrovox-{hash:016x}-{slot}.part")
    };
    let other = ".ferrovox-0123456789abcdef-0.part";
    for name in [&name(0), &name(1), &name(5), other] {
        folder.file(name, "left");
    }
    let written = fs::File::open(folder.path(&name(1))).unwrap();
    written.lock().unwrap();
    folder.run(&format!("{MESH} out.ply")).ok();
    let names: Vec<String> = folder.content().into_keys().collect();
    let mut wanted = [&name(1), other, "ball.nii", "out.ply"];
    wanted.sort();
    assert_eq!(names, wanted);
}

/// Formats that commands write to a stream without an extension.
const STREAMED: [(&str, &str); 6] = [
    ("mesh ball.nii --iso 50 -o", "ply"),
    ("mesh ball.nii --iso 50 --memory 1M -o", "ply"),
    ("distance ball.nii --iso 50 -o", "nrrd"),
    ("skeleton ball.nii --iso 50 -o", "json"),
    (
        "skeleton ball.nii --iso 50 --levels core --device cpu --field",
        "npy",
    ),
    ("render ball.nii --iso 50 --device cpu -o", "png"),
];

#[test]
fn standard_output_receives_only_the_file() {
    let folder = folder();
    for (command, end) in STREAMED {
        let file = format!("out.{end}");
        folder.run(&format!("{command} {file}")).ok();
        let wanted = fs::read(folder.path(&file)).unwrap();
        for name in ["-", "/dev/stdout", "/dev/fd/1"] {
            // Into a pipe, and appended to an existing file.
            let script = format!(
                "$FERROVOX {command} {name} 2>said | cat >piped; echo first >there; $FERROVOX {command} {name} >>there 2>said"
            );
            let Some(run) = folder.shell(&script) else {
                test_cases::report_skip(format_args!("no shell"));
                return;
            };
            let said = fs::read_to_string(folder.path("said")).unwrap();
            assert_eq!(run.status, Some(0), "{command} {name}: {said}");
            assert!(said.contains("\nms  "), "{said}");
            let piped = fs::read(folder.path("piped")).unwrap();
            assert!(piped == wanted, "{command} {name}: {} bytes", piped.len());
            let there = fs::read(folder.path("there")).unwrap();
            assert!(
                there == [b"first\n", &wanted[..]].concat(),
                "{command} {name}"
            );
        }
    }
    assert!(!folder.path("-").exists());
}

#[test]
fn pipes_and_devices_are_not_replaced() {
    let folder = folder();
    folder.run(&format!("{MESH} out.ply")).ok();
    folder.run(&format!("{MESH} out.obj")).ok();
    let script = format!(
        "mkfifo pipe pipe.obj && {{ timeout 60 cat pipe >a & timeout 60 cat pipe.obj >b & $FERROVOX {MESH} pipe && $FERROVOX {MESH} pipe.obj; }}; wait"
    );
    let Some(run) = folder.shell(&script) else {
        test_cases::report_skip(format_args!("no shell"));
        return;
    };
    run.ok();
    for (one, other) in [("a", "out.ply"), ("b", "out.obj")] {
        let [one, other] = [one, other].map(|name| fs::read(folder.path(name)).unwrap());
        assert!(!one.is_empty() && one == other);
    }
    assert!(!fs::metadata(folder.path("pipe")).unwrap().is_file());
    let before = fs::metadata("/dev/null").unwrap();
    symlink("/dev/null", folder.path("null.png")).unwrap();
    folder.run("mesh ball.nii --iso 50 -o /dev/null").ok();
    folder
        .run("render ball.nii --iso 50 --device cpu -o null.png")
        .ok();
    let after = fs::metadata("/dev/null").unwrap();
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
}

#[test]
fn only_one_output_may_go_to_standard_output() {
    let folder = folder();
    let both = folder.run("distance ball.nii --iso 50 -o - --nearest /dev/stdout");
    both.refused(&["/dev/stdout: this is the same file as -, which is written too"]);
    let json = folder.run("mesh ball.nii --iso 50 -o - --json");
    assert_eq!(json.status, Some(2), "{}", json.stderr);
    assert!(json.stderr.contains("--json"), "{}", json.stderr);
    let Some(run) = folder.shell("$FERROVOX mesh ball.nii --iso 50 -o - >/dev/full") else {
        return;
    };
    run.refused(&["-: cannot write", "No space"]);
}
