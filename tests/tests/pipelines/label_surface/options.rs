//! Masks, components, contacts, simplification and selection of labels.

use super::{Field, assert_manifold, balls, check_guarantees, walls};
use ferrovox::{
    grid::{AnyVolume, Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceError, LabelSurfaceParams, VoxelContact},
    mesh::{LabelledMesh, TriangleMesh},
    mesh_filter::{ComponentFilter, SimplifyTarget, simplify_walls},
    monitor::Monitor,
};
use ferrovox_tests::noise::Noise;
use std::collections::HashMap;

/// Simplified walls keep the guarantees and stay shared.
#[test]
fn simplified_labels_are_closed_manifolds() {
    let device = ferrovox::device::Device::cpu();
    for seed in 0..150 {
        let field = Field::random(seed);
        let walls = walls(&field, &device, &LabelSurfaceParams::default());
        for target in [
            SimplifyTarget::Fraction(0.5),
            SimplifyTarget::Fraction(0.0),
            SimplifyTarget::Error(0.2),
        ] {
            let what = format!("seed {seed}, {:?}, {target:?}", field.dims);
            let (simple, report) = simplify_walls(&walls, target, &Monitor::new()).unwrap();
            assert_eq!(report.triangles, simple.mesh.triangles.len() as u64);
            assert!(report.triangles <= report.triangles_before, "{what}");
            check_guarantees(&field, &simple, &what);
            let euler = |walls: &LabelledMesh, label: i64| {
                let report = walls.label_mesh(label).unwrap().check().unwrap();
                (report.components, report.euler_characteristic())
            };
            for &label in &walls.labels {
                assert_eq!(euler(&walls, label), euler(&simple, label), "{what}");
            }
        }
    }
}

/// Flat and curved walls lose most triangles, labels keep their volume, and the wall between two
/// labels is stored once.
#[test]
fn walls_are_simplified_once_for_both_labels() {
    let volume = Volume::from_fn([48, 40, 44], Geometry::default(), |x, y, z| {
        balls([x, y, z])
    });
    let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let walls = label_surface::extract(&stream, &field, &LabelSurfaceParams::default()).unwrap();
    let walls = walls.download(&stream, &field).unwrap();
    let target = SimplifyTarget::Fraction(0.1);
    let (simple, report) = simplify_walls(&walls, target, &Monitor::new()).unwrap();
    assert!(report.triangles as f64 <= 0.1 * report.triangles_before as f64);
    assert!(report.error < 0.5, "{report:?}");
    let area = |walls: &LabelledMesh| {
        let areas = walls.wall_areas();
        let wall = areas.iter().find(|it| it.labels == [1, 300]).unwrap();
        wall.area
    };
    assert!((area(&simple) / area(&walls) - 1.0).abs() < 0.02);
    for (&label, &voxels) in field.labels().iter().zip(field.voxels()) {
        let part = simple.label_mesh(label).unwrap();
        assert_manifold(&part.mesh, &format!("label {label}"));
        let ratio = part.check().unwrap().volume / voxels as f64;
        assert!(
            voxels < 10 || (ratio - 1.0).abs() < 0.02,
            "label {label}: {ratio}"
        );
    }
}

/// Components are those of the surface, for both rules of contacts.
#[test]
fn components_are_those_of_the_surface() {
    let device = ferrovox::device::Device::cpu();
    for seed in 0..200 {
        let field = Field::random(seed);
        for contact in [VoxelContact::Join, VoxelContact::Separate] {
            let params = LabelSurfaceParams {
                contact,
                ..LabelSurfaceParams::raw()
            };
            for filter in [
                ComponentFilter {
                    largest: true,
                    min_voxels: 0,
                    ..ComponentFilter::default()
                },
                ComponentFilter {
                    largest: false,
                    min_voxels: 4,
                    ..ComponentFilter::default()
                },
            ] {
                let what = format!("seed {seed}, {contact:?}, {filter:?}");
                let mut kept = LabelField::new(&field.volume(), None).unwrap();
                let all = kept.labels().to_vec();
                let removed = kept.filter_components(filter, contact).unwrap();
                let mut labels = [kept.labels(), &removed].concat();
                labels.sort_unstable();
                assert_eq!(labels, all, "{what}");
                assert!(!filter.largest || removed.is_empty(), "{what}");
                let stream = device.stream().unwrap();
                let walls = label_surface::extract(&stream, &kept, &params).unwrap();
                let walls = walls.download(&stream, &kept).unwrap();
                assert_eq!(walls.labels, kept.labels(), "{what}");
                for (&label, &voxels) in kept.labels().iter().zip(kept.voxels()) {
                    assert!(voxels >= filter.min_voxels, "{what}");
                    let mesh = walls.label_mesh(label).unwrap().mesh;
                    let outer = count_outer_surfaces(&mesh, field.geometry.determinant());
                    assert!(outer >= 1, "{what}");
                    assert!(
                        !filter.largest || outer == 1,
                        "{what}: {outer} of label {label}"
                    );
                }
            }
        }
    }
}

/// Returns the number of connected surfaces with positive volume: one per component, as cavities
/// have negative ones.
fn count_outer_surfaces(mesh: &TriangleMesh, determinant: f64) -> usize {
    let mut sets: Vec<usize> = (0..mesh.vertices.len()).collect();
    fn root(sets: &mut [usize], mut at: usize) -> usize {
        while sets[at] != at {
            sets[at] = sets[sets[at]];
            at = sets[at];
        }
        at
    }
    for triangle in mesh.triangles.iter() {
        let first = root(&mut sets, triangle[0] as usize);
        for vertex in &triangle[1..] {
            let other = root(&mut sets, *vertex as usize);
            sets[other] = first;
        }
    }
    let mut volumes: HashMap<usize, f64> = HashMap::new();
    for triangle in mesh.triangles.iter() {
        let corner = |k: usize| nalgebra::Vector3::from(mesh.vertices[triangle[k] as usize]);
        let [a, b, c] = [corner(0), corner(1), corner(2)].map(|it| it.cast::<f64>());
        let root = root(&mut sets, triangle[0] as usize);
        *volumes.entry(root).or_default() += a.dot(&b.cross(&c)) / determinant.abs();
    }
    volumes.values().filter(|&&volume| volume > 0.0).count()
}

#[test]
fn masked_voxels_are_background() {
    for seed in 0..50 {
        let field = Field::random(seed);
        let mut noise = Noise(seed + 7);
        let mask: Vec<u8> = field.labels.iter().map(|_| noise.below(3) as u8).collect();
        let masked = Field {
            labels: field
                .labels
                .iter()
                .zip(&mask)
                .map(|(it, &mask)| if mask == 0 { 0 } else { *it })
                .collect(),
            dims: field.dims,
            geometry: field.geometry,
        };
        let expected = LabelField::new(&masked.volume(), None).unwrap();
        let mut found = LabelField::new(&field.volume(), None).unwrap();
        let before = found.labels().len();
        let mask = Volume::new(mask, field.dims, field.geometry).unwrap();
        let removed = found.apply_mask(&mask).unwrap();
        assert_eq!(found, expected, "seed {seed}");
        assert_eq!(removed.len() + found.labels().len(), before);
    }
    let mask = Volume::new(vec![1_u8], [1, 1, 1], Geometry::default()).unwrap();
    let volume = Volume::new(vec![1_u8, 2], [2, 1, 1], Geometry::default()).unwrap();
    let mut field = LabelField::new(&volume.into(), None).unwrap();
    let error = field.apply_mask(&mask).unwrap_err().to_string();
    assert!(
        error.contains("1x1x1") && error.contains("2x1x1"),
        "{error}"
    );
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
    let large = of(vec![9_223_372_036_854_775_808.0], None).unwrap_err();
    assert!(large.contains("integers of 64 bits"), "{large}");
    let wide = Volume::new(
        vec![i64::MAX, i64::MIN, i64::MAX - 1],
        [3, 1, 1],
        Geometry::default(),
    );
    let wide = LabelField::new(&wide.unwrap().into(), None).unwrap();
    assert_eq!(wide.labels(), [i64::MIN, i64::MAX - 1, i64::MAX]);
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
