//! Skeletons of random trees, nets and noise at random spacings: every one must hold, by a checker
//! of its own.
//!
//! `FERROVOX_RANDOM_SKELETONS=1000` tries so many of each instead of a few;
//! `FERROVOX_RANDOM_SKELETONS=500..1000` those with these seeds.

use super::skeleton_known::judgement;
use ferrovox_tests::{
    noise::Noise,
    oracle::Verdict,
    reference_objects::{Grid, ReferenceObject, random, simple},
};
use std::ops::Range;

/// The seeds to try.
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

/// Judges objects of all seeds, and fails with those that do not hold. More is asked of a verdict
/// by `right`.
fn judge_all(
    object: impl Fn(u64) -> ReferenceObject,
    right: impl Fn(&ReferenceObject, &Verdict) -> Result<(), String>,
) {
    let mut wrong = Vec::new();
    let seeds = seeds();
    let count = seeds.clone().count();
    for seed in seeds {
        let known = object(seed);
        let judged = judgement(&known).and_then(|verdicts| match verdicts.first() {
            Some(verdict) => right(&known, verdict),
            None => Ok(()),
        });
        wrong.extend(judged.err());
    }
    let first: Vec<_> = wrong.iter().take(5).map(String::as_str).collect();
    let first = first.join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {count} do not hold; first of these:\n{first}",
        wrong.len()
    );
}

#[test]
fn trees() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise);
        random::tree(2 + noise.below(8) as usize, seed, grid)
    };
    judge_all(object, |known, verdict| {
        let least = 0.85 * known.length() - known.length_allowance;
        if verdict.length >= least {
            return Ok(());
        }
        let ReferenceObject { name, seed, .. } = known;
        Err(format!(
            "{name}, seed {seed}: length {} of {least}",
            verdict.length
        ))
    });
}

#[test]
fn nets() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let grid = Grid::random(&mut noise);
        let along = [2, 2, 2].map(|least| least + noise.below(2) as usize);
        random::net(along, noise.below(10) as usize, seed, grid)
    };
    judge_all(object, |_, _| Ok(()));
}

#[test]
fn arms() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let count = 2 + noise.below(3) as usize;
        let radius = noise.between(2.5, 6.0);
        let grid = Grid::unit().moved(&mut noise);
        simple::arms(count, radius, 24.0, seed, grid)
    };
    judge_all(object, |_, _| Ok(()));
}

#[test]
fn noise() {
    let object = |seed| {
        let mut noise = Noise(seed);
        let dims = [5, 5, 5].map(|least| least + noise.below(12) as usize);
        random::noise(dims, 2 + noise.below(96), seed)
    };
    judge_all(object, |_, _| Ok(()));
}
