//! Moments of the voxels of runs, up to third order.

use super::runs::Run;
use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    parallel,
};
use std::ops::Range;

/// Minimum number of runs for parallel summation.
pub const MIN_PARALLEL_RUNS: usize = 1 << 13;

/// Sums of products of voxel coordinates, relative to the centre of the bounding box, in half
/// voxels.
#[derive(Default)]
pub struct Moments {
    /// Sums of the coordinates, by axis.
    first: [i128; 3],
    /// Sums of products of two coordinates, by pair of axes in ascending order.
    second: [[i128; 3]; 3],
    /// Sums of products of three coordinates, by triple of axes in ascending order.
    third: [[[i128; 3]; 3]; 3],
}

impl Moments {
    /// Computes the moments of runs whose bounding box is from `low` to `high`, inclusive.
    pub fn new(runs: &[Run], low: [i64; 3], high: [i64; 3]) -> Self {
        let middle = [0, 1, 2].map(|axis| low[axis] + high[axis]);
        let sum = |runs: &[Run]| {
            let mut all = Self::default();
            for run in runs {
                all.add(run, middle);
            }
            all
        };
        let sum_range = |range: Range<usize>| sum(&runs[range]);
        parallel::reduce(runs.len(), MIN_PARALLEL_RUNS, sum_range, Self::merge).unwrap_or_default()
    }

    /// Adds the moments of one run.
    fn add(&mut self, run: &Run, middle: [i64; 3]) {
        let [x, y, z] = [run.start, run.y, run.z].map(|at| 2 * i128::from(at));
        let [a, b, c] = middle.map(i128::from);
        let powers = sums_of_powers(x - a, i128::from(run.end - run.start));
        let coordinates = [1, y - b, z - c];
        let product = |axes: &[usize]| {
            let exponent = axes.iter().filter(|&&axis| axis == 0).count();
            axes.iter()
                .fold(powers[exponent], |value, &axis| value * coordinates[axis])
        };
        for a in 0..3 {
            self.first[a] += product(&[a]);
            for b in a..3 {
                self.second[a][b] += product(&[a, b]);
                for c in b..3 {
                    self.third[a][b][c] += product(&[a, b, c]);
                }
            }
        }
    }

    /// Returns the moments of the union of two disjoint sets of voxels.
    fn merge(mut self, other: Self) -> Self {
        for a in 0..3 {
            self.first[a] += other.first[a];
            for b in 0..3 {
                self.second[a][b] += other.second[a][b];
                for c in 0..3 {
                    self.third[a][b][c] += other.third[a][b][c];
                }
            }
        }
        self
    }

    /// Returns the moments in a frame with permuted and flipped axes, in a fixed order.
    pub fn in_frame(&self, order: [usize; 3], flips: [bool; 3]) -> Vec<i128> {
        let sign = |axes: &[usize]| match axes.iter().filter(|&&axis| flips[axis]).count() % 2 {
            0 => 1,
            _ => -1,
        };
        let mut list = with_capacity_or_unwind(19);
        for (a, axis) in order.into_iter().enumerate() {
            list.push_or_unwind(sign(&[a]) * self.first[axis]);
        }
        for a in 0..3 {
            for b in a..3 {
                let mut axes = [order[a], order[b]];
                axes.sort_unstable();
                list.push_or_unwind(sign(&[a, b]) * self.second[axes[0]][axes[1]]);
            }
        }
        for a in 0..3 {
            for b in a..3 {
                for c in b..3 {
                    let mut axes = [order[a], order[b], order[c]];
                    axes.sort_unstable();
                    list.push_or_unwind(sign(&[a, b, c]) * self.third[axes[0]][axes[1]][axes[2]]);
                }
            }
        }
        list
    }
}

/// Returns the sums of the powers 0 to 3 of `count` numbers that start at `first` and increase by
/// 2.
fn sums_of_powers(first: i128, count: i128) -> [i128; 4] {
    // sums of the powers of 0, 1, 2, …, count - 1
    let sum = count * (count - 1) / 2;
    let squares = sum * (2 * count - 1) / 3;
    let cubes = sum * sum;
    let square = first * first;
    [
        count,
        count * first + 2 * sum,
        count * square + 4 * (first * sum + squares),
        count * first * square + 2 * (3 * square * sum + 6 * first * squares + 4 * cubes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the moments voxel by voxel.
    fn by_voxels(runs: &[Run], low: [i64; 3], high: [i64; 3]) -> Vec<i128> {
        let mut sums = vec![0; 19];
        for run in runs {
            for x in run.start..run.end {
                let at = [x, run.y, run.z].map(i128::from);
                let at = [0, 1, 2].map(|axis| 2 * at[axis] - i128::from(low[axis] + high[axis]));
                let mut next = 0;
                let mut add = |value: i128| {
                    sums[next] += value;
                    next += 1;
                };
                at.into_iter().for_each(&mut add);
                for a in 0..3 {
                    (a..3).for_each(|b| add(at[a] * at[b]));
                }
                for a in 0..3 {
                    for b in a..3 {
                        (b..3).for_each(|c| add(at[a] * at[b] * at[c]));
                    }
                }
            }
        }
        sums
    }

    #[test]
    fn moments_of_runs_match_sums_over_voxels() {
        let mut state = 3u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) % below) as u32
        };
        // near to and far from the origin; few runs, and enough for parallel summation
        for (far, count) in [(0, 1), (0, 40), (1 << 29, 300), (7, 3 * MIN_PARALLEL_RUNS)] {
            let runs: Vec<Run> = (0..count)
                .map(|_| {
                    let start = far + random(50);
                    let [y, z] = [far + random(90), random(20)];
                    let end = start + 1 + random(30);
                    let label = 1;
                    Run {
                        start,
                        end,
                        y,
                        z,
                        label,
                    }
                })
                .collect();
            let [low, high] = [[far.into(), 0, 3], [i64::from(far) + 80, 99, 1 << 29]];
            let found = Moments::new(&runs, low, high).in_frame([0, 1, 2], [false; 3]);
            assert_eq!(found, by_voxels(&runs, low, high), "{far} {count}");
        }
        let most = 1 << 30;
        let run = Run {
            start: 0,
            end: most,
            y: most,
            z: most,
            label: 1,
        };
        let found = Moments::new(&[run], [0; 3], [i64::from(most) - 1; 3]);
        assert_eq!(found.first[0], 0);
    }
}
