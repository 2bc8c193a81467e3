//! Successful runs of `ferrovox mesh`.

use crate::{
    samples::{ball, little_endian, nifti, npy},
    support::{Folder, data},
};
use ferrovox::io::read_mesh;
use serde_json::{Value, json};
use std::fs;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

#[test]
fn the_json_object_has_every_field() {
    let folder = folder();
    let run = folder
        .run("mesh ball.nii --iso 50 -o out.ply --device cpu --normals --json")
        .ok();
    let report = run.json();
    assert_eq!(run.stderr, "", "nothing to warn of");
    assert_eq!(report["closed"], true);
    assert_eq!(report["manifold"], true);
    assert_eq!(report["oriented"], true);
    assert_eq!(report["euler"], 2);
    assert_eq!(report["components"], 1);
    assert_eq!(report["method"], "fused");
    assert_eq!(report["device"], "cpu");
    assert_eq!(report["devices"][0]["device"], "cpu");
    assert_eq!(
        (&report["slabs"], &report["streamed"]),
        (&json!(1), &json!(false))
    );
    for field in [
        "non_finite_cells",
        "non_finite_samples",
        "inexact_samples",
        "degenerate_triangles",
        "boundary_edges",
    ] {
        assert_eq!(report[field], 0, "{field}");
    }
    let vertices = report["vertices"].as_u64().unwrap();
    assert_eq!(
        report["triangles"].as_u64().unwrap(),
        2 * vertices - 4,
        "F = 2V - 2χ"
    );
    let (area, volume) = (
        report["area"].as_f64().unwrap(),
        report["volume"].as_f64().unwrap(),
    );
    assert!((area / 314.16 - 1.0).abs() < 0.02, "{area}");
    assert!((volume / 523.6 - 1.0).abs() < 0.04, "{volume}");
    for phase in [
        "read", "upload", "extract", "download", "check", "write", "total",
    ] {
        assert!(report["timings"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    for stage in ["threshold", "classify", "scan", "vertices", "triangles"] {
        assert!(
            report["timings"]["stages"][stage].as_f64().unwrap() >= 0.0,
            "{stage}"
        );
    }
    let mesh = read_mesh(folder.path("out.ply")).unwrap();
    assert_eq!(mesh.vertices.len() as u64, vertices);
    assert!(mesh.normals.is_some());
}

#[test]
fn every_format_has_the_same_numbers_of_vertices_and_triangles() {
    let folder = folder();
    folder.run("mesh ball.nii --iso 50 -o out.ply").ok();
    let ply = read_mesh(folder.path("out.ply")).unwrap();
    let (vertices, triangles) = (ply.vertices.len(), ply.triangles.len());
    let written = |name: &str| {
        folder
            .run(&format!("mesh ball.nii --iso 50 -o {name}"))
            .ok();
        fs::read(folder.path(name)).unwrap()
    };
    let obj = String::from_utf8(written("out.obj")).unwrap();
    let lines = |start: &str| obj.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((lines("v "), lines("f ")), (vertices, triangles));
    assert_eq!(written("out.stl").len(), 84 + 50 * triangles);
    let holds = |file: &[u8], text: String| {
        assert!(String::from_utf8_lossy(file).contains(&text), "{text}")
    };
    holds(&written("out.vtk"), format!("POINTS {vertices} float"));
    holds(
        &written("out.vtp"),
        format!("NumberOfPoints=\"{vertices}\""),
    );
}

#[test]
fn default_output_is_a_readable_report() {
    let folder = folder();
    let run = folder.run("mesh ball.nii --iso 50 -o out.ply --check").ok();
    for word in [
        "ball.nii",
        "out.ply",
        "vertices",
        "closed, manifold, oriented",
        "Euler characteristic 2",
        "area",
    ] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("open "), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn openings_at_the_border_of_the_volume_are_reported() {
    let folder = Folder::new();
    // a ramp along x: a plane that the volume cuts on four sides
    let ramp: Vec<f32> = (0..5 * 4 * 3).map(|i| (i % 5) as f32).collect();
    folder.file("ramp.nii", nifti(&ramp, [5, 4, 3]));
    let run = folder
        .run("mesh ramp.nii --iso 1.5 -o out.ply --check")
        .ok();
    for place in [
        "open",
        "2 at y = 0",
        "2 at y = 3",
        "3 at z = 0",
        "3 at z = 2",
    ] {
        assert!(run.stdout.contains(place), "{place}: {}", run.stdout);
    }
    let report = folder
        .run("mesh ramp.nii --iso 1.5 -o out.ply --json")
        .ok()
        .json();
    assert_eq!(report["closed"], false);
    assert_eq!(report["boundary_edges"], 10);
    assert_eq!(report["openings"][0], json!({"face": "y = 0", "edges": 2}));
    let report = folder
        .run("mesh ramp.nii --iso 1.5 -o out.ply --close --json")
        .ok()
        .json();
    assert_eq!(
        (&report["closed"], &report["euler"]),
        (&json!(true), &json!(2))
    );
    // the inside is x from 1.5 to 4
    assert!(
        (report["volume"].as_f64().unwrap() / (2.5 * 3.0 * 2.0) - 1.0).abs() < 0.01,
        "{report}"
    );
}

#[test]
fn inside_below_reverses_the_surface() {
    let folder = folder();
    let volume = |report: &Value| report["volume"].as_f64().unwrap();
    let above = folder
        .run("mesh ball.nii --iso 50 -o a.ply --json")
        .ok()
        .json();
    let below = folder
        .run("mesh ball.nii --iso 50 --inside below -o b.ply --json")
        .ok()
        .json();
    assert_eq!(below["inside"], "below");
    assert_eq!(volume(&below), -volume(&above));
}

#[test]
fn isovalue_outside_the_range_gives_an_empty_mesh_with_a_warning() {
    let folder = folder();
    for iso in ["1000", "-1000"] {
        let run = folder
            .run(&format!("mesh ball.nii --iso {iso} -o out.ply --check"))
            .ok();
        assert!(
            run.stderr.contains("ball.nii: the mesh is empty"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(iso), "{}", run.stderr);
        assert_eq!(
            read_mesh(folder.path("out.ply")).unwrap().triangles.len(),
            0
        );
    }
    let report = folder
        .run("mesh ball.nii --iso 1000 -o out.ply --json")
        .ok()
        .json();
    assert_eq!(
        (&report["triangles"], &report["euler"], &report["closed"]),
        (&json!(0), &json!(0), &json!(true))
    );
}

#[test]
fn volumes_without_cells_give_an_empty_mesh() {
    let folder = Folder::new();
    folder.file(
        "thin.npy",
        npy("<f4", "(1, 4, 4)", &little_endian(&ball()[..16])),
    );
    let run = folder.run("mesh thin.npy --iso 50 -o out.ply").ok();
    assert!(
        run.stderr.contains("at least two samples along each axis"),
        "{}",
        run.stderr
    );
}

#[test]
fn non_finite_samples_are_counted() {
    let folder = Folder::new();
    let mut samples = ball();
    samples[0] = f32::NAN;
    samples[4095] = f32::INFINITY;
    // at the centre of the ball, with eight cells around it
    samples[8 + 16 * (8 + 16 * 8)] = f32::NEG_INFINITY;
    folder.file("ball.nii", nifti(&samples, [16, 16, 16]));
    let run = folder
        .run("mesh ball.nii --iso 50 -o out.ply --check --json")
        .ok();
    assert!(
        run.stderr
            .contains("ball.nii: 3 of 4096 samples are NaN or infinite"),
        "{}",
        run.stderr
    );
    let report = run.json();
    assert_eq!(report["non_finite_samples"], 3);
    assert_eq!(report["non_finite_cells"], 1 + 1 + 8);
    let report = folder.run("info ball.nii --stats --json").ok().json();
    assert_eq!(report["non_finite_samples"], 3);
}

#[test]
fn wide_samples_are_converted_with_a_warning() {
    let folder = Folder::new();
    let mut samples: Vec<f64> = ball().into_iter().map(f64::from).collect();
    samples[0] = 0.1;
    samples[1] = 1e300;
    let bytes: Vec<u8> = samples
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    folder.file("ball.npy", npy("<f8", "(16, 16, 16)", &bytes));
    let run = folder.run("mesh ball.npy --iso 50 -o out.ply --json").ok();
    assert!(
        run.stderr
            .contains("ball.npy: f64 samples are converted to f32; 2 of them are not exact"),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["inexact_samples"], 2);
    let bytes: Vec<u8> = ball()
        .iter()
        .flat_map(|&sample| (sample as i32).to_le_bytes())
        .collect();
    folder.file("ball.raw", bytes);
    let run = folder
        .run("mesh ball.raw --dims 16x16x16 --type i32 --iso 50 -o out.ply")
        .ok();
    assert!(!run.stderr.contains("exact"), "{}", run.stderr);
}

/// Returns the samples of a ball as integers, plus an offset.
fn integers(offset: i64) -> impl Iterator<Item = i64> {
    ball().into_iter().map(move |sample| sample as i64 + offset)
}

#[test]
fn integers_beyond_f32_are_exact_or_an_error() {
    let folder = Folder::new();
    let content = |name: &str| fs::read(folder.path(name)).unwrap();
    let bytes = |more| integers(more).flat_map(|it| (it as i32).to_le_bytes());
    folder.file(
        "near.npy",
        npy("<i4", "(16, 16, 16)", &bytes(0).collect::<Vec<_>>()),
    );
    folder
        .run("mesh near.npy --iso 51 -o near.ply --normals")
        .ok();
    folder
        .run("distance near.npy --iso 51 --sub-voxel -o near.npd.npy")
        .ok();
    folder
        .run("distance near.npy --iso 51 -o near.voxels.npy")
        .ok();
    folder.run("render near.npy --iso 51 -o near.png").ok();
    // large values have the same differences
    let more = 2_000_000_000;
    folder.file(
        "i32.npy",
        npy("<i4", "(16, 16, 16)", &bytes(more).collect::<Vec<_>>()),
    );
    let long: Vec<u8> = integers(1 << 50).flat_map(i64::to_le_bytes).collect();
    folder.file("i64.npy", npy("<i8", "(16, 16, 16)", &long));
    for (name, iso) in [("i32", more + 51), ("i64", (1 << 50) + 51)] {
        for limit in ["", " --memory 600K"] {
            let args = format!("mesh {name}.npy --iso {iso} -o far.ply --normals --device cpu");
            let run = folder.run(&(args + limit)).ok();
            assert!(!run.stderr.contains("exact"), "{}", run.stderr);
            assert!(content("far.ply") == content("near.ply"), "{name}");
        }
        for (options, near) in [
            ("distance --sub-voxel", "near.npd.npy"),
            ("distance", "near.voxels.npy"),
            ("render", "near.png"),
        ] {
            let (command, options) = options.split_once(' ').unwrap_or((options, ""));
            let far = if command == "render" {
                "far.png"
            } else {
                "far.npy"
            };
            let args = format!("{command} {name}.npy --iso {iso} {options} -o {far}");
            let run = folder.run(&args).ok();
            assert!(!run.stderr.contains("exact"), "{}", run.stderr);
            assert!(content(far) == content(near), "{args}");
        }
    }
    // f32 cannot represent the differences either
    let mut samples: Vec<i64> = integers(more).collect();
    samples[3] = -2_000_000_001;
    let bytes = samples.iter().flat_map(|&it| (it as i32).to_le_bytes());
    folder.file(
        "wide.npy",
        npy("<i4", "(16, 16, 16)", &bytes.collect::<Vec<_>>()),
    );
    for limit in ["", " --memory 600K"] {
        let args = format!("mesh wide.npy --iso 2000000051 -o out.ply --device cpu{limit}");
        let facts = ["wide.npy", "integers", "voxel (", "--round-samples"];
        folder.refuses(&args, &facts);
        let run = folder.run(&(args + " --round-samples")).ok();
        assert!(
            run.stderr.contains("i32 samples are converted to f32"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn mask_excludes_cells() {
    let folder = folder();
    // the lower half along z
    let mask: Vec<u8> = (0..4096).map(|i| u8::from(i < 2048)).collect();
    folder
        .file("mask.npy", npy("|u1", "(16, 16, 16)", &mask))
        .file("mask.raw", &mask);
    let whole = folder
        .run("mesh ball.nii --iso 50 -o a.ply --json")
        .ok()
        .json();
    let half = folder
        .run("mesh ball.nii --iso 50 --mask mask.npy -o b.ply --json --check")
        .ok()
        .json();
    let headerless = folder
        .run("mesh ball.nii --iso 50 --mask mask.raw -o c.ply --json")
        .ok()
        .json();
    assert_eq!(half["closed"], false);
    assert!(half["triangles"].as_u64() < whole["triangles"].as_u64());
    assert_eq!(half["triangles"], headerless["triangles"]);
    let run = folder
        .run("mesh ball.nii --iso 50 --mask mask.npy -o b.ply --check")
        .ok();
    assert!(
        run.stdout.contains("where cells are left out"),
        "{}",
        run.stdout
    );
}

#[test]
fn brain_mesh_is_a_manifold() {
    let folder = Folder::new();
    let brain = data("mni152_t1_1mm.nii.gz");
    let brain = brain.to_str().unwrap();
    let report = folder
        .run(&format!(
            "mesh {brain} --iso 120 -o brain.ply --check --json"
        ))
        .ok()
        .json();
    assert_eq!(report["manifold"], true);
    assert_eq!(report["oriented"], true);
    assert_eq!(report["degenerate_triangles"], 0);
    assert_eq!(
        report["closed"].as_bool().unwrap(),
        report["openings"] == json!([])
    );
    assert!(report["triangles"].as_u64().unwrap() > 100_000, "{report}");
    let closed = folder
        .run(&format!(
            "mesh {brain} --iso 120 --close -o brain.ply --json"
        ))
        .ok()
        .json();
    assert_eq!(closed["closed"], true);
    assert_eq!(closed["triangles"].as_i64().unwrap() % 2, 0);
    let vertices = closed["vertices"].as_i64().unwrap();
    assert_eq!(
        closed["triangles"].as_i64().unwrap(),
        2 * vertices - 2 * closed["euler"].as_i64().unwrap()
    );
}
