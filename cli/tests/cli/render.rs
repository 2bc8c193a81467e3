//! `ferrovox render`.

use crate::{
    samples::{ball, nifti},
    support::Folder,
};
use std::fs;

/// Returns the width and the height of a PNG, from its first chunk.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes[12..16], *b"IHDR");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn empty_picture_gives_a_warning() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let run = |iso: &str| {
        folder
            .run(&format!(
                "render ball.nii --iso {iso} -o out.png --size 40x30"
            ))
            .ok()
    };
    assert_eq!(run("50").stderr, "");
    let (told, mesh) = (
        run("1000").stderr,
        folder
            .run("mesh ball.nii --iso 1000 -o out.ply")
            .ok()
            .stderr,
    );
    assert!(
        told.contains("none of them is on the other side of 1000"),
        "{told}"
    );
    assert_eq!(
        told,
        mesh.replace("the mesh is empty", "the picture is empty")
    );
}

#[test]
fn pictures_have_the_requested_size_and_are_not_empty() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
        .run("render ball.nii --iso 50 -o ball.png --size 120x90")
        .ok();
    let with_ball = fs::read(folder.path("ball.png")).unwrap();
    assert_eq!(png_size(&with_ball), (120, 90));
    folder
        .run("render ball.nii --iso 1000 -o empty.png --size 120x90")
        .ok();
    let without = fs::read(folder.path("empty.png")).unwrap();
    assert!(
        with_ball.len() > 2 * without.len(),
        "{} and {} bytes",
        with_ball.len(),
        without.len()
    );
    for view in ["top", "-30,-20"] {
        folder
            .run(&format!(
                "render ball.nii --iso 50 -o view.png --view {view} --size 40x40"
            ))
            .ok();
        assert_eq!(
            png_size(&fs::read(folder.path("view.png")).unwrap()),
            (40, 40)
        );
    }
}

#[test]
fn slices_have_the_requested_width_and_show_labels() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let labels: Vec<f32> = ball()
        .iter()
        .map(|&it| f32::from(u8::from(it > 50.0)))
        .collect();
    folder.file("labels.nii", nifti(&labels, [16, 16, 16]));
    let draw = |options: &str, name: &str| {
        let line =
            format!("slices ball.nii --iso 50 {options} -o {name} --width 400 --planes 3 --json");
        let report = folder.run(&line).ok().json();
        assert_eq!(report["planes"], 3);
        let bytes = fs::read(folder.path(name)).unwrap();
        let size = png_size(&bytes);
        assert_eq!(
            [size.0, size.1].map(u64::from),
            ["width", "height"].map(|key| report[key].as_u64().unwrap())
        );
        assert_eq!(size.0, 400);
        bytes
    };
    let (plain, labelled) = (
        draw("", "plain.png"),
        draw("--overlay labels.nii", "labels.png"),
    );
    assert_ne!(plain, labelled);
    folder
        .run("slices missing.nii -o out.png")
        .refused(&["missing.nii"]);
}

#[test]
fn transparency_and_occlusion_change_the_picture() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let draw = |options: &str| {
        folder
            .run(&format!(
                "render ball.nii --iso 50 -o out.png --size 60x40 {options}"
            ))
            .ok();
        fs::read(folder.path("out.png")).unwrap()
    };
    assert_ne!(draw(""), draw("--transparent"));
    let run = folder.run("render ball.nii --iso 50 -o out.png --occlusion 2");
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("0 to 1"), "{}", run.stderr);
}
