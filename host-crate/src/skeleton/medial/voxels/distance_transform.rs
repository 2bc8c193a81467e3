//! The distance of each voxel of a component to the nearest voxel that is not of it.
//!
//! Lines of voxels end where the component ends, and what is beyond their ends is farther than the
//! ends. So the parabolas of a line (Felzenszwalb and Huttenlocher 2012) are those of its own
//! voxels and of its two ends, and work is linear in the voxels.

use super::{
    neighbour_bits::{AROUND, OFFSETS, bits},
    object::Object,
};
use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::{Stage, Steps},
};
use std::collections::VecDeque;

/// Squared distances between centres, in squares of the smallest spacing. Exact for axes at right
/// angles.
///
/// Other axes have no separable distances: nearest voxels are then handed on from neighbour to
/// neighbour, which is exact but for rare voxels, where it is too far by a small part of a voxel.
pub fn squares(object: &Object, metric: &Metric, steps: &Steps<'_>) -> Result<Vec<f64>, Cancelled> {
    if !metric.is_diagonal() {
        return handed_on(object, metric, steps);
    }
    let mut squares = zeroed_or_unwind(object.len());
    let weight = metric.square(0);
    for run in object.runs() {
        let count = run.len();
        for (at, square) in squares[run].iter_mut().enumerate() {
            let steps = (at + 1).min(count - at) as f64;
            *square = weight * steps * steps;
        }
    }
    let mut line = Line {
        // then all are whole numbers
        is_exact: (0..3).all(|axis| metric.square(axis) == 1.0),
        ..Line::default()
    };
    for (axis, [ahead, back]) in [(1, [16, 10]), (2, [22, 4])] {
        let weight = metric.square(axis);
        for voxel in object.ends(back) {
            steps.every(
                Stage::Distances,
                axis * object.len() + voxel,
                3 * object.len(),
            )?;
            line.voxels.clear();
            let voxels = object.line(voxel, ahead);
            line.voxels
                .extend_or_unwind(voxels.map(|voxel| voxel as u32));
            if line.voxels.len() == 1 {
                squares[voxel] = squares[voxel].min(weight);
            } else {
                line.minimise(weight, &mut squares);
            }
        }
    }
    steps.done(Stage::Distances)?;
    Ok(squares)
}

/// What a line needs.
#[derive(Default)]
struct Line {
    voxels: Vec<u32>,
    values: Vec<f64>,
    /// Whether no value is rounded.
    is_exact: bool,
    /// Parabolas of the lower envelope, and from where on each is the lowest.
    lowest: Vec<(usize, f64)>,
}

impl Line {
    /// Replaces the values of the line's voxels by the least of the parabolas over them.
    fn minimise(&mut self, weight: f64, squares: &mut [f64]) {
        self.values.clear();
        self.values.push_or_unwind(0.0);
        let values = self.voxels.iter().map(|&voxel| squares[voxel as usize]);
        self.values.extend_or_unwind(values);
        self.values.push_or_unwind(0.0);
        if self.is_exact {
            self.by_parabolas(weight, squares);
        } else {
            self.by_steps(weight, squares);
        }
    }

    /// Looks at all values that may be the least: where values are rounded, parabolas that meet
    /// nearly at a voxel would give one or the other.
    fn by_steps(&self, weight: f64, squares: &mut [f64]) {
        for (at, &voxel) in (1..).zip(&self.voxels) {
            let mut best = self.values[at];
            for steps in 1..self.values.len() {
                let far = weight * steps as f64 * steps as f64;
                if far >= best {
                    break;
                }
                if let Some(value) = self.values.get(at + steps) {
                    best = best.min(value + far);
                }
                if let Some(before) = at.checked_sub(steps) {
                    best = best.min(self.values[before] + far);
                }
            }
            squares[voxel as usize] = best;
        }
    }

    fn by_parabolas(&mut self, weight: f64, squares: &mut [f64]) {
        let count = self.voxels.len();
        self.lowest.clear();
        self.lowest.push_or_unwind((0, f64::NEG_INFINITY));
        for at in 1..count + 2 {
            loop {
                let (other, from) = self.lowest[self.lowest.len() - 1];
                let (p, q) = (at as f64, other as f64);
                let meet = ((self.values[at] - self.values[other]) / weight + p * p - q * q)
                    / (2.0 * (p - q));
                if meet > from {
                    self.lowest.push_or_unwind((at, meet));
                    break;
                }
                // the first begins at minus infinity
                self.lowest.pop();
            }
        }
        let mut part = 0;
        for (at, &voxel) in (1..).zip(&self.voxels) {
            while part + 1 < self.lowest.len() && self.lowest[part + 1].1 < f64::from(at) {
                part += 1;
            }
            let (apex, _) = self.lowest[part];
            let steps = f64::from(at) - apex as f64;
            squares[voxel as usize] = self.values[apex] + weight * steps * steps;
        }
    }
}

/// The nearest voxels outside are handed on for as long as that makes a distance shorter.
fn handed_on(object: &Object, metric: &Metric, steps: &Steps<'_>) -> Result<Vec<f64>, Cancelled> {
    let mut ways = zeroed_or_unwind::<[i32; 3]>(object.len());
    let mut squares = filled_or_unwind(f64::INFINITY, object.len());
    let mut waiting = VecDeque::new();
    let mut is_waiting = zeroed_or_unwind::<bool>(object.len());
    let square = |way: [i32; 3]| metric.squared_length(way.map(f64::from));
    for voxel in 0..object.len() {
        for bit in bits(!object.around(voxel) & AROUND) {
            let found = square(OFFSETS[bit]);
            if found < squares[voxel] {
                squares[voxel] = found;
                ways[voxel] = OFFSETS[bit];
            }
        }
        if squares[voxel].is_finite() {
            waiting.push_or_unwind(voxel);
            is_waiting[voxel] = true;
        }
    }
    let mut looked_at = 0;
    while let Some(voxel) = waiting.pop_front() {
        looked_at += 1;
        steps.every(Stage::Distances, looked_at, 2 * object.len())?;
        is_waiting[voxel] = false;
        for (bit, other) in object.neighbours(voxel, AROUND) {
            let step = OFFSETS[bit];
            let way = [0, 1, 2].map(|axis| ways[voxel][axis] - step[axis]);
            let found = square(way);
            if found < squares[other] {
                squares[other] = found;
                ways[other] = way;
                if !is_waiting[other] {
                    is_waiting[other] = true;
                    waiting.push_or_unwind(other);
                }
            }
        }
    }
    steps.done(Stage::Distances)?;
    Ok(squares)
}
