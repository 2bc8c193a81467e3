//! Meshes are closed, manifold and oriented for any samples.

use ferrovox::{
    isosurface::{IndexWidth, Inside, IsosurfaceParams, Topology},
    mesh::{self, MeshReport, TriangleMesh, Triangles},
};
use ferrovox_tests::{
    devices,
    extract::extract_mesh,
    noise::{Noise, with_border_below},
};

fn assert_solid(mesh: &TriangleMesh, label: &str) -> MeshReport {
    let report = mesh::check(mesh);
    assert!(
        report.is_closed() && report.is_manifold() && report.is_oriented(),
        "{label}: {report:?}"
    );
    assert_eq!(report.unreferenced_vertices, 0, "{label}");
    assert_eq!(report.degenerate_triangles, 0, "{label}");
    let (faces, vertices) = (report.triangles as i64, report.vertices as i64);
    assert_eq!(
        faces,
        2 * vertices - 2 * report.euler_characteristic(),
        "{label}"
    );
    report
}

/// Noise contains every case of a cell, and many ambiguous faces.
#[test]
fn noise_is_closed_manifold_and_oriented() {
    for test in devices::all() {
        for (seed, dims) in [
            (1, [9, 8, 7]),
            (2, [16, 17, 5]),
            (3, [3, 3, 31]),
            (4, [33, 4, 6]),
        ] {
            let mut noise = Noise(seed);
            let samples = with_border_below(dims, || noise.signed());
            for topology in Topology::ALL {
                let params = IsosurfaceParams {
                    topology,
                    ..Default::default()
                };
                let mesh = extract_mesh(&test.device, &samples, dims, &params);
                let label = format!("{}, {}, seed {seed}", test.label, topology.name());
                assert!(assert_solid(&mesh, &label).volume > 0.0);
            }
        }
    }
}

/// Other implementations produce degenerate triangles where samples equal the isovalue.
#[test]
fn samples_equal_to_the_isovalue_give_no_degenerate_triangles() {
    let dims = [16, 16, 16];
    let mut noise = Noise(5);
    let samples = with_border_below(dims, || noise.below(3) as f32 - 1.0);
    for test in devices::all() {
        for (iso, topology) in [0.0, 1.0]
            .into_iter()
            .flat_map(|iso| Topology::ALL.map(|topology| (iso, topology)))
        {
            let params = IsosurfaceParams {
                iso,
                topology,
                ..Default::default()
            };
            let mesh = extract_mesh(&test.device, &samples, dims, &params);
            assert_solid(&mesh, &format!("{}, iso {iso}", test.label));
            assert!(!mesh.triangles.is_empty());
        }
    }
}

/// With the inside below, the outside touches the boundary of the volume: the same surface with the
/// opposite orientation.
#[test]
fn inside_below_reverses_the_orientation() {
    let dims = [12, 10, 11];
    let mut noise = Noise(6);
    let samples = with_border_below(dims, || noise.signed());
    for test in devices::all() {
        let above = IsosurfaceParams {
            normals: true,
            ..Default::default()
        };
        let below = IsosurfaceParams {
            inside: Inside::Below,
            ..above
        };
        let a = extract_mesh(&test.device, &samples, dims, &above);
        let b = extract_mesh(&test.device, &samples, dims, &below);
        assert_eq!(a.vertices, b.vertices);
        let (ra, rb) = (mesh::check(&a), mesh::check(&b));
        assert_eq!(ra.volume, -rb.volume);
        let turned = |t: [u64; 3]| [t[0], t[2], t[1]];
        assert!(
            a.triangles
                .iter()
                .zip(b.triangles.iter())
                .all(|(a, b)| a == turned(b))
        );
        let (na, nb) = (a.normals.unwrap(), b.normals.unwrap());
        assert!(
            na.iter()
                .zip(&nb)
                .all(|(a, b)| (0..3).all(|k| a[k] == -b[k]))
        );
    }
}

#[test]
fn wide_indices_describe_the_same_mesh() {
    let dims = [9, 9, 9];
    let mut noise = Noise(7);
    let samples = with_border_below(dims, || noise.signed());
    for test in devices::all() {
        let narrow = extract_mesh(&test.device, &samples, dims, &IsosurfaceParams::default());
        let params = IsosurfaceParams {
            index_width: IndexWidth::Bits64,
            ..Default::default()
        };
        let wide = extract_mesh(&test.device, &samples, dims, &params);
        assert!(
            matches!(narrow.triangles, Triangles::U32(_))
                && matches!(wide.triangles, Triangles::U64(_))
        );
        assert!(
            narrow.triangles.iter().eq(wide.triangles.iter()),
            "{}",
            test.label
        );
        assert_eq!(narrow.vertices, wide.vertices);
    }
}
