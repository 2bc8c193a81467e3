//! Tests of `ferrovox distance --points`.

use super::{distances, read};
use crate::{
    samples::{little_endian, nifti, npy},
    support::Folder,
};
use ferrovox::{
    grid::AnyVolume,
    io::{MeshWriteOptions, write_mesh},
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
        origin: [0.0; 3],
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

/// Returns the distances of a grid of 4 × 3 × 2 voxels.
fn exact(spacing: f32, origin: [f32; 3]) -> Vec<f32> {
    let voxel = |i: usize| [i % 4, i / 4 % 3, i / 12];
    let world = |i: usize| [0, 1, 2].map(|k| voxel(i)[k] as f32 * spacing + origin[k]);
    let distance = |a: [f32; 3], b: [f32; 3]| {
        let square: f32 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
        square.sqrt()
    };
    let nearest = |i: usize| {
        let distances_to_points = POINTS.iter().map(|&point| distance(world(i), point));
        distances_to_points.fold(f32::INFINITY, f32::min)
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
fn points_of_every_format_are_used_even_outside_the_grid() {
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
fn point_grid_uses_spacing_origin_or_a_like_volume() {
    let folder = folder();
    folder
        .run("distance points.xyz --points --grid 4x3x2 --spacing 0.5 --origin -1,0,1 --method brute-force -o d.nrrd")
        .ok();
    let expected = exact(0.5, [-1.0, 0.0, 1.0]);
    assert_close(&distances(&folder, "d.nrrd"), &expected);
    // The same grid, taken from a volume.
    folder
        .run("distance points.xyz --points --like d.nrrd --method brute-force -o e.nrrd")
        .ok();
    assert_eq!(distances(&folder, "e.nrrd"), distances(&folder, "d.nrrd"));
    folder.file("like.nii", nifti(&[0.0; 24], [4, 3, 2]));
    folder
        .run("distance points.xyz --points --like like.nii --method brute-force -o f.npy --nearest s.npy")
        .ok();
    assert_close(&distances(&folder, "f.npy"), &exact(1.0, [0.0; 3]));
    match read(&folder, "s.npy").volume {
        AnyVolume::I32(nearest) => assert!(nearest.samples().iter().all(|it| (0..3).contains(it))),
        other => panic!("{}", other.sample_type()),
    }
}

#[test]
fn unusable_points_are_rejected() {
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
        &["--grid is 4 x 0 x 2"],
    );
    folder.file("between.xyz", "1 1 1\n1 1 0.5\n");
    folder.refuses(
        "distance between.xyz --points --grid 4x3x2 --method separable -o d.npy",
        &["between.xyz", "separable requires voxels", "brute-force"],
    );
    folder.refuses(
        "distance points.txt --points --grid 4x3x2 -o d.npy",
        &["points.txt", ".xyz, .csv, .tsv, .npy"],
    );
}

/// Returns pseudo-random coordinates that are multiples of `step`.
fn pseudo_random_points(count: usize, dims: [usize; 3], step: f64) -> Vec<[f64; 3]> {
    let mut state = 1_u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let part = (state >> 40) as f64 / (1_u64 << 24) as f64;
        (part * (n - 1) as f64 / step).floor() * step
    };
    (0..count).map(|_| dims.map(&mut next)).collect()
}

fn text(points: &[[f64; 3]], to_world: impl Fn(f64) -> f64) -> String {
    let line = |at: &[f64; 3]| at.map(|it| to_world(it).to_string()).join(" ") + "\n";
    points.iter().map(line).collect()
}

/// Returns the distance from each voxel to the nearest point in world units, comparing all pairs.
fn brute_force(points: &[[f64; 3]], dims: [usize; 3], spacing: f64) -> Vec<f64> {
    let voxels = (0..dims.iter().product()).map(|i: usize| {
        [i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]].map(|axis| axis as f64)
    });
    let squared = |a: [f64; 3], b: &[f64; 3]| -> f64 {
        (0..3).map(|k| (spacing * (a[k] - b[k])).powi(2)).sum()
    };
    let nearest = |at| {
        points
            .iter()
            .map(move |point| squared(at, point))
            .fold(f64::INFINITY, f64::min)
    };
    voxels.map(|at| nearest(at).sqrt()).collect()
}

/// Includes voxels far from all points, on a grid of several buckets.
#[test]
fn default_method_is_exact_for_fractional_points() {
    let folder = Folder::new();
    let dims = [90, 20, 40];
    for (count, method) in [(8, "brute-force"), (9, "bucketed"), (200, "bucketed")] {
        let mut points = pseudo_random_points(count, [12, 20, 9], 0.125);
        points[0] = [0.5, 3.25, 1.0];
        let world_text = text(&points, |at| at * 0.5 + 2.0);
        folder.file("p.xyz", world_text);
        let grid = "--grid 90x20x40 --spacing 0.5 --origin 2,2,2";
        let run = folder.run(&format!("distance p.xyz --points {grid} -o d.npy --json"));
        let report = run.ok().json();
        assert_eq!(
            (&report["method"], &report["sites"]),
            (&method.into(), &count.into())
        );
        let exact = brute_force(&points, dims, 0.5);
        assert!(exact.iter().any(|&it| it > 36.0 * 0.5), "far ones too");
        for (found, exact) in distances(&folder, "d.npy").into_iter().zip(exact) {
            let error = (f64::from(found) - exact).abs();
            assert!(error <= 1.3e-7 * exact, "{method}: {found} for {exact}");
        }
    }
}

#[test]
fn points_at_voxel_centres_use_the_separable_method() {
    let folder = Folder::new();
    let dims = [60, 17, 40];
    let mut points = pseudo_random_points(30, dims, 1.0);
    // One duplicate point, and points before the first one.
    points.push(points[3]);
    points.insert(0, points[7]);
    folder.file("p.xyz", text(&points, |at| at * 0.7 + 1.3));
    let options = "--points --grid 60x17x40 --spacing 0.7 --origin 1.3,1.3,1.3";
    let compute = |extra_options: &str| {
        let run = folder.run(&format!("distance p.xyz {options} {extra_options} --json"));
        run.ok().json()
    };
    let report = compute("-o d.npy --nearest n.npy");
    assert_eq!(
        (&report["method"], &report["sites"]),
        (&"separable".into(), &32.into())
    );
    let found = distances(&folder, "d.npy");
    for (found, exact) in found.iter().zip(brute_force(&points, dims, 0.7)) {
        assert!(
            (f64::from(*found) - exact).abs() <= 1.3e-7 * exact,
            "{found} for {exact}"
        );
    }
    // The numbers refer to points, to the first one in each voxel, and to a nearest one.
    let AnyVolume::I32(nearest) = read(&folder, "n.npy").volume else {
        panic!("i32");
    };
    for (index, &number) in nearest.samples().iter().enumerate() {
        let point = points[number as usize];
        let first = points.iter().position(|&other| other == point);
        assert_eq!(first, Some(number as usize));
        let at = [index % 60, index / 60 % 17, index / 60 / 17];
        let distance = (0..3).map(|k| (0.7 * (at[k] as f64 - point[k])).powi(2));
        let distance = distance.sum::<f64>().sqrt();
        assert!((f64::from(found[index]) - distance).abs() <= 1.3e-7 * distance);
    }
    // Slabs, and a method for points, give the same result.
    compute("-o slabs.npy --device cpu,cpu");
    assert!(distances(&folder, "slabs.npy") == found);
    compute("-o b.npy --method brute-force");
    assert!(distances(&folder, "b.npy") == found);
    folder.refuses(
        &format!("distance p.xyz {options} -o d.npy --nearest n.npy --memory 100M"),
        &["--nearest", "slabs"],
    );
}

#[test]
fn nearest_fractional_point_is_found() {
    let folder = folder();
    let run = folder
        .run("distance points.xyz --points --grid 4x3x2 -o d.npy --nearest n.npy --json")
        .ok();
    assert_eq!(run.json()["method"], "brute-force");
    assert_close(&distances(&folder, "d.npy"), &exact(1.0, [0.0; 3]));
}
