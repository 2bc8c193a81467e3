//! Positions of vertices, and directions of normals.

use approx::assert_relative_eq;
use ferrovox::{
    grid::{Geometry, Volume},
    isosurface::{Inside, IsosurfaceParams},
    mesh,
};
use ferrovox_tests::{
    devices,
    extract::{extract_mesh, extract_volume_mesh},
    noise::{Noise, with_border_below},
    reference,
};
use nalgebra::{Matrix3, Vector3};

#[test]
fn vertex_positions_follow_the_definition() {
    for test in devices::all() {
        for (seed, dims) in [
            (21, [7, 6, 5]),
            (22, [2, 2, 2]),
            (23, [1, 9, 9]),
            (24, [11, 2, 3]),
            (25, [4, 13, 2]),
        ] {
            let mut noise = Noise(seed);
            let samples: Vec<f32> = (0..dims.iter().product()).map(|_| noise.signed()).collect();
            for iso in [0.0, 0.25] {
                let params = IsosurfaceParams {
                    iso,
                    ..Default::default()
                };
                let mesh = extract_mesh(&test.device, &samples, dims, &params);
                let expected = reference::vertices(&samples, None, dims, iso);
                assert_eq!(
                    mesh.vertices, expected,
                    "{}, {dims:?}, iso {iso}",
                    test.label
                );
            }
        }
    }
}

/// Returns samples of `dims`, and the same samples with permuted and partly reversed axes.
fn rearranged(
    samples: &[f32],
    dims: [usize; 3],
    order: [usize; 3],
    flip: [bool; 3],
) -> (Vec<f32>, [usize; 3]) {
    let new_dims = order.map(|k| dims[k]);
    let mut out = Vec::with_capacity(samples.len());
    for z in 0..new_dims[2] {
        for y in 0..new_dims[1] {
            for x in 0..new_dims[0] {
                let mut old = [0; 3];
                for (k, position) in [x, y, z].into_iter().enumerate() {
                    old[order[k]] = if flip[k] {
                        new_dims[k] - 1 - position
                    } else {
                        position
                    };
                }
                out.push(samples[(old[2] * dims[1] + old[1]) * dims[0] + old[0]]);
            }
        }
    }
    (out, new_dims)
}

fn sorted(mut vertices: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    vertices.sort_by(|a, b| a.partial_cmp(b).unwrap());
    vertices
}

#[test]
fn permuted_and_reversed_axes_give_the_same_surface() {
    let dims = [8, 6, 7];
    let mut noise = Noise(31);
    let samples = with_border_below(dims, || noise.signed());
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for test in devices::fast() {
        let params = IsosurfaceParams::default();
        let original = extract_mesh(&test.device, &samples, dims, &params);
        let original_report = mesh::check(&original);
        for order in orders {
            for flips in 0..8 {
                let flip = [0, 1, 2].map(|k| flips >> k & 1 == 1);
                let (samples, new_dims) = rearranged(&samples, dims, order, flip);
                let mesh = extract_mesh(&test.device, &samples, new_dims, &params);
                let report = mesh::check(&mesh);
                assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
                assert!(report.volume > 0.0);
                // back to the original axes
                let back = mesh.vertices.iter().map(|v| {
                    let mut old = [0.0; 3];
                    for k in 0..3 {
                        old[order[k]] = if flip[k] {
                            (new_dims[k] - 1) as f32 - v[k]
                        } else {
                            v[k]
                        };
                    }
                    old
                });
                let (back, original) = (sorted(back.collect()), sorted(original.vertices.clone()));
                assert_eq!(back.len(), original.len());
                if flips == 0 {
                    assert_eq!(back, original, "{order:?}");
                } else {
                    // a reversed edge is measured from its other end: the same position up to
                    // rounding
                    for (a, b) in back.iter().zip(&original) {
                        assert!(
                            (0..3).all(|k| (a[k] - b[k]).abs() < 1e-5),
                            "{order:?} {flip:?}: {a:?} {b:?}"
                        );
                    }
                }
            }
        }
        assert_eq!(original_report.degenerate_triangles, 0);
    }
}

#[test]
fn anisotropic_spacing_scales_vertices_exactly() {
    let dims = [7, 8, 6];
    let mut noise = Noise(32);
    let samples = with_border_below(dims, || noise.signed());
    let spacing = [0.7, 2.0, 3.3];
    let origin = [-10.0, 0.25, 1000.0];
    for test in devices::all() {
        let unit = Volume::new(samples.clone(), dims, Geometry::default()).unwrap();
        let scaled = unit
            .clone()
            .with_geometry(Geometry::from_spacing(spacing, origin).unwrap());
        let params = IsosurfaceParams::default();
        let a = extract_volume_mesh(&test.device, &unit, None, &params).mesh;
        let b = extract_volume_mesh(&test.device, &scaled, None, &params).mesh;
        assert_eq!(a.triangles.len(), b.triangles.len());
        assert!(a.triangles.iter().eq(b.triangles.iter()));
        for (a, b) in a.vertices.iter().zip(&b.vertices) {
            for k in 0..3 {
                let exact = a[k] as f64 * spacing[k] + origin[k];
                let ulp = (b[k].next_up() - b[k]) as f64;
                // `a` itself is rounded once
                assert!(
                    (b[k] as f64 - exact).abs() <= ulp * 0.5 + spacing[k] * 4.8e-7,
                    "{a:?} {b:?}"
                );
            }
        }
        let powers = unit
            .clone()
            .with_geometry(Geometry::from_spacing([0.5, 2.0, 4.0], [0.0; 3]).unwrap());
        let c = extract_volume_mesh(&test.device, &powers, None, &params).mesh;
        let expected: Vec<[f32; 3]> = a
            .vertices
            .iter()
            .map(|v| [v[0] * 0.5, v[1] * 2.0, v[2] * 4.0])
            .collect();
        assert_eq!(c.vertices, expected, "{}", test.label);
    }
}

/// A rotated, sheared or mirrored geometry transforms vertices and normals without turning the
/// surface inside out.
#[test]
fn affine_geometry_preserves_orientation() {
    let n = 24;
    let radius = 8.0f64;
    let samples: Vec<f32> = (0..n * n * n)
        .map(|i| {
            let p = Vector3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64);
            (radius - (p - Vector3::repeat((n - 1) as f64 / 2.0)).norm()) as f32
        })
        .collect();
    let geometries = [
        Matrix3::new(-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        Matrix3::new(0.0, -2.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0),
        Matrix3::new(1.0, 0.3, 0.0, 0.0, 1.0, -0.2, 0.1, 0.0, 2.0),
    ];
    for test in devices::fast() {
        for axes in geometries {
            let geometry = Geometry::new(axes, Vector3::new(5.0, -3.0, 100.0)).unwrap();
            let volume = Volume::new(samples.clone(), [n; 3], geometry).unwrap();
            let params = IsosurfaceParams {
                normals: true,
                ..Default::default()
            };
            let mesh = extract_volume_mesh(&test.device, &volume, None, &params).mesh;
            let report = mesh::check(&mesh);
            let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * axes.determinant().abs();
            assert_relative_eq!(report.volume, ball, max_relative = 0.02);
            let normal_to_world = axes.try_inverse().unwrap().transpose();
            let centre = geometry.index_to_world(nalgebra::Point3::new(11.5, 11.5, 11.5));
            for (vertex, normal) in mesh.vertices.iter().zip(mesh.normals.as_ref().unwrap()) {
                let world =
                    nalgebra::Point3::new(vertex[0] as f64, vertex[1] as f64, vertex[2] as f64);
                let radial = axes.try_inverse().unwrap() * (world - centre);
                let expected = (normal_to_world * radial).normalize();
                let normal = Vector3::new(normal[0] as f64, normal[1] as f64, normal[2] as f64);
                assert_relative_eq!(normal.norm(), 1.0, epsilon = 1e-5);
                assert!(normal.dot(&expected) > 0.99, "{normal} {expected}");
            }
        }
    }
}

#[test]
fn fields_without_gradient_have_normals() {
    // both ends of each active edge lie between equal neighbours, so that central differences
    // vanish
    let samples: Vec<f32> = (0..6 * 6 * 6)
        .map(|i| if (i % 6) % 2 == 0 { -1.0 } else { 1.0 })
        .collect();
    for test in devices::all() {
        for inside in [Inside::Above, Inside::Below] {
            let params = IsosurfaceParams {
                normals: true,
                inside,
                ..Default::default()
            };
            let mesh = extract_mesh(&test.device, &samples, [6; 3], &params);
            for (vertex, normal) in mesh.vertices.iter().zip(mesh.normals.as_ref().unwrap()) {
                let towards_above = if vertex[0] as i32 % 2 == 0 { 1.0 } else { -1.0 };
                let outward = if inside == Inside::Above {
                    -towards_above
                } else {
                    towards_above
                };
                assert_eq!(*normal, [outward, 0.0, 0.0], "{} at {vertex:?}", test.label);
            }
        }
    }
}
