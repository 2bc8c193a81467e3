//! The objects have what they are said to have.

use super::{Betti, Grid, Known, large, random, simple, solid};
use crate::{
    noise::Noise,
    oracle::{
        Object, betti::betti_numbers, betti::total, cells::Complex, collapse::Collapse, matrix,
        matrix::Matrix,
    },
};
use test_cases::skip_slow_test;

/// The Betti numbers by counting, and by homology where that is quick.
fn betti(known: &Known) -> Betti {
    let object = Object::of(&known.voxels);
    let found = total(&betti_numbers(&object));
    let complex = Complex::of(&object);
    let collapse = Collapse::of(&object, &complex);
    let classes = collapse.classes(&[]);
    let dimensions = classes.dimensions(&classes.relations());
    let name = &known.name;
    assert_eq!(
        dimensions.iter().sum::<usize>() as u64,
        found.tunnels,
        "{name}"
    );
    if object.len() <= matrix::MOST_VOXELS / 4 {
        let dimension = Matrix::of(&complex).dimension() as u64;
        assert_eq!(dimension, found.tunnels, "{name}, by the matrix");
    }
    found
}

fn assert_known(known: &Known) {
    let name = &known.name;
    assert_eq!(
        known.betti,
        Some(betti(known)),
        "{name}, seed {}",
        known.seed
    );
}

#[test]
fn of_rods_at_all_spacings() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let grid = Grid::spaced(spacing);
            assert_known(&simple::rod(direction, 3.0, 30.0, grid));
            assert_known(&simple::tube(direction, 0.5, 30.0, grid));
        }
    }
}

#[test]
fn of_arms_and_branches() {
    for seed in 0..40 {
        let mut noise = Noise(seed);
        let grid = Grid::any(&mut noise).turned([1.0, 2.0, 3.0], 0.3);
        let count = 2 + noise.below(4) as usize;
        let known = simple::arms(count, noise.between(2.5, 6.0), 25.0, seed, grid);
        let found = betti(&known);
        assert_eq!((found.pieces, found.cavities), (1, 0), "{seed}");
    }
    assert_known(&simple::t_of_tubes(Grid::unit()));
    assert_known(&simple::thin_branch(Grid::unit()));
}

#[test]
fn of_rings_and_curves() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for spacing in [[1.0; 3], [0.5, 0.5, 1.5]] {
            let grid = Grid::spaced(spacing).turned([1.0, 1.0, 0.0], 0.4);
            assert_known(&simple::ring(normal, 12.0, 1.5, grid));
            assert_known(&simple::ring(normal, 14.0, 0.5, grid));
        }
    }
    assert_known(&simple::knot(7.0, 2.0, Grid::unit()));
    assert_known(&simple::knot(9.0, 0.5, Grid::unit()));
    assert_known(&simple::helix(3.0, 9.0, 8.0, 0.5, Grid::unit()));
}

#[test]
fn of_solids() {
    for known in [
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
        assert_known(&known);
    }
}

#[test]
fn of_random_trees_and_nets() {
    for seed in 0..60 {
        let mut noise = Noise(seed);
        let grid = Grid::any(&mut noise);
        let tree = random::tree(3 + noise.below(6) as usize, seed, grid);
        assert!(tree.axes.len() > 1, "{seed}");
        let found = betti(&tree);
        assert_eq!(found, Betti::new(1, found.tunnels, 0), "{seed}");
        let net = random::net([3, 3, 2], noise.below(12) as usize, seed, grid);
        assert_known(&net);
    }
}

#[test]
fn of_noise_by_counting_and_by_matrix() {
    for (seed, per_cent) in [(1, 8), (2, 20), (3, 40), (4, 60), (5, 90)] {
        let found = betti(&random::noise([11, 10, 9], per_cent, seed));
        assert!(found.pieces > 0, "{per_cent}");
    }
}

#[test]
fn of_vessels() {
    if skip_slow_test("large vessels") {
        return;
    }
    let vessels = large::vessels(1);
    assert_eq!(vessels.voxels.dims(), [470, 500, 136]);
    assert_known(&vessels);
    let share = vessels.filled() as f64 / (470.0 * 500.0 * 136.0);
    assert!((0.008..0.012).contains(&share), "{share}");
}

#[test]
fn of_bones() {
    assert_known(&large::digits(1));
}

#[test]
fn of_an_atlas() {
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
