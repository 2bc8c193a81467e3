//! Outputs that cannot be written: reported before any work if possible, and no incomplete file is
//! left.

use crate::{
    samples::{ball, nifti},
    support::{Folder, Run, is_root},
};
use std::{fs, os::unix::fs::PermissionsExt, process::Command};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

#[test]
fn unknown_extensions_are_rejected_before_any_work() {
    // The input does not exist either; the message is about the output.
    let folder = folder();
    folder.refuses(
        "mesh gone.nii --iso 50 -o out.xyz",
        &["out.xyz", "\"xyz\"", ".ply"],
    );
    folder.refuses(
        "mesh gone.nii --iso 50 -o out",
        &["out: the name has no extension", ".ply"],
    );
    folder.refuses(
        "mesh gone.nii --iso 50 -o out.ply.gz",
        &["out.ply.gz", ".ply"],
    );
    folder.refuses("render gone.nii --iso 50 -o out.jpg", &["out.jpg", ".png"]);
}

#[test]
fn missing_folders_are_rejected_before_any_work() {
    let folder = folder();
    fs::create_dir(folder.path("there.ply")).unwrap();
    folder.refuses(
        "mesh gone.nii --iso 50 -o missing/out.ply",
        &["missing/out.ply", "no folder missing"],
    );
    folder.refuses(
        "mesh gone.nii --iso 50 -o ball.nii/out.ply",
        &["ball.nii/out.ply", "not a folder"],
    );
    folder.refuses(
        "mesh gone.nii --iso 50 -o there.ply",
        &["there.ply", "directory"],
    );
    folder.refuses(
        "render gone.nii --iso 50 -o missing/out.png",
        &["missing/out.png", "no folder missing"],
    );
    folder.refuses("demo -o ball.nii", &["ball.nii", "folder"]);
}

#[test]
fn outputs_must_differ_from_inputs_and_each_other() {
    let folder = folder();
    let ball = fs::read(folder.path("ball.nii")).unwrap();
    folder.file("in.nii", &ball).file("in.npy", "not read");
    fs::hard_link(folder.path("in.nii"), folder.path("hard.nii")).unwrap();
    std::os::unix::fs::symlink("in.nii", folder.path("soft.nii")).unwrap();
    std::os::unix::fs::symlink("ball.nii", folder.path("mesh.ply")).unwrap();
    let read = "which is read; name another output";
    let written = "which is written too; name another output";
    for (arguments, output, other, what) in [
        (
            "mesh ball.nii --iso 50 -o mesh.ply",
            "mesh.ply",
            "ball.nii",
            read,
        ),
        (
            "mesh in.npy --mask ball.nii --iso 50 -o mesh.ply",
            "mesh.ply",
            "ball.nii",
            read,
        ),
        (
            "distance in.nii --nonzero -o ./in.nii",
            "./in.nii",
            "in.nii",
            read,
        ),
        (
            "distance in.nii --nonzero -o hard.nii",
            "hard.nii",
            "in.nii",
            read,
        ),
        (
            "distance in.nii --nonzero -o soft.nii",
            "soft.nii",
            "in.nii",
            read,
        ),
        (
            "distance in.npy --points --like in.nii -o hard.nii",
            "hard.nii",
            "in.nii",
            read,
        ),
        (
            "distance in.nii --nonzero -o d.nii --nearest ./d.nii",
            "./d.nii",
            "d.nii",
            written,
        ),
        (
            "skeleton in.npy --levels core -o s.swc --field in.npy",
            "in.npy",
            "in.npy",
            read,
        ),
        (
            "skeleton in.npy --labels 3,7 -o {label}.swc -o 7.swc",
            "7.swc",
            "7.swc",
            written,
        ),
        (
            "skeleton in.npy -o s.swc -o ./s.swc",
            "./s.swc",
            "s.swc",
            written,
        ),
    ] {
        let fact = format!("{output}: this is the same file as {other}, {what}");
        folder.refuses(arguments, &[&fact]);
    }
}

#[test]
fn unwritable_folder_is_rejected() {
    if is_root() {
        test_cases::report_skip(format_args!("root may write anywhere"));
        return;
    }
    let folder = folder();
    fs::create_dir(folder.path("locked")).unwrap();
    fs::set_permissions(folder.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    folder
        .run("mesh ball.nii --iso 50 -o locked/out.ply")
        .refused(&["locked/out.ply", "permission denied"]);
}

/// A file-size limit of 512 bytes simulates a full disk.
#[test]
fn file_size_limit_is_an_error() {
    let folder = folder();
    for (command, output) in [
        ("mesh", "out.ply"),
        ("mesh", "out.obj"),
        ("mesh", "out.stl"),
        ("render", "out.png"),
    ] {
        folder.file(output, "before");
        let before = folder.content();
        let script =
            format!("ulimit -f 1; exec \"$FERROVOX\" {command} ball.nii --iso 50 -o {output}");
        let Some(run) = folder.shell(&script) else {
            test_cases::report_skip(format_args!("no shell"));
            return;
        };
        run.refused(&[output, "write", "large"]);
        assert_eq!(folder.content(), before, "{output}");
    }
}

/// A file system of 16 KiB, if the test may mount one.
#[test]
fn full_disk_is_an_error() {
    let folder = folder();
    fs::create_dir(folder.path("disk")).unwrap();
    let script = "mount -t tmpfs -o size=16k none disk 2>/dev/null || { echo no mount; exit 0; }
        echo before > disk/out.ply
        \"$FERROVOX\" mesh ball.nii --iso 50 --normals -o disk/out.ply; echo status $?; ls -A disk; cat disk/out.ply";
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c", script])
        .env("FERROVOX", crate::support::binary())
        .current_dir(folder.path(""));
    if !Command::new("unshare")
        .args(["-rm", "true"])
        .status()
        .is_ok_and(|status| status.success())
    {
        test_cases::report_skip(format_args!("no user namespaces"));
        return;
    }
    let run = Run::finish(&mut command);
    if run.stdout.starts_with("no mount") {
        test_cases::report_skip(format_args!("no file system can be mounted"));
        return;
    }
    assert!(
        run.stdout.ends_with("status 1\nout.ply\nbefore\n"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(
        run.stderr.contains("disk/out.ply") && run.stderr.contains("No space left"),
        "{}",
        run.stderr
    );
}

#[test]
fn closed_pipe_is_not_an_error() {
    let folder = folder();
    let script = "\"$FERROVOX\" info ball.nii --json | true; \"$FERROVOX\" --help | true; \
        \"$FERROVOX\" info ball.nii >&-; echo status $?; \"$FERROVOX\" info gone.nii 2>&-; echo status $?";
    let Some(run) = folder.shell(script) else {
        return;
    };
    assert!(!run.stderr.contains("panic"), "{}", run.stderr);
    assert_eq!(run.stdout, "status 0\nstatus 1\n", "{}", run.stderr);
}

#[test]
fn full_standard_output_is_an_error() {
    let folder = folder();
    let Some(run) = folder.shell("\"$FERROVOX\" info ball.nii > /dev/full") else {
        return;
    };
    run.refused(&["standard output"]);
}

/// The data files that a header names are inputs too. This one is truncated, which would be the
/// error if it were read first.
#[test]
fn output_must_differ_from_the_data_file_of_a_header() {
    let folder = Folder::new();
    for end in ["npy", "ply", "png", "swc"] {
        let header = format!(
            "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 16 16 16\nencoding: raw\ndata file: data.{end}\n"
        );
        folder
            .file(&format!("{end}.nhdr"), header)
            .file(&format!("data.{end}"), "samples");
    }
    folder
        .file("points.xyz", "1 2 3\n")
        .file("meta.mhd", "ObjectType = Image\nNDims = 3\nDimSize = 16 16 16\nElementType = MET_UCHAR\nElementDataFile = data.npy\n");
    for arguments in [
        "distance npy.nhdr --nonzero -o data.npy",
        "distance meta.mhd --nonzero -o data.npy",
        "distance npy.nhdr --nonzero --memory 64M -o data.npy",
        "distance npy.nhdr --labels -o data.npy",
        "distance npy.nhdr --iso 1 --sub-voxel -o d.npy --nearest ./data.npy",
        "distance points.xyz --points --like npy.nhdr -o data.npy",
        "distance png.nhdr --nonzero -o d.npy --slice z=8 --png data.png",
        "mesh ply.nhdr --iso 1 -o data.ply",
        "mesh ply.nhdr --iso 1 --memory 64M -o data.ply",
        "mesh npy.nhdr --mask ply.nhdr --iso 1 -o data.ply",
        "render png.nhdr --iso 1 -o data.png",
        "skeleton swc.nhdr -o data.swc",
        "skeleton swc.nhdr --labels all -o data.swc",
        "skeleton npy.nhdr --levels core -o s.swc --field data.npy",
        "skeleton png.nhdr -o s.swc --png data.png",
    ] {
        folder.refuses(
            arguments,
            &[
                "data.",
                "this is the same file as data.",
                "which is read; name another output",
            ],
        );
    }
}

#[test]
fn picture_must_differ_from_the_compared_file() {
    let folder = Folder::new();
    folder.file("cubes.png", vec![1; 64]);
    folder.refuses(
        "distance cubes.png --dims 4x4x4 --type u8 --nonzero --compare .",
        &["cubes.png: this is the same file as cubes.png, which is read"],
    );
}
