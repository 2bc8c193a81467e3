//! Isosurfaces far from the world origin, relative to a local origin.

use ferrovox::{
    device::Device,
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, IsosurfaceParams, Method, Topology},
    mesh::{self, TriangleMesh},
    mesh_filter::{ComponentFilter, SimplifyTarget, filter_components, simplify},
    monitor::Monitor,
};
use ferrovox_tests::{devices, extract::extract_volume_mesh, noise::Noise};
use nalgebra::{Matrix3, Point3, Vector3};

const DIMS: [usize; 3] = [9, 8, 11];

/// Returns noise on oblique axes, at an origin.
fn volume(origin: [f64; 3]) -> Volume<f32> {
    let mut noise = Noise(3);
    let samples = (0..DIMS.iter().product()).map(|_| noise.signed()).collect();
    let axes = Matrix3::new(0.1, 0.02, 0.0, -0.01, 0.08, 0.0, 0.0, 0.03, 0.3);
    let geometry = Geometry::new(axes, Vector3::from(origin)).unwrap();
    Volume::new(samples, DIMS, geometry).unwrap()
}

const DISTANT: [f64; 3] = [5e5, 4.5e6, -20.0];

/// Returns the vertices in voxels of the volume.
fn in_voxels(mesh: &TriangleMesh, geometry: &Geometry) -> Vec<Point3<f64>> {
    (0..mesh.vertices.len())
        .map(|vertex| geometry.world_to_index(mesh.world_vertex(vertex).unwrap()))
        .collect()
}

fn parameters() -> impl Iterator<Item = IsosurfaceParams> {
    [Method::Fused, Method::Staged]
        .into_iter()
        .flat_map(|method| {
            [false, true].map(|close| IsosurfaceParams {
                method,
                close,
                normals: true,
                topology: Topology::Trilinear,
                ..Default::default()
            })
        })
}

#[test]
fn distant_vertices_are_those_near_the_origin() {
    let (near, distant) = (volume([0.0; 3]), volume(DISTANT));
    for test in devices::all() {
        for params in parameters() {
            let near_mesh = extract_volume_mesh(&test.device, &near, None, &params).mesh;
            let mesh = extract_volume_mesh(&test.device, &distant, None, &params).mesh;
            assert_eq!(near_mesh.origin, [0.0; 3]);
            assert_ne!(mesh.origin, [0.0; 3]);
            assert_eq!(mesh.triangles, near_mesh.triangles);
            assert_eq!(mesh.normals, near_mesh.normals);
            let expected = in_voxels(&near_mesh, near.geometry());
            let found = in_voxels(&mesh, distant.geometry());
            for (found, expected) in found.iter().zip(&expected) {
                assert!(
                    (found - expected).norm() < 1e-4,
                    "{}: {found} {expected}",
                    test.label
                );
            }
            let report = mesh::check(&mesh);
            assert_eq!(
                (report.degenerate_triangles, report.duplicate_positions),
                (0, 0)
            );
        }
    }
}

#[test]
fn all_entry_points_have_the_same_origin_and_bits() {
    let volume = volume(DISTANT);
    let device = Device::cpu();
    let params = IsosurfaceParams::default();
    let whole = extract_volume_mesh(&device, &volume, None, &params).mesh;
    let staged = IsosurfaceParams {
        method: Method::Staged,
        ..params
    };
    assert_eq!(
        extract_volume_mesh(&device, &volume, None, &staged).mesh,
        whole
    );
    let devices = [device.clone(), device.clone()];
    let parts = isosurface::extract_parts(&devices, volume.view(), None, &params).unwrap();
    assert_eq!(parts.join().unwrap(), whole);
    let stream = device.stream().unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let host = isosurface::extract_to_host(&stream, &on_device, None, &params, Some(200_000));
    assert_eq!(host.unwrap().mesh, whole);
}

#[test]
fn checks_and_filters_keep_the_origin() {
    let (near, distant) = (volume([0.0; 3]), volume(DISTANT));
    let device = Device::cpu();
    let params = IsosurfaceParams::default();
    let [near_mesh, mesh] =
        [&near, &distant].map(|volume| extract_volume_mesh(&device, volume, None, &params).mesh);
    let openings = |mesh, volume: &Volume<f32>| mesh::openings(mesh, DIMS, volume.geometry());
    assert_eq!(openings(&mesh, &distant), openings(&near_mesh, &near));
    assert!(!openings(&mesh, &distant).is_empty());
    let (low, _) = mesh.world_bounds().unwrap();
    assert!((low.y - DISTANT[1]).abs() < 1.0);
    let solid = ferrovox::grid::Mask::from_threshold(
        &distant.clone().into(),
        0.0,
        isosurface::Inside::Above,
    );
    let filter = ComponentFilter {
        largest: true,
        ..Default::default()
    };
    let (largest, _) = filter_components(&mesh, &solid.unwrap(), filter).unwrap();
    assert_eq!(largest.origin, mesh.origin);
    let (simple, _) = simplify(&mesh, SimplifyTarget::Fraction(0.5), &Monitor::new()).unwrap();
    assert_eq!(simple.origin, mesh.origin);
}
