//! `ferrovox voxelize`.

use crate::{
    samples::{ball, nifti},
    support::Folder,
};
use ferrovox::{
    grid::AnyVolume,
    io::{ReadOptions, read_volume},
};
use serde_json::json;

/// Returns a tetrahedron of volume 36, without its last side if it is to be open.
fn tetrahedron(open: bool) -> String {
    let last = if open { "" } else { "f 2 3 4\n" };
    format!("v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 1 4 3\n{last}")
}

#[test]
fn tetrahedron_is_voxelized_exactly() {
    let folder = Folder::new();
    folder.file("a.obj", tetrahedron(false));
    for output in ["a.nii", "a.nii.gz", "a.nrrd", "a.mha"] {
        let run = folder
            .run(&format!(
                "voxelize a.obj --resolution 60 -o {output} --device cpu --json"
            ))
            .ok();
        assert_eq!(run.stderr, "");
        let report = run.json();
        let expected = [
            ("input", json!("a.obj")),
            ("outputs", json!([output])),
            ("vertices", json!(4)),
            ("triangles", json!(4)),
            ("dims", json!([64, 64, 64])),
            ("spacing", json!([0.1, 0.1, 0.1])),
            ("device", json!("cpu")),
        ];
        for (field, value) in expected {
            assert_eq!(report[field], value, "{field}");
        }
        assert!((report["volume"].as_f64().unwrap() - 36.0).abs() < 1.0);
        for phase in ["read", "voxelize", "download", "write", "total"] {
            assert!(report["timings"][phase].as_f64().unwrap() >= 0.0, "{phase}");
        }
        let volume = read_volume(folder.path(output), &ReadOptions::default()).unwrap();
        let AnyVolume::U8(volume) = volume.volume else {
            panic!("u8");
        };
        let ones = volume
            .samples()
            .iter()
            .filter(|&&sample| sample == 1)
            .count();
        assert_eq!(report["voxels"], json!(ones));
        // The voxel at the corner with three right angles, at the position that the file states.
        let at = volume.geometry().world_to_index([0.05; 3].into());
        let index = [at.x, at.y, at.z].map(|x| x.round() as usize);
        assert_eq!((index, volume.get(index)), ([2; 3], Some(1)));
    }
    let text = folder
        .run("voxelize a.obj --spacing 0.1 --margin 0 -o a.npy")
        .ok();
    assert!(
        text.stdout.contains("60 x 60 x 60 voxels of 0.1"),
        "{}",
        text.stdout
    );
}

/// An isosurface in every readable mesh format.
#[test]
fn voxelized_isosurface_matches_the_volume() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    let mut counts = Vec::new();
    for mesh in ["ball.ply", "ball.obj", "ball.stl"] {
        folder
            .run(&format!("mesh ball.nii --iso 50 -o {mesh}"))
            .ok();
        let run = folder
            .run(&format!(
                "voxelize {mesh} --resolution 40 -o out.nii --json"
            ))
            .ok();
        counts.push(run.json()["voxels"].as_u64().unwrap());
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 125.0;
        let volume = run.json()["volume"].as_f64().unwrap();
        assert!((volume / ball - 1.0).abs() < 0.04, "{volume}");
    }
    assert!(counts.iter().all(|&count| count == counts[0]), "{counts:?}");
}

#[test]
fn failures_leave_no_files() {
    let folder = Folder::new();
    folder.file("open.obj", tetrahedron(true));
    folder.file("empty.obj", "# nothing\n");
    folder.file("broken.stl", "solid a\nfacet\n");
    folder.file("a.obj", tetrahedron(false));
    let refused = |args: &str, facts: &[&str]| {
        folder.run(args).refused(facts);
        assert!(!folder.path("out.nii").exists(), "{args}");
    };
    refused(
        "voxelize open.obj --resolution 20 -o out.nii",
        &[
            "open.obj: ",
            "the mesh is open: 3 edges",
            "from (6, 0, 0) to (0, 6, 0)",
        ],
    );
    refused(
        "voxelize empty.obj --resolution 20 -o out.nii",
        &["empty.obj: ", "no triangles"],
    );
    refused(
        "voxelize broken.stl --resolution 20 -o out.nii",
        &["broken.stl: damaged STL"],
    );
    refused(
        "voxelize none.obj --resolution 20 -o out.nii",
        &["none.obj", "no such file"],
    );
    refused(
        "voxelize a.vtp --resolution 20 -o out.nii",
        &["a.vtp", ".ply, .obj and .stl"],
    );
    folder.file("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    refused(
        "voxelize a.off --resolution 20 -o out.nii",
        &["a.off: unknown extension \"off\"", ".ply, .obj and .stl"],
    );
    refused(
        "voxelize a.obj --resolution 0 -o out.nii",
        &["from 1 to 65536"],
    );
    refused(
        "voxelize a.obj --spacing -1 -o out.nii",
        &["the voxel size is -1"],
    );
    refused(
        "voxelize a.obj --spacing 1e-9 -o out.nii",
        &["at most 65536 voxels"],
    );
    refused(
        "voxelize a.obj --resolution 20 -o out.ply",
        &["out.ply", "volumes are written as"],
    );
}
