//! Every pipeline on rotated, mirrored and sheared grids, with bodies that are known in world
//! space.

use super::skeleton_ground_truth::extract_skeletons;
use ferrovox::{
    device::Device,
    distance::{self, Method, Sites, fastest_exact_method},
    grid::{DeviceMask, DevicePoints, DeviceVolume, Geometry, Inside, Volume},
    isosurface::IsosurfaceParams,
    mesh,
    render::{self, RenderParams},
    skeleton::medial,
    voxelize::voxelize_on_grid,
};
use ferrovox_tests::extract::extract_volume_mesh;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use std::f64::consts::PI;

const RADIUS: f64 = 10.0;

/// Names and axes, with spacings of about one unit.
fn affines() -> Vec<(&'static str, Matrix3<f64>)> {
    let lean = |degrees: f64| degrees.to_radians().tan();
    let straight = Matrix3::from_diagonal(&Vector3::new(0.8, 0.8, 1.1));
    let mut gantry = straight;
    gantry[(1, 2)] = 1.1 * lean(20.0);
    let mut steep = straight;
    (steep[(0, 1)], steep[(0, 2)], steep[(1, 2)]) = (0.5, -1.6, 0.9);
    let turn = Rotation3::from_euler_angles(0.5, -1.1, 2.2);
    let mirror = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
    vec![
        ("turned", turn.matrix() * straight),
        ("mirrored", straight * mirror),
        ("turned and mirrored", turn.matrix() * straight * mirror),
        ("gantry", gantry),
        ("gantry mirrored", gantry * mirror),
        ("steep", steep),
        ("steep, turned and mirrored", turn.matrix() * steep * mirror),
    ]
}

/// Returns a grid with these axes that contains a ball around the world origin and a margin of some
/// voxels.
fn grid(axes: Matrix3<f64>) -> ([usize; 3], Geometry) {
    let inverse = axes.try_inverse().unwrap();
    // extent of the ball along an axis of the grid
    let half = [0, 1, 2].map(|axis| (inverse.row(axis).norm() * RADIUS).ceil() + 4.0);
    let dims = half.map(|half| 2 * half as usize + 1);
    let middle = Vector3::from(half);
    (dims, Geometry::new(axes, -(axes * middle)).unwrap())
}

fn field(axes: Matrix3<f64>, function: impl Fn(Point3<f64>) -> f64) -> Volume<f32> {
    let (dims, geometry) = grid(axes);
    let at = |x, y, z| Point3::new(x, y, z).map(|n: usize| n as f64);
    Volume::from_fn(dims, geometry, |x, y, z| {
        function(geometry.index_to_world(at(x, y, z))) as f32
    })
    .unwrap()
}

/// Returns a field that is positive in the ball.
fn ball(axes: Matrix3<f64>) -> Volume<f32> {
    field(axes, |at| RADIUS - at.coords.norm())
}

#[test]
fn mesh_of_a_ball_is_a_ball_in_world_space() {
    for (name, axes) in affines() {
        // inside above, and the same ball with inside below
        for inside in [Inside::Above, Inside::Below] {
            let sign = if inside == Inside::Above { 1.0 } else { -1.0 };
            let volume = field(axes, |at| sign * (RADIUS - at.coords.norm()));
            let params = IsosurfaceParams {
                iso: 0.0,
                inside,
                normals: true,
                ..Default::default()
            };
            let found = extract_volume_mesh(&Device::cpu(), &volume, None, &params).mesh;
            let report = mesh::check(&found);
            assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
            // chords of length `step` are inside the ball by at most the square of `step` over
            // eight radii
            let largest = axes
                .column(0)
                .norm()
                .max(axes.column(1).norm())
                .max(axes.column(2).norm());
            let inner = largest * largest / (8.0 * RADIUS);
            for at in &found.vertices {
                let away = Vector3::from(*at).cast::<f64>().norm() - RADIUS;
                assert!(away.abs() < inner + 1e-4, "{name}: {away} beyond {inner}");
            }
            let normals = found.normals.as_ref().unwrap();
            for (at, normal) in found.vertices.iter().zip(normals) {
                let out = Vector3::from(*at).cast::<f64>().normalize();
                let normal = Vector3::from(*normal).cast::<f64>();
                assert!((normal.norm() - 1.0).abs() < 1e-5, "{name}");
                assert!(
                    normal.dot(&out) > 0.98,
                    "{name} {inside:?}: {normal:?} at {at:?}"
                );
            }
            let (area, volume) = (4.0 * PI * RADIUS.powi(2), 4.0 / 3.0 * PI * RADIUS.powi(3));
            let part = 6.0 * inner / RADIUS;
            assert!(
                (report.area / area - 1.0).abs() < part,
                "{name}: {}",
                report.area
            );
            assert!(
                (report.volume / volume - 1.0).abs() < part,
                "{name}: {}",
                report.volume
            );
        }
    }
}

#[test]
fn voxels_of_a_mesh_have_their_centres_inside() {
    let stream = Device::cpu().stream().unwrap();
    // the mesh of a fine grid, which approximates the ball closely
    let fine = ball(Matrix3::identity() * 0.4);
    let solid = extract_volume_mesh(&Device::cpu(), &fine, None, &IsosurfaceParams::default()).mesh;
    for (name, axes) in affines() {
        let volume = ball(axes);
        let (dims, geometry) = (volume.dims(), *volume.geometry());
        let voxels = voxelize_on_grid(&stream, &solid, dims, geometry).unwrap();
        let found = ferrovox::voxelize::mask_to_volume(&stream, &voxels).unwrap();
        for (&inside, &depth) in found.samples().iter().zip(volume.samples()) {
            if depth.abs() > 0.01 {
                assert_eq!(inside != 0, depth > 0.0, "{name}: {depth}");
            }
        }
    }
}

#[test]
fn distances_are_in_world_units() {
    let stream = Device::cpu().stream().unwrap();
    for (name, axes) in affines() {
        let volume = ball(axes);
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let largest = axes
            .column(0)
            .norm()
            .max(axes.column(1).norm())
            .max(axes.column(2).norm());
        let points = DevicePoints::from_crossings(&stream, &on_device, 0.0).unwrap();
        let params = distance::DistanceParams {
            method: fastest_exact_method(Sites::Points(&points), false),
            ..Default::default()
        };
        let inside = DeviceMask::above(&stream, &on_device, 0.0).unwrap();
        let mut map = distance::transform(&stream, Sites::Points(&points), &params).unwrap();
        distance::apply_sign(&stream, &mut map, &inside).unwrap();
        let found = map.download(&stream).unwrap();
        for (&found, &depth) in found.samples().iter().zip(volume.samples()) {
            // not closer than the sphere, except for the positions of crossings; not farther than
            // the next crossing
            // next of them
            let (found, depth) = (f64::from(found), f64::from(depth));
            let more = found.abs() - depth.abs();
            assert!(more > -0.1 && more < largest, "{name}: {found} for {depth}");
            assert!(found * depth <= 0.0, "{name}: inside is negative");
            if depth.abs() > 5.0 {
                assert!(more < 0.25 * largest, "{name}: {found} for {depth}");
            }
        }
        // distances are only complete for the voxels in the middle
        let [nx, ny, nz] = volume.dims();
        let middle = (nx / 2 + nx * (ny / 2 + ny * (nz / 2))) as u64;
        let one = DeviceMask::from_indices(&stream, &[middle], volume.dims(), *volume.geometry());
        let map = distance::transform(&stream, Sites::Voxels(&one.unwrap()), &Default::default());
        let found = stream.download(&map.unwrap().distances).unwrap();
        for (&found, &depth) in found.iter().zip(volume.samples()) {
            let exact = RADIUS - f64::from(depth);
            assert!(
                (f64::from(found) - exact).abs() < 4e-6,
                "{name}: {found} for {exact}"
            );
        }
        assert_eq!(params.method, Method::Bucketed);
    }
}

/// A rod with round ends, some voxels wide: its skeleton is inside and about as long.
#[test]
fn the_skeleton_of_a_rod_lies_along_it() {
    let along = Vector3::new(1.0, 0.7, -0.8).normalize();
    for (name, axes) in affines() {
        let depth = |at: Point3<f64>| {
            let t = at.coords.dot(&along).clamp(-6.5, 6.5);
            3.5 - (at.coords - along * t).norm()
        };
        let volume = field(axes, depth);
        let (dims, geometry) = (volume.dims(), *volume.geometry());
        let labels = volume.samples().iter().map(|&depth| u8::from(depth >= 0.0));
        let labels = Volume::new(labels.collect(), dims, geometry).unwrap();
        let skeletons = extract_skeletons(&labels, medial::BranchRule::COVERAGE);
        let skeleton = &skeletons.labels[0].skeleton;
        assert!(skeletons.is_certified(), "{name}");
        assert_eq!(skeleton.cycles(), 0, "{name}");
        let length = skeleton.length();
        assert!((9.0..26.0).contains(&length), "{name}: {length}");
        let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
        let off = points.map(|&at| {
            let at = geometry.index_to_world(at);
            (at.coords - along * at.coords.dot(&along)).norm()
        });
        let off: Vec<f64> = off.collect();
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        let max = off.iter().copied().fold(0.0, f64::max);
        // the voxels of the steep grid are 1 x 0.9 x 2.1 and oblique: a rod is about three of them
        // wide
        assert!(mean < 1.5 && max < 4.5, "{name}: {mean}, {max}");
    }
}

#[test]
fn images_show_a_disc() {
    let stream = Device::cpu().stream().unwrap();
    for (name, axes) in affines() {
        let volume = ball(axes);
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let mut sizes = Vec::new();
        for view in ["front", "top", "oblique"] {
            let params = RenderParams {
                view: view.parse().unwrap(),
                width: 64,
                height: 64,
                background: [0.0, 0.0, 1.0],
                ..Default::default()
            };
            let picture = render::isosurface(&stream, &on_device, &params).unwrap();
            let (mut columns, mut rows, mut count) = (0u64, 0u64, 0);
            for (i, pixel) in picture.rgba().chunks(4).enumerate() {
                if pixel != [0, 0, 255, 255] {
                    columns |= 1 << (i % 64);
                    rows |= 1 << (i / 64);
                    count += 1;
                }
            }
            let (wide, high) = (columns.count_ones(), rows.count_ones());
            assert!(wide.abs_diff(high) <= 1, "{name} {view}: {wide} x {high}");
            let side = f64::from(wide);
            let part = f64::from(count) / (PI / 4.0 * side * side);
            assert!((0.8..1.25).contains(&part), "{name} {view}: {part}");
            sizes.push(wide);
        }
        assert!(sizes.iter().all(|&size| size >= 8), "{name}: {sizes:?}");
    }
}
