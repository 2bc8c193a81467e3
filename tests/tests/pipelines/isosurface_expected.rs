//! Expected values of the isosurface specification, on every device.

use approx::assert_relative_eq;
use ferrovox::{
    device::Device,
    isosurface::{self, IsosurfaceParams},
    mesh::{self, TriangleMesh},
    synthetic,
};
use ferrovox_tests::{devices, extract::extract_mesh};
use std::f64::consts::PI;

fn sphere(device: &Device, n: usize, radius: f32) -> TriangleMesh {
    let stream = device.stream().unwrap();
    let volume = synthetic::sphere(&stream, [n; 3], radius).unwrap();
    isosurface::extract(&stream, &volume, None, &IsosurfaceParams::default())
        .unwrap()
        .download(&stream)
        .unwrap()
}

#[test]
fn sphere_has_the_expected_number_of_vertices_and_triangles() {
    for test in devices::fast() {
        let report = mesh::check(&sphere(&test.device, 64, 20.0));
        let label = &test.label;
        assert_eq!(report.vertices, 7584, "{label}");
        assert_eq!(report.triangles, 15164, "{label}");
        assert_eq!(report.euler_characteristic(), 2, "{label}");
        assert!(
            report.is_closed() && report.is_manifold() && report.is_oriented(),
            "{label}: {report:?}"
        );
        assert_eq!(report.degenerate_triangles, 0, "{label}");
    }
}

#[test]
fn a_single_voxel_becomes_an_octahedron() {
    let mut samples = vec![-1.0f32; 27];
    samples[13] = 1.0;
    for test in devices::all() {
        let report = mesh::check(&extract_mesh(
            &test.device,
            &samples,
            [3; 3],
            &IsosurfaceParams::default(),
        ));
        let label = &test.label;
        assert_eq!((report.vertices, report.triangles), (6, 8), "{label}");
        assert_eq!(report.euler_characteristic(), 2, "{label}");
        assert_relative_eq!(report.area, 3f64.sqrt(), max_relative = 1e-12);
        assert_relative_eq!(report.volume, 1.0 / 6.0, max_relative = 1e-12);
    }
}

/// Area and volume of a sphere converge to those of the ball with the square of the voxel size.
#[test]
fn a_sphere_converges_with_the_square_of_the_voxel() {
    let expected = [
        (10.0, -0.313, -0.594),
        (20.0, -0.0786, -0.149),
        (40.0, -0.0195, -0.0370),
        (80.0, -0.0049, -0.0094),
    ];
    for test in devices::fast() {
        for (radius, area_percent, volume_percent) in expected {
            let report = mesh::check(&sphere(
                &test.device,
                (3.2 * radius) as usize,
                radius as f32,
            ));
            let area = 100.0 * (report.area / (4.0 * PI * radius * radius) - 1.0);
            let volume =
                100.0 * (report.volume / (4.0 / 3.0 * PI * radius * radius * radius) - 1.0);
            // the last digit of the expected value is rounded, and the error depends slightly on
            // the position of the grid
            assert_relative_eq!(area, area_percent, max_relative = 0.03);
            assert_relative_eq!(volume, volume_percent, max_relative = 0.03);
        }
    }
}
