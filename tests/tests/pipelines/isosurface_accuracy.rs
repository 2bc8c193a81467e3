//! Accuracy of vertices and normals relative to the sampled surface, by vertex placement and normal
//! source.
//!
//! The tests print their measurements: `cargo test -p ferrovox-tests --test pipelines
//! isosurface_accuracy -- --nocapture`.

use ferrovox::{
    grid::{Geometry, Volume},
    isosurface::{Inside, IsosurfaceParams, NormalSource, VertexPlacement},
};
use ferrovox_kernels::isosurface::interpolate::{MARGIN, cubic_crossing, linear_crossing};
use ferrovox_tests::{devices, extract::extract_volume_mesh};
use proptest::prelude::*;
use std::f64::consts::TAU;

/// A function of world coordinates that returns its value and gradient.
type Field = fn([f64; 3]) -> (f64, [f64; 3]);

/// Returns the distance to the origin minus 0.7.
fn sphere(at: [f64; 3]) -> (f64, [f64; 3]) {
    let length = norm(at);
    (length - 0.7, at.map(|component| component / length))
}

/// Returns a gyroid with two periods along each axis of the cube from -1 to 1.
fn gyroid(at: [f64; 3]) -> (f64, [f64; 3]) {
    let [(sx, cx), (sy, cy), (sz, cz)] = at.map(|component| (component * TAU + 0.4).sin_cos());
    let slope = [cx * cy - sz * sx, cy * cz - sx * sy, cz * cx - sy * sz];
    (
        sx * cy + sy * cz + sz * cx,
        slope.map(|component| component * TAU),
    )
}

fn norm(vector: [f64; 3]) -> f64 {
    vector
        .iter()
        .map(|component| component * component)
        .sum::<f64>()
        .sqrt()
}

/// Maximum distance of a vertex from the surface in voxels, and maximum angle in degrees between a
/// normal and that of the surface.
#[derive(Clone, Copy, Debug)]
struct Errors {
    distance: f64,
    angle: f64,
}

/// Measures the surface of a field sampled `n` times along each axis of the cube from -1 to 1. Only
/// the region within 0.9 counts, excluding vertices that were moved away from a sample.
fn errors(
    field: Field,
    n: usize,
    vertices: VertexPlacement,
    normal_source: NormalSource,
) -> Errors {
    let voxel = 2.0 / (n - 1) as f64;
    let geometry = Geometry::from_spacing([voxel; 3], [-1.0; 3]).expect("a grid");
    let at = |i: usize| i as f64 * voxel - 1.0;
    let volume = Volume::from_fn([n; 3], geometry, |x, y, z| {
        field([at(x), at(y), at(z)]).0 as f32
    })
    .expect("room");
    let params = IsosurfaceParams {
        inside: Inside::Below,
        normals: true,
        vertices,
        normal_source,
        ..IsosurfaceParams::default()
    };
    let mut worst = Errors {
        distance: 0.0,
        angle: 0.0,
    };
    for test in devices::fast() {
        let mesh = extract_volume_mesh(&test.device, &volume, None, &params).mesh;
        let normals = mesh.normals.as_ref().expect("normals");
        assert!(mesh.vertices.len() > 2 * n * n, "{}", test.label);
        for (vertex, normal) in mesh.vertices.iter().zip(normals) {
            let vertex = vertex.map(f64::from);
            // vertices keep a distance of 1/1024 of their edge from its ends
            let from_sample = vertex.map(|component| {
                let position = (component + 1.0) / voxel;
                (position - position.round()).abs()
            });
            let is_moved = from_sample.iter().all(|distance| *distance < 1.1 / 1024.0);
            if is_moved || vertex.iter().any(|component| component.abs() > 0.9) {
                continue;
            }
            let (value, slope) = field(vertex);
            let steepness = norm(slope);
            worst.distance = worst.distance.max(value.abs() / steepness / voxel);
            let normal = normal.map(f64::from);
            let cross = |a: usize, b: usize| slope[a] * normal[b] - slope[b] * normal[a];
            let sine = norm([cross(1, 2), cross(2, 0), cross(0, 1)]);
            let cosine: f64 = (0..3).map(|k| slope[k] * normal[k]).sum();
            worst.angle = worst.angle.max(sine.atan2(cosine).to_degrees());
        }
    }
    worst
}

/// Samples along each axis. With more, the errors of cubics are dominated by `f32` rounding.
const FIELDS: [(&str, Field, [usize; 3]); 2] = [
    ("sphere", sphere, [17, 33, 65]),
    ("gyroid", gyroid, [33, 65, 129]),
];

/// With linear placement the error is of second order in the voxel size (first order in voxels),
/// with cubics of fourth order (third order).
#[test]
fn vertex_error_decreases_with_the_voxel_size() {
    for (name, field, sizes) in FIELDS {
        for (vertices, order) in [(VertexPlacement::Linear, 1.0), (VertexPlacement::Root, 3.0)] {
            let of = |n| errors(field, n, vertices, NormalSource::Gradient).distance;
            let found = sizes.map(of);
            println!(
                "{name}, {}: {} voxels with {sizes:?} samples along each axis",
                vertices.name(),
                found.map(|of_one| format!("{of_one:.1e}")).join(", ")
            );
            let measured = (found[0] / found[2]).log2() / 2.0;
            assert!(
                measured > order - 0.3,
                "{name}, {}: {measured}",
                vertices.name()
            );
        }
    }
}

#[test]
fn normal_error_decreases_with_the_voxel_size() {
    for (name, field, sizes) in FIELDS {
        let of = |source| sizes.map(|n| errors(field, n, VertexPlacement::Linear, source).angle);
        let [gradient, trilinear] = NormalSource::ALL.map(of);
        for (source, found) in NormalSource::ALL.iter().zip([gradient, trilinear]) {
            println!(
                "{name}, {}: {found:.2?} degrees with {sizes:?} samples along each axis",
                source.name()
            );
        }
        assert!(gradient[0] / gradient[2] > 10.0, "{name}: {gradient:?}");
        assert!(trilinear[0] / trilinear[2] > 1.4, "{name}: {trilinear:?}");
        assert!(gradient[2] < trilinear[2], "{name}");
    }
}

/// Generates four samples, of which the middle two are on different sides of 0.
fn four_samples() -> impl Strategy<Value = [f32; 4]> {
    let outer = || {
        prop_oneof![
            -100f32..100.0,
            Just(f32::NAN),
            Just(f32::INFINITY),
            Just(-1e30)
        ]
    };
    let inner = || prop_oneof![1e-30f32..1e-20, 0.01f32..1.0, 1.0f32..100.0];
    (outer(), inner(), inner(), outer(), any::<bool>()).prop_map(|(a, b, c, d, rising)| {
        let sign = if rising { 1.0 } else { -1.0 };
        [a, -b * sign, c * sign, d]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cubic_crossing_is_on_the_edge_for_any_neighbours(samples in four_samples()) {
        let t = cubic_crossing(samples, 0.0);
        prop_assert!((MARGIN..=1.0 - MARGIN).contains(&t), "{t}");
        let [a, b, c, d] = samples;
        let back = cubic_crossing([d, c, b, a], 0.0);
        // the same from the other end, if there is one root and not three
        let is_limited = !(a.abs() < 1e30 && d.abs() < 1e30);
        prop_assert!(!is_limited || (t + back - 1.0).abs() < 1e-4, "{t} {back}");
    }

    #[test]
    fn cubic_crossing_is_exact_for_quadratic_polynomials(
        root in 0.01f64..0.99,
        other in prop_oneof![-40.0f64..-1.5, 2.5f64..40.0],
    ) {
        let value = |t: f64| ((t - root) * (t - other)) as f32;
        let samples = [-1.0, 0.0, 1.0, 2.0].map(value);
        let t = cubic_crossing(samples, 0.0);
        prop_assert!((t - root).abs() < 1e-5, "{t}");
        // the same with three of the samples, unless the slopes are limited
        if !(-1.0..2.0).contains(&other) {
            let t = cubic_crossing([samples[0], samples[1], samples[2], f32::NAN], 0.0);
            prop_assert!((t - root).abs() < 1e-5, "{t}");
        }
    }

    #[test]
    fn cubic_crossing_of_a_line_equals_linear_crossing(low in -50f32..-0.1, high in 0.1f32..50.0) {
        let rise = high - low;
        let t = cubic_crossing([low - rise, low, high, high + rise], 0.0);
        prop_assert!((t - linear_crossing(low, high, 0.0)).abs() < 1e-5, "{t}");
    }
}
