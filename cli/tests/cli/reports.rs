//! Common parts of the reports: equal keys, `--quiet`, errors as JSON, statistics without an
//! output.

use crate::support::{Folder, Run};
use serde_json::{Value, json};

/// Returns a folder with a ball in an anisotropic volume, and its mesh.
fn folder() -> Folder {
    let folder = Folder::new();
    let ball = (0..16 * 14 * 12).map(|i| {
        let centred = [i % 16, i / 16 % 14, i / 16 / 14].map(|x| f64::from(x) - 6.5);
        let distance = centred.iter().map(|x| x * x).sum::<f64>().sqrt();
        if distance < 4.5 { 200 } else { 0 }
    });
    let mut file = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 16 14 12\nspacings: 0.5 0.75 2\nencoding: raw\n\n".to_vec();
    file.extend(ball.collect::<Vec<u8>>());
    folder.file("ball.nrrd", file);
    folder
        .run("mesh ball.nrrd --iso 100 -o ball.ply --device cpu")
        .ok();
    folder
}

const COMMANDS: [&str; 8] = [
    "info ball.nrrd --stats",
    "mesh ball.nrrd --iso 100 -o out.ply --device cpu",
    "render ball.nrrd --iso 100 -o out.png --size 60x40 --device cpu",
    "slices ball.nrrd --iso 100 -o out.png --width 200",
    "distance ball.nrrd --iso 100 -o out.nii --device cpu",
    "skeleton ball.nrrd --iso 100 -o out.swc --device cpu",
    "voxelize ball.ply --resolution 20 -o out.nrrd --device cpu",
    "occupancy --cc 9.0 --regs 32",
];

#[test]
fn reports_share_their_keys() {
    let folder = folder();
    for command in COMMANDS {
        let report = folder.run(&format!("{command} --json")).ok().json();
        let first = command.split(' ').next().unwrap();
        assert_eq!(report["command"], first);
        assert_eq!(report["error"], Value::Null, "{command}");
        assert!(report["warnings"].is_array(), "{command}");
        if first == "occupancy" {
            continue;
        }
        for list in ["dims", "spacing", "origin"] {
            assert_eq!(
                report[list].as_array().map(Vec::len),
                Some(3),
                "{command}: {list}"
            );
        }
        assert!(report["input"].as_str().unwrap().starts_with("ball."));
        if first != "voxelize" {
            assert_eq!(report["spacing"], json!([0.5, 0.75, 2.0]), "{command}");
        }
        if first == "info" {
            continue;
        }
        assert_eq!(
            report["outputs"].as_array().map(Vec::len),
            Some(1),
            "{command}"
        );
        if first == "slices" {
            continue;
        }
        assert_eq!(report["device"], "cpu");
        assert_eq!(report["devices"][0]["device"], "cpu", "{command}");
        assert!(report["timings"]["total"].as_f64() > Some(0.0), "{command}");
        assert!(report["timings"]["read"].as_f64() >= Some(0.0), "{command}");
        if first != "voxelize" {
            assert_eq!(report["iso"], 100.0, "{command}");
        }
    }
}

#[test]
fn json_objects_contain_warnings() {
    let folder = folder();
    let run = folder
        .run("mesh ball.nrrd --iso 250 --json --device cpu")
        .ok();
    let warnings = run.json()["warnings"].clone();
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.contains("the mesh is empty"), "{warning}");
    assert_eq!(run.stderr, format!("ferrovox: warning: {warning}\n"));
}

#[test]
fn json_objects_contain_errors() {
    let folder = folder();
    let failed = folder.run("mesh none.nrrd --iso 5 --json --device cpu");
    failed.refused(&["none.nrrd"]);
    assert_eq!(failed.json()["command"], "mesh");
    // Usage errors that clap detects, and those that the command detects.
    for line in [
        "mesh ball.nrrd --json",
        "mesh ball.nrrd --iso 5 --memory 1G --method staged --json",
        "distance ball.nrrd --nonzero --slice z=3 --json",
    ] {
        let run = folder.run(line);
        assert_eq!(run.status, Some(2), "{line}");
        let error = run.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("--"), "{error}");
        assert!(
            !error.contains("Usage:") && run.stderr.contains("Usage:"),
            "{error}"
        );
    }
    let quiet = folder.run("mesh none.nrrd --iso 5 --quiet -o a.ply --device cpu");
    quiet.refused(&["none.nrrd"]);
}

#[test]
fn quiet_prints_only_errors_and_json() {
    let folder = folder();
    let silent = |run: Run| {
        let run = run.ok();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    };
    for command in COMMANDS {
        silent(folder.run(&format!("{command} --quiet")));
    }
    silent(folder.run("mesh ball.nrrd --iso 250 -o out.ply -q --device cpu"));
    silent(folder.run("devices -q"));
    let run = folder
        .run("mesh ball.nrrd --iso 250 -q --json --device cpu")
        .ok();
    assert_eq!(
        (run.stderr.as_str(), run.json()["triangles"].as_u64()),
        ("", Some(0))
    );
}

#[test]
fn statistics_need_no_output_file() {
    let folder = folder();
    let before = folder.content();
    let with_file = folder
        .run("mesh ball.nrrd --iso 100 -o ball.ply --json --device cpu")
        .ok()
        .json();
    for way in ["", "--memory 300K"] {
        let report = folder
            .run(&format!(
                "mesh ball.nrrd --iso 100 --json --device cpu {way}"
            ))
            .ok()
            .json();
        assert_eq!(report["outputs"], json!([]));
        for key in ["vertices", "triangles", "iso"] {
            assert_eq!(report[key], with_file[key], "{key} {way}");
        }
    }
    for (line, key) in [
        ("distance ball.nrrd --iso 100", "sites"),
        ("skeleton ball.nrrd --iso 100", "components"),
        ("voxelize ball.ply --resolution 20", "voxels"),
    ] {
        let report = folder
            .run(&format!("{line} --json --device cpu"))
            .ok()
            .json();
        assert!(report[key].as_u64() > Some(0), "{line}");
        assert_eq!(report["outputs"], json!([]), "{line}");
    }
    assert_eq!(folder.content(), before);
}
