//! Volumes, masks, points and meshes that do not fit together.

#![forbid(unsafe_code)]

use ferrovox::grid::{DeviceMask, DeviceVolume, Geometry, Mask, Points, Volume, VolumeView};
use ferrovox::mesh::{DeviceTriangles, TriangleMesh, Triangles};
use ferrovox::mesh_filter::{SmoothParams, recompute_normals, smooth_mesh, vertex_normals};
use ferrovox::voxelize::{VoxelizeParams, voxelize};
use ferrovox_tests::devices;

const IMPOSSIBLE_DIMS: [[usize; 3]; 3] = [
    [usize::MAX, 2, 1],
    [1 << 22, 1 << 22, 1 << 22],
    [usize::MAX; 3],
];

#[test]
fn samples_must_fill_the_dimensions() {
    for count in [0, 7, 9] {
        assert!(Volume::new(vec![0_u8; count], [2; 3], Geometry::default()).is_err());
        assert!(VolumeView::new(&vec![0_f32; count], [2; 3], Geometry::default()).is_err());
    }
    for dims in IMPOSSIBLE_DIMS {
        assert!(Volume::new(vec![0_u8; 8], dims, Geometry::default()).is_err());
        assert!(VolumeView::<u8>::new(&[], dims, Geometry::default()).is_err());
    }
}

#[test]
fn an_index_outside_of_a_volume_has_no_sample() {
    let volume = Volume::new((0..24_u8).collect(), [2, 3, 4], Geometry::default()).unwrap();
    assert_eq!(volume.get([1, 2, 3]), Some(23));
    for index in [
        [2, 0, 0],
        [0, 3, 0],
        [0, 0, 4],
        [usize::MAX; 3],
        [0, usize::MAX, 1],
    ] {
        assert_eq!((volume.get(index), volume.view().get(index)), (None, None));
    }
}

#[test]
fn a_buffer_must_fill_its_device_volume() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for count in [0, 7, 9] {
            let buffer = stream.zeros::<u8>(count).unwrap();
            assert!(DeviceVolume::from_buffer(buffer, [2; 3], Geometry::default()).is_err());
        }
        for dims in IMPOSSIBLE_DIMS {
            let buffer = stream.zeros::<u8>(8).unwrap();
            assert!(DeviceVolume::from_buffer(buffer, dims, Geometry::default()).is_err());
        }
    }
}

#[test]
fn words_and_indices_of_a_mask_must_fit_its_dimensions() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let dims = [33, 2, 2];
        for count in [0, 7, 9] {
            let words = vec![u32::MAX; count];
            assert!(DeviceMask::from_words(&stream, &words, dims, Geometry::default()).is_err());
            assert!(Mask::from_words(words, dims, Geometry::default()).is_err());
        }
        for index in [132, u64::from(u32::MAX), u64::MAX] {
            let indices = [0, index];
            assert!(
                DeviceMask::from_indices(&stream, &indices, dims, Geometry::default()).is_err()
            );
        }
        let voxels = vec![1_u8; 131];
        assert!(DeviceMask::upload(&stream, &voxels, dims, Geometry::default()).is_err());
        // bits after the end of a row do not count
        let mask = DeviceMask::from_words(&stream, &[u32::MAX; 8], dims, Geometry::default());
        assert_eq!(mask.unwrap().count(&stream).unwrap(), 132);
    }
}

#[test]
fn points_are_finite() {
    for coordinate in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let points = [[0.0; 3], [1.0, coordinate, 2.0]];
        assert!(Points::from_voxels(&points, [4; 3], Geometry::default()).is_err());
    }
}

/// Returns a tetrahedron whose last corner is replaced by `corner`.
fn tetrahedron(corner: u32) -> TriangleMesh {
    TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![[0.0; 3], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]],
        normals: None,
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, corner]]),
    }
}

#[test]
fn a_mesh_with_a_missing_vertex_is_refused() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for corner in [4, u32::MAX] {
            let mut mesh = tetrahedron(corner);
            let params = VoxelizeParams::with_resolution(8);
            assert!(voxelize(&stream, &mesh, &params).is_err(), "{}", test.label);
            assert!(recompute_normals(&stream, &mut mesh).is_err());
            assert!(smooth_mesh(&stream, &mut mesh, &SmoothParams::default()).is_err());
        }
        let mut mesh = tetrahedron(3);
        recompute_normals(&stream, &mut mesh).unwrap();
    }
}

/// Functions for meshes on a device verify the indices there.
#[test]
fn a_device_mesh_with_a_missing_vertex_is_refused() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mesh = tetrahedron(3);
        let triangles = DeviceTriangles::upload(&stream, &mesh.triangles).unwrap();
        for vertices in 0..4 {
            let positions = mesh.vertices[..vertices].as_flattened();
            let positions = stream.upload(positions).unwrap();
            let normals = vertex_normals(&stream, &positions, &triangles);
            assert!(normals.is_err(), "{}: {vertices} vertices", test.label);
        }
        for partial in [1, 11, 13] {
            let positions = stream.upload(&vec![0.5_f32; partial]).unwrap();
            assert!(vertex_normals(&stream, &positions, &triangles).is_err());
        }
        // corners that are no whole triangles
        let positions = stream.upload(mesh.vertices.as_flattened()).unwrap();
        for corners in [1, 2, 4] {
            let corners = stream.upload(&vec![0_u32; corners]).unwrap();
            let normals = vertex_normals(&stream, &positions, &DeviceTriangles::U32(corners));
            if let Ok(normals) = normals {
                assert_eq!(stream.download(&normals).unwrap().len(), 12);
            }
        }
    }
}
