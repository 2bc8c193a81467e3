//! Clusters of 26-adjacent voxels and their extreme voxels.

use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, collect_into_or_unwind, stable_sort_or_unwind,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// Selected voxel and its selection value; lower is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    pub voxel: [i64; 3],
    pub value: f32,
}

impl Candidate {
    /// Returns the voxel's centre.
    pub fn point(&self) -> Point3<f64> {
        Point3::from(self.voxel.map(|at| at as f64))
    }
}

/// Cluster of 26-adjacent voxels.
pub struct Cluster {
    /// Voxel with the lowest value; the first one on ties.
    pub lowest: Candidate,
    /// Voxel at the greatest number of steps from the excluded voxels, or `None` if no excluded
    /// voxel touches the cluster.
    pub farthest: Option<Candidate>,
}

/// Groups the candidates that are not excluded into clusters, sorted by increasing lowest value.
/// Takes time linear in the number of candidates.
pub fn clusters(
    candidates: &[Candidate],
    is_excluded: impl Fn(&Candidate) -> bool,
) -> Vec<Cluster> {
    let excluded: Vec<bool> = candidates.iter().map(is_excluded).collect_or_unwind();
    let indices: HashMap<[i64; 3], usize> = collect_into_or_unwind(
        (0..)
            .zip(candidates)
            .map(|(k, candidate)| (candidate.voxel, k)),
    );
    let steps = steps_from_excluded(candidates, &excluded, &indices);
    let mut visited = excluded;
    let mut clusters = Vec::new();
    for first in 0..candidates.len() {
        if visited[first] {
            continue;
        }
        visited[first] = true;
        let (mut lowest, mut farthest) = (first, first);
        let mut stack = vec![first];
        while let Some(at) = stack.pop() {
            let lower = candidates[at].value.total_cmp(&candidates[lowest].value);
            if lower.then(at.cmp(&lowest)).is_lt() {
                lowest = at;
            }
            let nearer = steps[at].cmp(&steps[farthest]);
            let value = || candidates[farthest].value.total_cmp(&candidates[at].value);
            if nearer.then_with(value).then(farthest.cmp(&at)).is_gt() {
                farthest = at;
            }
            for next in neighbours(candidates[at].voxel).filter_map(|voxel| indices.get(&voxel)) {
                if !std::mem::replace(&mut visited[*next], true) {
                    stack.push_or_unwind(*next);
                }
            }
        }
        clusters.push_or_unwind(Cluster {
            lowest: candidates[lowest],
            farthest: steps[farthest].map(|_| candidates[farthest]),
        });
    }
    stable_sort_or_unwind(&mut clusters, |a, b| {
        a.lowest.value.total_cmp(&b.lowest.value)
    });
    clusters
}

/// Returns, for each candidate, the number of steps from the nearest excluded candidate through
/// other candidates; `None` where unreachable.
fn steps_from_excluded(
    candidates: &[Candidate],
    excluded: &[bool],
    indices: &HashMap<[i64; 3], usize>,
) -> Vec<Option<u32>> {
    let mut steps: Vec<Option<u32>> = excluded
        .iter()
        .map(|&excluded| excluded.then_some(0))
        .collect_or_unwind();
    let mut front: Vec<usize> = (0..candidates.len())
        .filter(|&k| excluded[k])
        .collect_or_unwind();
    let mut step = 0;
    while !front.is_empty() {
        step += 1;
        let mut next_front = Vec::new();
        for at in front {
            for &next in neighbours(candidates[at].voxel).filter_map(|voxel| indices.get(&voxel)) {
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

/// Returns the 26 neighbours of a voxel.
pub fn neighbours([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
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
    fn clusters_have_a_lowest_and_a_farthest_voxel() {
        let candidates: Vec<Candidate> = row(&[5.0, 1.0, 3.0, 2.0], 0)
            .chain(row(&[4.0, 0.5, 7.0], 5))
            .collect();
        let found = clusters(&candidates, |candidate| candidate.voxel == [0, 0, 0]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].lowest.voxel, [1, 5, 0]);
        assert_eq!(found[0].farthest, None);
        assert_eq!(found[1].lowest.voxel, [1, 0, 0]);
        assert_eq!(found[1].farthest.unwrap().voxel, [3, 0, 0]);
        assert!(clusters(&[], |_| false).is_empty());
    }
}
