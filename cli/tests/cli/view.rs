//! `ferrovox view`, and its pages in a browser.

use crate::{
    samples::{ball, nifti, nifti_of_type},
    support::{Folder, Run, data},
};
use ferrovox::{
    device::Device,
    grid::Inside,
    io::read_mesh,
    monitor::Monitor,
    pipeline::{
        Level, SceneContent, VolumeSource,
        view::{self, ViewJob},
    },
};
use serde_json::Value;
use std::{collections::HashMap, f64::consts::PI, fs, path::Path, process::Command};
use test_cases::has_programs;

/// Returns a ball of radius 20 around (10, −5, 30), as OBJ.
pub fn ball_mesh() -> String {
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

/// Decodes a page with its own code; `None` without Node if that is permitted.
fn decode_page(folder: &Folder, name: &str) -> Option<Vec<Value>> {
    if !has_programs(&["node"]) {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/decode_page.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(folder.path(name))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn numbers(object: &Value, key: &str) -> Vec<f64> {
    let list = object[key].as_array().unwrap();
    list.iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The code of a page in the way of a browser: positions within half a step, indices identical,
/// normals within half a degree.
#[test]
fn meshes_are_decoded_as_they_were() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
        .run("mesh ball.nii --iso 50 --normals -o ball.ply --device cpu")
        .ok();
    folder.run("view ball.ply -o ball.html --device cpu").ok();
    let Some(objects) = decode_page(&folder, "ball.html") else {
        return;
    };
    let mesh = read_mesh(folder.path("ball.ply")).unwrap();
    let [low, high] = ["low", "high"].map(|key| numbers(&objects[0], key));
    let data = numbers(&objects[0], "vertexData");
    let quantized = |position: [f32; 3]| -> [u32; 3] {
        [0, 1, 2].map(|axis| {
            let world = f64::from(position[axis]) + mesh.origin[axis];
            ((world - low[axis]) / (high[axis] - low[axis]) * 65535.0).round() as u32
        })
    };
    let originals: HashMap<[u32; 3], usize> = (mesh.vertices.iter().enumerate())
        .map(|(at, it)| (quantized(*it), at))
        .collect();
    assert_eq!(originals.len(), mesh.vertices.len(), "positions differ");
    let normals = mesh.normals.as_ref().unwrap();
    let vertices: Vec<usize> = data
        .chunks(6)
        .map(|vertex| {
            let at = originals[&[0, 1, 2].map(|axis| vertex[axis] as u32)];
            let [u, v] = [4, 5].map(|k| vertex[k] / 65535.0 * 2.0 - 1.0);
            let z = 1.0 - u.abs() - v.abs();
            let fold = f64::max(-z, 0.0);
            let [x, y] = [u, v].map(|it| it - it.signum() * fold);
            let length = (x * x + y * y + z * z).sqrt();
            let [nx, ny, nz] = normals[at].map(f64::from);
            let cosine = (x * nx + y * ny + z * nz) / length;
            assert!(cosine > 0.5_f64.to_radians().cos(), "{cosine}");
            at
        })
        .collect();
    // triangles are in another order, and start with another vertex
    let rotated = |[a, b, c]: [usize; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min();
    let decoded = numbers(&objects[0], "indices");
    let (decoded, _) = decoded.as_chunks::<3>();
    let mut decoded: Vec<_> = decoded
        .iter()
        .map(|corners| rotated(corners.map(|corner| vertices[corner as usize])))
        .collect();
    let triangles = mesh.triangles.iter();
    let mut expected: Vec<_> = triangles
        .map(|corners| rotated(corners.map(|corner| corner as usize)))
        .collect();
    decoded.sort_unstable();
    expected.sort_unstable();
    assert_eq!(decoded, expected);
}

#[test]
fn skeletons_and_volumes_are_decoded_as_they_were() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("tree.swc", TREE);
    folder
        .run("view ball.nii tree.swc -o scene.html --device cpu")
        .ok();
    let Some(objects) = decode_page(&folder, "scene.html") else {
        return;
    };
    let samples = numbers(&objects[0], "samples");
    let [low, high] = [0, 1].map(|at| objects[0]["window"][at].as_f64().unwrap());
    for (code, sample) in samples.iter().zip(ball()) {
        let decoded = low + code / 255.0 * (high - low);
        let sample = f64::from(sample).clamp(low, high);
        assert!((decoded - sample).abs() <= 0.51 * (high - low) / 255.0);
    }
    assert_eq!(samples.len(), 16 * 16 * 16);
    let segments = numbers(&objects[1], "segments");
    assert_eq!(segments.len(), 3 * 8);
    assert!(
        segments
            .chunks(4)
            .any(|point| point == [14.0, 8.0, 8.0, 3.0])
    );
}

/// Surfaces of more triangles than the limit are simplified, and more than 256 samples along an
/// axis reduced, which the page and the report say.
#[test]
fn large_meshes_and_volumes_are_reduced_and_the_page_says_so() {
    let folder = Folder::new();
    const DIMS: [u16; 3] = [264, 40, 30];
    let angle = |k: u16| f32::from(k) * 0.4;
    let mut samples = Vec::new();
    for z in 0..DIMS[2] {
        for y in 0..DIMS[1] {
            for x in 0..DIMS[0] {
                let [x, y, z] = [x, y, z].map(angle);
                // a gyroid
                let value = x.sin() * y.cos() + y.sin() * z.cos() + z.sin() * x.cos();
                samples.push((100.0 + 40.0 * value) as u8);
            }
        }
    }
    folder.file("gyroid.nii", nifti_of_type(&samples, DIMS, 2, 8));
    let volume = SceneContent::Volume {
        source: Box::new(VolumeSource::new(folder.path("gyroid.nii"))),
        level: Some(Level::Iso(100.0)),
        inside: Inside::Above,
        filter: Box::default(),
    };
    let job = ViewJob {
        max_triangles: 50_000,
        device: Device::cpu(),
        ..ViewJob::new(vec![volume], folder.path("gyroid.html"))
    };
    let outcome = view::run(&job, &Monitor::new()).unwrap();
    let surface = &outcome.objects[1];
    assert_eq!(surface.kind, "surface");
    assert!(
        (45_000..=50_000).contains(&surface.count),
        "{}",
        surface.count
    );
    let page = fs::read_to_string(folder.path("gyroid.html")).unwrap();
    assert_eq!(outcome.notes.len(), 2, "{:?}", outcome.notes);
    for text in [
        &*outcome.notes[0],
        &*outcome.notes[1],
        "triangles are simplified to",
        "264 × 40 × 30 samples are shown as 132 × 40 × 30; the three central slices are complete",
        "\"reduction\":[2,1,1]",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(view::MAX_TRIANGLES, 2_000_000);
}

/// Names of files and labels cannot end an element or a script of the page.
#[test]
fn names_are_escaped() {
    let folder = Folder::new();
    let name = "a<b>&\"'.obj";
    folder.file(name, ball_mesh());
    let words = [
        "view",
        name,
        "--title",
        "</title><script>1</script>",
        "-o",
        "out.html",
    ];
    Run::finish(&mut folder.command(&words)).ok();
    let page = fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(
        page.contains("<title>&lt;/title&gt;&lt;script&gt;1"),
        "title"
    );
    assert!(
        !page.contains("a<b>") && page.contains(r#"a\u003cb>&\"'"#),
        "scene"
    );
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
