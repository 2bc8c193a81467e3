//! Runs of a component along x, the pairs of runs that touch, and the run of each voxel.

use super::object::{MIN_PARALLEL_ITEMS, Object};
use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    parallel,
};
use std::ops::Range;

/// Maximal sets of consecutive voxels along x, in the order of their voxels.
pub struct XRuns {
    /// First voxel of each run, followed by the number of voxels.
    starts: Vec<u32>,
    /// For each group of 64 voxels, a bit for each first voxel of a run, and the number of runs
    /// before the group.
    groups: Vec<(u64, u32)>,
}

impl XRuns {
    /// Finds the runs of a component.
    pub fn new(object: &Object) -> Self {
        Self::from_ranges(object.len(), object.x_runs())
    }

    /// Creates runs from consecutive ranges of all `voxels` voxels of a component.
    pub fn from_ranges(voxels: usize, ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut starts = Vec::new();
        let mut groups = with_capacity_or_unwind(voxels.div_ceil(64));
        for run in ranges {
            while groups.len() * 64 <= run.start {
                groups.push_or_unwind((0, starts.len() as u32));
            }
            if let Some((bits, _)) = groups.last_mut() {
                *bits |= 1 << (run.start % 64);
            }
            starts.push_or_unwind(run.start as u32);
        }
        while groups.len() * 64 < voxels {
            groups.push_or_unwind((0, starts.len() as u32));
        }
        starts.push_or_unwind(voxels as u32);
        Self { starts, groups }
    }

    /// Returns no runs.
    pub fn empty() -> Self {
        Self {
            starts: vec![0],
            groups: Vec::new(),
        }
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the run of a voxel.
    #[inline(always)]
    pub fn run_at(&self, voxel: usize) -> usize {
        let (bits, before) = self.groups[voxel / 64];
        let up_to_voxel = bits & (u64::MAX >> (63 - voxel % 64));
        before as usize + up_to_voxel.count_ones() as usize - 1
    }

    /// Returns the voxels of a run.
    pub fn voxels(&self, run: usize) -> Range<usize> {
        self.starts[run] as usize..self.starts[run + 1] as usize
    }
}

/// Pairs of runs that touch: their closed boxes share at least a corner.
pub struct TouchingRuns {
    /// Index of the first neighbour of each run, followed by the number of neighbours.
    starts: Vec<usize>,
    /// Runs that touch each run, in ascending order.
    neighbours: Vec<u32>,
}

/// Directions to the eight adjacent rows, in the order of the rows.
const ADJACENT_ROWS: [usize; 8] = [0, 1, 2, 3, 5, 6, 7, 8];

impl TouchingRuns {
    /// Finds the touching runs of a component.
    pub fn new(object: &Object) -> Self {
        let mut first_runs: Vec<u32> = with_capacity_or_unwind(object.row_count() + 1);
        let mut runs: Vec<[i32; 2]> = Vec::new();
        for row in 0..object.row_count() {
            first_runs.push_or_unwind(runs.len() as u32);
            runs.extend_or_unwind(object.row_runs(row, |word| object.words()[word].bits));
        }
        first_runs.push_or_unwind(runs.len() as u32);
        let row_range = |row: usize| first_runs[row] as usize..first_runs[row + 1] as usize;
        let parts = parallel::map_ranges(object.row_count(), MIN_PARALLEL_ITEMS, |rows| {
            let (mut counts, mut neighbours) = (Vec::new(), Vec::new());
            for row in rows {
                let mut adjacent = ADJACENT_ROWS.map(|direction| {
                    let adjacent_row = object.adjacent_row(row, direction);
                    adjacent_row.map_or(0..0, &row_range)
                });
                for &[start, end] in &runs[row_range(row)] {
                    let before = neighbours.len();
                    for others in &mut adjacent {
                        while others.start < others.end && runs[others.start][1] < start {
                            others.start += 1;
                        }
                        let touching = others.clone().take_while(|&other| runs[other][0] <= end);
                        neighbours.extend_or_unwind(touching.map(|other| other as u32));
                    }
                    counts.push_or_unwind(neighbours.len() - before);
                }
            }
            (counts, neighbours)
        });
        let mut starts = with_capacity_or_unwind(runs.len() + 1);
        let mut neighbours = with_capacity_or_unwind(parts.iter().map(|part| part.1.len()).sum());
        let mut total = 0;
        for (counts, part) in parts {
            neighbours.extend_or_unwind(part);
            for count in counts {
                starts.push_or_unwind(total);
                total += count;
            }
        }
        starts.push_or_unwind(total);
        Self { starts, neighbours }
    }

    /// Returns the runs that touch a run, in ascending order.
    #[inline(always)]
    pub fn neighbours(&self, run: usize) -> &[u32] {
        &self.neighbours[self.range(run)]
    }

    /// Returns the indices, among all (run, neighbour) pairs, of the pairs of a run.
    #[inline(always)]
    pub fn range(&self, run: usize) -> Range<usize> {
        self.starts[run]..self.starts[run + 1]
    }

    /// Returns the number of (run, neighbour) pairs; both orders of two runs count.
    pub fn pair_count(&self) -> usize {
        self.neighbours.len()
    }

    /// Returns the index of a pair of touching runs, or `None` if they do not touch.
    #[inline(always)]
    pub fn pair_index(&self, run: usize, neighbour: u32) -> Option<usize> {
        let found = self.neighbours(run).binary_search(&neighbour).ok()?;
        Some(self.starts[run] + found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::medial::{
        progress::ComponentProgress,
        voxels::{frame::Frame, neighbour_bits::NEIGHBOURS, object_tests::runs_from_positions},
    };
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: test_cases::case_count(200), failure_persistence: None, ..Default::default() })]

        /// Two runs touch if a voxel of one is a neighbour of a voxel of the other.
        #[test]
        fn runs_and_pairs_match_the_voxels(
            seed in any::<u64>(),
            fill in 0.05f64..0.98,
            dims in prop::sample::select(vec![[5u32, 6, 7], [130, 4, 4], [1, 9, 9], [200, 3, 3]]),
        ) {
            let mut state = seed;
            let mut is_set = |_: &[u32; 3]| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 40) as f64) < fill * (1u64 << 24) as f64
            };
            let [nx, ny, _] = dims;
            let positions = (0..dims.iter().product::<u32>()).map(|at| [at % nx, at / nx % ny, at / nx / ny]);
            let runs = runs_from_positions(positions.filter(|at| is_set(at)));
            prop_assume!(!runs.is_empty());
            let object = Object::new(&runs, &Frame::unpermuted(&runs), &ComponentProgress::disabled()).unwrap();
            let (runs, touching) = (XRuns::new(&object), TouchingRuns::new(&object));
            let mut expected = vec![BTreeSet::new(); runs.len()];
            for (run, expected) in expected.iter_mut().enumerate() {
                for voxel in runs.voxels(run) {
                    prop_assert_eq!(runs.run_at(voxel), run);
                    let neighbours = object.neighbours(voxel, NEIGHBOURS).map(|(_, other)| runs.run_at(other) as u32);
                    expected.extend(neighbours.filter(|&other| other != run as u32));
                }
            }
            for (run, expected) in expected.iter().enumerate() {
                prop_assert_eq!(touching.neighbours(run), expected.iter().copied().collect::<Vec<_>>());
                for &other in expected {
                    prop_assert!(touching.pair_index(run, other).is_some());
                }
            }
        }
    }
}
