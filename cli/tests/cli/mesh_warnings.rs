//! Warnings about meshes that are open or not manifolds, without `--check`.

use crate::{
    samples::{ball, little_endian, nifti},
    support::{Folder, Run},
};

/// Returns the warnings of a run with `--json`.
fn warnings(run: &Run) -> Vec<String> {
    let report = run.json();
    let list = report["warnings"].as_array().unwrap().iter();
    list.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

#[test]
fn open_meshes_produce_a_warning() {
    let folder = folder();
    // the surface of radius 9 reaches the border; that of radius 5 does not
    for memory in ["", " --memory 200k"] {
        let line = |iso: u32| format!("mesh ball.nii --iso {iso} -o out.ply --device cpu{memory}");
        assert_eq!(folder.run(&line(50)).ok().stderr, "");
        let open = folder.run(&line(10)).ok();
        for fact in [
            "out.ply: the mesh is open",
            "border of the volume",
            "--close",
        ] {
            assert!(open.stderr.contains(fact), "{}", open.stderr);
        }
        let json = folder.run(&(line(10) + " --json")).ok();
        assert_eq!(warnings(&json).len(), 1);
        assert_eq!(folder.run(&(line(10) + " --close")).ok().stderr, "");
    }
}

#[test]
fn cells_excluded_by_a_mask_are_named() {
    let folder = folder();
    let mask: Vec<f32> = (0..16 * 16 * 16)
        .map(|at| (at % 16 < 7) as u8 as f32)
        .collect();
    folder.file("mask.nii", nifti(&mask, [16, 16, 16]));
    let line = "mesh ball.nii --iso 50 -o out.ply --mask mask.nii --close --json";
    let found = warnings(&folder.run(line).ok());
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("excluded by a mask"), "{found:?}");
}

/// Voxels of label 4 touch in an edge only; its surface is a manifold nevertheless.
#[test]
fn labels_that_touch_in_an_edge_produce_no_warning() {
    let folder = Folder::new();
    folder.file("labels.raw", [4, 0, 9, 0, 4, 9]);
    let line = "mesh labels.raw --dims 3x2x1 --type u8 --labels all --device cpu --json --check";
    for output in ["", " -o walls.vtp", " -o {label}.stl"] {
        let run = folder.run(&format!("{line}{output}")).ok();
        assert_eq!(warnings(&run), [""; 0]);
        for label in run.json()["labels"].as_array().unwrap() {
            assert_eq!(label["manifold"], true, "{label}");
        }
    }
}

#[test]
fn vertices_that_coincide_are_defects() {
    let folder = folder();
    folder.file("ball.raw", little_endian(&ball()));
    // the sample (7, 7, 3) equals the isovalue: vertices around it are 1/1024 voxel away
    let iso = ball()[7 + 16 * 7 + 256 * 3];
    let line = |origin: u32| {
        format!(
            "mesh ball.raw --dims 16x16x16 --type f32 --origin {origin},{origin},{origin} --iso {iso} -o out.stl --device cpu"
        )
    };
    let near = folder.run(&(line(0) + " --check --json")).ok().json();
    assert_eq!(near["duplicate_positions"], 0);
    assert_eq!(near["degenerate_triangles"], 0);
    // where STL rounds to 1/256 voxel, they coincide
    let distant = folder.run(&(line(80_000) + " --json")).ok().json();
    assert!(distant["duplicate_positions"].as_u64() > Some(0));
    folder.refuses(
        &(line(80_000) + " --check"),
        &["out.stl", "vertices at the position of another"],
    );
}
