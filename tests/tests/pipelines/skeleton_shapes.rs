//! Skeletons of objects whose topology is known.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};

/// The skeleton of the voxels that are set.
pub fn skeletons(
    dims: [usize; 3],
    spacing: [f64; 3],
    is_set: impl Fn([f64; 3]) -> bool,
) -> Skeletons {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let volume = Volume::from_fn(dims, geometry, |x, y, z| {
        u8::from(is_set([x as f64, y as f64, z as f64]))
    })
    .unwrap();
    let params = medial::Params::default();
    medial::extract(&[], volume.view(), &params, Monitor::silent()).unwrap()
}

/// Certified, with one component of these tunnels and cavities; its length.
fn check(found: &Skeletons, tunnels: u64, cavities: u64) -> f64 {
    let [one] = &found.labels[..] else {
        panic!("{found:?}")
    };
    let [component] = &one.components[..] else {
        panic!("{:?}", one.components)
    };
    assert!(component.is_certified(), "{component:?}");
    assert_eq!((component.tunnels, component.cavities), (tunnels, cavities));
    assert_eq!(one.skeleton.cycles() as u64, tunnels);
    one.skeleton.validate().unwrap();
    one.skeleton.length()
}

#[test]
fn a_voxel_is_a_point_and_two_are_a_line() {
    let one = skeletons([3; 3], [1.0; 3], |at| at == [1.0; 3]);
    assert_eq!(check(&one, 0, 0), 0.0);
    assert_eq!(one.labels[0].skeleton.nodes.len(), 1);
    assert_eq!(one.labels[0].skeleton.nodes[0].radius, 0.5);
    let two = skeletons([3; 3], [1.0, 1.0, 2.0], |at| {
        at == [1.0; 3] || at == [2.0, 2.0, 0.0]
    });
    let length = check(&two, 0, 0);
    assert!((length - 6f64.sqrt()).abs() < 1e-9, "{length}");
}

#[test]
fn rods_have_one_curve_as_long_as_they_are() {
    for spacing in [[1.0; 3], [0.5, 0.5, 2.5], [1.0, 1.0, 5.0], [0.7, 0.7, 1.0]] {
        for axis in 0..3 {
            for radius in [0.4, 1.0, 2.0, 3.0] {
                let dims = spacing.map(|step| (70.0 / step) as usize + 3);
                let middle = [0, 1, 2].map(|k| spacing[k] * (dims[k] / 2) as f64);
                let found = skeletons(dims, spacing, |at| {
                    let way = [0, 1, 2].map(|k| at[k] * spacing[k] - middle[k]);
                    let across: f64 = (0..3).filter(|&k| k != axis).map(|k| way[k] * way[k]).sum();
                    across <= radius * radius && way[axis].abs() <= 25.0
                });
                let length = check(&found, 0, 0);
                assert_eq!(
                    found.labels[0].skeleton.edges.len(),
                    1,
                    "{spacing:?} {axis} {radius}"
                );
                assert!(
                    (45.0..56.0).contains(&length),
                    "{spacing:?} {axis} {radius}: {length}"
                );
            }
        }
    }
}

#[test]
fn a_ball_is_a_point() {
    let found = skeletons([30; 3], [1.0; 3], |at| {
        at.map(|x| (x - 15.0).powi(2)).iter().sum::<f64>() <= 100.0
    });
    assert_eq!(check(&found, 0, 0), 0.0);
}

#[test]
fn a_ring_is_a_ring_however_thin() {
    for (radius, tube) in [(10.0, 0.9), (10.0, 1.5), (14.0, 4.0)] {
        for spacing in [[1.0; 3], [1.0, 1.0, 2.0]] {
            let found = skeletons([42, 42, 12], spacing, |[x, y, z]| {
                let [x, y, z] = [
                    (x - 20.0) * spacing[0],
                    (y - 21.0) * spacing[1],
                    (z - 6.0) * spacing[2],
                ];
                (x.hypot(y) - radius).powi(2) + z * z <= tube * tube
            });
            let length = check(&found, 1, 0);
            let round = std::f64::consts::TAU * radius;
            assert!(
                (0.9 * round..1.15 * round).contains(&length),
                "{radius} {tube}: {length} of {round}"
            );
            assert_eq!(found.labels[0].skeleton.edges.len(), 1);
        }
    }
}

#[test]
fn shells_have_no_cycle() {
    let found = skeletons([40; 3], [1.0; 3], |at| {
        let square: f64 = at.map(|x| (x - 20.0).powi(2)).iter().sum();
        (64.0..=200.0).contains(&square)
    });
    check(&found, 0, 1);
}

#[test]
fn a_tunnel_and_a_cavity_do_not_cancel() {
    let found = skeletons([40, 24, 24], [1.0; 3], |[x, y, z]| {
        let inside =
            (2.0..38.0).contains(&x) && (2.0..22.0).contains(&y) && (2.0..22.0).contains(&z);
        let tunnel = (8.0..14.0).contains(&x) && (8.0..16.0).contains(&y);
        let cavity =
            (24.0..32.0).contains(&x) && (8.0..16.0).contains(&y) && (8.0..16.0).contains(&z);
        inside && !tunnel && !cavity
    });
    check(&found, 1, 1);
}

#[test]
fn labels_that_touch_are_objects_of_their_own() {
    // a rod of three labels along x, and a voxel of the first label beside it
    let labels = Volume::from_fn([34, 7, 7], Geometry::default(), |x, y, z| {
        let rod = (2..32).contains(&x) && (2..5).contains(&y) && (2..5).contains(&z);
        match (rod, x) {
            (true, ..12) => -4i16,
            (true, 12..22) => 9,
            (true, _) => 5,
            (false, _) => -4 * i16::from([x, y, z] == [30, 6, 6]),
        }
    })
    .unwrap();
    let all = medial::Params::default();
    let found = medial::extract(&[], labels.view(), &all, Monitor::silent()).unwrap();
    assert!(found.is_certified());
    let numbers: Vec<_> = found
        .labels
        .iter()
        .map(|one| (one.label, one.components.len()))
        .collect();
    assert_eq!(numbers, [(-4, 2), (5, 1), (9, 1)]);
    for label in [-4, 5, 9] {
        let length = found.get(label).unwrap().skeleton.length();
        assert!((7.0..11.0).contains(&length), "{label}: {length}");
    }
    let some = medial::Params {
        labels: Some(vec![9, -4]),
        dust: 2,
        ..all.clone()
    };
    let found = medial::extract(&[], labels.view(), &some, Monitor::silent()).unwrap();
    assert_eq!(found.labels.len(), 2);
    let dust = found.get(-4).unwrap().dust;
    assert_eq!((dust.components, dust.voxels), (1, 1));
    assert!(found.get(5).is_none());
    let none = medial::Params {
        labels: Some(vec![9, 3]),
        ..all
    };
    let error = medial::extract(&[], labels.view(), &none, Monitor::silent()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no voxel has the label 3; the labels are -4, 5, 9"
    );
}

#[test]
fn bad_input_is_refused_by_its_numbers() {
    let volume = |sample: f32| {
        Volume::from_fn([3; 3], Geometry::default(), |x, _, _| {
            if x == 1 { sample } else { 0.0 }
        })
        .unwrap()
    };
    let params = medial::Params::default();
    let error = |volume: &Volume<f32>, params: &medial::Params| {
        medial::extract(&[], volume.view(), params, Monitor::silent())
            .unwrap_err()
            .to_string()
    };
    assert!(error(&volume(0.0), &params).contains("none of the 27 voxels"));
    assert!(error(&volume(1.5), &params).contains("(1, 0, 0) is 1.5"));
    assert!(error(&volume(f32::NAN), &params).contains("NaN"));
    let wrong = medial::Params {
        scale: f64::NAN,
        ..params
    };
    assert!(error(&volume(1.0), &wrong).contains("scale is NaN"));
}

#[test]
fn an_object_may_fill_the_volume() {
    let found = skeletons([21, 5, 5], [1.0; 3], |_| true);
    let length = check(&found, 0, 0);
    assert!((18.0..22.0).contains(&length), "{length}");
}

#[test]
fn a_sheared_grid_has_a_skeleton_too() {
    let axes = nalgebra::Matrix3::new(1.0, 0.4, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 1.2);
    let geometry = Geometry::new(axes, nalgebra::Vector3::zeros()).unwrap();
    let volume = Volume::from_fn([50, 50, 20], geometry, |x, y, z| {
        let at = geometry.index_to_world([x as f64, y as f64, z as f64].into());
        let [x, y, z] = [at.x - 35.0, at.y - 27.0, at.z - 11.0];
        u8::from((x.hypot(y) - 14.0).powi(2) + z * z <= 9.0)
    })
    .unwrap();
    let params = medial::Params::default();
    let found = medial::extract(&[], volume.view(), &params, Monitor::silent()).unwrap();
    let length = check(&found, 1, 0);
    let round = std::f64::consts::TAU * 14.0;
    assert!((0.95 * round..1.1 * round).contains(&length), "{length}");
}

/// Rods in any direction: how far the curve is from the axis, and how long.
#[test]
fn curves_are_near_the_axes_of_rods() {
    for spacing in [
        [1.0; 3],
        [0.7, 0.7, 1.0],
        [1.0, 1.0, 2.0],
        [0.5, 0.5, 1.5],
        [0.5, 0.5, 2.5],
        [1.0, 1.0, 5.0],
    ] {
        for (number, way) in [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.6, 0.0, 0.8],
            [0.48, 0.6, 0.64],
        ]
        .into_iter()
        .enumerate()
        {
            for radius in [2.5, 6.0] {
                let half = 24.0;
                let dims = spacing.map(|step| (68.0 / step) as usize + 1);
                let middle = [33.3, 34.1, 33.7];
                let found = skeletons(dims, spacing, |at| {
                    let rest = [0, 1, 2].map(|k| at[k] * spacing[k] - middle[k]);
                    let along: f64 = (0..3).map(|k| rest[k] * way[k]).sum();
                    let square: f64 = rest.iter().map(|x| x * x).sum();
                    square - along * along <= radius * radius && along.abs() <= half
                });
                let length = check(&found, 0, 0);
                let skeleton = &found.labels[0].skeleton;
                let (mut sum, mut count) = (0.0, 0);
                for edge in 0..skeleton.edges.len() {
                    for point in skeleton.edge_in_world(edge) {
                        let rest = [0, 1, 2].map(|k| point[k] - middle[k]);
                        let along: f64 = (0..3).map(|k| rest[k] * way[k]).sum();
                        let square: f64 = rest.iter().map(|x| x * x).sum();
                        let off = (square - along * along).max(0.0).sqrt();
                        (sum, count) = (sum + off, count + 1);
                    }
                }
                let mean = sum / f64::from(count);
                let widest = spacing.into_iter().fold(0.0, f64::max);
                let allowed = if spacing == [1.0; 3] {
                    f64::max(0.25, 0.05 * radius)
                } else {
                    0.5 * widest
                };
                let what = format!("{spacing:?} way {number} radius {radius}: {length} {mean}");
                assert_eq!(skeleton.edges.len(), 1, "{what}");
                assert!(mean < allowed, "{what}");
                assert!((0.9..1.1).contains(&(length / (2.0 * half))), "{what}");
            }
        }
    }
}

/// A cube has a curve to each of its corners where details are asked for, whatever its voxels are
/// like.
#[test]
fn details_are_branches_to_corners() {
    for spacing in [[1.0; 3], [1.0, 2.0, 1.0]] {
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let half = 14.0;
        let dims = spacing.map(|step| (40.0 / step) as usize);
        let volume = Volume::from_fn(dims, geometry, |x, y, z| {
            let at = [x, y, z].map(|x| x as f64);
            let is_in = |axis: usize| (at[axis] * spacing[axis] - 19.0).abs() <= half;
            u8::from((0..3).all(is_in))
        })
        .unwrap();
        let ends = |detail| {
            let params = medial::Params {
                detail,
                ..medial::Params::default()
            };
            let found = medial::extract(&[], volume.view(), &params, Monitor::silent()).unwrap();
            check(&found, 0, 0);
            let skeleton = &found.labels[0].skeleton;
            let mut degrees = vec![0; skeleton.nodes.len()];
            for edge in &skeleton.edges {
                edge.nodes.iter().for_each(|&node| degrees[node] += 1);
            }
            degrees.iter().filter(|&&degree| degree == 1).count()
        };
        assert!(ends(None) < 8, "{spacing:?}");
        assert_eq!(ends(Some(0.01)), 8, "{spacing:?}");
    }
}

#[test]
fn a_part_for_details_is_from_0_to_1() {
    let params = medial::Params {
        detail: Some(1.5),
        ..medial::Params::default()
    };
    let error = params.check().unwrap_err().to_string();
    assert!(error.contains("detail is 1.5"), "{error}");
}
