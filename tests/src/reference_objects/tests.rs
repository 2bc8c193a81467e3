//! The objects have their stated Betti numbers.

use super::{Betti, Grid, ReferenceObject, large, random, simple, solid};
use crate::{
    noise::Noise,
    oracle::{
        Object, betti::betti_numbers, betti::total, cells::Complex, collapse::Collapse, matrix,
        matrix::Matrix,
    },
};
use test_cases::skip_slow_test;

/// Computes the Betti numbers by counting, and by homology where that is fast.
fn betti(reference: &ReferenceObject) -> Betti {
    let object = Object::new(&reference.voxels);
    let actual = total(&betti_numbers(&object));
    let complex = Complex::new(&object);
    let collapse = Collapse::new(&object, &complex);
    let classes = collapse.classes(&[]);
    let dimensions = classes.dimensions(&classes.relations());
    let name = &reference.name;
    assert_eq!(
        dimensions.iter().sum::<usize>() as u64,
        actual.tunnels,
        "{name}"
    );
    if object.len() <= matrix::MAX_VOXELS / 4 {
        let dimension = Matrix::new(&complex).dimension() as u64;
        assert_eq!(dimension, actual.tunnels, "{name}, by the matrix");
    }
    actual
}

fn assert_ground_truth(reference: &ReferenceObject) {
    let name = &reference.name;
    assert_eq!(
        reference.betti,
        Some(betti(reference)),
        "{name}, seed {}",
        reference.seed
    );
}

#[test]
fn rods_at_all_spacings_have_their_betti_numbers() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let grid = Grid::spaced(spacing);
            assert_ground_truth(&simple::rod(direction, 3.0, 30.0, grid));
            assert_ground_truth(&simple::tube(direction, 0.5, 30.0, grid));
        }
    }
}

#[test]
fn arms_and_branches_have_their_betti_numbers() {
    for seed in 0..40 {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise).rotated([1.0, 2.0, 3.0], 0.3);
        let count = 2 + noise.below(4) as usize;
        let reference = simple::arms(count, noise.between(2.5, 6.0), 25.0, seed, grid);
        let actual = betti(&reference);
        assert_eq!((actual.components, actual.cavities), (1, 0), "{seed}");
    }
    assert_ground_truth(&simple::t_of_tubes(Grid::unit()));
    assert_ground_truth(&simple::thin_branch(Grid::unit()));
}

#[test]
fn rings_and_curves_have_their_betti_numbers() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for spacing in [[1.0; 3], [0.5, 0.5, 1.5]] {
            let grid = Grid::spaced(spacing).rotated([1.0, 1.0, 0.0], 0.4);
            assert_ground_truth(&simple::ring(normal, 12.0, 1.5, grid));
            assert_ground_truth(&simple::ring(normal, 14.0, 0.5, grid));
        }
    }
    assert_ground_truth(&simple::knot(7.0, 2.0, Grid::unit()));
    assert_ground_truth(&simple::knot(9.0, 0.5, Grid::unit()));
    assert_ground_truth(&simple::helix(3.0, 9.0, 8.0, 0.5, Grid::unit()));
}

#[test]
fn solids_have_their_betti_numbers() {
    for reference in [
        solid::shell(9.0, 6.0),
        solid::tunnel_and_cavity(),
        solid::plate(1, 3),
        solid::plate(3, 2),
        solid::bent_sheet(),
        solid::touching_at_a_corner(),
        solid::touching_at_an_edge(),
        solid::ring_of_corners(),
        solid::single(),
        solid::full(6),
        solid::through_the_border(20),
        solid::diagonal(9),
        random::dust([5, 4, 3]),
    ] {
        assert_ground_truth(&reference);
    }
}

#[test]
fn random_trees_and_networks_have_their_betti_numbers() {
    for seed in 0..60 {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise);
        let tree = random::tree(3 + noise.below(6) as usize, seed, grid);
        assert!(tree.axes.len() > 1, "{seed}");
        let actual = betti(&tree);
        assert_eq!(actual, Betti::new(1, actual.tunnels, 0), "{seed}");
        let net = random::net([3, 3, 2], noise.below(12) as usize, seed, grid);
        assert_ground_truth(&net);
    }
}

#[test]
fn noise_has_the_same_betti_numbers_by_counting_and_by_matrix() {
    for (seed, percent) in [(1, 8), (2, 20), (3, 40), (4, 60), (5, 90)] {
        let actual = betti(&random::noise([11, 10, 9], percent, seed));
        assert!(actual.components > 0, "{percent}");
    }
}

#[test]
fn vessels_have_their_betti_numbers() {
    if skip_slow_test("large vessels") {
        return;
    }
    let vessels = large::vessels(1);
    assert_eq!(vessels.voxels.dims(), [470, 500, 136]);
    assert_ground_truth(&vessels);
    let share = vessels.filled() as f64 / (470.0 * 500.0 * 136.0);
    assert!((0.008..0.012).contains(&share), "{share}");
}

#[test]
fn bones_have_their_betti_numbers() {
    assert_ground_truth(&large::digits(1));
}

#[test]
fn atlas_labels_have_consistent_betti_numbers() {
    if skip_slow_test("a large atlas") {
        return;
    }
    let atlas = large::atlas(1);
    let mut counts = [0u32; 256];
    for &label in atlas.voxels.samples() {
        counts[usize::from(label)] += 1;
    }
    assert!(
        counts[1..117].iter().all(|&count| count > 500),
        "{counts:?}"
    );
    assert!(counts[117..].iter().all(|&count| count == 0));
}
