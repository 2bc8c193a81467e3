//! Filling of thin tunnels: thickness, count, and everything that must stay.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::{
        SkeletonError,
        medial::{self, ComponentReport, Skeletons},
    },
};
use ferrovox_tests::{
    oracle::{Object, betti},
    reference_objects::branched::{self, Placement},
};
use proptest::prelude::*;
use test_cases::case_count;

/// Extracts the skeletons of all labels after filling tunnels of at most `fill_tunnels` voxels.
fn skeletons(volume: &Volume<u8>, fill_tunnels: u32) -> Skeletons {
    let params = medial::Params {
        fill_tunnels,
        ..medial::Params::default()
    };
    let found = medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap();
    assert!(found.is_certified(), "{:?}", found.labels);
    found
}

/// Extracts the skeleton of a volume with one component and returns its report.
fn report(volume: &Volume<u8>, fill_tunnels: u32) -> ComponentReport {
    let mut found = skeletons(volume, fill_tunnels);
    assert_eq!(found.labels.len(), 1);
    let label = found.labels.remove(0);
    assert_eq!(label.components.len(), 1);
    assert_eq!(
        label.skeleton.cycles() as u64,
        label.components[0].tunnels,
        "{label:?}"
    );
    label.components[0].clone()
}

fn volume(dims: [usize; 3], label: impl Fn([usize; 3]) -> u8) -> Volume<u8> {
    Volume::from_fn(dims, Geometry::default(), |x, y, z| label([x, y, z])).unwrap()
}

/// Creates a plate with four straight tunnels of 1 x 1, 2 x 2, 3 x 3 and 5 x 1 voxels. Its longest
/// edges are parallel to `axis`.
fn plate_with_tunnels(axis: usize) -> Volume<u8> {
    let dims = [36, 9, 9];
    volume(
        [axis, (axis + 1) % 3, (axis + 2) % 3].map(|k| dims[k]),
        |at| {
            let [x, y, z] = [0, 1, 2].map(|k| at[(k + 3 - axis) % 3]);
            let is_solid = (1..35).contains(&x) && (1..8).contains(&y) && (2..7).contains(&z);
            let is_tunnel = match x {
                4 => y == 4,
                9..=10 => (3..5).contains(&y),
                16..=18 => (3..6).contains(&y),
                24..=28 => y == 4,
                _ => false,
            };
            u8::from(is_solid && !is_tunnel)
        },
    )
}

#[test]
fn tunnels_are_filled_up_to_a_thickness() {
    for axis in 0..3 {
        let plate = plate_with_tunnels(axis);
        for (thickness, filled) in [(0, 0), (1, 2), (2, 3), (3, 4), (8, 4)] {
            let report = report(&plate, thickness);
            assert_eq!(
                (report.filled_tunnels, report.tunnels, report.cavities),
                (filled, 4 - filled, 0),
                "axis {axis}, {thickness} voxels: {report:?}"
            );
        }
    }
}

#[test]
fn oblique_and_bent_tunnels_are_filled() {
    // a staircase of face neighbours through a cube, and one with a chamber in the middle
    let is_stair = |[x, y, z]: [usize; 3]| x + y + z >= 3 * z && x + y + z <= 3 * z + 2;
    for chamber in [0, 2] {
        let cube = volume([14; 3], |at| {
            let is_solid = at.iter().all(|k| (1..13).contains(k));
            let is_path = is_stair(at) && at[0].abs_diff(at[1]) <= 1;
            let is_chamber = chamber > 0 && at.iter().all(|k| k.abs_diff(6) <= chamber);
            u8::from(is_solid && !is_path && !is_chamber)
        });
        let before = report(&cube, 0);
        let after = report(&cube, 2);
        assert!(before.tunnels > 0, "{before:?}");
        assert_eq!(
            (after.tunnels, after.cavities, after.filled_tunnels),
            (0, before.cavities, before.tunnels)
        );
    }
}

#[test]
fn gaps_pits_and_cavities_stay() {
    // a comb whose teeth are one voxel apart, with a pit and a cavity of one voxel
    let comb = volume([20, 12, 9], |[x, y, z]| {
        let is_base = (1..19).contains(&x) && (1..5).contains(&y) && (1..8).contains(&z);
        let is_tooth = (1..19).contains(&x) && x % 3 != 0 && (5..11).contains(&y) && z == 4;
        let is_hole = [[5, 2, 4], [9, 1, 4], [9, 2, 4]].contains(&[x, y, z]);
        u8::from((is_base || is_tooth) && !is_hole)
    });
    let without = skeletons(&comb, 0);
    let with = skeletons(&comb, 3);
    let report = &with.labels[0].components[0];
    assert_eq!((report.filled_tunnels, report.cavities), (0, 1));
    assert_eq!(without.labels[0].skeleton, with.labels[0].skeleton);
}

#[test]
fn other_objects_in_a_tunnel_keep_it_open() {
    // a ring with a tunnel of 3 x 3 voxels, through which a rod passes: of the same and of another
    // label, apart from the ring or touching it
    for (rod, width) in [(1, 1), (2, 1), (2, 3)] {
        let ring = volume([11, 11, 7], |[x, y, z]| {
            let [dx, dy] = [x.abs_diff(5), y.abs_diff(5)];
            match dx.max(dy) {
                0 => rod,
                1 if width == 3 => rod,
                2..=3 if (2..5).contains(&z) => 1,
                _ => 0,
            }
        });
        let found = skeletons(&ring, 3);
        let reports: Vec<_> = found.labels.iter().flat_map(|it| &it.components).collect();
        let tunnels: u64 = reports.iter().map(|report| report.tunnels).sum();
        assert_eq!((reports.len(), tunnels), (2, 1), "{reports:?}");
        assert!(reports.iter().all(|report| report.filled_tunnels == 0));
    }
}

#[test]
fn images_have_holes_filled() {
    let image = volume([16, 12, 1], |[x, y, _]| {
        let is_hole = [x, y] == [4, 5] || ((8..11).contains(&x) && (4..8).contains(&y));
        u8::from((1..15).contains(&x) && (1..11).contains(&y) && !is_hole)
    });
    for (thickness, filled) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
        let report = report(&image, thickness);
        assert_eq!(
            (report.filled_tunnels, report.tunnels),
            (filled, 2 - filled)
        );
    }
}

#[test]
fn noisy_solids_get_their_ends_and_tunnels_back() {
    for solid in [
        branched::trunk(12.0, 120.0, 8, 1.5, 8.0),
        branched::torus(24.0, 6.0),
        branched::tree(6.0, 2),
    ] {
        let reference = solid.voxelize(Placement::PLAIN);
        let mut state = 7u64;
        let samples = reference.voxels.samples().iter().map(|&sample| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if state >> 40 < (1 << 24) / 5 {
                0
            } else {
                sample
            }
        });
        let holes = Volume::new(
            samples.collect(),
            reference.voxels.dims(),
            *reference.voxels.geometry(),
        )
        .unwrap();
        let largest = |found: Skeletons| {
            let components = found.labels.into_iter().flat_map(|label| label.components);
            components.max_by_key(|report| report.voxels).unwrap()
        };
        let [clean, noisy, filled] = [
            largest(skeletons(&reference.voxels, 0)),
            largest(skeletons(&holes, 0)),
            largest(skeletons(&holes, 1)),
        ];
        let name = &reference.name;
        println!(
            "{name}: {} tunnels, {} with noise, {} filled",
            clean.tunnels, noisy.tunnels, filled.filled_tunnels
        );
        assert!(noisy.tunnels > clean.tunnels + 10, "{name}: {noisy:?}");
        assert_eq!(filled.tunnels, clean.tunnels, "{name}: {filled:?}");
        assert_eq!(
            filled.filled_tunnels,
            noisy.tunnels - clean.tunnels,
            "{name}: {filled:?}"
        );
    }
}

#[test]
fn thickness_is_limited() {
    let params = medial::Params {
        fill_tunnels: 33,
        ..medial::Params::default()
    };
    let error =
        medial::extract(&[], plate_with_tunnels(0).view(), &params, Monitor::new()).unwrap_err();
    assert!(matches!(
        error,
        SkeletonError::TunnelThickness { found: 33, max: 32 }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(300), failure_persistence: None, ..Default::default() })]

    /// Filling changes nothing but the number of tunnels, and thick tunnels stay.
    #[test]
    fn filled_noise_keeps_components_and_cavities(
        seed in any::<u64>(),
        fill in 0.3f64..0.95,
        dims in prop::array::uniform3(1usize..14),
        thickness in 1u32..4,
    ) {
        let mut state = seed;
        let noise = Volume::from_fn(dims, Geometry::default(), |_, _, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u8::from(((state >> 40) as f64) < fill * (1u64 << 24) as f64)
        }).unwrap();
        prop_assume!(noise.samples().contains(&1));
        let truth = betti::betti_numbers(&Object::new(&noise));
        let found = skeletons(&noise, thickness);
        let reports = &found.labels[0].components;
        prop_assert_eq!(reports.len(), truth.len());
        for (report, truth) in reports.iter().zip(truth) {
            prop_assert_eq!(report.tunnels + report.filled_tunnels, truth.tunnels);
            prop_assert_eq!(report.cavities, truth.cavities);
        }
    }
}
