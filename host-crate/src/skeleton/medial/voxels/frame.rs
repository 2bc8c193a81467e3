//! Canonical frame of a component: an order and orientation of the axes that depends only on the
//! component, so that skeletons are equivariant under permutations and reflections of the grid's
//! axes.

use super::{
    moments::{MIN_PARALLEL_RUNS, Moments},
    runs::Run,
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind},
    parallel,
};
use std::{cmp::Ordering, ops::Range};

/// Permutation and reflection of the axes of the volume, with the origin at the corner of the
/// component's bounding box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Axis of the volume for each axis of the frame.
    order: [usize; 3],
    /// `true` for axes of the frame that are reflected.
    flips: [bool; 3],
    /// Smallest coordinates of the component in the volume.
    low: [i64; 3],
    /// Largest coordinates of the component in the volume.
    high: [i64; 3],
}

/// The six permutations of the axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

impl Frame {
    /// Selects the frame with the lexicographically smallest metric, extents and moments up to
    /// order 3; among equal ones, the frame with the smallest hash of its voxels. Frames with equal
    /// hashes contain the same voxels.
    ///
    /// Voxels are stored in words along the first axis and processed in parallel by planes across
    /// the third one: the axes of a component that is one voxel thick are, first of all, the
    /// longest one, the flat one and the other one, for few words and many planes.
    pub fn canonical(runs: &[Run], metric: &Metric) -> Self {
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
        let unpermuted = frame(ORDERS[0], [false; 3]);
        if let [run] = runs
            && run.voxels() == 1
        {
            return unpermuted;
        }
        let moments = Moments::new(runs, low, high);
        let mut best: Vec<(FrameKey, Self)> = Vec::new();
        for order in ORDERS {
            for bits in 0..8 {
                let flips = [0, 1, 2].map(|axis| bits >> axis & 1 == 1);
                let candidate = frame(order, flips);
                let extents = candidate.dims();
                let mut numbers: Vec<i128> = extents.map(i128::from).into();
                numbers.extend_or_unwind(moments.in_frame(order, flips));
                let key = FrameKey {
                    flat_order: if extents.contains(&1) {
                        [-extents[0], extents[1], extents[2]]
                    } else {
                        [0; 3]
                    },
                    products: metric.permute_axes(order, flips).products(),
                    numbers,
                };
                let order = best
                    .first()
                    .map_or(Ordering::Less, |(other, _)| key.compare(other));
                if order == Ordering::Less {
                    best.clear();
                }
                if order != Ordering::Greater {
                    best.push_or_unwind((key, candidate));
                }
            }
        }
        let frames = best.into_iter().map(|(_, frame)| frame);
        let frames: Vec<Self> = frames.collect_or_unwind();
        match frames[..] {
            [one] => one,
            _ => frames
                .into_iter()
                .min_by_key(|frame| frame.hash(runs))
                .unwrap_or(unpermuted),
        }
    }

    /// Returns a hash of the set of voxels in this frame.
    fn hash(&self, runs: &[Run]) -> u64 {
        let run_hash = |run: &Run| {
            (run.start..run.end).fold(0u64, |sum, x| {
                let [x, y, z] = self.frame_voxel([x.into(), run.y.into(), run.z.into()]);
                let key = (x as u64) ^ (y as u64) << 21 ^ (z as u64) << 42;
                // finaliser of splitmix64
                let mut hash = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
                hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                sum.wrapping_add(hash ^ hash >> 31)
            })
        };
        let add = |sum: u64, run: &Run| sum.wrapping_add(run_hash(run));
        let range_hash = |range: Range<usize>| runs[range].iter().fold(0, add);
        parallel::reduce(runs.len(), MIN_PARALLEL_RUNS, range_hash, u64::wrapping_add).unwrap_or(0)
    }

    /// Returns the metric in this frame.
    pub fn metric(&self, metric: &Metric) -> Metric {
        metric.permute_axes(self.order, self.flips)
    }

    /// Returns the number of voxels of the bounding box along the frame's axes.
    pub fn dims(&self) -> [i64; 3] {
        self.order.map(|axis| self.high[axis] - self.low[axis] + 1)
    }

    /// Returns the axis of the frame along which runs extend (the first axis of the volume).
    pub fn axis_of_runs(&self) -> usize {
        self.order.iter().position(|&axis| axis == 0).unwrap_or(0)
    }

    /// Converts a voxel of the volume to a voxel of the frame.
    pub fn frame_voxel(&self, voxel: [i64; 3]) -> [i32; 3] {
        [0, 1, 2].map(|axis| {
            let from = self.order[axis];
            let at = if self.flips[axis] {
                self.high[from] - voxel[from]
            } else {
                voxel[from] - self.low[from]
            };
            at as i32
        })
    }

    /// Converts a position in the frame, in voxels, to a position in the volume.
    pub fn volume_position(&self, position: [f64; 3]) -> [f64; 3] {
        let mut outside = [0.0; 3];
        for ((from, flip), at) in self.order.into_iter().zip(self.flips).zip(position) {
            outside[from] = if flip {
                self.high[from] as f64 - at
            } else {
                self.low[from] as f64 + at
            };
        }
        outside
    }
}

/// Numbers by which frames are compared.
struct FrameKey {
    /// Extents of a flat component: the first one negated, so that the longest comes first.
    flat_order: [i64; 3],
    /// Scalar products of the axes.
    products: [f64; 6],
    /// Extents and moments.
    numbers: Vec<i128>,
}

impl FrameKey {
    /// Compares two keys lexicographically.
    fn compare(&self, other: &Self) -> Ordering {
        let pairs = self.products.iter().zip(&other.products);
        let by_products = || {
            pairs.fold(Ordering::Equal, |order, (a, b)| {
                order.then_with(|| a.total_cmp(b))
            })
        };
        let by_extents = self.flat_order.cmp(&other.flat_order);
        by_extents
            .then_with(by_products)
            .then_with(|| self.numbers.cmp(&other.numbers))
    }
}

#[cfg(test)]
impl Frame {
    /// Returns the frame without permutation and reflection.
    pub fn unpermuted(runs: &[Run]) -> Self {
        let mut frame =
            Self::canonical(runs, &Metric::rounded(&crate::grid::Geometry::default()).0);
        frame.order = ORDERS[0];
        frame.flips = [false; 3];
        frame
    }
}
