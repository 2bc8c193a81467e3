//! A frame that depends on a component only, not on the axes that its volume has: so a skeleton moves with the object.

use super::{metric::Metric, scan::Run};
use rayon::prelude::*;
use std::cmp::Ordering;

/// An order of axes, and which of them are turned round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Axis k of the frame is this one of the volume.
    order: [usize; 3],
    flips: [bool; 3],
    /// The least and the greatest coordinates in the volume.
    low: [i64; 3],
    high: [i64; 3],
}

/// The six orders of axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Sums of products of coordinates, which are counted from the middle in half voxels.
#[derive(Default)]
struct Moments {
    first: [i128; 3],
    /// By pairs of axes.
    second: [[i128; 3]; 3],
    /// By triples of axes in ascending order.
    third: [[[i128; 3]; 3]; 3],
}

/// From so many runs on they are dealt to threads.
const MANY: usize = 1 << 13;

impl Moments {
    fn of(runs: &[Run], low: [i64; 3], high: [i64; 3]) -> Self {
        let middle = [0, 1, 2].map(|axis| low[axis] + high[axis]);
        let sum = |runs: &[Run]| {
            let mut all = Self::default();
            for run in runs {
                all.add(run, middle);
            }
            all
        };
        if runs.len() < MANY {
            return sum(runs);
        }
        let parts = runs.par_chunks(MANY).map(sum);
        parts.reduce(Self::default, Self::joined)
    }

    /// Adds those of a run.
    fn add(&mut self, run: &Run, middle: [i64; 3]) {
        let [x, y, z] = [run.start, run.y, run.z].map(|at| 2 * i128::from(at));
        let [a, b, c] = middle.map(i128::from);
        let powers = sums_of_powers(x - a, i128::from(run.end - run.start));
        let others = [1, y - b, z - c];
        let product = |axes: &[usize]| {
            let exponent = axes.iter().filter(|&&axis| axis == 0).count();
            axes.iter()
                .fold(powers[exponent], |value, &axis| value * others[axis])
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

    /// Those of two sets of voxels.
    fn joined(mut self, other: Self) -> Self {
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

    /// Those in a frame, in a fixed order.
    fn in_frame(&self, order: [usize; 3], flips: [bool; 3]) -> Vec<i128> {
        let sign = |axes: &[usize]| match axes.iter().filter(|&&axis| flips[axis]).count() % 2 {
            0 => 1,
            _ => -1,
        };
        let mut list = Vec::with_capacity(19);
        for (a, axis) in order.into_iter().enumerate() {
            list.push(sign(&[a]) * self.first[axis]);
        }
        for a in 0..3 {
            for b in a..3 {
                let mut axes = [order[a], order[b]];
                axes.sort_unstable();
                list.push(sign(&[a, b]) * self.second[axes[0]][axes[1]]);
            }
        }
        for a in 0..3 {
            for b in a..3 {
                for c in b..3 {
                    let mut axes = [order[a], order[b], order[c]];
                    axes.sort_unstable();
                    list.push(sign(&[a, b, c]) * self.third[axes[0]][axes[1]][axes[2]]);
                }
            }
        }
        list
    }
}

/// The sums of the powers 0 to 3 of some numbers, each 2 more than the one before.
fn sums_of_powers(first: i128, count: i128) -> [i128; 4] {
    // sums of the powers of 0, 1, 2 and so on
    let ones = count * (count - 1) / 2;
    let squares = ones * (2 * count - 1) / 3;
    let cubes = ones * ones;
    let square = first * first;
    [
        count,
        count * first + 2 * ones,
        count * square + 4 * (first * ones + squares),
        count * first * square + 2 * (3 * square * ones + 6 * first * squares + 4 * cubes),
    ]
}

impl Frame {
    /// The frame with the least metric, extents, and moments up to order 3; among those that are left, that of the least hash of its voxels. Where these are equal
    /// too the frames have the same voxels.
    pub fn of(runs: &[Run], metric: &Metric) -> Self {
        let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
        for run in runs {
            let [y, z] = [i64::from(run.y), i64::from(run.z)];
            for (axis, [first, last]) in [
                [i64::from(run.start), i64::from(run.end) - 1],
                [y, y],
                [z, z],
            ]
            .into_iter()
            .enumerate()
            {
                low[axis] = low[axis].min(first);
                high[axis] = high[axis].max(last);
            }
        }
        let frame = |order, flips| Self {
            order,
            flips,
            low,
            high,
        };
        let as_it_is = frame(ORDERS[0], [false; 3]);
        if let [run] = runs
            && run.voxels() == 1
        {
            return as_it_is;
        }
        let moments = Moments::of(runs, low, high);
        let mut best: Vec<(Vec<i128>, [f64; 6], Self)> = Vec::new();
        for order in ORDERS {
            for bits in 0..8 {
                let flips = [0, 1, 2].map(|axis| bits >> axis & 1 == 1);
                let candidate = frame(order, flips);
                let products = metric.in_frame(order, flips).products();
                let mut numbers: Vec<i128> = candidate.dims().map(i128::from).into();
                numbers.extend(moments.in_frame(order, flips));
                let order = match best.first() {
                    None => Ordering::Less,
                    Some((others, other, _)) => {
                        compare(&products, other).then_with(|| numbers.cmp(others))
                    }
                };
                if order == Ordering::Less {
                    best.clear();
                }
                if order != Ordering::Greater {
                    best.push((numbers, products, candidate));
                }
            }
        }
        let frames = best.into_iter().map(|(_, _, frame)| frame);
        let frames: Vec<Self> = frames.collect();
        match frames[..] {
            [one] => one,
            _ => frames
                .into_iter()
                .min_by_key(|frame| frame.hash(runs))
                .unwrap_or(as_it_is),
        }
    }

    /// A number that depends on the set of voxels in the frame only.
    fn hash(&self, runs: &[Run]) -> u64 {
        let of_run = |run: &Run| {
            (run.start..run.end).fold(0u64, |sum, x| {
                let [x, y, z] = self.inside([x.into(), run.y.into(), run.z.into()]);
                let key = (x as u64) ^ (y as u64) << 21 ^ (z as u64) << 42;
                // splitmix64's last steps
                let mut hash = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
                hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                sum.wrapping_add(hash ^ hash >> 31)
            })
        };
        let add = |sum: u64, run: &Run| sum.wrapping_add(of_run(run));
        if runs.len() < MANY {
            return runs.iter().fold(0, add);
        }
        let parts = runs.par_chunks(MANY).map(|runs| runs.iter().fold(0, add));
        parts.reduce(|| 0, u64::wrapping_add)
    }

    /// The metric in this frame.
    pub fn metric(&self, metric: &Metric) -> Metric {
        metric.in_frame(self.order, self.flips)
    }

    /// Voxels along the frame's axes.
    pub fn dims(&self) -> [i64; 3] {
        self.order.map(|axis| self.high[axis] - self.low[axis] + 1)
    }

    /// The axis of the frame that runs, which are along the volume's first axis, are along.
    pub fn axis_of_runs(&self) -> usize {
        self.order.iter().position(|&axis| axis == 0).unwrap_or(0)
    }

    /// The place in the frame of a voxel of the volume.
    pub fn inside(&self, voxel: [i64; 3]) -> [i32; 3] {
        [0, 1, 2].map(|axis| {
            let from = self.order[axis];
            let at = match self.flips[axis] {
                true => self.high[from] - voxel[from],
                false => voxel[from] - self.low[from],
            };
            at as i32
        })
    }

    /// The place in the volume of one in the frame.
    pub fn outside(&self, place: [f64; 3]) -> [f64; 3] {
        let mut outside = [0.0; 3];
        for ((from, flip), at) in self.order.into_iter().zip(self.flips).zip(place) {
            outside[from] = match flip {
                true => self.high[from] as f64 - at,
                false => self.low[from] as f64 + at,
            };
        }
        outside
    }
}

fn compare(a: &[f64; 6], b: &[f64; 6]) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs.fold(Ordering::Equal, |order, (a, b)| {
        order.then_with(|| a.total_cmp(b))
    })
}

#[cfg(test)]
impl Frame {
    /// That of the volume.
    pub fn plain(runs: &[Run]) -> Self {
        let mut frame = Self::of(runs, &Metric::of(&crate::grid::Geometry::default()).0);
        frame.order = ORDERS[0];
        frame.flips = [false; 3];
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, voxel by voxel.
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
    fn moments_of_runs_are_those_of_their_voxels() {
        let mut state = 3u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) % below) as u32
        };
        // near the origin and far from it; few runs, and so many that they are dealt out
        for (far, count) in [(0, 1), (0, 40), (1 << 29, 300), (7, 3 * MANY)] {
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
            let found = Moments::of(&runs, low, high).in_frame(ORDERS[0], [false; 3]);
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
        let found = Moments::of(&[run], [0; 3], [i64::from(most) - 1; 3]);
        assert_eq!(found.first[0], 0);
    }
}
