//! Skeletons of objects whose topology is known.

use super::{SkeletonizeParams, Skeletons, skeletonize};
use crate::{
    grid::{Geometry, Volume},
    monitor::Monitor,
};

fn skeletons(dims: [usize; 3], spacing: [f64; 3], is_set: impl Fn([f64; 3]) -> bool) -> Skeletons {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let volume = Volume::from_fn(dims, geometry, |x, y, z| {
        u8::from(is_set([x as f64, y as f64, z as f64]))
    })
    .unwrap();
    let params = SkeletonizeParams::default();
    skeletonize(volume.view(), &params, Monitor::silent()).unwrap()
}

/// Certified, with one component of these tunnels and cavities; its length.
fn check(found: &Skeletons, tunnels: u64, cavities: u64) -> f64 {
    let [one] = &found.labels[..] else {
        panic!("{found:?}")
    };
    let [component] = &one.components[..] else {
        panic!("{:?}", one.components)
    };
    assert!(component.certified(), "{component:?}");
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

mod random {
    use super::*;
    use proptest::prelude::*;

    /// The distance from a place to a segment.
    fn distance(at: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
        let way = |p: [f64; 3], q: [f64; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        let (ab, ap) = (way(a, b), way(a, at));
        let t = (dot(ap, ab) / dot(ab, ab).max(1e-9)).clamp(0.0, 1.0);
        let rest = [0, 1, 2].map(|k| ap[k] - t * ab[k]);
        dot(rest, rest).sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

        /// Any set of voxels, sparse and dense: the hardest topology.
        #[test]
        fn noise_is_certified(seed in any::<u64>(), fill in 0.05f64..0.95, dims in prop::array::uniform3(1usize..12)) {
            let mut state = seed;
            let geometry = Geometry::default();
            let volume = Volume::from_fn(dims, geometry, |_, _, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u8::from(((state >> 40) as f64) < fill * (1u64 << 24) as f64)
            }).unwrap();
            prop_assume!(volume.samples().contains(&1));
            let found = skeletonize(volume.view(), &SkeletonizeParams::default(), Monitor::silent()).unwrap();
            found.labels[0].skeleton.validate().unwrap();
            prop_assert!(found.certified(), "{:?}", found.labels[0].components);
        }

        /// Nets of tubes between random places.
        #[test]
        fn nets_are_certified(
            places in prop::collection::vec(prop::array::uniform3(4.0f64..36.0), 3..9),
            radii in prop::collection::vec(0.6f64..4.0, 12),
            links in prop::collection::vec((0usize..9, 0usize..9), 3..12),
            spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [1.0, 1.0, 2.0], [0.7, 0.7, 1.0]]),
        ) {
            let dims = spacing.map(|step| (40.0 / step) as usize + 1);
            let tubes: Vec<_> = links.iter().zip(&radii)
                .map(|(&(a, b), &radius)| (places[a % places.len()], places[b % places.len()], radius))
                .collect();
            let found = skeletons(dims, spacing, |at| {
                let at = [0, 1, 2].map(|k| at[k] * spacing[k]);
                tubes.iter().any(|&(a, b, radius)| distance(at, a, b) <= radius)
            });
            found.labels[0].skeleton.validate().unwrap();
            prop_assert!(found.certified(), "{:?}", found.labels[0].components);
        }
    }
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
