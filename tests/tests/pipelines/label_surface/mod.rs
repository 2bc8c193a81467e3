//! Label surfaces compared with quads found voxel by voxel, and their guarantees.

mod accuracy;
mod manifold;
mod options;
mod parts;

use ferrovox::{
    grid::{AnyVolume, Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceParams, VoxelContact},
    mesh::{LabelledMesh, TriangleMesh, count_self_intersections},
};
use ferrovox_tests::{noise::Noise, random};
use std::collections::{BTreeSet, HashMap};

/// Labels on a grid.
struct Field {
    dims: [usize; 3],
    labels: Vec<i64>,
    geometry: Geometry,
}

impl Field {
    fn volume(&self) -> AnyVolume {
        let volume = Volume::new(self.labels.clone(), self.dims, self.geometry);
        volume.unwrap().into()
    }

    /// Generates overlapping labels in blocks, balls, or a checkerboard.
    fn random(seed: u64) -> Self {
        let mut noise = Noise(seed);
        let dims = [0, 1, 2].map(|_| 1 + noise.below(12) as usize);
        let count = 1 + noise.below(8);
        let block = 1 + noise.below(4) as usize;
        let kind = noise.below(4);
        let strewn = noise.below(3) * 200;
        let negative = noise.below(2) == 1;
        let label = |number: u64| match number {
            0 => 0,
            // neighbouring integers that f64 does not distinguish
            _ if seed % 5 == 4 => i64::MAX - number as i64 % 4,
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
