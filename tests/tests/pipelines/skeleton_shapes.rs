//! Skeletons of objects with known topology.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, BranchRule, Skeletons},
};
use ferrovox_tests::reference_objects::branched;

/// Extracts the skeletons of the voxels for which `is_set` returns `true`.
pub fn skeletons(
    dims: [usize; 3],
    spacing: [f64; 3],
    is_set: impl Fn([f64; 3]) -> bool,
) -> Skeletons {
    skeletons_with(BranchRule::default(), dims, spacing, is_set)
}

fn skeletons_with(
    branches: BranchRule,
    dims: [usize; 3],
    spacing: [f64; 3],
    is_set: impl Fn([f64; 3]) -> bool,
) -> Skeletons {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let volume = Volume::from_fn(dims, geometry, |x, y, z| {
        u8::from(is_set([x as f64, y as f64, z as f64]))
    })
    .unwrap();
    let params = medial::Params {
        branches,
        ..medial::Params::default()
    };
    medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap()
}

/// Checks that a skeleton is certified, with one component and the given numbers of tunnels and
/// cavities; returns its length.
fn check(skeletons: &Skeletons, tunnels: u64, cavities: u64) -> f64 {
    let [label_skeleton] = &skeletons.labels[..] else {
        panic!("{skeletons:?}")
    };
    let [component] = &label_skeleton.components[..] else {
        panic!("{:?}", label_skeleton.components)
    };
    assert!(component.is_certified(), "{component:?}");
    assert_eq!((component.tunnels, component.cavities), (tunnels, cavities));
    assert_eq!(label_skeleton.skeleton.cycles() as u64, tunnels);
    label_skeleton.skeleton.validate().unwrap();
    label_skeleton.skeleton.length()
}

#[test]
fn one_voxel_is_a_point_and_a_few_are_a_line() {
    let label_skeleton = skeletons([3; 3], [1.0; 3], |at| at == [1.0; 3]);
    assert_eq!(check(&label_skeleton, 0, 0), 0.0);
    assert_eq!(label_skeleton.labels[0].skeleton.nodes.len(), 1);
    assert_eq!(label_skeleton.labels[0].skeleton.nodes[0].radius, 1.0);
    let is_diagonal = |at| at == [1.0; 3] || at == [2.0, 2.0, 0.0];
    let spacing = [1.0, 1.0, 2.0];
    let two = skeletons_with(BranchRule::COVERAGE, [3; 3], spacing, is_diagonal);
    let length = check(&two, 0, 0);
    assert!((length - 6f64.sqrt()).abs() < 1e-9, "{length}");
    // two voxels are not elongated, four are
    for (count, length) in [(2, 0.0), (4, 3.0)] {
        let line = skeletons([6, 3, 3], [1.0; 3], |[x, y, z]| {
            x < count as f64 && y + z == 2.0 && y == z
        });
        assert_eq!(check(&line, 0, 0), length, "{count}");
    }
}

#[test]
fn rods_have_one_curve_of_their_length() {
    for spacing in [[1.0; 3], [0.5, 0.5, 2.5], [1.0, 1.0, 5.0], [0.7, 0.7, 1.0]] {
        for axis in 0..3 {
            for radius in [0.4, 1.0, 2.0, 3.0] {
                let dims = spacing.map(|step| (70.0 / step) as usize + 3);
                let middle = [0, 1, 2].map(|k| spacing[k] * (dims[k] / 2) as f64);
                let result = skeletons(dims, spacing, |at| {
                    let direction = [0, 1, 2].map(|k| at[k] * spacing[k] - middle[k]);
                    let transverse: f64 = (0..3)
                        .filter(|&k| k != axis)
                        .map(|k| direction[k] * direction[k])
                        .sum();
                    transverse <= radius * radius && direction[axis].abs() <= 25.0
                });
                let length = check(&result, 0, 0);
                assert_eq!(
                    result.labels[0].skeleton.edges.len(),
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
fn ball_is_a_point() {
    let result = skeletons([30; 3], [1.0; 3], |at| {
        at.map(|x| (x - 15.0).powi(2)).iter().sum::<f64>() <= 100.0
    });
    assert_eq!(check(&result, 0, 0), 0.0);
}

#[test]
fn rings_of_any_thickness_have_one_cycle() {
    for (radius, tube) in [(10.0, 0.9), (10.0, 1.5), (14.0, 4.0)] {
        for spacing in [[1.0; 3], [1.0, 1.0, 2.0]] {
            let result = skeletons([42, 42, 12], spacing, |[x, y, z]| {
                let [x, y, z] = [
                    (x - 20.0) * spacing[0],
                    (y - 21.0) * spacing[1],
                    (z - 6.0) * spacing[2],
                ];
                (x.hypot(y) - radius).powi(2) + z * z <= tube * tube
            });
            let length = check(&result, 1, 0);
            let round = std::f64::consts::TAU * radius;
            assert!(
                (0.9 * round..1.15 * round).contains(&length),
                "{radius} {tube}: {length} of {round}"
            );
            assert_eq!(result.labels[0].skeleton.edges.len(), 1);
        }
    }
}

#[test]
fn shells_have_no_cycles() {
    let result = skeletons([40; 3], [1.0; 3], |at| {
        let squared: f64 = at.map(|x| (x - 20.0).powi(2)).iter().sum();
        (64.0..=200.0).contains(&squared)
    });
    check(&result, 0, 1);
}

#[test]
fn tunnel_and_cavity_are_counted_separately() {
    let result = skeletons([40, 24, 24], [1.0; 3], |[x, y, z]| {
        let inside =
            (2.0..38.0).contains(&x) && (2.0..22.0).contains(&y) && (2.0..22.0).contains(&z);
        let tunnel = (8.0..14.0).contains(&x) && (8.0..16.0).contains(&y);
        let cavity =
            (24.0..32.0).contains(&x) && (8.0..16.0).contains(&y) && (8.0..16.0).contains(&z);
        inside && !tunnel && !cavity
    });
    check(&result, 1, 1);
}

#[test]
fn touching_labels_are_separate_objects() {
    // a rod of three labels along x, and a voxel of the first label next to it
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
    let result = medial::extract(&[], labels.view(), &all, Monitor::new()).unwrap();
    assert!(result.is_certified());
    let numbers: Vec<_> = result
        .labels
        .iter()
        .map(|label_skeleton| (label_skeleton.label, label_skeleton.components.len()))
        .collect();
    assert_eq!(numbers, [(-4, 2), (5, 1), (9, 1)]);
    for label in [-4, 5, 9] {
        let length = result.get(label).unwrap().skeleton.length();
        assert!((7.0..11.0).contains(&length), "{label}: {length}");
    }
    let some = medial::Params {
        labels: Some(vec![9, -4]),
        dust: 2,
        ..all.clone()
    };
    let result = medial::extract(&[], labels.view(), &some, Monitor::new()).unwrap();
    assert_eq!(result.labels.len(), 2);
    let dust = result.get(-4).unwrap().dust;
    assert_eq!((dust.components, dust.voxels), (1, 1));
    assert!(result.get(5).is_none());
    let none = medial::Params {
        labels: Some(vec![9, 3]),
        ..all
    };
    let error = medial::extract(&[], labels.view(), &none, Monitor::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no voxel has the label 3; the labels are -4, 5, 9"
    );
}

#[test]
fn invalid_input_is_rejected_with_its_values() {
    let volume = |sample: f32| {
        Volume::from_fn([3; 3], Geometry::default(), |x, _, _| {
            if x == 1 { sample } else { 0.0 }
        })
        .unwrap()
    };
    let params = medial::Params::default();
    let error = |volume: &Volume<f32>, params: &medial::Params| {
        medial::extract(&[], volume.view(), params, Monitor::new())
            .unwrap_err()
            .to_string()
    };
    assert!(error(&volume(0.0), &params).contains("none of the 27 voxels"));
    assert!(error(&volume(1.5), &params).contains("(1, 0, 0) is 1.5"));
    assert!(error(&volume(f32::NAN), &params).contains("NaN"));
    let wrong = medial::Params {
        branches: BranchRule::Coverage {
            scale: f64::NAN,
            constant: 4.0,
        },
        ..params.clone()
    };
    assert!(error(&volume(1.0), &wrong).contains("scale is NaN"));
    let wrong = medial::Params {
        branches: BranchRule::Significance {
            min_significance: -1.0,
            min_length: 0.0,
        },
        ..params
    };
    assert!(error(&volume(1.0), &wrong).contains("significance is -1"));
}

#[test]
fn object_may_fill_the_volume() {
    let result = skeletons([21, 5, 5], [1.0; 3], |_| true);
    let length = check(&result, 0, 0);
    assert!((18.0..22.0).contains(&length), "{length}");
}

#[test]
fn oblique_grids_are_supported() {
    let axes = nalgebra::Matrix3::new(1.0, 0.4, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 1.2);
    let geometry = Geometry::new(axes, nalgebra::Vector3::zeros()).unwrap();
    let volume = Volume::from_fn([50, 50, 20], geometry, |x, y, z| {
        let at = geometry.index_to_world([x as f64, y as f64, z as f64].into());
        let [x, y, z] = [at.x - 35.0, at.y - 27.0, at.z - 11.0];
        u8::from((x.hypot(y) - 14.0).powi(2) + z * z <= 9.0)
    })
    .unwrap();
    let params = medial::Params::default();
    let result = medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap();
    let length = check(&result, 1, 0);
    let round = std::f64::consts::TAU * 14.0;
    assert!((0.95 * round..1.1 * round).contains(&length), "{length}");
}

/// Distance from the axis and length of the curves of rods in any direction.
#[test]
fn curves_of_rods_are_close_to_their_axes() {
    for spacing in [
        [1.0; 3],
        [0.7, 0.7, 1.0],
        [1.0, 1.0, 2.0],
        [0.5, 0.5, 1.5],
        [0.5, 0.5, 2.5],
        [1.0, 1.0, 5.0],
    ] {
        for (number, direction) in [
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
                let result = skeletons(dims, spacing, |at| {
                    let offset = [0, 1, 2].map(|k| at[k] * spacing[k] - middle[k]);
                    let axial: f64 = (0..3).map(|k| offset[k] * direction[k]).sum();
                    let squared: f64 = offset.iter().map(|x| x * x).sum();
                    squared - axial * axial <= radius * radius && axial.abs() <= half
                });
                let length = check(&result, 0, 0);
                let skeleton = &result.labels[0].skeleton;
                let (mut sum, mut count) = (0.0, 0);
                for edge in 0..skeleton.edges.len() {
                    for point in skeleton.edge_in_world(edge) {
                        let offset = [0, 1, 2].map(|k| point[k] - middle[k]);
                        let axial: f64 = (0..3).map(|k| offset[k] * direction[k]).sum();
                        let squared: f64 = offset.iter().map(|x| x * x).sum();
                        let distance = (squared - axial * axial).max(0.0).sqrt();
                        (sum, count) = (sum + distance, count + 1);
                    }
                }
                let mean = sum / f64::from(count);
                let widest = spacing.into_iter().fold(0.0, f64::max);
                let allowed = if spacing == [1.0; 3] {
                    f64::max(0.25, 0.05 * radius)
                } else {
                    0.5 * widest
                };
                let what =
                    format!("{spacing:?} direction {number} radius {radius}: {length} {mean}");
                assert_eq!(skeleton.edges.len(), 1, "{what}");
                assert!(mean < allowed, "{what}");
                assert!((0.9..1.1).contains(&(length / (2.0 * half))), "{what}");
            }
        }
    }
}

/// Details are protrusions of less significance; corners of a tube are none, at any level.
#[test]
fn details_are_less_significant_protrusions() {
    let ends = |solid: &branched::BranchedSolid, min_significance, detail| {
        let params = medial::Params {
            branches: BranchRule::Significance {
                min_significance,
                min_length: 0.0,
            },
            detail,
            ..medial::Params::default()
        };
        let reference = solid.voxelize(branched::Placement::PLAIN);
        let voxels = reference.voxels.view();
        let result = medial::extract(&[], voxels, &params, Monitor::new()).unwrap();
        check(&result, 0, 0);
        let uncovered = result.labels[0].components[0].uncovered;
        let degrees = result.labels[0].skeleton.degrees();
        let ends = degrees.iter().filter(|&&degree| degree == 1).count();
        (ends, uncovered)
    };
    for detail in [None, Some(0.6)] {
        assert_eq!(ends(&branched::tube(6.0, 60.0), 1.25, detail).0, 2);
        assert_eq!(ends(&branched::leaf(30.0, 0.45, 3.0), 1.25, detail).0, 5);
    }
    let trunk = branched::trunk(12.0, 120.0, 8, 1.5, 8.0);
    let (without, uncovered) = ends(&trunk, 20.0, None);
    assert_eq!(without, 2);
    // a branch of radius 1.5, and its foot in the trunk
    let uncovered = uncovered.unwrap();
    assert!(
        (1.25..20.0).contains(&uncovered.significance),
        "{uncovered:?}"
    );
    assert!((5.0..12.0).contains(&uncovered.length), "{uncovered:?}");
    assert!((1.0..2.5).contains(&uncovered.width), "{uncovered:?}");
    let (detailed, remaining) = ends(&trunk, 20.0, Some(1.25));
    assert_eq!(detailed, 10);
    assert!(remaining.is_none_or(|other| other.significance < 1.25));
}

#[test]
fn detail_must_not_be_negative() {
    let params = medial::Params {
        detail: Some(-0.5),
        ..medial::Params::default()
    };
    let error = params.check().unwrap_err().to_string();
    assert!(error.contains("detail is -0.5"), "{error}");
}
