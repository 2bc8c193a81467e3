//! Simplification preserves the topology of any mesh for any target.

use ferrovox::{
    device::Device,
    isosurface::{IsosurfaceParams, Topology},
    mesh::{self, MeshReport, TriangleMesh, Triangles},
    mesh_filter::{SimplifyReport, SimplifyTarget, simplify},
    monitor::{CancelFlag, Monitor},
};
use ferrovox_tests::{
    extract::extract_mesh,
    noise::{Noise, with_border_below},
};
use nalgebra::Vector3;
use std::collections::BTreeSet;

fn simplify_checked(mesh: &TriangleMesh, target: SimplifyTarget) -> (TriangleMesh, SimplifyReport) {
    simplify(mesh, target, &Monitor::new()).unwrap()
}

/// Returns the properties that must be preserved.
fn topology(report: &MeshReport) -> (bool, bool, bool, i64, usize, usize, usize) {
    (
        report.is_closed(),
        report.is_manifold(),
        report.is_oriented(),
        report.euler_characteristic(),
        report.components,
        report.boundary_edges,
        report.non_manifold_edges,
    )
}

/// Generates uniform noise, smooth noise, gyroids and thin walls in noise; closed or open.
fn field(seed: u64) -> ([usize; 3], Vec<f32>) {
    let mut noise = Noise(seed);
    let dims = [0; 3].map(|_: usize| 5 + noise.below(10) as usize);
    let sort = seed % 4;
    let (normal, away) = (noise.direction(), noise.between(3.0, 7.0));
    let (pitch, phase) = (noise.between(0.5, 1.2), noise.between(0.0, 6.0));
    let mut place = 0;
    let mut sample = || {
        let [x, y, z] = [
            place % dims[0],
            place / dims[0] % dims[1],
            place / (dims[0] * dims[1]),
        ]
        .map(|i| i as f64);
        place += 1;
        match sort {
            0 => noise.signed(),
            1 => {
                let [x, y, z] = [x, y, z].map(|i| i * pitch + phase);
                (x.sin() * y.cos() + y.sin() * z.cos() + z.sin() * x.cos()) as f32
                    + 0.3 * noise.signed()
            }
            2 => {
                let wall = 1.0 - (normal.dot(&Vector3::new(x, y, z)) - away).abs() / 0.6;
                wall.clamp(-1.0, 1.0) as f32 + 0.4 * noise.signed()
            }
            _ => noise.signed() + 0.6,
        }
    };
    let samples: Vec<f32> = (0..dims.iter().product::<usize>())
        .map(|_| sample())
        .collect();
    if seed.is_multiple_of(3) {
        return (dims, samples);
    }
    let mut all = samples.iter();
    let closed = with_border_below(dims, || *all.next().unwrap());
    (dims, closed)
}

#[test]
fn simplification_preserves_topology() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..400 {
        let (dims, samples) = field(seed);
        let params = IsosurfaceParams {
            topology: Topology::ALL[seed as usize / 4 % 2],
            ..Default::default()
        };
        let mesh = extract_mesh(&Device::cpu(), &samples, dims, &params);
        let was = mesh::check(&mesh);
        assert!(was.is_manifold() && was.is_oriented());
        for target in [
            SimplifyTarget::Fraction(0.5),
            SimplifyTarget::Fraction(0.0),
            SimplifyTarget::Error(0.2),
        ] {
            let (found, report) = simplify_checked(&mesh, target);
            let label = format!("seed {seed}, {dims:?}, {target:?}");
            let is = mesh::check(&found);
            assert_eq!(topology(&is), topology(&was), "{label}");
            assert_eq!(is.degenerate_triangles, 0, "{label}");
            assert_eq!(is.unreferenced_vertices, 0, "{label}");
            assert_eq!(report.triangles as usize, found.triangles.len(), "{label}");
            assert_eq!(
                report.triangles_before as usize,
                mesh.triangles.len(),
                "{label}"
            );
            if let SimplifyTarget::Error(most) = target {
                assert!(report.error <= most, "{label}");
            }
            if target == SimplifyTarget::Fraction(0.5) {
                before += mesh.triangles.len();
                after += found.triangles.len();
            }
        }
    }
    eprintln!("half of the triangles of 400 meshes: {after} of {before} are left");
    assert!(after * 10 < before * 6);
}

#[test]
fn boundary_is_preserved() {
    for seed in [3, 6, 9, 12] {
        let (dims, samples) = field(seed);
        let mesh = extract_mesh(&Device::cpu(), &samples, dims, &IsosurfaceParams::default());
        let (found, _) = simplify_checked(&mesh, SimplifyTarget::Fraction(0.1));
        let boundary = |mesh: &TriangleMesh| {
            let mut edges = BTreeSet::new();
            for [a, b, c] in mesh.triangles.iter() {
                for edge in [[a, b], [b, c], [c, a]] {
                    let [from, to] = edge.map(|at| mesh.vertices[at as usize].map(f32::to_bits));
                    // the other triangle has it in the opposite direction
                    if !edges.remove(&[to, from]) {
                        edges.insert([from, to]);
                    }
                }
            }
            edges
        };
        assert_eq!(boundary(&found), boundary(&mesh));
    }
}

fn ball(radius: f64) -> TriangleMesh {
    let side = (2.0 * radius) as usize + 6;
    let middle = (side as f64 - 1.0) / 2.0;
    let mut samples = Vec::new();
    for i in 0..side.pow(3) {
        let away =
            [i % side, i / side % side, i / side / side].map(|at| (at as f64 - middle).powi(2));
        samples.push((radius - away.iter().sum::<f64>().sqrt()) as f32);
    }
    extract_mesh(
        &Device::cpu(),
        &samples,
        [side; 3],
        &IsosurfaceParams::default(),
    )
}

#[test]
fn simplified_ball_stays_round() {
    let mesh = ball(16.0);
    let (found, report) = simplify_checked(&mesh, SimplifyTarget::Fraction(0.1));
    assert!(found.triangles.len() * 10 <= mesh.triangles.len());
    let middle = Vector3::repeat((38.0 - 1.0) / 2.0);
    let worst = found
        .vertices
        .iter()
        .map(|position| ((Vector3::from(*position) - middle).norm() - 16.0).abs())
        .fold(0.0, f32::max);
    let [before, after] = [&mesh, &found].map(|mesh| mesh::check(mesh).volume);
    eprintln!(
        "a ball of radius 16: {} triangles, then {}; vertices off by {worst:.3}, error {:.3}, volume {before:.0}, then {after:.0}",
        mesh.triangles.len(),
        found.triangles.len(),
        report.error
    );
    assert!(worst < 0.2 && report.error < 0.2 && report.error > 0.0);
    assert!((after / before - 1.0).abs() < 0.01);
}

/// A planar face loses no accuracy until only its corners, which are on the boundary, and one more
/// vertex remain.
#[test]
fn cube_is_simplified_without_error() {
    let side = 12;
    let samples = with_border_below([side; 3], || 1.0);
    let mesh = extract_mesh(
        &Device::cpu(),
        &samples,
        [side; 3],
        &IsosurfaceParams::default(),
    );
    let (found, report) = simplify_checked(&mesh, SimplifyTarget::Error(1e-3));
    assert!(report.error <= 1e-3);
    eprintln!(
        "a cube: {} triangles of {}",
        report.triangles, report.triangles_before
    );
    assert!(found.triangles.len() < 120, "{}", found.triangles.len());
    let [before, after] = [&mesh, &found].map(|mesh| mesh::check(mesh).volume);
    assert!((before - after).abs() < 1e-2, "{before} {after}");
}

#[test]
fn fraction_one_and_error_zero_change_nothing() {
    let mesh = ball(5.0);
    let (same, report) = simplify_checked(&mesh, SimplifyTarget::Fraction(1.0));
    assert_eq!((same, report.error), (mesh.clone(), 0.0));
    let nothing = TriangleMesh::default();
    assert_eq!(
        simplify_checked(&nothing, SimplifyTarget::Fraction(0.5)).0,
        nothing
    );
    // indices keep their width
    let wide = TriangleMesh {
        triangles: Triangles::U64(mesh.triangles.iter().collect()),
        ..mesh.clone()
    };
    let target = SimplifyTarget::Fraction(0.3);
    let (narrow, wide) = (
        simplify_checked(&mesh, target).0,
        simplify_checked(&wide, target).0,
    );
    assert!(matches!(wide.triangles, Triangles::U64(_)));
    assert!(wide.triangles.iter().eq(narrow.triangles.iter()));
    assert_eq!(wide.vertices, narrow.vertices);
    // the smallest closed surface
    let (least, _) = simplify_checked(&mesh, SimplifyTarget::Fraction(0.0));
    assert!(
        (4..=40).contains(&least.triangles.len()),
        "{}",
        least.triangles.len()
    );
}

/// Sheets that meet in an edge or a vertex, degenerate and duplicate triangles.
#[test]
fn non_manifold_parts_are_unchanged() {
    let mut noise = Noise(1);
    let mut mesh = ball(5.0);
    let own = mesh.vertices.len() as u32;
    let Triangles::U32(triangles) = &mut mesh.triangles else {
        panic!("32 bits");
    };
    let more = [
        [0, 1, own],
        [0, 1, own + 1],
        [5, own, own + 1],
        [7, 7, 8],
        [9, 10, 11],
        [9, 10, 11],
    ];
    triangles.extend(more);
    mesh.vertices
        .extend((0..3).map(|_| [(); 3].map(|()| noise.signed())));
    let was = mesh::check(&mesh);
    let is = mesh::check(&simplify_checked(&mesh, SimplifyTarget::Fraction(0.3)).0);
    assert_eq!(topology(&is).3, topology(&was).3);
    assert_eq!(is.non_manifold_edges, was.non_manifold_edges);
}

#[test]
fn invalid_input_of_simplification_is_an_error() {
    let mesh = ball(5.0);
    let silent = Monitor::new();
    let message =
        |mesh: &TriangleMesh, target| simplify(mesh, target, &silent).unwrap_err().to_string();
    for fraction in [-0.1, 1.1, f64::NAN] {
        assert!(message(&mesh, SimplifyTarget::Fraction(fraction)).contains("from 0 to 1"));
    }
    for distance in [-0.1, f64::INFINITY, f64::NAN] {
        assert!(message(&mesh, SimplifyTarget::Error(distance)).contains("finite number"));
    }
    let target = SimplifyTarget::Fraction(0.5);
    let mut nowhere = mesh.clone();
    nowhere.vertices[3][1] = f32::NAN;
    assert!(message(&nowhere, target).contains("vertex 3"));
    nowhere.vertices.pop();
    assert!(message(&nowhere, target).contains("the mesh has"));
    let flag = CancelFlag::new();
    flag.cancel();
    let big = ball(24.0);
    let error = simplify(&big, target, &Monitor::new().cancelled_by(&flag)).unwrap_err();
    assert!(error.to_string().contains("cancelled"), "{error}");
}
