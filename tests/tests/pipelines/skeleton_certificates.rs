//! The critical points add up to the Euler characteristic, and the curves to the tunnels, for all
//! placements of the solids and all exponents.

use super::skeleton_classes::mask;
use ferrovox::{
    device::Stream,
    skeleton::potential_field::{self, Hierarchy},
};
use ferrovox_tests::{devices, solids::Solid};

const EXPONENTS: [f64; 4] = [3.0, 4.0, 5.0, 6.0];

/// Returns the solid as it is, shifted by a voxel, by fractions of a voxel, and rotated.
fn placements(solid: &Solid) -> [Solid; 5] {
    [
        solid.clone(),
        solid.shifted([1.0, 0.0, 0.0]),
        solid.shifted([0.5, 0.25, 0.0]),
        solid.rotated([0.0, 0.0, 1.0], 0.5),
        solid.rotated([1.0, 2.0, 3.0], 0.9),
    ]
}

fn check(label: &str, stream: &Stream, solid: &Solid, exponent: f64, tunnels: usize) {
    let params = potential_field::Params {
        exponent,
        hierarchy: Hierarchy::Core,
        ..potential_field::Params::default()
    };
    let extraction =
        potential_field::extract(stream, &mask(stream, &solid.voxels()), &params).unwrap();
    let what = format!(
        "{label}, {}, m = {exponent}: {:?}",
        solid.name, extraction.certificate
    );
    let [certificate] = extraction.certificate[..] else {
        panic!("{what}");
    };
    assert_eq!(certificate.euler_solid, 1 - tunnels as i64, "{what}");
    assert!(certificate.is_balanced(), "{what}");
    assert_eq!(certificate.repelling, 0, "{what}");
    assert_eq!(extraction.bridges, 0, "{what}");
    assert!(extraction.skeleton.is_connected(), "{what}");
    // curves from saddles of index 2 close additional cycles
    let extra_cycles = 4 * certificate.saddles_index2 as usize;
    assert_eq!(
        extraction.skeleton.cycles(),
        tunnels + extra_cycles,
        "{what}"
    );
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
fn certificates_of_capsules_and_tubes_balance() {
    check_all(&[(Solid::capsule(5.0, 16.0), 0), (Solid::tube(5.0, 24.0), 0)]);
}

#[test]
fn certificates_of_forks_and_corners_balance() {
    check_all(&[
        (Solid::y_of_tubes(4.0, 12.0), 0),
        (Solid::l_bar(3.5, 20.0), 0),
    ]);
}

#[test]
fn certificates_of_tori_balance() {
    check_all(&[
        (Solid::torus(10.0, 4.5), 1),
        (Solid::double_torus(9.0, 4.0), 2),
    ]);
}

#[test]
fn certificates_of_boxes_and_balls_balance() {
    check_all(&[
        (Solid::cuboid([9.0, 5.0, 5.0]), 0),
        (Solid::cuboid([7.0, 6.0, 5.0]), 0),
        (Solid::ball(7.0), 0),
    ]);
}
