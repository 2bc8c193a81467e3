//! Label surfaces compared with quads found voxel by voxel, and their guarantees.

use ferrovox::{
    grid::{AnyVolume, Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceError, LabelSurfaceParams, VoxelContact},
    mesh::{LabelledMesh, TriangleMesh, count_self_intersections},
};
use ferrovox_tests::{devices, noise::Noise, random};
use std::collections::{BTreeSet, HashMap};

/// Labels on a grid.
struct Field {
    dims: [usize; 3],
    labels: Vec<i64>,
    geometry: Geometry,
}

impl Field {
    fn volume(&self) -> AnyVolume {
        let samples = self.labels.iter().map(|&label| label as i32).collect();
        Volume::<i32>::new(samples, self.dims, self.geometry)
            .unwrap()
            .into()
    }

    /// Generates overlapping labels in blocks, balls, or a checkerboard.
    fn random(seed: u64) -> Self {
        let mut noise = Noise(seed);
        let dims = [0, 1, 2].map(|_| 1 + noise.below(12) as usize);
        let count = 1 + noise.below(6);
        let block = 1 + noise.below(4) as usize;
        let kind = noise.below(4);
        let strewn = noise.below(3) * 200;
        let negative = noise.below(2) == 1;
        let label = |number: u64| match number {
            0 => 0,
            _ if negative => 3 - number as i64 * 2,
            _ => number as i64 * 1000,
        };
        let of_block: Vec<i64> = (0..2000).map(|_| label(noise.below(count + 1))).collect();
        let mut labels = Vec::new();
        for index in 0..dims.iter().product::<usize>() {
            let at = [
                index % dims[0],
                index / dims[0] % dims[1],
                index / dims[0] / dims[1],
            ];
            let [x, y, z] = at.map(|at| at / block);
            labels.push(match kind {
                0 => label(noise.below(count + 1)),
                1 => label((at[0] + at[1] + at[2]) as u64 % (count + 1)),
                _ if noise.below(1000) < strewn => label(noise.below(count + 1)),
                _ => of_block[x + 12 * (y + 12 * z)],
            });
        }
        let geometry = match noise.below(3) {
            0 => Geometry::default(),
            1 => Geometry::from_spacing([0.5, 1.0, 2.5], [10.0, -3.0, 0.25]).unwrap(),
            // sheared, half of them mirrored
            _ => random::geometry(seed),
        };
        Self {
            dims,
            labels,
            geometry,
        }
    }
}

fn walls(
    field: &Field,
    device: &ferrovox::device::Device,
    params: &LabelSurfaceParams,
) -> LabelledMesh {
    let stream = device.stream().unwrap();
    let labels = LabelField::new(&field.volume(), None).unwrap();
    let surface = label_surface::extract(&stream, &labels, params).unwrap();
    surface.download(&stream, &labels).unwrap()
}

/// Merges vertices at equal positions, and asserts that the mesh is closed, consistently oriented
/// and a 2-manifold, and has no triangle with a repeated vertex.
fn assert_manifold(mesh: &TriangleMesh, what: &str) {
    let mut numbers = HashMap::new();
    let merged: Vec<usize> = mesh
        .vertices
        .iter()
        .map(|position| {
            let next = numbers.len();
            *numbers.entry(position.map(f32::to_bits)).or_insert(next)
        })
        .collect();
    let mut next_around: HashMap<[usize; 2], usize> = HashMap::new();
    let mut corners = vec![0; numbers.len()];
    for triangle in mesh.triangles.iter() {
        let [a, b, c] = triangle.map(|vertex| merged[vertex as usize]);
        for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
            assert_ne!(a, b, "{what}: repeated vertex");
            corners[a] += 1;
            // at vertex a, from b to c: each edge occurs once per direction
            let used = next_around.insert([a, b], c);
            assert_eq!(used, None, "{what}: edge with several triangles");
        }
    }
    for (&[vertex, first], &second) in &next_around {
        assert!(next_around.contains_key(&[first, vertex]), "{what}: open");
        let (mut length, mut at) = (1, second);
        while at != first {
            length += 1;
            at = next_around[&[vertex, at]];
        }
        assert_eq!(length, corners[vertex], "{what}: vertex with several fans");
    }
}

/// Asserts the guarantees for each label, and returns the largest error of a label's volume, in
/// voxels.
fn check_guarantees(field: &Field, walls: &LabelledMesh, what: &str) -> f64 {
    let used: BTreeSet<i64> = field.labels.iter().copied().filter(|&it| it != 0).collect();
    assert_eq!(walls.labels, used.into_iter().collect::<Vec<_>>(), "{what}");
    for sides in &walls.sides {
        assert!(sides[0] != sides[1] && sides[0] != 0, "{what}");
        assert!(sides[1] == 0 || sides[0] < sides[1], "{what}");
    }
    let counts = walls.triangle_counts();
    let mut worst = 0.0_f64;
    for (&label, &count) in walls.labels.iter().zip(&counts) {
        let what = format!("{what}: label {label}");
        let part = walls.label_mesh(label).unwrap();
        assert_eq!(part.mesh.triangles.len() as u64, count, "{what}");
        assert_manifold(&part.mesh, &what);
        assert_eq!(part.unbalanced_edges(), Ok(0), "{what}");
        assert_eq!(count_self_intersections(&part.mesh), Ok(0), "{what}");
        let report = part.check().unwrap();
        assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
        assert_eq!(report.unreferenced_vertices, 0, "{what}");
        assert_eq!(report.degenerate_triangles, 0, "{what}");
        assert_eq!(report.duplicate_positions, 0, "{what}");
        let voxels = field.labels.iter().filter(|&&it| it == label).count() as f64;
        let volume = report.volume / field.geometry.determinant().abs();
        assert!(volume > 0.0, "{what}: {volume}");
        worst = worst.max((volume - voxels).abs());
    }
    worst
}

/// Parameters of the raw and of the smooth surface, with both rules for contacts.
fn all_params() -> [LabelSurfaceParams; 4] {
    let smooth = LabelSurfaceParams::default();
    let contact = VoxelContact::Separate;
    let raw = LabelSurfaceParams::raw();
    [
        raw,
        smooth,
        LabelSurfaceParams { contact, ..raw },
        LabelSurfaceParams { contact, ..smooth },
    ]
}

#[test]
fn each_label_is_a_closed_manifold() {
    let device = ferrovox::device::Device::cpu();
    for seed in 0..400 {
        let field = Field::random(seed);
        for params in all_params() {
            let what = format!("seed {seed}, {:?}, {params:?}", field.dims);
            check_guarantees(&field, &walls(&field, &device, &params), &what);
        }
    }
}

/// Rows of more than one word, and of exactly one.
#[test]
fn rows_of_several_words_are_extracted() {
    let device = ferrovox::device::Device::cpu();
    for nx in [31, 32, 33, 63, 64, 70] {
        let mut noise = Noise(nx as u64);
        let field = Field {
            dims: [nx, 3, 2],
            labels: (0..nx * 6).map(|_| noise.below(3) as i64).collect(),
            geometry: Geometry::default(),
        };
        for params in all_params() {
            check_guarantees(&field, &walls(&field, &device, &params), &format!("{nx}"));
        }
    }
}

#[test]
fn every_device_computes_the_same_bits() {
    for seed in 1000..1006 {
        let field = Field::random(seed);
        for params in [LabelSurfaceParams::raw(), LabelSurfaceParams::default()] {
            let mut first: Option<LabelledMesh> = None;
            for device in devices::all() {
                let made = walls(&field, &device.device, &params);
                let first = first.get_or_insert_with(|| made.clone());
                assert_eq!(&made, first, "{} seed {seed}", device.label);
            }
        }
    }
}

#[test]
fn label_indices_of_any_width_work() {
    let device = ferrovox::device::Device::cpu();
    for count in [255, 256, 65_535, 65_536] {
        let labels: Vec<i64> = (1..=count).map(|label| label * 3 - 7).collect();
        let labels: Vec<i64> = labels.into_iter().filter(|&label| label != 0).collect();
        let dims = [labels.len(), 1, 1];
        let geometry = Geometry::default();
        let field = Field {
            dims,
            labels,
            geometry,
        };
        let walls = walls(&field, &device, &LabelSurfaceParams::raw());
        assert_eq!(walls.labels.len(), count as usize);
        assert!(walls.triangle_counts().iter().all(|&count| count == 12));
        let part = walls.label_mesh(*walls.labels.last().unwrap()).unwrap();
        assert_eq!(part.unbalanced_edges(), Ok(0));
    }
}

/// Returns the label of a voxel: a ball in two halves, a second ball, and single voxels.
fn balls([x, y, z]: [usize; 3]) -> u16 {
    let within = |centre: [f64; 3], radius: f64| {
        let [dx, dy, dz] = [
            x as f64 - centre[0],
            y as f64 - centre[1],
            z as f64 - centre[2],
        ];
        dx * dx + dy * dy + dz * dz < radius * radius
    };
    if within([17.0, 19.5, 21.5], 14.5) {
        if z < 22 { 1 } else { 300 }
    } else if within([38.0, 20.0, 20.0], 8.0) {
        7
    } else if [x, y, z] == [2, 2, 2] || [x, y, z] == [47, 39, 43] {
        9
    } else {
        0
    }
}

/// Labels enclose the volume of their voxels, also single voxels, for anisotropic and mirrored
/// grids, and far from the world origin.
#[test]
fn labels_enclose_the_volume_of_their_voxels() {
    for (spacing, origin) in [
        ([1.0; 3], [0.0; 3]),
        ([0.5, 0.75, 2.0], [5.0; 3]),
        ([1.0; 3], [4.0e6, -3.0e6, 10.0]),
    ] {
        let geometry = Geometry::from_spacing(spacing, origin).unwrap();
        let volume = Volume::from_fn([48, 40, 44], geometry, |x, y, z| balls([x, y, z]));
        let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
        assert_eq!(field.labels(), [1, 7, 9, 300]);
        let stream = ferrovox::device::Device::cpu().stream().unwrap();
        let surface = label_surface::extract(&stream, &field, &LabelSurfaceParams::default());
        let surface = surface.unwrap();
        assert_eq!(surface.unshared_wall_count(), 0);
        let walls = surface.download(&stream, &field).unwrap();
        let voxel = geometry.determinant();
        for (&label, &voxels) in field.labels().iter().zip(field.voxels()) {
            let part = walls.label_mesh(label).unwrap();
            assert_manifold(&part.mesh, &format!("label {label}"));
            assert_eq!(count_self_intersections(&part.mesh), Ok(0));
            let report = part.check().unwrap();
            let components = if label == 9 { 2 } else { 1 };
            assert_eq!(report.components, components);
            assert_eq!(report.euler_characteristic(), 2 * components as i64);
            let ratio = report.volume / (voxels as f64 * voxel);
            println!("label {label}: {voxels} voxels, {ratio:.5} of them enclosed");
            assert!((ratio - 1.0).abs() < 0.003, "label {label}: {ratio}");
        }
    }
}

/// Returns the mean angle between the normals of adjacent triangles, in degrees.
fn mean_dihedral_angle(mesh: &TriangleMesh) -> f64 {
    let mut normals = HashMap::new();
    let (mut sum, mut count) = (0.0, 0.0);
    for triangle in mesh.triangles.iter() {
        let corner = |k: usize| nalgebra::Point3::from(mesh.vertices[triangle[k] as usize]);
        let [a, b, c] = [corner(0), corner(1), corner(2)].map(|it| it.cast::<f64>());
        let normal = (b - a).cross(&(c - a)).normalize();
        for k in 0..3 {
            let [from, to] = [triangle[k], triangle[(k + 1) % 3]];
            let used = normals.insert([from, to], normal);
            assert!(used.is_none(), "edge used twice");
            if let Some(other) = normals.get(&[to, from]) {
                sum += normal.dot(other).clamp(-1.0, 1.0).acos().to_degrees();
                count += 1.0;
            }
        }
    }
    sum / count
}

#[test]
fn smoothing_reduces_the_angles_between_triangles() {
    let volume = Volume::from_fn([48, 40, 44], Geometry::default(), |x, y, z| {
        balls([x, y, z])
    });
    let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let angle = |params| {
        let walls = label_surface::extract(&stream, &field, &params).unwrap();
        let walls = walls.download(&stream, &field).unwrap();
        mean_dihedral_angle(&walls.label_mesh(7).unwrap().mesh)
    };
    let (raw, smooth) = (
        angle(LabelSurfaceParams::raw()),
        angle(LabelSurfaceParams::default()),
    );
    println!("{raw:.2} degrees, {smooth:.2} smooth");
    assert!(smooth < 0.75 * raw, "{raw} {smooth}");
}

/// Voxels of one label that touch in an edge or a corner only.
#[test]
fn contacts_are_joined_or_separated() {
    let components = |labels: &[i64], dims, contact| {
        let field = Field {
            dims,
            labels: labels.to_vec(),
            geometry: Geometry::default(),
        };
        let params = LabelSurfaceParams {
            contact,
            ..LabelSurfaceParams::default()
        };
        let walls = walls(&field, &ferrovox::device::Device::cpu(), &params);
        check_guarantees(&field, &walls, "contact");
        walls.label_mesh(1).unwrap().check().unwrap().components
    };
    let in_edge = [1, 0, 0, 1];
    assert_eq!(components(&in_edge, [2, 2, 1], VoxelContact::Join), 1);
    assert_eq!(components(&in_edge, [2, 2, 1], VoxelContact::Separate), 2);
    // with another label on one side, the voxels are joined
    let beside = [1, 2, 0, 1];
    assert_eq!(components(&beside, [2, 2, 1], VoxelContact::Separate), 1);
    // against a larger label, the smaller is joined
    let crossed = [1, 2, 2, 1];
    assert_eq!(components(&crossed, [2, 2, 1], VoxelContact::Separate), 1);
    let in_corner = [1, 0, 0, 0, 0, 0, 0, 1];
    for contact in [VoxelContact::Join, VoxelContact::Separate] {
        assert_eq!(components(&in_corner, [2, 2, 2], contact), 2);
    }
}

/// The mesh moves with the volume: a translated part of the volume has the same surface, within
/// cells to the bit.
#[test]
fn crops_of_whole_objects_have_the_same_surface() {
    let dims = [60, 50, 50];
    let surface = |shift: usize| {
        let volume = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
            let at = [x, y, z].map(|it| it.wrapping_sub(shift));
            if at.iter().all(|&it| it < 48) {
                balls(at)
            } else {
                0
            }
        });
        let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
        let stream = ferrovox::device::Device::cpu().stream().unwrap();
        let params = LabelSurfaceParams {
            volume_steps: 0,
            ..LabelSurfaceParams::default()
        };
        let walls = label_surface::extract(&stream, &field, &params).unwrap();
        walls.download(&stream, &field).unwrap()
    };
    let (one, other) = (surface(0), surface(2));
    assert_eq!(one.sides, other.sides);
    assert!(one.mesh.triangles.iter().eq(other.mesh.triangles.iter()));
    for (one, other) in one.mesh.vertices.iter().zip(&other.mesh.vertices) {
        for axis in 0..3 {
            assert!(
                (one[axis] + 2.0 - other[axis]).abs() < 1e-5,
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn unselected_labels_are_background() {
    let volume = Volume::new(vec![4_u8, 9, 0, 6], [4, 1, 1], Geometry::default());
    let volume: AnyVolume = volume.unwrap().into();
    let field = LabelField::new(&volume, Some(&[9, 6, 9, 11])).unwrap();
    assert_eq!(field.labels(), [6, 9]);
    assert_eq!((field.voxels(), field.missing()), (&[1, 1][..], &[11][..]));
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let walls = label_surface::extract(&stream, &field, &LabelSurfaceParams::default()).unwrap();
    let walls = walls.download(&stream, &field).unwrap();
    assert_eq!(walls.triangle_counts(), [12, 12]);
    assert!(walls.sides.iter().all(|sides| sides[1] == 0));
    assert_eq!(walls.label_mesh(4).unwrap(), Default::default());
}

#[test]
fn invalid_labels_are_errors() {
    let of = |samples: Vec<f64>, chosen: Option<&[i64]>| {
        let dims = [1, samples.len(), 1];
        let volume = Volume::new(samples, dims, Geometry::default()).unwrap();
        LabelField::new(&volume.into(), chosen).map_err(|it| it.to_string())
    };
    let error = of(vec![1.0, 2.5], None).unwrap_err();
    assert!(error.starts_with("voxel (0, 1, 0) is 2.5"), "{error}");
    assert!(of(vec![f64::NAN], None).unwrap_err().contains("NaN"));
    assert!(of(vec![1e300], None).unwrap_err().contains("2^53"));
    assert!(of(vec![1.0], Some(&[])).unwrap_err().contains("empty"));
    assert!(
        of(vec![1.0], Some(&[1, 0]))
            .unwrap_err()
            .contains("background")
    );
    assert_eq!(
        of(vec![2e15, -0.0, -1.0], None).unwrap().labels(),
        [-1, 2_000_000_000_000_000]
    );
    let none: AnyVolume = Volume::<u8>::new(Vec::new(), [0, 3, 2], Geometry::default())
        .unwrap()
        .into();
    let field = LabelField::new(&none, None).unwrap();
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let walls = label_surface::extract(&stream, &field, &LabelSurfaceParams::default());
    let walls: Result<_, LabelSurfaceError> = walls.and_then(|it| it.download(&stream, &field));
    assert_eq!(walls.unwrap(), LabelledMesh::default());
}
