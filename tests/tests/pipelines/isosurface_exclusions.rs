//! Ends of a surface: boundary of the volume, masks, non-finite samples.

use ferrovox::{
    error::ErrorKind,
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, Inside, IsosurfaceError, IsosurfaceParams, MaskRule, Method, Topology},
    mesh::{self, TriangleMesh},
};
use ferrovox_tests::{
    devices,
    extract::{extract_mesh, extract_volume_mesh},
    noise::Noise,
    reference,
};

#[test]
fn volumes_without_cells_have_empty_meshes() {
    for test in devices::all() {
        for dims in [
            [0, 0, 0],
            [0, 5, 5],
            [1, 1, 1],
            [1, 5, 5],
            [5, 1, 5],
            [5, 5, 1],
        ] {
            let samples: Vec<f32> = (0..dims.iter().product())
                .map(|i: usize| (i % 3) as f32 - 1.0)
                .collect();
            for normals in [false, true] {
                let params = IsosurfaceParams {
                    normals,
                    ..Default::default()
                };
                let mesh = extract_mesh(&test.device, &samples, dims, &params);
                assert!(
                    mesh.vertices.is_empty() && mesh.triangles.is_empty(),
                    "{} {dims:?}",
                    test.label
                );
                assert_eq!(mesh.normals.is_some(), normals);
            }
        }
    }
}

#[test]
fn volumes_without_crossing_have_empty_meshes() {
    for test in devices::all() {
        for value in [-1.0f32, 1.0] {
            let mesh = extract_mesh(
                &test.device,
                &[value; 343],
                [7; 3],
                &IsosurfaceParams::default(),
            );
            assert!(mesh.vertices.is_empty() && mesh.triangles.is_empty());
        }
    }
}

#[test]
fn close_closes_the_surface_at_the_boundary() {
    let dims = [6, 5, 7];
    let mut noise = Noise(41);
    let samples: Vec<f32> = (0..dims.iter().product()).map(|_| noise.signed()).collect();
    for test in devices::all() {
        for inside in [Inside::Above, Inside::Below] {
            let open = IsosurfaceParams {
                inside,
                normals: true,
                ..Default::default()
            };
            assert!(!mesh::check(&extract_mesh(&test.device, &samples, dims, &open)).is_closed());
            let closed = IsosurfaceParams {
                close: true,
                ..open
            };
            let mesh = extract_mesh(&test.device, &samples, dims, &closed);
            let report = mesh::check(&mesh);
            assert!(
                report.is_closed() && report.is_manifold() && report.is_oriented(),
                "{}: {report:?}",
                test.label
            );
            assert!(report.volume > 0.0);
            assert_eq!(report.degenerate_triangles, 0);
            // the caps lie on the border, within the margin between vertices and samples
            for vertex in &mesh.vertices {
                assert!(
                    (0..3).all(|k| vertex[k] > -0.001 && vertex[k] < dims[k] as f32 - 1.0 + 0.001),
                    "{vertex:?}"
                );
            }
        }
    }
}

#[test]
fn a_full_volume_closes_to_a_box() {
    for test in devices::all() {
        let params = IsosurfaceParams {
            iso: 0.0,
            close: true,
            ..Default::default()
        };
        let report = mesh::check(&extract_mesh(
            &test.device,
            &[7u8; 3 * 4 * 5],
            [3, 4, 5],
            &params,
        ));
        assert!(report.is_closed());
        assert_eq!(report.euler_characteristic(), 2);
        // 2 × 3 × 4 voxels, 1/1024 larger on every side, with corners cut off
        approx::assert_relative_eq!(report.volume, 24.0, max_relative = 0.01);
    }
}

#[test]
fn cells_with_non_finite_samples_are_omitted_and_counted() {
    let dims = [8, 7, 6];
    for test in devices::all() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut noise = Noise(42);
            let mut samples: Vec<f32> =
                (0..dims.iter().product()).map(|_| noise.signed()).collect();
            // one in the middle (8 cells), one in a corner (1 cell), two neighbours on a face
            for [x, y, z] in [[3, 3, 3], [0, 0, 0], [7, 4, 2], [7, 5, 2]] {
                samples[(z * dims[1] + y) * dims[0] + x] = bad;
            }
            let volume = Volume::new(samples.clone(), dims, Geometry::default()).unwrap();
            let params = IsosurfaceParams {
                normals: true,
                ..Default::default()
            };
            let extracted = extract_volume_mesh(&test.device, &volume, None, &params);
            assert_eq!(
                extracted.non_finite_cells,
                8 + 1 + 6,
                "{} {bad}",
                test.label
            );
            let mesh = extracted.mesh;
            assert_eq!(
                mesh.vertices,
                reference::vertices(&samples, None, dims, 0.0),
                "{} {bad}",
                test.label
            );
            let report = mesh::check(&mesh);
            assert_eq!(report.unreferenced_vertices, 0);
            assert_eq!(report.non_manifold_edges, 0);
            let normals = mesh.normals.unwrap();
            assert!(
                normals
                    .iter()
                    .flatten()
                    .all(|component| component.is_finite()),
                "{}",
                test.label
            );
        }
    }
}

#[test]
fn masked_cells_emit_nothing() {
    let dims = [9, 8, 7];
    let mut noise = Noise(43);
    let samples: Vec<f32> = (0..dims.iter().product()).map(|_| noise.signed()).collect();
    let mask: Vec<u8> = (0..dims.iter().product())
        .map(|_| (noise.below(8) != 0) as u8 * 200)
        .collect();
    let volume = Volume::new(samples.clone(), dims, Geometry::default()).unwrap();
    let mask_volume = Volume::new(mask.clone(), dims, Geometry::default()).unwrap();
    for test in devices::all() {
        let extracted = extract_volume_mesh(
            &test.device,
            &volume,
            Some(&mask_volume),
            &IsosurfaceParams::default(),
        );
        let expected = reference::vertices(&samples, Some(&mask), dims, 0.0);
        assert_eq!(extracted.mesh.vertices, expected, "{}", test.label);
        assert_eq!(extracted.non_finite_cells, 0);
        assert_eq!(mesh::check(&extracted.mesh).unreferenced_vertices, 0);

        let everything = Volume::new(vec![1u8; mask.len()], dims, Geometry::default()).unwrap();
        let all = extract_volume_mesh(
            &test.device,
            &volume,
            Some(&everything),
            &IsosurfaceParams::default(),
        )
        .mesh;
        assert_eq!(all.vertices, reference::vertices(&samples, None, dims, 0.0));
        let nothing = Volume::new(vec![0u8; mask.len()], dims, Geometry::default()).unwrap();
        let none = extract_volume_mesh(
            &test.device,
            &volume,
            Some(&nothing),
            &IsosurfaceParams::default(),
        )
        .mesh;
        assert!(none.vertices.is_empty() && none.triangles.is_empty());
    }
}

/// Returns the positions of the corners of each triangle.
fn triangle_positions(mesh: &TriangleMesh) -> Vec<[[f32; 3]; 3]> {
    let position = |vertex: u64| mesh.vertices[vertex as usize];
    let triangles = mesh.triangles.iter();
    triangles.map(|corners| corners.map(position)).collect()
}

#[test]
fn last_corner_of_a_cell_decides_whether_it_is_masked() {
    // rows of two words
    let dims = [37, 8, 7];
    let mut noise = Noise(44);
    let samples: Vec<f32> = (0..dims.iter().product()).map(|_| noise.signed()).collect();
    let mask: Vec<u8> = (0..dims.iter().product())
        .map(|_| (noise.below(3) != 0) as u8)
        .collect();
    let is_meshed = |triangle: &[[f32; 3]; 3]| {
        let centroid = |axis: usize| triangle.iter().map(|it| it[axis]).sum::<f32>() / 3.0;
        let [x, y, z] = [0, 1, 2].map(|axis| centroid(axis).floor() as usize + 1);
        mask[(z * dims[1] + y) * dims[0] + x] != 0
    };
    let volume = Volume::new(samples, dims, Geometry::default()).unwrap();
    let mask_volume = Volume::new(mask.clone(), dims, Geometry::default()).unwrap();
    for test in devices::all() {
        for topology in Topology::ALL {
            let params = IsosurfaceParams {
                topology,
                mask_rule: MaskRule::LastCorner,
                ..Default::default()
            };
            let all = extract_volume_mesh(&test.device, &volume, None, &params).mesh;
            let masked = extract_volume_mesh(&test.device, &volume, Some(&mask_volume), &params);
            let mut expected = triangle_positions(&all);
            expected.retain(is_meshed);
            assert!(expected.len() < all.triangles.len());
            assert_eq!(
                triangle_positions(&masked.mesh),
                expected,
                "{} {topology:?}",
                test.label
            );
            assert_eq!(mesh::check(&masked.mesh).unreferenced_vertices, 0);
        }
        let stream = test.device.stream().unwrap();
        let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let params = IsosurfaceParams {
            method: Method::Staged,
            mask_rule: MaskRule::LastCorner,
            ..Default::default()
        };
        let error = isosurface::extract(&stream, &volume, None, &params).err();
        let error = error.expect("an error");
        assert!(matches!(error, IsosurfaceError::MaskRule { .. }));
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn clockwise_triangles_are_reversed_and_nothing_else() {
    let dims = [9, 8, 7];
    let mut noise = Noise(45);
    let samples: Vec<f32> = (0..dims.iter().product()).map(|_| noise.signed()).collect();
    for test in devices::all() {
        for method in Method::ALL {
            let params = IsosurfaceParams {
                method,
                close: true,
                normals: true,
                ..Default::default()
            };
            let reversed = IsosurfaceParams {
                clockwise: true,
                ..params
            };
            let mesh = extract_mesh(&test.device, &samples, dims, &params);
            let clockwise = extract_mesh(&test.device, &samples, dims, &reversed);
            assert_eq!(clockwise.vertices, mesh.vertices);
            assert_eq!(clockwise.normals, mesh.normals);
            let volumes = [&mesh, &clockwise].map(|it| mesh::check(it).volume);
            approx::assert_relative_eq!(volumes[0], -volumes[1], max_relative = 1e-9);
            assert!(volumes[0] > 0.0, "{} {method:?}", test.label);
        }
    }
}

#[test]
fn invalid_parameters_are_errors() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let volume = Volume::new(vec![0.0f32; 8], [2; 3], Geometry::default()).unwrap();
        let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
        for iso in [f32::NAN, f32::INFINITY] {
            let params = IsosurfaceParams {
                iso,
                ..Default::default()
            };
            let error = isosurface::extract(&stream, &volume, None, &params)
                .err()
                .expect("an error");
            assert!(matches!(error, IsosurfaceError::Iso { .. }));
            assert!(error.to_string().contains("finite"));
        }
        let mask = Volume::new(vec![0u8; 27], [3; 3], Geometry::default()).unwrap();
        let mask = DeviceVolume::upload(&stream, mask.view()).unwrap();
        let error =
            isosurface::extract(&stream, &volume, Some(&mask), &IsosurfaceParams::default()).err();
        assert!(
            error
                .expect("an error")
                .to_string()
                .contains("on the volume's grid")
        );
    }
}

/// A volume that exceeds the device memory is rejected before any work is done. (A real one would
/// have to be larger than the machine; the test only requests the memory.)
#[test]
fn insufficient_memory_is_an_error_with_byte_counts() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let total = test.device.memory().unwrap().total;
        let error = stream.require(total * 2).unwrap_err().to_string();
        assert!(
            error.contains(&(total * 2).to_string()) && error.contains("smaller volume"),
            "{error}"
        );
        stream.require(1 << 20).unwrap();
    }
}
