//! Smoothing compared with the matrix polynomial, on shapes with known results, and with the same
//! bits on all devices.

use ferrovox::{
    device::Device,
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, IsosurfaceParams},
    mesh::{self, TriangleMesh, Triangles},
    mesh_filter::{SmoothParams, recompute_normals, smooth_mesh},
};
use ferrovox_tests::{
    devices,
    extract::extract_mesh,
    noise::{Noise, with_border_below},
};
use nalgebra::{DMatrix, Vector3};
use std::{collections::BTreeMap, f64::consts::PI};

/// Returns the neighbours that are averaged for each vertex; an independent implementation of the
/// documentation.
fn smoothing_neighbours(mesh: &TriangleMesh) -> Vec<Vec<usize>> {
    let mut edges = BTreeMap::<[usize; 2], usize>::new();
    for [a, b, c] in mesh.triangles.iter().map(|it| it.map(|at| at as usize)) {
        if a == b || b == c || c == a {
            continue;
        }
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *edges.entry([from.min(to), from.max(to)]).or_default() += 1;
        }
    }
    let of = |vertex: usize| {
        let mine: Vec<(usize, usize)> = edges
            .iter()
            .filter(|(ends, _)| ends.contains(&vertex))
            .map(|(ends, &times)| (ends[0] + ends[1] - vertex, times))
            .collect();
        let boundary: Vec<usize> = mine.iter().filter(|it| it.1 == 1).map(|it| it.0).collect();
        match boundary.len() {
            _ if mine.iter().any(|it| it.1 > 2) => Vec::new(),
            0 => mine.iter().map(|it| it.0).collect(),
            2 => boundary,
            _ => Vec::new(),
        }
    };
    (0..mesh.vertices.len()).map(of).collect()
}

/// Evaluates the filter by its definition: `f(K)` of a dense matrix, as a sum of powers of `1 - K /
/// 2` weighted by the coefficients of Chebyshev polynomials.
fn reference(mesh: &TriangleMesh, iterations: usize, pass_band: f64) -> Vec<Vector3<f64>> {
    let n = mesh.vertices.len();
    let mut half = DMatrix::<f64>::identity(n, n);
    for (row, list) in smoothing_neighbours(mesh).iter().enumerate() {
        for &column in list {
            half[(row, row)] -= 0.5 / list.len() as f64;
            half[(row, column)] += 0.5 / list.len() as f64;
        }
    }
    // finds the angle of the step by small steps, then by bisection
    let factors = |angle: f64| -> Vec<f64> {
        (0..=iterations)
            .map(|i| {
                let i = i as f64;
                let window = 0.54 + 0.46 * (PI * i / (iterations as f64 + 1.0)).cos();
                let sinc = if i == 0.0 {
                    angle / PI
                } else {
                    2.0 * (i * angle).sin() / (PI * i)
                };
                window * sinc
            })
            .collect()
    };
    let theta = (1.0 - 0.5 * pass_band).acos();
    let excess = |angle: f64| {
        let terms = factors(angle);
        let sum: f64 = terms
            .iter()
            .enumerate()
            .map(|(i, c)| c * (i as f64 * theta).cos())
            .sum();
        sum / terms.iter().sum::<f64>() - 1.0
    };
    let mut angle = theta;
    while excess(angle) < 0.0 {
        angle += 1e-3;
    }
    let (mut low, mut high) = (angle - 1e-3, angle);
    while high - low > 1e-13 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let factors = factors(high);
    let sum: f64 = factors.iter().sum();
    let mut terms = [DMatrix::identity(n, n), half.clone()];
    let mut filter = DMatrix::identity(n, n) * (factors[0] / sum);
    for factor in &factors[1..] {
        filter += &terms[1] * (factor / sum);
        let next = &half * &terms[1] * 2.0 - &terms[0];
        let [_, current] = terms;
        terms = [current, next];
    }
    let positions = DMatrix::from_fn(n, 3, |row, axis| f64::from(mesh.vertices[row][axis]));
    let smoothed = filter * positions;
    (0..n)
        .map(|row| Vector3::new(smoothed[(row, 0)], smoothed[(row, 1)], smoothed[(row, 2)]))
        .collect()
}

fn smoothed(device: &Device, mesh: &TriangleMesh, iterations: u32, pass_band: f64) -> TriangleMesh {
    let mut mesh = mesh.clone();
    let params = SmoothParams {
        iterations,
        pass_band,
    };
    smooth_mesh(&device.stream().unwrap(), &mut mesh, &params).unwrap();
    mesh
}

/// Returns a mesh of noise, open at the boundary of the volume.
fn noisy(seed: u64, closed: bool) -> TriangleMesh {
    let dims = [5, 4, 6];
    let mut noise = Noise(seed);
    let samples: Vec<f32> = if closed {
        with_border_below(dims, || noise.signed())
    } else {
        (0..dims.iter().product()).map(|_| noise.signed()).collect()
    };
    extract_mesh(&Device::cpu(), &samples, dims, &IsosurfaceParams::default())
}

fn wide(mesh: &TriangleMesh) -> TriangleMesh {
    TriangleMesh {
        triangles: Triangles::U64(mesh.triangles.iter().collect()),
        ..mesh.clone()
    }
}

#[test]
fn smoothing_equals_the_matrix_polynomial() {
    let devices = devices::all();
    for (seed, closed) in [(1, true), (2, false), (3, false)] {
        let mesh = noisy(seed, closed);
        for (iterations, pass_band) in [(1, 0.1), (2, 0.5), (20, 0.1), (35, 0.01)] {
            let expected = reference(&mesh, iterations as usize, pass_band);
            let cpu = smoothed(&Device::cpu(), &mesh, iterations, pass_band);
            for test in &devices {
                let found = smoothed(&test.device, &mesh, iterations, pass_band);
                let worst = found
                    .vertices
                    .iter()
                    .zip(&expected)
                    .map(|(found, expected)| {
                        (Vector3::from(found.map(f64::from)) - expected).amax()
                    })
                    .fold(0.0, f64::max);
                let label = format!("{}, seed {seed}, {iterations} terms", test.label);
                assert!(worst < 2e-6, "{label}: off by {worst}");
                assert_eq!(found.triangles, mesh.triangles, "{label}");
                assert_eq!(cpu.vertices, found.vertices, "{label}");
                let wide = smoothed(&test.device, &wide(&mesh), iterations, pass_band);
                assert_eq!(wide.vertices, found.vertices, "{label}");
            }
        }
    }
}

/// Sheets that meet in an edge, boundaries that meet in a vertex, degenerate triangles, a fan of
/// hundreds of triangles, unused vertices.
#[test]
fn irregular_meshes_are_smoothed_like_the_reference() {
    let mut noise = Noise(7);
    let fan = 200;
    let mut triangles = vec![
        [1, 2, 3],
        [1, 2, 4],
        [1, 2, 5],
        [6, 7, 8],
        [8, 9, 10],
        [3, 3, 4],
    ];
    triangles.extend((0..fan).map(|i| [11, 12 + i, 12 + (i + 1) % fan]));
    let count = 12 + fan as usize + 3;
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..count)
            .map(|_| [(); 3].map(|()| noise.signed()))
            .collect(),
        normals: None,
        triangles: Triangles::U32(triangles),
    };
    let expected = reference(&mesh, 10, 0.1);
    for test in devices::all() {
        let found = smoothed(&test.device, &mesh, 10, 0.1);
        for (found, expected) in found.vertices.iter().zip(&expected) {
            let off = (Vector3::from(found.map(f64::from)) - expected).amax();
            assert!(off < 1e-6, "{}: {off}", test.label);
        }
        for fixed in [0, 1, 2, 8, count - 1] {
            assert_eq!(
                found.vertices[fixed], mesh.vertices[fixed],
                "{}",
                test.label
            );
        }
    }
    for empty in [Triangles::U32(Vec::new()), Triangles::U64(Vec::new())] {
        let points = TriangleMesh {
            triangles: empty,
            ..mesh.clone()
        };
        assert_eq!(smoothed(&Device::cpu(), &points, 5, 0.1), points);
    }
    let nothing = TriangleMesh::default();
    assert_eq!(smoothed(&Device::cpu(), &nothing, 5, 0.1), nothing);
}

/// Returns a ball of `radius` in the middle of a cube, with each sample perturbed by up to `noise`.
fn ball(radius: f64, noise: f32, seed: u64, shift: [f64; 3]) -> TriangleMesh {
    let side = (2.0 * radius) as usize + 8;
    let middle = (side as f64 - 1.0) / 2.0;
    let mut random = Noise(seed);
    let volume = Volume::from_fn(
        [side; 3],
        Geometry::from_spacing([1.0; 3], shift).unwrap(),
        |x, y, z| {
            let away = [x, y, z].map(|i| (i as f64 - middle).powi(2));
            (radius - away.iter().sum::<f64>().sqrt()) as f32 + noise * random.signed()
        },
    )
    .unwrap();
    let stream = Device::cpu().stream().unwrap();
    let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let surface = isosurface::extract(&stream, &volume, None, &IsosurfaceParams::default());
    surface.unwrap().download(&stream).unwrap()
}

#[test]
fn smoothing_preserves_volume_and_removes_noise() {
    let mesh = ball(12.0, 0.3, 5, [0.0; 3]);
    let middle = Vector3::repeat((32.0 - 1.0) / 2.0);
    // distances of vertices from the sphere
    let roughness = |mesh: &TriangleMesh| {
        let squares = mesh.vertices.iter().map(|position| {
            let away = Vector3::from(position.map(f64::from)) - middle;
            (away.norm() - 12.0).powi(2)
        });
        (squares.sum::<f64>() / mesh.vertices.len() as f64).sqrt()
    };
    let found = smoothed(&Device::cpu(), &mesh, 20, 0.1);
    let (before, after) = (roughness(&mesh), roughness(&found));
    eprintln!("noise on a sphere of radius 12: {before:.4} before, {after:.4} after");
    assert!(after < 0.5 * before, "{before} became {after}");
    let [before, after] = [&mesh, &found].map(|mesh| mesh::check(mesh).volume);
    eprintln!("volume {before:.1} before, {after:.1} after");
    assert!(
        (after / before - 1.0).abs() < 0.008,
        "{before} became {after}"
    );
    // the pass band is preserved within some thousandths
    let smooth_ball = ball(12.0, 0.0, 0, [0.0; 3]);
    let found = smoothed(&Device::cpu(), &smooth_ball, 20, 0.1);
    let [before, after] = [&smooth_ball, &found].map(|mesh| mesh::check(mesh).volume);
    assert!(
        (after / before - 1.0).abs() < 0.002,
        "{before} became {after}"
    );
}

/// Far from the origin, a filter whose coefficients do not sum to 1 would move everything.
#[test]
fn smoothing_commutes_with_translation() {
    let [near, far] = [[0.0; 3], [4096.0, -2048.0, 1024.0]]
        .map(|shift| smoothed(&Device::cpu(), &ball(6.0, 0.3, 9, shift), 20, 0.1));
    for (near, far) in near.vertices.iter().zip(&far.vertices) {
        let back = [far[0] - 4096.0, far[1] + 2048.0, far[2] - 1024.0];
        let off = (Vector3::from(back) - Vector3::from(*near)).amax();
        assert!(off < 1.5e-3, "{off}");
    }
}

#[test]
fn planar_boundary_stays_in_its_plane() {
    // a ball cut by the volume at x = 0
    let dims = [14, 24, 24];
    let mut noise = Noise(3);
    let mut samples = Vec::new();
    for z in 0..24 {
        for y in 0..24 {
            for x in 0..14 {
                let away =
                    ((x * x) as f64 + (y as f64 - 11.5).powi(2) + (z as f64 - 11.5).powi(2)).sqrt();
                samples.push((9.0 - away) as f32 + 0.3 * noise.signed());
            }
        }
    }
    let mesh = extract_mesh(&Device::cpu(), &samples, dims, &IsosurfaceParams::default());
    let report = mesh::check(&mesh);
    assert!(report.boundary_edges > 0);
    let found = smoothed(&Device::cpu(), &mesh, 20, 0.1);
    let mut moved = 0;
    for (before, after) in mesh.vertices.iter().zip(&found.vertices) {
        if before[0] == 0.0 {
            assert_eq!(after[0], 0.0);
            moved += usize::from(before != after);
        }
    }
    assert!(moved > 20, "{moved}");
    let after = mesh::check(&found);
    assert_eq!(after.euler_characteristic(), report.euler_characteristic());
    assert_eq!(after.boundary_edges, report.boundary_edges);
}

#[test]
fn normals_match_the_triangles() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for mesh in [noisy(4, false), ball(8.0, 0.0, 0, [0.0; 3])] {
            let mut found = mesh.clone();
            recompute_normals(&stream, &mut found).unwrap();
            let mut sums = vec![Vector3::<f64>::zeros(); mesh.vertices.len()];
            for corners in mesh.triangles.iter() {
                let [a, b, c] =
                    corners.map(|at| Vector3::from(mesh.vertices[at as usize]).cast::<f64>());
                for at in corners {
                    sums[at as usize] += (b - a).cross(&(c - a));
                }
            }
            for (found, sum) in found.normals.as_ref().unwrap().iter().zip(&sums) {
                let off = (Vector3::from(*found).cast::<f64>() - sum.normalize()).amax();
                assert!(off < 1e-6, "{}: {off}", test.label);
            }
            let mut of_wide = wide(&mesh);
            recompute_normals(&stream, &mut of_wide).unwrap();
            assert_eq!(of_wide.normals, found.normals, "{}", test.label);
        }
        // outward on a ball, and of unit length; a vertex without triangles has a normal too
        let mut mesh = ball(8.0, 0.0, 0, [0.0; 3]);
        mesh.vertices.push([1.0; 3]);
        mesh.normals = Some(vec![[0.0; 3]; mesh.vertices.len()]);
        let params = SmoothParams::default();
        smooth_mesh(&stream, &mut mesh, &params).unwrap();
        let normals = mesh.normals.unwrap();
        assert_eq!(normals.last(), Some(&[0.0, 0.0, 1.0]));
        for (position, normal) in mesh.vertices.iter().zip(&normals).take(normals.len() - 1) {
            let outwards = (Vector3::from(*position) - Vector3::repeat(11.5)).normalize();
            assert!(outwards.dot(&Vector3::from(*normal)) > 0.99);
        }
    }
}

#[test]
fn invalid_input_of_smoothing_is_an_error() {
    use ferrovox::{mesh::DeviceTriangles, mesh_filter::smooth};
    let stream = Device::cpu().stream().unwrap();
    let mut mesh = ball(4.0, 0.0, 0, [0.0; 3]);
    let message = |mesh: &mut TriangleMesh, iterations: u32, pass_band: f64| {
        let params = SmoothParams {
            iterations,
            pass_band,
        };
        smooth_mesh(&stream, mesh, &params).unwrap_err().to_string()
    };
    assert!(message(&mut mesh, 0, 0.1).contains("from 1 to 1000"));
    assert!(message(&mut mesh, 1001, 0.1).contains("1001"));
    for band in [0.0, 2.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            message(&mut mesh, 20, band).contains("less than 2"),
            "{band}"
        );
    }
    let whole = mesh.clone();
    mesh.vertices.pop();
    assert!(message(&mut mesh, 20, 0.1).contains("the mesh has"));
    // on a device, the mesh has not been validated before
    let triangles = DeviceTriangles::upload(&stream, &mesh.triangles).unwrap();
    let mut positions = stream.upload(mesh.vertices.as_flattened()).unwrap();
    let error = smooth(
        &stream,
        &mut positions,
        &triangles,
        &SmoothParams::default(),
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("refer to vertices beyond"),
        "{error}"
    );
    assert_eq!(
        stream.download(&positions).unwrap(),
        mesh.vertices.as_flattened()
    );
    let mut four = stream.upload(&whole.vertices.as_flattened()[..4]).unwrap();
    let error = smooth(&stream, &mut four, &triangles, &SmoothParams::default()).unwrap_err();
    assert!(error.to_string().contains("coordinates is 4"), "{error}");
}
