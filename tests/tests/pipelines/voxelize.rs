//! Voxelization of meshes with known interiors.

use super::distance_sites::pack_words;
use ferrovox::{
    device::Device,
    grid::{Geometry, Volume},
    isosurface::IsosurfaceParams,
    mesh::{TriangleMesh, Triangles},
    voxelize::{VoxelizeError, VoxelizeParams, voxelize, voxelize_on_grid},
};
use ferrovox_tests::{
    devices,
    extract::extract_volume_mesh,
    noise::{Noise, with_border_below},
    random,
    solids::Solid,
};
use nalgebra::{Matrix3, Point3, Vector3};

type Corners = [Point3<f64>; 4];

/// Returns tetrahedra as one mesh, with separate vertices.
fn tetrahedra(all: &[Corners]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut triangles = Vec::new();
    for corners in all {
        let first = mesh.vertices.len() as u32;
        let numbers = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        triangles.extend(numbers.map(|triangle| triangle.map(|corner| first + corner)));
        mesh.vertices
            .extend(corners.map(|p| <[f32; 3]>::from(p.cast::<f32>())));
    }
    mesh.triangles = Triangles::U32(triangles);
    mesh
}

/// Returns the barycentric coordinates of a point, all positive inside, or `None` if the four
/// points are coplanar.
fn barycentric([a, b, c, d]: Corners, point: Point3<f64>) -> Option<[f64; 4]> {
    let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
    let inner = edges.try_inverse()? * (point - a);
    Some([1.0 - inner.sum(), inner.x, inner.y, inner.z])
}

/// Returns a box by its corners.
fn cuboid(low: [f32; 3], high: [f32; 3]) -> TriangleMesh {
    let corner = |n: usize| [0, 1, 2].map(|k| if n >> k & 1 == 0 { low[k] } else { high[k] });
    // the corners of each side in cyclic order
    let sides: [[u32; 4]; 6] = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let halves = sides
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..8).map(corner).collect(),
        normals: None,
        triangles: Triangles::U32(halves.collect()),
    }
}

/// Planes, edges and corners through voxel centres: one of two opposite sides includes them.
#[test]
fn boxes_through_voxel_centres_include_one_side() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (dims, low, high) in [
            ([70, 9, 8], [3, 2, 1], [40, 5, 6]),
            ([33, 5, 5], [0, 0, 0], [32, 4, 4]),
            ([7, 7, 7], [-3, 2, -5], [3, 9, 12]),
            ([64, 3, 3], [31, 0, 0], [32, 2, 2]),
            ([5, 5, 5], [7, 0, 0], [9, 4, 4]),
            ([4, 4, 4], [-9, 1, 1], [9, 3, 3]),
            ([0, 3, 2], [0, 0, 0], [3, 3, 3]),
        ] {
            let mesh = cuboid(low.map(|x| x as f32), high.map(|x| x as f32));
            let found = voxelize_on_grid(&stream, &mesh, dims, Geometry::default()).unwrap();
            let expected = pack_words(dims, |place| {
                (0..3).all(|k| (low[k]..high[k]).contains(&(place[k] as i32)))
            });
            assert!(
                found.download(&stream).unwrap() == expected,
                "{}: {low:?} {high:?}",
                test.label
            );
        }
    }
}

/// Arbitrary tetrahedra, also with corners on voxel centres, which overlap each other and the
/// border of the grid.
#[test]
fn tetrahedra_match_barycentric_test() {
    let dims = [37, 11, 13];
    let mut cases = Vec::new();
    for seed in 0..6 {
        let mut noise = Noise(seed);
        let whole = seed % 2 == 0;
        let mut corner = || {
            let mut along = |count: usize| {
                let x = (f64::from(noise.signed()) * 0.6 + 0.5) * count as f64;
                if whole { x.round() } else { x }
            };
            Point3::new(along(dims[0]), along(dims[1]), along(dims[2]))
        };
        let all: Vec<Corners> = (0..9).map(|_| [(); 4].map(|()| corner())).collect();
        let place = random::geometry(seed);
        let mut mesh = tetrahedra(&all);
        for vertex in &mut mesh.vertices {
            let voxel = Point3::from(vertex.map(f64::from));
            *vertex = place.index_to_world(voxel).cast::<f32>().into();
        }
        let expected = expected(dims, &all);
        cases.push((mesh, place, expected));
        cases.push((
            tetrahedra(&all),
            Geometry::default(),
            cases[cases.len() - 1].2.clone(),
        ));
    }
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, (mesh, place, expected)) in cases.iter().enumerate() {
            let found = voxelize_on_grid(&stream, mesh, dims, *place).unwrap();
            let found = found.download(&stream).unwrap();
            let label = format!("{}: {number}", test.label);
            let per_row = dims[0].div_ceil(32);
            let mut sure = 0;
            for (voxel, inside) in expected.iter().enumerate() {
                let (row, x) = (voxel / dims[0], voxel % dims[0]);
                let bit = found[row * per_row + x / 32] >> (x % 32) & 1;
                if let Some(inside) = inside {
                    assert_eq!(bit == 1, *inside, "{label}: voxel {voxel}");
                    sure += 1;
                }
            }
            assert!(sure > expected.len() / 2, "{label}: {sure} are sure");
        }
    }
}

/// Returns whether each voxel is in an odd number of tetrahedra, or `None` if it is too close to a
/// side.
fn expected(dims: [usize; 3], all: &[Corners]) -> Vec<Option<bool>> {
    let inside = |point: Point3<f64>| {
        let mut odd = false;
        for &corners in all {
            let Some(weights) = barycentric(corners, point) else {
                continue;
            };
            let near = weights.iter().fold(f64::INFINITY, |a, &b| a.min(b));
            if near.abs() < 1e-3 {
                return None;
            }
            odd ^= near > 0.0;
        }
        Some(odd)
    };
    let mut voxels = Vec::new();
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in 0..dims[0] {
                voxels.push(inside(Point3::new(x as f64, y as f64, z as f64)));
            }
        }
    }
    voxels
}

/// A cube divided into six along its diagonal, through voxel centres: each voxel is in one part.
#[test]
fn parts_of_a_cube_partition_its_voxels() {
    let side = 12.0;
    let path = |order: [usize; 3]| -> Corners {
        let mut at = Vector3::zeros();
        let mut corners = [Point3::origin(); 4];
        for (step, axis) in order.into_iter().enumerate() {
            at[axis] = side;
            corners[step + 1] = at.into();
        }
        corners.map(|corner| corner + Vector3::new(1.0, 2.0, 3.0))
    };
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let dims = [17, 17, 17];
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut sum = vec![0; 17 * 17];
        let mut voxels = 0;
        for order in orders {
            let mesh = tetrahedra(&[path(order)]);
            let piece = voxelize_on_grid(&stream, &mesh, dims, Geometry::default()).unwrap();
            voxels += piece.count(&stream).unwrap();
            let words = piece.download(&stream).unwrap();
            sum.iter_mut()
                .zip(words)
                .for_each(|(all, word)| *all |= word);
        }
        assert_eq!(voxels, 12 * 12 * 12, "{}", test.label);
        let low = [1, 2, 3];
        let whole = pack_words(dims, |place| {
            (0..3).all(|k| (low[k]..low[k] + 12).contains(&place[k]))
        });
        assert!(sum == whole, "{}", test.label);
    }
}

/// Voxelizing the surface of a mask restores the mask.
#[test]
fn voxelizing_the_surface_of_a_mask_restores_it() {
    let dims = [37, 10, 11];
    let device = Device::cpu();
    let mut cases = Vec::new();
    for seed in 0..3 {
        let mut noise = Noise(seed);
        let samples = with_border_below(dims, || noise.signed());
        let mask = samples.iter().map(|&x| u8::from(x > 0.2)).collect();
        let mask = Volume::new(mask, dims, random::geometry(seed)).unwrap();
        let params = IsosurfaceParams {
            iso: 0.5,
            ..IsosurfaceParams::default()
        };
        let mesh = extract_volume_mesh(&device, &mask, None, &params).mesh;
        let bits = pack_words(dims, |[x, y, z]| mask.get([x, y, z]).unwrap() != 0);
        cases.push((mesh, *mask.geometry(), bits));
    }
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (mesh, place, bits) in &cases {
            let found = voxelize_on_grid(&stream, mesh, dims, *place).unwrap();
            assert!(found.download(&stream).unwrap() == *bits, "{}", test.label);
        }
    }
}

#[test]
fn grid_surrounds_the_mesh() {
    let solid = Solid::torus(14.0, 5.0).rotated([1.0, 1.0, 0.2], 0.5);
    let volume = solid.voxels_in(Geometry::from_spacing([0.1; 3], [3.0, -7.0, 100.0]).unwrap());
    let params = IsosurfaceParams {
        iso: 0.5,
        ..IsosurfaceParams::default()
    };
    let mesh = extract_volume_mesh(&Device::cpu(), &volume, None, &params).mesh;
    let enclosed = ferrovox::mesh::check(&mesh).volume;
    let (low, high) = mesh.bounds().unwrap();
    let extent = f64::from((high - low).max());
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for params in [
            VoxelizeParams::with_resolution(60),
            VoxelizeParams::with_voxel_size(extent / 60.0),
            VoxelizeParams {
                margin: 0,
                ..VoxelizeParams::with_resolution(97)
            },
        ] {
            let found = voxelize(&stream, &mesh, &params).unwrap();
            let across = *found.dims().iter().max().unwrap() as u32 - 2 * params.margin;
            assert_eq!(across, if params.margin == 0 { 97 } else { 60 });
            let volume = found.count(&stream).unwrap() as f64 * found.geometry().determinant();
            assert!(
                (volume / enclosed - 1.0).abs() < 0.01,
                "{volume} {enclosed}"
            );
        }
        let one = voxelize(
            &stream,
            &cuboid([0.0; 3], [1.0; 3]),
            &VoxelizeParams::with_resolution(1),
        );
        let one = one.unwrap();
        assert_eq!((one.dims(), one.count(&stream).unwrap()), ([5; 3], 1));
    }
}

#[test]
fn open_and_empty_meshes_are_errors() {
    let stream = Device::cpu().stream().unwrap();
    let error = |mesh: &TriangleMesh, params: VoxelizeParams| {
        let error = voxelize(&stream, mesh, &params).unwrap_err();
        (error.to_string(), error)
    };
    let params = VoxelizeParams::with_resolution(10);
    let mut mesh = cuboid([0.0; 3], [2.0; 3]);
    let Triangles::U32(triangles) = &mut mesh.triangles else {
        panic!("32 bits are enough");
    };
    let last = triangles.pop();
    let (text, open) = error(&mesh, params);
    assert!(
        matches!(open, VoxelizeError::Open { edges: 3, .. }),
        "{text}"
    );
    assert!(text.contains("(0, 0, 2)"), "{text}");
    // closed by a triangle with separate vertices
    mesh.vertices
        .extend([[0.0, 0.0, 2.0], [2.0; 3], [-0.0, 2.0, 2.0]]);
    let Triangles::U32(triangles) = &mut mesh.triangles else {
        panic!("32 bits are enough");
    };
    assert_eq!(last, Some([4, 7, 6]));
    triangles.push([8, 9, 10]);
    voxelize(&stream, &mesh, &params).unwrap();
    mesh.vertices[3][1] = f32::NAN;
    let (text, _) = error(&mesh, params);
    assert!(text.contains("vertex 3 is at (2, NaN, 0)"), "{text}");
    let (text, _) = error(&TriangleMesh::default(), params);
    assert!(text.contains("no triangles"), "{text}");
    let (text, _) = error(&cuboid([1.0; 3], [1.0; 3]), params);
    assert!(text.contains("no size"), "{text}");
    let good = cuboid([0.0; 3], [2.0; 3]);
    for resolution in [0, (1 << 16) + 1] {
        let (text, _) = error(&good, VoxelizeParams::with_resolution(resolution));
        assert!(text.contains("from 1 to 65536"), "{text}");
    }
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
        let (text, found) = error(&good, VoxelizeParams::with_voxel_size(spacing));
        assert!(matches!(found, VoxelizeError::Spacing { .. }), "{text}");
    }
    let far = voxelize_on_grid(
        &stream,
        &cuboid([0.0; 3], [1e9; 3]),
        [4, 4, 4],
        Geometry::default(),
    );
    assert!(far.unwrap_err().to_string().contains("1.000e9 voxels away"));
    let mut wrong = good;
    wrong.vertices.truncate(7);
    assert!(matches!(error(&wrong, params).1, VoxelizeError::Mesh(_)));
    // a flat mesh has no interior, which is not an error
    let flat = voxelize(&stream, &cuboid([0.0; 3], [2.0, 2.0, 0.0]), &params).unwrap();
    assert_eq!(flat.count(&stream).unwrap(), 0);
}
