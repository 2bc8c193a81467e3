//! Label surfaces compared with quads found voxel by voxel, and their guarantees.

use ferrovox::{
    grid::{AnyVolume, Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceError},
    mesh::{LabelledMesh, TriangleMesh},
};
use ferrovox_tests::{devices, noise::Noise, random};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Labels on a grid, 0 outside.
struct Field {
    dims: [usize; 3],
    labels: Vec<i64>,
    geometry: Geometry,
}

impl Field {
    fn at(&self, [x, y, z]: [i64; 3]) -> i64 {
        let [nx, ny, nz] = self.dims.map(|n| n as i64);
        if (0..nx).contains(&x) && (0..ny).contains(&y) && (0..nz).contains(&z) {
            self.labels[(x + nx * (y + ny * z)) as usize]
        } else {
            0
        }
    }

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

    /// Returns the position of the vertex of the cell before a voxel, if it has one.
    fn vertex(&self, [x, y, z]: [i64; 3]) -> Option<[f64; 3]> {
        let corner = |k: usize| {
            let [i, j, l] = [k & 1, k >> 1 & 1, k >> 2].map(|bit| bit as i64);
            [x - 1 + i, y - 1 + j, z - 1 + l]
        };
        let mut sum = [0.0_f64; 3];
        let mut count = 0.0;
        for one in 0..8_usize {
            for axis in 0..3 {
                let other = one | 1 << axis;
                if other != one && self.at(corner(one)) != self.at(corner(other)) {
                    count += 1.0;
                    let [a, b] = [corner(one), corner(other)];
                    sum = std::array::from_fn(|k| sum[k] + (a[k] + b[k]) as f64 / 2.0);
                }
            }
        }
        (count > 0.0).then(|| sum.map(|sum| sum / count))
    }

    /// Returns the quads by the cells of their corners, with the labels at the lower and the upper
    /// end of the edge that they cross.
    fn quads(&self) -> BTreeMap<[[i64; 3]; 4], [i64; 2]> {
        let mut quads = BTreeMap::new();
        let [nx, ny, nz] = self.dims.map(|n| n as i64);
        for z in -1..nz {
            for y in -1..ny {
                for x in -1..nx {
                    for axis in 0..3 {
                        let low = [x, y, z];
                        let mut high = low;
                        high[axis] += 1;
                        let ends = [self.at(low), self.at(high)];
                        if ends[0] == ends[1] {
                            continue;
                        }
                        // around the edge, counter-clockwise as seen from its upper end
                        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
                        let around = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                            let mut cell = high;
                            cell[b] += i;
                            cell[c] += j;
                            cell
                        });
                        quads.insert(around, ends);
                    }
                }
            }
        }
        quads
    }
}

fn walls(field: &Field, device: &ferrovox::device::Device) -> LabelledMesh {
    let stream = device.stream().unwrap();
    let labels = LabelField::new(&field.volume(), None).unwrap();
    let surface = label_surface::extract(&stream, &labels).unwrap();
    surface.download(&stream, &labels).unwrap()
}

/// Returns the edges that are not used equally often in both directions.
fn unbalanced(mesh: &TriangleMesh) -> usize {
    let mut sums: HashMap<[u64; 2], i64> = HashMap::new();
    for [a, b, c] in mesh.triangles.iter() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            assert_ne!(from, to);
            let sum = sums.entry([from.min(to), from.max(to)]).or_default();
            *sum += if from < to { 1 } else { -1 };
        }
    }
    sums.values().filter(|&&sum| sum != 0).count()
}

fn check_guarantees(field: &Field, walls: &LabelledMesh, what: &str) {
    let expected = field.quads();
    // cells in the order of their vertices
    let [nx, ny, nz] = field.dims.map(|n| n as i64);
    let cells = (0..=nz).flat_map(|z| (0..=ny).flat_map(move |y| (0..=nx).map(move |x| [x, y, z])));
    let cells: Vec<([i64; 3], [f64; 3])> = cells
        .filter_map(|cell| Some((cell, field.vertex(cell)?)))
        .collect();
    assert_eq!(cells.len(), walls.mesh.vertices.len(), "{what}");
    for ((cell, index), found) in cells.iter().zip(&walls.mesh.vertices) {
        let world = field.geometry.index_to_world((*index).into());
        let found = nalgebra::Point3::from(*found).cast::<f64>();
        assert!((world - found).norm() < 1e-4, "{what}: {cell:?}");
    }
    assert_eq!(walls.mesh.triangles.len(), 2 * expected.len(), "{what}");
    let triangles: Vec<[u64; 3]> = walls.mesh.triangles.iter().collect();
    let mirrors = field.geometry.mirrors();
    let mut quads = BTreeMap::new();
    for (number, two) in triangles.chunks(2).enumerate() {
        let sides = walls.side_labels(2 * number).unwrap();
        assert_eq!(walls.side_labels(2 * number + 1).unwrap(), sides);
        assert!(sides[0] != sides[1] && sides[0] != 0, "{what}");
        assert!(sides[1] == 0 || sides[0] < sides[1], "{what}");
        let corners: BTreeSet<u64> = two.iter().flatten().copied().collect();
        assert_eq!(corners.len(), 4, "{what}");
        let corners: Vec<[i64; 3]> = corners.iter().map(|&it| cells[it as usize].0).collect();
        quads.insert(corners, (sides, [two[0], two[1]]));
    }
    assert_eq!(quads.len(), expected.len(), "{what}: a quad comes twice");
    for (around, [low, high]) in expected {
        let mut corners = around;
        corners.sort_by_key(|&[x, y, z]| [z, y, x]);
        let (sides, two) = quads[&corners.to_vec()];
        assert!(sides == [low, high] || sides == [high, low], "{what}");
        // the orientation: around the edge, directed from inside to outside, or opposite to it
        let forward = (sides[0] == low) != mirrors;
        let place = |vertex: u64| {
            let cell = cells[vertex as usize].0;
            around.iter().position(|&it| it == cell).unwrap()
        };
        for triangle in two {
            let [a, b, c] = triangle.map(place);
            let turns = [[a, b], [b, c], [c, a]].map(|[from, to]| (to + 4 - from) % 4);
            assert_eq!(
                turns.iter().sum::<usize>(),
                if forward { 4 } else { 8 },
                "{what}"
            );
        }
        // the shorter diagonal
        let shared: Vec<u64> = two[0]
            .into_iter()
            .filter(|it| two[1].contains(it))
            .collect();
        let length = |one: [i64; 3], other: [i64; 3]| {
            let [one, other] = [one, other].map(|cell| {
                let index = field.vertex(cell).unwrap();
                field.geometry.index_to_world(index.into())
            });
            (one - other).norm()
        };
        let [a, b] = [shared[0], shared[1]].map(|it| cells[it as usize].0);
        let (first, second) = (length(around[0], around[2]), length(around[1], around[3]));
        assert!(length(a, b) <= first.min(second) + 1e-4, "{what}");
    }
    let counts = walls.triangle_counts();
    let outer = walls.sides.iter().filter(|sides| sides[1] == 0).count() as u64;
    let all = walls.sides.len() as u64;
    assert_eq!(
        counts.iter().sum::<u64>(),
        2 * (all - outer) + outer,
        "{what}"
    );
    let used: BTreeSet<i64> = field.labels.iter().copied().filter(|&it| it != 0).collect();
    assert_eq!(walls.labels, used.into_iter().collect::<Vec<_>>(), "{what}");
    for (&label, &count) in walls.labels.iter().zip(&counts) {
        let part = walls.label_mesh(label).unwrap();
        assert_eq!(part.mesh.triangles.len() as u64, count, "{what}");
        assert_eq!(unbalanced(&part.mesh), 0, "{what}: label {label} is open");
        assert_eq!(part.unbalanced_edges(), Ok(0), "{what}");
        let report = part.check().unwrap();
        assert_eq!(report.unreferenced_vertices, 0);
        assert!(
            report.volume > 0.0,
            "{what}: label {label}: {}",
            report.volume
        );
    }
}

#[test]
fn each_label_is_closed_and_walls_are_shared() {
    let device = ferrovox::device::Device::cpu();
    for seed in 0..400 {
        let field = Field::random(seed);
        let what = format!("seed {seed}, {:?}", field.dims);
        check_guarantees(&field, &walls(&field, &device), &what);
    }
}

/// Rows of more than one word, and of exactly one.
#[test]
fn rows_of_several_words_are_extracted() {
    let device = ferrovox::device::Device::cpu();
    for nx in [31, 32, 33, 63, 64, 70] {
        let mut noise = Noise(nx as u64);
        let dims = [nx, 3, 2];
        let labels = (0..nx * 6).map(|_| noise.below(3) as i64).collect();
        let geometry = Geometry::default();
        let field = Field {
            dims,
            labels,
            geometry,
        };
        check_guarantees(&field, &walls(&field, &device), &format!("{nx}"));
    }
}

#[test]
fn every_device_computes_the_same_bits() {
    for seed in 1000..1012 {
        let field = Field::random(seed);
        let mut first: Option<LabelledMesh> = None;
        for device in devices::all() {
            let made = walls(&field, &device.device);
            let first = first.get_or_insert_with(|| made.clone());
            assert_eq!(&made, first, "{} seed {seed}", device.label);
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
        let walls = walls(&field, &device);
        assert_eq!(walls.labels.len(), count as usize);
        assert!(walls.triangle_counts().iter().all(|&count| count == 12));
        let part = walls.label_mesh(*walls.labels.last().unwrap()).unwrap();
        assert_eq!(part.unbalanced_edges(), Ok(0));
    }
}

/// For a smooth body, the net encloses approximately the volume of its voxels.
#[test]
fn balls_enclose_approximately_their_voxels() {
    for spacing in [[1.0; 3], [0.5, 0.75, 2.0]] {
        let geometry = Geometry::from_spacing(spacing, [5.0; 3]).unwrap();
        let dims = [48, 40, 44];
        let within = |at: [usize; 3], centre: [f64; 3], radius: f64| {
            let squares = (0..3).map(|k| (at[k] as f64 - centre[k]).powi(2));
            squares.sum::<f64>() < radius * radius
        };
        // a ball in two halves, and a separate ball
        let volume = Volume::from_fn(dims, geometry, |x, y, z| {
            let at = [x, y, z];
            if within(at, [17.0, 19.5, 21.5], 14.5) {
                if z < 22 { 1_u16 } else { 300 }
            } else if within(at, [38.0, 20.0, 20.0], 8.0) {
                7
            } else {
                0
            }
        });
        let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
        assert_eq!(field.labels(), [1, 7, 300]);
        let stream = ferrovox::device::Device::cpu().stream().unwrap();
        let walls = label_surface::extract(&stream, &field).unwrap();
        let walls = walls.download(&stream, &field).unwrap();
        let voxel = geometry.determinant();
        for (&label, &voxels) in field.labels().iter().zip(field.voxels()) {
            let part = walls.label_mesh(label).unwrap();
            let report = part.check().unwrap();
            assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
            assert_eq!(report.euler_characteristic(), 2);
            assert_eq!(report.degenerate_triangles, 0);
            let ratio = report.volume / (voxels as f64 * voxel);
            println!("label {label}: {voxels} voxels, {ratio:.4} of them enclosed");
            assert!((0.97..1.0).contains(&ratio), "label {label}: {ratio}");
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
    let walls = label_surface::extract(&stream, &field).unwrap();
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
    let walls = label_surface::extract(&stream, &field);
    let walls: Result<_, LabelSurfaceError> = walls.and_then(|it| it.download(&stream, &field));
    assert_eq!(walls.unwrap(), LabelledMesh::default());
}
