//! Clusters of voxels that touch one another, and their extreme voxels.

use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, collect_into_or_unwind, stable_sort_or_unwind,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// A chosen voxel, and the value that it was chosen for: the lower, the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    pub voxel: [i64; 3],
    pub value: f32,
}

impl Candidate {
    /// The voxel's centre.
    pub fn point(&self) -> Point3<f64> {
        Point3::from(self.voxel.map(|at| at as f64))
    }
}

/// Voxels that touch at least at a corner.
pub struct Cluster {
    /// The one with the lowest value; of several the first.
    pub lowest: Candidate,
    /// The one that is the most steps away from those that were left out, if the cluster touches
    /// any.
    pub farthest: Option<Candidate>,
}

/// The clusters of the voxels that are not left out, by their lowest values, lowest first. Work is
/// linear in the voxels.
pub fn clusters(all: &[Candidate], is_left_out: impl Fn(&Candidate) -> bool) -> Vec<Cluster> {
    let left_out: Vec<bool> = all.iter().map(is_left_out).collect_or_unwind();
    let places: HashMap<[i64; 3], usize> =
        collect_into_or_unwind((0..).zip(all).map(|(k, one)| (one.voxel, k)));
    let steps = steps_from(all, &left_out, &places);
    let mut seen = left_out;
    let mut found = Vec::new();
    for first in 0..all.len() {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut lowest, mut farthest) = (first, first);
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            let lower = all[at].value.total_cmp(&all[lowest].value);
            if lower.then(at.cmp(&lowest)).is_lt() {
                lowest = at;
            }
            let nearer = steps[at].cmp(&steps[farthest]);
            let value = || all[farthest].value.total_cmp(&all[at].value);
            if nearer.then_with(value).then(farthest.cmp(&at)).is_gt() {
                farthest = at;
            }
            for next in neighbours(all[at].voxel).filter_map(|place| places.get(&place)) {
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push_or_unwind(*next);
                }
            }
        }
        found.push_or_unwind(Cluster {
            lowest: all[lowest],
            farthest: steps[farthest].map(|_| all[farthest]),
        });
    }
    stable_sort_or_unwind(&mut found, |a, b| a.lowest.value.total_cmp(&b.lowest.value));
    found
}

/// The points of which none before is nearer than a distance, and was taken.
pub fn thin_by_distance(
    points: impl Iterator<Item = Point3<f64>>,
    distance: f64,
) -> Vec<Point3<f64>> {
    let mut cubes: HashMap<[i64; 3], Vec<Point3<f64>>> = HashMap::new();
    let cube = |at: &Point3<f64>| [at.x, at.y, at.z].map(|a| (a / distance).floor() as i64);
    let mut taken = Vec::new();
    for at in points {
        let here = cube(&at);
        let mut near = neighbours(here).chain([here]);
        let is_near = near.any(|place| {
            let there = cubes.get(&place).into_iter().flatten();
            there.clone().any(|other| (other - at).norm() < distance)
        });
        if !is_near {
            cubes.reserve_or_unwind(1);
            cubes.entry(here).or_default().push_or_unwind(at);
            taken.push_or_unwind(at);
        }
    }
    taken
}

/// For each voxel how many steps it is from the nearest that was left out, through the others; none
/// where no way leads.
fn steps_from(
    all: &[Candidate],
    left_out: &[bool],
    places: &HashMap<[i64; 3], usize>,
) -> Vec<Option<u32>> {
    let mut steps: Vec<Option<u32>> = left_out
        .iter()
        .map(|&out| out.then_some(0))
        .collect_or_unwind();
    let mut front: Vec<usize> = (0..all.len()).filter(|&k| left_out[k]).collect_or_unwind();
    let mut step = 0;
    while !front.is_empty() {
        step += 1;
        let mut next_front = Vec::new();
        for at in front {
            for &next in neighbours(all[at].voxel).filter_map(|place| places.get(&place)) {
                if steps[next].is_none() {
                    steps[next] = Some(step);
                    next_front.push_or_unwind(next);
                }
            }
        }
        front = next_front;
    }
    steps
}

/// The 26 places around one.
fn neighbours([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let around = (0..27).filter(|&k| k != 13);
    around.map(move |k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f32], y: i64) -> impl Iterator<Item = Candidate> {
        (0..).zip(values).map(move |(x, &value)| Candidate {
            voxel: [x, y, 0],
            value,
        })
    }

    #[test]
    fn points_are_apart() {
        let row = (0..10).map(|x| Point3::new(f64::from(x), 0.0, 0.0));
        let taken = thin_by_distance(row, 4.0);
        assert_eq!(
            taken.iter().map(|at| at.x).collect::<Vec<_>>(),
            [0.0, 4.0, 8.0]
        );
    }

    #[test]
    fn each_cluster_has_a_lowest_and_a_farthest() {
        let all: Vec<Candidate> = row(&[5.0, 1.0, 3.0, 2.0], 0)
            .chain(row(&[4.0, 0.5, 7.0], 5))
            .collect();
        let found = clusters(&all, |one| one.voxel == [0, 0, 0]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].lowest.voxel, [1, 5, 0]);
        assert_eq!(found[0].farthest, None);
        assert_eq!(found[1].lowest.voxel, [1, 0, 0]);
        assert_eq!(found[1].farthest.unwrap().voxel, [3, 0, 0]);
        assert!(clusters(&[], |_| false).is_empty());
    }
}
