//! Floating-point squared distances, for spacings without a common integer unit.

use super::cost::{Axis, Cost, OutputSet};

/// Cost together with the position of its candidate.
#[derive(Clone, Copy)]
pub struct BestCandidate {
    cost: f64,
    position: u32,
}

impl Cost for f64 {
    type Best = BestCandidate;

    const IS_INTEGER: bool = false;

    const MAX: Self = f64::INFINITY;

    const NO_BEST: BestCandidate = BestCandidate {
        cost: f64::INFINITY,
        position: u32::MAX,
    };

    #[inline(always)]
    fn from_count(number: u32) -> Self {
        number as f64
    }

    #[inline(always)]
    fn squared(weight: Self, distance: u32) -> Self {
        let distance = distance as f64;
        distance * distance * weight
    }

    #[inline(always)]
    fn encode(_axis: &Axis<Self>, costs: [Self; 4], _position: u32, _in_chunk: u32) -> [Self; 4] {
        costs
    }

    /// Zero: the cost is not linearised, to keep rounding errors minimal.
    #[inline(always)]
    fn slope(_axis: &Axis<Self>, _output: u32) -> Self {
        0.0
    }

    #[inline(always)]
    fn step(_axis: &Axis<Self>, _spacing: u32) -> Self {
        0.0
    }

    #[inline(always)]
    fn compared<const F: usize>(
        axis: &Axis<Self>,
        outputs: &OutputSet<Self>,
        encoded: [Self; 2],
        position: u32,
    ) -> [[Self; F]; 2] {
        let mut values = [[0.0; F]; 2];
        let mut k = 0;
        while k < F {
            let output = outputs.output + k as u32 * outputs.spacing;
            values[0][k] = encoded[0] + Self::squared(axis.weight, position.abs_diff(output));
            values[1][k] = encoded[1] + Self::squared(axis.weight, (position + 1).abs_diff(output));
            k += 1;
        }
        values
    }

    #[inline(always)]
    fn update_best(best: BestCandidate, current: Self, next: Self, position: u32) -> BestCandidate {
        let (cost, position) = if next < current {
            (next, position + 1)
        } else {
            (current, position)
        };
        if cost < best.cost {
            BestCandidate { cost, position }
        } else {
            best
        }
    }

    /// Returns the start of the chunk if all costs are infinite.
    #[inline(always)]
    fn best_position(best: BestCandidate, start: u32) -> u32 {
        if best.position == u32::MAX {
            start
        } else {
            best.position
        }
    }

    #[inline(always)]
    fn without_position(self) -> Self {
        self
    }

    #[inline(always)]
    fn decode(compared_value: Self, _axis: &Axis<Self>, _output: u32) -> Self {
        compared_value
    }

    #[inline(always)]
    fn root(self, unit: f64) -> f32 {
        (unit * cuda_std::GpuFloat::sqrt(self)) as f32
    }

    #[inline(always)]
    fn small_root(self) -> f32 {
        self as f32
    }
}
