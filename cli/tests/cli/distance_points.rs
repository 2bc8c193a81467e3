//! `ferrovox distance --points`.

use crate::{
    samples::{little_endian, nifti, npy},
    support::Folder,
};
use ferrovox::{
    grid::AnyVolume,
    io::{MeshWriteOptions, ReadOptions, read_volume, write_mesh},
    mesh::{TriangleMesh, Triangles},
};

const POINTS: [[f32; 3]; 3] = [[0.25, 1.5, 1.25], [3.0, 0.0, 0.75], [1.0, 2.0, -1.5]];

fn folder() -> Folder {
    let folder = Folder::new();
    let text: String = POINTS
        .iter()
        .map(|[x, y, z]| format!("{x} {y} {z}\n"))
        .collect();
    folder.file("points.xyz", format!("# three\n{text}"));
    folder.file(
        "points.npy",
        npy("<f4", "(3, 3)", &little_endian(POINTS.as_flattened())),
    );
    let mesh = TriangleMesh {
        vertices: POINTS.to_vec(),
        normals: None,
        triangles: Triangles::U32(vec![[0, 1, 2]]),
    };
    write_mesh(
        folder.path("points.ply"),
        &mesh,
        &MeshWriteOptions::default(),
    )
    .unwrap();
    folder
}

fn distances(folder: &Folder, name: &str) -> Vec<f32> {
    match read_volume(folder.path(name), &ReadOptions::default())
        .unwrap()
        .volume
    {
        AnyVolume::F32(volume) => volume.samples().to_vec(),
        other => panic!("{}", other.sample_type()),
    }
}

/// The distances of a grid of 4 x 3 x 2 voxels.
fn exact(spacing: f32, origin: [f32; 3]) -> Vec<f32> {
    let voxel = |i: usize| [i % 4, i / 4 % 3, i / 12];
    let world = |i: usize| [0, 1, 2].map(|k| voxel(i)[k] as f32 * spacing + origin[k]);
    let apart = |a: [f32; 3], b: [f32; 3]| {
        let square: f32 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
        square.sqrt()
    };
    let nearest = |i: usize| {
        let of = POINTS.iter().map(|&point| apart(world(i), point));
        of.fold(f32::INFINITY, f32::min)
    };
    (0..24).map(nearest).collect()
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn points_of_every_format_count_wherever_they_are() {
    let folder = folder();
    for name in ["points.xyz", "points.npy", "points.ply"] {
        let run = folder
            .run(&format!(
                "distance {name} --points --grid 4x3x2 --method brute-force -o d.npy --json"
            ))
            .ok();
        let note = "1 of 3 points are outside the volume of 4 x 3 x 2 voxels, first point 2 at [1.0, 2.0, -1.5]";
        assert!(run.stderr.contains(note), "{}", run.stderr);
        let report = run.json();
        assert_eq!(
            (&report["sites"], &report["sites_outside"]),
            (&3.into(), &1.into())
        );
        assert_eq!(report["sites_from"], "points");
        assert_close(&distances(&folder, "d.npy"), &exact(1.0, [0.0; 3]));
    }
}

#[test]
fn the_grid_has_a_place_in_the_world() {
    let folder = folder();
    folder
        .run("distance points.xyz --points --grid 4x3x2 --spacing 0.5 --origin -1,0,1 --method brute-force -o d.nrrd")
        .ok();
    let expected = exact(0.5, [-1.0, 0.0, 1.0]);
    assert_close(&distances(&folder, "d.nrrd"), &expected);
    // the same from a volume that lies there
    folder
        .run("distance points.xyz --points --like d.nrrd --method brute-force -o e.nrrd")
        .ok();
    assert_eq!(distances(&folder, "e.nrrd"), distances(&folder, "d.nrrd"));
    folder.file("like.nii", nifti(&[0.0; 24], [4, 3, 2]));
    folder
        .run("distance points.xyz --points --like like.nii --method brute-force -o f.npy --nearest s.npy")
        .ok();
    assert_close(&distances(&folder, "f.npy"), &exact(1.0, [0.0; 3]));
    match read_volume(folder.path("s.npy"), &ReadOptions::default())
        .unwrap()
        .volume
    {
        AnyVolume::I32(nearest) => assert!(nearest.samples().iter().all(|it| (0..3).contains(it))),
        other => panic!("{}", other.sample_type()),
    }
}

#[test]
fn points_that_cannot_be_used_are_refused() {
    let folder = folder();
    folder.refuses(
        "distance points.xyz --points --grid 4x3x2 --strict --method brute-force -o d.npy",
        &["points.xyz: 1 of 3 points are outside", "--strict"],
    );
    folder.file("inside.xyz", "1 1 1\n");
    folder.file("nan.xyz", "1 2 3\n1 nan 3\n");
    folder.refuses(
        "distance nan.xyz --points --grid 4x3x2 --method brute-force -o d.npy",
        &["nan.xyz: point 1 is at [1.0, NaN, 3.0]"],
    );
    folder.file("far.xyz", "1e300 0 0\n");
    folder.refuses(
        "distance far.xyz --points --grid 4x3x2 --method brute-force -o d.npy",
        &["far.xyz: point 0 is at [1e300", "f32"],
    );
    folder.file("words.xyz", "1 2 3\nthree\n");
    folder.refuses(
        "distance words.xyz --points --grid 4x3x2 --method brute-force -o d.npy",
        &["words.xyz: line 2 reads \"three\""],
    );
    folder.file("none.xyz", "# nothing\n");
    folder.refuses(
        "distance none.xyz --points --grid 4x3x2 --method brute-force -o d.npy",
        &["none.xyz", "no sites"],
    );
    folder.refuses(
        "distance points.xyz --points --grid 4x0x2 --method brute-force -o d.npy",
        &["--grid 4 x 0 x 2"],
    );
    folder.refuses(
        "distance inside.xyz --points --grid 4x3x2 --method separable -o d.npy",
        &["inside.xyz", "separable takes voxels", "brute-force"],
    );
    folder.refuses(
        "distance points.txt --points --grid 4x3x2 -o d.npy",
        &["points.txt", ".xyz, .ply and .npy"],
    );
}
