//! Steps along the force.

use super::Sampler;
use nalgebra::{Point3, Vector3};

/// The shortest and the longest step, in voxels.
const STEPS: [f64; 2] = [0.05, 0.4];

/// The cosines of how much the direction may turn in a step: more, and it is made shorter; less, and the next is longer.
const TURNS: [f64; 2] = [0.94, 0.998];

/// A direction shorter than this is none: those around cancel.
const NONE: f64 = 1e-3;

/// A point on its way along the force.
pub struct Follow<'a> {
    sampler: &'a Sampler,
    /// Where it is.
    pub at: Point3<f64>,
    length: f64,
}

impl<'a> Follow<'a> {
    /// One that begins at a point.
    pub fn new(sampler: &'a Sampler, at: Point3<f64>) -> Self {
        Self {
            sampler,
            at,
            length: 0.2,
        }
    }

    /// The direction at a point, of length 1.
    fn direction(&self, at: &Point3<f64>) -> Option<Vector3<f64>> {
        self.sampler.direction(at)?.try_normalize(NONE)
    }

    /// Goes a step, by the Runge-Kutta method of fourth order; false if there is no direction.
    pub fn step(&mut self) -> bool {
        loop {
            let Some((to, turn)) = self.attempt(self.length) else {
                return false;
            };
            if turn < TURNS[0] && self.length > STEPS[0] {
                self.length = (0.5 * self.length).max(STEPS[0]);
                continue;
            }
            self.at = to;
            if turn > TURNS[1] {
                self.length = (1.5 * self.length).min(STEPS[1]);
            }
            return true;
        }
    }

    /// Where a step leads, and the cosine of how much the direction turns.
    fn attempt(&self, h: f64) -> Option<(Point3<f64>, f64)> {
        let first = self.direction(&self.at)?;
        let second = self.direction(&(self.at + 0.5 * h * first))?;
        let third = self.direction(&(self.at + 0.5 * h * second))?;
        let fourth = self.direction(&(self.at + h * third))?;
        let mean = (first + 2.0 * (second + third) + fourth) / 6.0;
        Some((self.at + h * mean, first.dot(&fourth)))
    }
}
