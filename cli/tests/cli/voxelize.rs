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
        for phase in ["read", "voxelize", "convert", "write", "total"] {
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
        "voxelize a.vtk --resolution 20 -o out.nii",
        &["a.vtk", ".ply, .obj, .stl, .vtp, .off, .glb and .3mf"],
    );
    folder.file("a.fbx", "; FBX 7.7.0 project file\n");
    refused(
        "voxelize a.fbx --resolution 20 -o out.nii",
        &[
            "a.fbx: unknown extension \"fbx\"",
            ".ply, .obj, .stl, .vtp, .off, .glb and .3mf",
        ],
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

#[test]
fn grid_of_a_scan_is_used() {
    let folder = Folder::new();
    let mut file = nifti(&ball(), [16; 3]);
    // spacing 1, 1.5 and 2, with x mirrored
    for (k, value) in [(0, -1.0_f32), (5, 1.5), (10, 2.0), (3, 40.0)] {
        file[280 + 4 * k..][..4].copy_from_slice(&value.to_le_bytes());
    }
    folder.file("scan.nii", file);
    folder.run("mesh scan.nii --iso 50 -o ball.ply").ok();
    let report = folder
        .run("voxelize ball.ply --like scan.nii -o mask.nii --json")
        .ok()
        .json();
    assert_eq!(report["dims"], json!([16, 16, 16]));
    let inside = ball().iter().filter(|&&sample| sample >= 50.0).count();
    assert_eq!(report["voxels"], json!(inside));
    let volume = report["volume"].as_f64().unwrap();
    assert!((volume - 3.0 * inside as f64).abs() < 1e-9, "{volume}");
    let mask = read_volume(folder.path("mask.nii"), &ReadOptions::default()).unwrap();
    let scan = read_volume(folder.path("scan.nii"), &ReadOptions::default()).unwrap();
    assert_eq!(mask.volume.geometry(), scan.volume.geometry());
    let AnyVolume::U8(mask) = mask.volume else {
        panic!("u8");
    };
    for (voxel, sample) in mask.samples().iter().zip(ball()) {
        assert_eq!(*voxel == 1, sample >= 50.0);
    }
}

#[test]
fn open_meshes_are_voxelized_by_winding_numbers() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    // the ball without its top
    let open = "mesh ball.nii --iso 50 --crop 0:16,0:16,0:11";
    folder.run(&format!("{open} -o open.obj")).ok();
    folder.run(&format!("{open} --close -o closed.obj")).ok();
    folder.refuses(
        "voxelize open.obj --like ball.nii -o a.nii",
        &["the mesh is open", "or give --open winding"],
    );
    let voxels = |line: &str| {
        let report = folder
            .run(&format!("voxelize {line} --like ball.nii --json"))
            .ok()
            .json();
        report["voxels"].as_u64().unwrap() as f64
    };
    let expected = voxels("closed.obj");
    let found = voxels("open.obj --open winding");
    // the voxels in the plane of the opening have a winding number of 0.5
    assert!((found / expected - 1.0).abs() < 0.15, "{found} {expected}");
    // equal to the parity of crossings for a closed mesh
    assert_eq!(voxels("closed.obj --open winding"), expected);
}

#[test]
fn signed_distances_to_triangles_are_exact() {
    let folder = Folder::new();
    folder.file("a.obj", tetrahedron(false));
    folder
        .run("voxelize a.obj --voxel-size 0.5 --signed-distance -o d.nrrd")
        .ok();
    let file = read_volume(folder.path("d.nrrd"), &ReadOptions::default()).unwrap();
    let AnyVolume::F32(volume) = file.volume else {
        panic!("f32");
    };
    let (mut inside, mut outside) = (0, 0);
    for (index, &found) in volume.samples().iter().enumerate() {
        let [nx, ny, _] = volume.dims();
        let voxel = [index % nx, index / nx % ny, index / (nx * ny)].map(|k| k as f64);
        let [x, y, z]: [f64; 3] = volume.geometry().index_to_world(voxel.into()).into();
        let slanted = (x + y + z - 6.0) / 3.0_f64.sqrt();
        let largest = (-x).max(-y).max(-z).max(slanted);
        if largest < -1e-6 {
            // inside, the nearest plane is the nearest face
            assert!(
                (f64::from(found) - largest).abs() < 1e-5,
                "{found} {largest}"
            );
            inside += 1;
        } else if largest > 1e-6 {
            assert!(f64::from(found) >= largest - 1e-5, "{found} {largest}");
            outside += 1;
        }
    }
    assert!(inside > 100 && outside > 1000, "{inside} {outside}");
    let both = folder.run("voxelize a.obj --voxel-size 1 --signed-distance --largest -o d.nii");
    assert_eq!(both.status, Some(2), "{}", both.stderr);
}
