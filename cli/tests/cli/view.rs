//! `ferrovox view`, and its pages in a browser.

use crate::{
    samples::{ball, nifti},
    support::{Folder, data},
};
use std::{f64::consts::PI, fs, path::Path, process::Command};
use test_cases::has_programs;

/// Returns a ball of radius 20 around (10, −5, 30), as OBJ.
fn ball_mesh() -> String {
    const RINGS: usize = 60;
    const COLUMNS: usize = 120;
    let mut text = String::new();
    for ring in 0..=RINGS {
        for column in 0..COLUMNS {
            let polar = PI * ring as f64 / RINGS as f64;
            let azimuth = 2.0 * PI * column as f64 / COLUMNS as f64;
            let [x, y, z] = [
                10.0 + 20.0 * polar.sin() * azimuth.cos(),
                -5.0 + 20.0 * polar.sin() * azimuth.sin(),
                30.0 + 20.0 * polar.cos(),
            ];
            text += &format!("v {x:.6} {y:.6} {z:.6}\n");
        }
    }
    let index = |ring: usize, column: usize| 1 + ring * COLUMNS + column % COLUMNS;
    for ring in 0..RINGS {
        for column in 0..COLUMNS {
            let [a, b, c, d] = [
                index(ring, column),
                index(ring + 1, column),
                index(ring + 1, column + 1),
                index(ring, column + 1),
            ];
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    text
}

const TREE: &str = "1 2 2 8 8 1 -1\n2 2 14 8 8 3 1\n3 2 8 2 8 0.5 1\n4 2 8 8 14 2 1\n";

/// Writes the pages of the tests.
fn write_pages(folder: &Folder, names: &[&str]) {
    folder.file("ball.obj", ball_mesh());
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("tree.swc", TREE);
    folder.file(
        "brain.nii.gz",
        fs::read(data("mni152_t1_1mm.nii.gz")).unwrap(),
    );
    for name in names {
        let files = match *name {
            "ball.html" => "ball.obj",
            "scene.html" => "ball.nii tree.swc --iso 50",
            _ => "brain.nii.gz --iso 120",
        };
        folder
            .run(&format!("view {files} -o {name} --device cpu"))
            .ok();
    }
}

/// Runs a check of `browser/check_pages.py`, and prints its measurements. Screenshots are copied to
/// the folder that `FERROVOX_SCREENSHOTS` names.
fn check(name: &str, pages: &[&str]) {
    if !has_programs(&["python3", "chromium"]) {
        return;
    }
    let folder = Folder::new();
    write_pages(&folder, pages);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/check_pages.py");
    let output = Command::new("python3")
        .arg("-B")
        .arg(script)
        .arg(folder.path(""))
        .arg(name)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images"))
        .output()
        .unwrap();
    let [out, error] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    println!("{out}");
    if let Some(target) = std::env::var_os("FERROVOX_SCREENSHOTS") {
        for entry in fs::read_dir(folder.path("")).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "png") {
                fs::copy(&path, Path::new(&target).join(entry.file_name())).unwrap();
            }
        }
    }
    assert!(output.status.success(), "{name}: {out}{error}");
}

#[test]
fn sphere_has_its_place_and_size() {
    check("sphere", &["ball.html"]);
}

#[test]
fn keys_change_the_picture() {
    check("keys", &["scene.html"]);
}

#[test]
fn skeleton_is_seen_through_the_surface_and_air_is_transparent() {
    check("layers", &["scene.html"]);
}

#[test]
fn page_works_in_a_sandboxed_frame() {
    check("frame", &["ball.html"]);
}

#[test]
fn page_fits_a_phone() {
    check("phone", &["scene.html"]);
}

#[test]
fn missing_webgl_is_reported_on_the_page() {
    check("message", &["ball.html"]);
}

#[test]
fn half_a_million_triangles_are_drawn() {
    check("large", &["brain.html"]);
}

#[test]
fn page_is_at_most_half_of_the_mesh_file() {
    let folder = Folder::new();
    folder.file(
        "brain.nii.gz",
        fs::read(data("mni152_t1_1mm.nii.gz")).unwrap(),
    );
    folder
        .run("mesh brain.nii.gz --iso 120 -o brain.ply --device cpu")
        .ok();
    let report = folder
        .run("view brain.ply -o brain.html --json --device cpu")
        .ok()
        .json();
    let bytes = |name: &str| fs::metadata(folder.path(name)).unwrap().len();
    let (page, mesh) = (bytes("brain.html"), bytes("brain.ply"));
    assert_eq!(report["bytes"], page);
    assert_eq!(report["objects"][0]["kind"], "surface");
    println!("page {page}, PLY {mesh}");
    assert!(2 * page <= mesh, "{page} {mesh}");
    folder
        .run("view brain.nii.gz --iso 120 -o both.html --device cpu")
        .ok();
    let samples = 197 * 233 * 189;
    assert!(bytes("both.html") <= mesh / 2 + samples);
}

#[test]
fn labels_are_listed_with_names_and_colours() {
    let folder = Folder::new();
    let label = |(at, &value): (usize, &f32)| match (value > 50.0, at % 16 < 8) {
        (true, true) => 3.0,
        (true, false) => 7.0,
        (false, _) => 0.0,
    };
    let labels: Vec<f32> = ball().iter().enumerate().map(label).collect();
    folder.file("labels.nii", nifti(&labels, [16, 16, 16]));
    folder.file("names.txt", "3 left 10 20 30 0\n");
    let report = folder
        .run("view labels.nii --labels --label-table names.txt -o out.html --json --device cpu")
        .ok()
        .json();
    let names = |at: usize| report["objects"][at]["name"].as_str().unwrap().to_owned();
    assert_eq!([names(0), names(1)], ["3 left", "label 7"]);
    let page = fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(
        page.contains("\"name\":\"label 7\",\"label\":true"),
        "no label"
    );
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let report = folder
        .run("view ball.nii --overlay labels.nii --labels=7 -o out.html --json --device cpu")
        .ok()
        .json();
    assert_eq!(report["objects"].as_array().map(Vec::len), Some(2));
}

#[test]
fn bad_input_is_refused_before_a_page_is_written() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("broken.ply", "ply\n");
    folder.file("page.html", "old");
    folder
        .run("view missing.ply -o page.html")
        .refused(&["missing.ply"]);
    folder
        .run("view broken.ply -o page.html")
        .refused(&["broken.ply"]);
    folder
        .run("view ball.nii -o page.png")
        .refused(&["page.png", "pages are written as .html"]);
    folder
        .run("view ball.nii --iso nan -o page.html")
        .refused(&["isovalue"]);
    assert_eq!(fs::read(folder.path("page.html")).unwrap(), b"old");
}
