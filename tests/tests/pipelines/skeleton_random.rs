//! Skeletons of random trees, networks and noise at random spacings, checked by the oracle.
//!
//! `FERROVOX_RANDOM_SKELETONS=1000` sets the number of objects of each kind;
//! `FERROVOX_RANDOM_SKELETONS=500..1000` sets the range of seeds.

use super::skeleton_ground_truth::check_against_ground_truth;
use ferrovox_tests::{
    noise::Noise,
    oracle::Verdict,
    reference_objects::{Grid, ReferenceObject, random, simple},
};
use std::ops::Range;

/// Returns the seeds to test.
fn seeds() -> Range<u64> {
    let number = |text: &str| text.trim().parse().ok();
    let asked = std::env::var("FERROVOX_RANDOM_SKELETONS").ok();
    let range = asked
        .as_deref()
        .and_then(|text| match text.split_once("..") {
            Some((first, end)) => Some(number(first)?..number(end)?),
            None => Some(0..number(text)?),
        });
    range.unwrap_or(0..16)
}

/// Checks the objects of all seeds, with an additional check of each verdict, and reports the
/// incorrect ones.
fn check_all_seeds(
    object: impl Fn(u64) -> ReferenceObject,
    extra_check: impl Fn(&ReferenceObject, &Verdict) -> Result<(), String>,
) {
    let mut wrong = Vec::new();
    let seeds = seeds();
    let count = seeds.clone().count();
    for seed in seeds {
        let reference = object(seed);
        let result =
            check_against_ground_truth(&reference).and_then(|verdicts| match verdicts.first() {
                Some(verdict) => extra_check(&reference, verdict),
                None => Ok(()),
            });
        wrong.extend(result.err());
    }
    let first: Vec<_> = wrong.iter().take(5).map(String::as_str).collect();
    let first = first.join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {count} are incorrect; the first:\n{first}",
        wrong.len()
    );
}

#[test]
fn random_trees_are_correct() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise);
        random::tree(2 + noise.below(8) as usize, seed, grid)
    };
    check_all_seeds(object, |reference, verdict| {
        let min_length = 0.85 * reference.length() - reference.length_allowance;
        if verdict.length >= min_length {
            return Ok(());
        }
        let ReferenceObject { name, seed, .. } = reference;
        Err(format!(
            "{name}, seed {seed}: length {} of {min_length}",
            verdict.length
        ))
    });
}

#[test]
fn random_networks_are_correct() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise);
        let along = [2, 2, 2].map(|min| min + noise.below(2) as usize);
        random::net(along, noise.below(10) as usize, seed, grid)
    };
    check_all_seeds(object, |_, _| Ok(()));
}

#[test]
fn random_arms_are_correct() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let count = 2 + noise.below(3) as usize;
        let radius = noise.between(2.5, 6.0);
        let grid = Grid::unit().moved(&mut noise);
        simple::arms(count, radius, 24.0, seed, grid)
    };
    check_all_seeds(object, |_, _| Ok(()));
}

#[test]
fn random_noise_is_correct() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let dims = [5, 5, 5].map(|min| min + noise.below(12) as usize);
        random::noise(dims, 2 + noise.below(96), seed)
    };
    check_all_seeds(object, |_, _| Ok(()));
}
