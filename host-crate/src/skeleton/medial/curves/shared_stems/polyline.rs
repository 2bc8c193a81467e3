//! Polylines with arc lengths.

use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    skeleton::medial::{
        context::ComponentContext,
        voxels::segment_voxels::{FixedPoint, to_fixed, to_voxels},
    },
};
use nalgebra::Vector3;

/// Polyline with arc lengths, in units of the smallest spacing.
pub struct Polyline {
    pub positions: Vec<FixedPoint>,
    world: Vec<Vector3<f64>>,
    /// Arc length up to each position.
    pub sums: Vec<f64>,
}

impl Polyline {
    /// Creates a polyline through some positions.
    pub fn new(context: &ComponentContext<'_>, positions: Vec<FixedPoint>) -> Self {
        let world: Vec<Vector3<f64>> = positions
            .iter()
            .map(|&position| context.metric.to_world(to_voxels(position)).into())
            .collect_or_unwind();
        let mut sums = vec![0.0];
        for ends in world.windows(2) {
            sums.push_or_unwind(sums[sums.len() - 1] + (ends[1] - ends[0]).norm());
        }
        Self {
            positions,
            world,
            sums,
        }
    }

    /// Returns the total length.
    pub fn length(&self) -> f64 {
        self.sums[self.sums.len() - 1]
    }

    /// Returns the segment at an arc length, and the fraction of the segment before it.
    fn segment(&self, along: f64) -> (usize, f64) {
        let after = self.sums.partition_point(|&sum| sum <= along);
        let segment = after.clamp(1, self.sums.len() - 1) - 1;
        let length = self.sums[segment + 1] - self.sums[segment];
        let part = (along - self.sums[segment]) / length.max(f64::MIN_POSITIVE);
        (segment, part.clamp(0.0, 1.0))
    }

    /// Returns the world position at an arc length.
    pub fn at(&self, along: f64) -> Vector3<f64> {
        let (segment, part) = self.segment(along);
        self.world[segment].lerp(&self.world[segment + 1], part)
    }

    /// Returns the distance of the nearest position between two arc lengths, and its arc length.
    pub fn nearest_between(&self, from: Vector3<f64>, low: f64, high: f64) -> (f64, f64) {
        let high = high.min(self.length());
        let mut best = (f64::INFINITY, low);
        for segment in self.segment(low).0..=self.segment(high).0 {
            let [a, b] = [self.world[segment], self.world[segment + 1]];
            let offset = b - a;
            let length = self.sums[segment + 1] - self.sums[segment];
            let part = (from - a).dot(&offset) / offset.norm_squared().max(f64::MIN_POSITIVE);
            let along = self.sums[segment] + part.clamp(0.0, 1.0) * length;
            let along = along.clamp(low, high);
            let distance = (self.at(along) - from).norm();
            if distance < best.0 {
                best = (distance, along);
            }
        }
        best
    }

    /// Splits the polyline at an arc length; the position there belongs to both parts.
    pub fn split_at(&self, along: f64) -> (Vec<FixedPoint>, Vec<FixedPoint>) {
        let (segment, part) = self.segment(along);
        let [a, b] = [segment, segment + 1].map(|at| to_voxels(self.positions[at]));
        let at = to_fixed([0, 1, 2].map(|axis| a[axis] + part * (b[axis] - a[axis])));
        let mut before = copy_or_unwind(&self.positions[..=segment]);
        if before[segment] != at {
            before.push_or_unwind(at);
        }
        let mut after = vec![at];
        let remainder = &self.positions[segment + 1..];
        after.extend_or_unwind(remainder[usize::from(remainder[0] == at)..].iter().copied());
        (before, after)
    }
}
