//! Several inputs, isovalues and volumes in one command.

use crate::{
    samples::{ball, little_endian, nifti},
    support::Folder,
};
use serde_json::json;

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("scans")).unwrap();
    for name in ["a.nii", "b.nii", "c.nii"] {
        folder.file(&format!("scans/{name}"), nifti(&ball(), [16; 3]));
    }
    folder.file("scans/notes.txt", "nothing");
    folder
}

#[test]
fn every_input_gets_an_output() {
    let folder = folder();
    folder.run("mesh scans/a.nii --iso 50 -o one.ply").ok();
    let one = std::fs::read(folder.path("one.ply")).unwrap();
    for inputs in [
        "scans/a.nii scans/b.nii scans/c.nii",
        "scans",
        "scans/a.nii scans",
    ] {
        let run = folder.run(&format!("mesh {inputs} --iso 50 -o {{stem}}.ply"));
        if inputs == "scans/a.nii scans" {
            assert_eq!(run.status, Some(2), "{}", run.stderr);
            assert!(
                run.stderr.contains("two inputs are named a"),
                "{}",
                run.stderr
            );
            continue;
        }
        let run = run.ok();
        assert_eq!(run.stdout.matches("ms ").count(), 3, "{}", run.stdout);
        for name in ["a.ply", "b.ply", "c.ply"] {
            assert_eq!(std::fs::read(folder.path(name)).unwrap(), one, "{name}");
            std::fs::remove_file(folder.path(name)).unwrap();
        }
    }
    // a single input has a stem, too
    folder.run("mesh scans/a.nii --iso 50 -o {stem}-1.ply").ok();
    assert!(folder.path("a-1.ply").is_file());
    let info = folder.run("info scans --json").ok().json();
    assert_eq!(info["runs"].as_array().unwrap().len(), 3);
    assert_eq!(info["runs"][2]["dims"], json!([16, 16, 16]));
}

#[test]
fn failures_do_not_end_the_other_runs() {
    let folder = folder();
    folder.file("scans/b.nii", "damaged");
    let run = folder.run("mesh scans --iso 50 -o {stem}.ply --json");
    assert_eq!(run.status, Some(1));
    let object = run.json();
    assert_eq!(object["command"], "mesh");
    assert_eq!(object["error"], "1 of 3 runs failed: scans/b.nii");
    let runs = object["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    assert_eq!(runs[0]["outputs"], json!(["a.ply"]));
    assert!(
        runs[1]["error"]
            .as_str()
            .unwrap()
            .starts_with("scans/b.nii")
    );
    assert!(runs[2]["error"].is_null());
    assert!(folder.path("c.ply").is_file() && !folder.path("b.ply").exists());
    let text = folder.run("distance scans --iso 50 -o {stem}.npy");
    assert_eq!(text.status, Some(1));
    assert!(
        text.stderr
            .ends_with("ferrovox: error: 1 of 3 runs failed: scans/b.nii\n"),
        "{}",
        text.stderr
    );
}

#[test]
fn outputs_of_several_runs_need_placeholders() {
    let folder = folder();
    for (line, placeholder) in [
        ("mesh scans --iso 50 -o a.ply", "{stem}"),
        ("mesh scans/a.nii --iso 50,60 -o a.ply", "{iso}"),
        (
            "mesh scans/a.nii --iso 50 --volume-index all -o a.ply",
            "{volume}",
        ),
        ("mesh scans --iso 50 -o -", "{stem}"),
    ] {
        let run = folder.run(line);
        assert_eq!(run.status, Some(2), "{line}");
        assert!(run.stderr.contains(placeholder), "{}", run.stderr);
    }
    assert!(!folder.path("a.ply").exists());
}

#[test]
fn every_isovalue_and_volume_gets_an_output() {
    let folder = folder();
    folder
        .run("mesh scans/a.nii --iso 40,otsu,percentile:90 -o {stem}-{iso}.ply")
        .ok();
    for name in ["a-40.ply", "a-otsu.ply", "a-percentile-90.ply"] {
        assert!(folder.path(name).is_file(), "{name}");
    }
    let two = [little_endian(&ball()), little_endian(&vec![7.0; 4096])].concat();
    let mut file = nifti(&[], [16, 16, 16]);
    file[40..42].copy_from_slice(&4u16.to_le_bytes());
    file[48..50].copy_from_slice(&2u16.to_le_bytes());
    file.extend_from_slice(&two);
    folder.file("two.nii", file);
    let run = folder.run("mesh two.nii --iso 50 --volume-index all -o v{volume}.ply --json");
    let runs = run.ok().json()["runs"].clone();
    assert_eq!(runs.as_array().unwrap().len(), 2);
    assert!(runs[0]["triangles"].as_u64() > Some(0));
    assert_eq!(runs[1]["triangles"], 0);
    assert_eq!(runs[1]["outputs"], json!(["v1.ply"]));
    let info = folder
        .run("info two.nii --volume-index all --stats --json")
        .ok()
        .json();
    assert_eq!(info["runs"][1]["max"], 7.0);
}

#[test]
fn missing_output_folders_are_explained() {
    let folder = folder();
    folder.refuses(
        "mesh scans/a.nii --iso 50 -o out/a.ply",
        &["there is no folder out; create it with `mkdir -p out`"],
    );
}
