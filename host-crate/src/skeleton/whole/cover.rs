//! Which voxels a skeleton covers.

use super::{metric::Metric, object::Object};

/// The rule that says how far from its skeleton an object may reach; lengths in the smallest spacing.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub scale: f64,
    pub constant: f64,
}

impl Reach {
    /// How far a point with this radius covers.
    pub fn of(&self, radius: f64) -> f64 {
        self.scale * radius + self.constant
    }
}

/// Voxels of a component that lie in one of some balls.
pub struct Cover<'a> {
    object: &'a Object,
    metric: &'a Metric,
    is_covered: Vec<bool>,
    left: usize,
}

/// What rounding may take from a radius.
const SLACK: f64 = 1e-9;

impl<'a> Cover<'a> {
    pub fn new(object: &'a Object, metric: &'a Metric) -> Self {
        Self {
            object,
            metric,
            is_covered: vec![false; object.len()],
            left: object.len(),
        }
    }

    /// Voxels that are not covered.
    pub fn left(&self) -> usize {
        self.left
    }

    pub fn is_covered(&self, voxel: usize) -> bool {
        self.is_covered[voxel]
    }

    /// Covers the voxels of a ball. Its radius is in the smallest spacing.
    pub fn add(&mut self, [x, y, z]: [f64; 3], radius: f64) {
        if self.left == 0 {
            return;
        }
        let object = self.object;
        let u = self.metric.upper();
        let radius = radius * (1.0 + SLACK);
        let half = radius / u[2][2];
        let first = (z - half).ceil().max(0.0) as i32;
        let last = (z + half).floor().min(f64::from(object.planes() - 1)) as i32;
        for plane in first..=last {
            let dz = f64::from(plane) - z;
            let rest = radius * radius - (u[2][2] * dz).powi(2);
            let shift = u[1][2] * dz;
            let half = rest.max(0.0).sqrt();
            let low = (y + (-half - shift) / u[1][1]).ceil() as i32;
            let high = (y + (half - shift) / u[1][1]).floor() as i32;
            let is_covered = &mut self.is_covered;
            let left = &mut self.left;
            object.rows_between(plane, [low, high], |row_y, row| {
                let dy = f64::from(row_y) - y;
                let across = u[1][1] * dy + shift;
                let half = (rest - across * across).max(0.0).sqrt();
                let shift = u[0][1] * dy + u[0][2] * dz;
                let low = (x + (-half - shift) / u[0][0]).ceil() as i32;
                let high = (x + (half - shift) / u[0][0]).floor() as i32;
                for one in &mut is_covered[object.part(row, low, high)] {
                    *left -= usize::from(!*one);
                    *one = true;
                }
            });
        }
    }
}
