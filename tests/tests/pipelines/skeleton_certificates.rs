//! Critical points add up to the Euler number, and curves to the loops, of solids however they lie
//! and whatever the exponent.

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    skeleton::potential_field::{self, Hierarchy},
};
use ferrovox_tests::{devices, solids::Solid};

const EXPONENTS: [f64; 4] = [3.0, 4.0, 5.0, 6.0];

/// The solid as it is, moved by a voxel, by parts of one, and turned.
fn placements(solid: &Solid) -> [Solid; 5] {
    [
        solid.clone(),
        solid.shifted([1.0, 0.0, 0.0]),
        solid.shifted([0.5, 0.25, 0.0]),
        solid.turned([0.0, 0.0, 1.0], 0.5),
        solid.turned([1.0, 2.0, 3.0], 0.9),
    ]
}

fn check(label: &str, stream: &Stream, solid: &Solid, exponent: f64, tunnels: usize) {
    let params = potential_field::Params {
        exponent,
        hierarchy: Hierarchy::Core,
        ..potential_field::Params::default()
    };
    let made = potential_field::extract(stream, &mask(stream, &solid.voxels()), &params).unwrap();
    let what = format!(
        "{label}, {}, m = {exponent}: {:?}",
        solid.name, made.certificate
    );
    let [certificate] = made.certificate[..] else {
        panic!("{what}");
    };
    assert_eq!(certificate.euler_solid, 1 - tunnels as i64, "{what}");
    assert!(certificate.is_balanced(), "{what}");
    assert_eq!(certificate.repelling, 0, "{what}");
    assert_eq!(made.bridges, 0, "{what}");
    assert!(made.skeleton.is_connected(), "{what}");
    // curves from saddles of index 2 close more
    let others = 4 * certificate.saddles_index2 as usize;
    assert_eq!(made.skeleton.cycles(), tunnels + others, "{what}");
}

fn check_all(solids: &[(Solid, usize)]) {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for (solid, tunnels) in solids {
            for solid in placements(solid) {
                for exponent in EXPONENTS {
                    check(&test.label, &stream, &solid, exponent, *tunnels);
                }
            }
        }
    }
}

#[test]
fn of_capsules_and_tubes() {
    check_all(&[(Solid::capsule(5.0, 16.0), 0), (Solid::tube(5.0, 24.0), 0)]);
}

#[test]
fn of_forks_and_corners() {
    check_all(&[
        (Solid::y_of_tubes(4.0, 12.0), 0),
        (Solid::l_bar(3.5, 20.0), 0),
    ]);
}

#[test]
fn of_tori() {
    check_all(&[
        (Solid::torus(10.0, 4.5), 1),
        (Solid::double_torus(9.0, 4.0), 2),
    ]);
}

#[test]
fn of_boxes_and_balls() {
    check_all(&[
        (Solid::cuboid([9.0, 5.0, 5.0]), 0),
        (Solid::cuboid([7.0, 6.0, 5.0]), 0),
        (Solid::ball(7.0), 0),
    ]);
}
