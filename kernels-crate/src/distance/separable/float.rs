//! Squared distances in floating point, for spacings that allow no integers.

use super::cost::{Axis, Cost, Fan};

/// A cost in floating point, and its place.
#[derive(Clone, Copy)]
pub struct CostAt {
    cost: f64,
    place: u32,
}

impl Cost for f64 {
    type Best = CostAt;

    const IS_WHOLE: bool = false;

    const MOST: Self = f64::INFINITY;

    const NO_BEST: CostAt = CostAt {
        cost: f64::INFINITY,
        place: u32::MAX,
    };

    #[inline(always)]
    fn of(number: u32) -> Self {
        number as f64
    }

    #[inline(always)]
    fn squared(weight: Self, distance: u32) -> Self {
        let distance = distance as f64;
        distance * distance * weight
    }

    #[inline(always)]
    fn stored(_axis: &Axis<Self>, costs: [Self; 4], _place: u32, _in_chunk: u32) -> [Self; 4] {
        costs
    }

    /// Nothing: the cost is computed as it is, so that it is rounded as little as can be.
    #[inline(always)]
    fn slope(_axis: &Axis<Self>, _output: u32) -> Self {
        0.0
    }

    #[inline(always)]
    fn step(_axis: &Axis<Self>, _apart: u32) -> Self {
        0.0
    }

    #[inline(always)]
    fn along<const F: usize>(
        axis: &Axis<Self>,
        fan: &Fan<Self>,
        stored: [Self; 2],
        place: u32,
    ) -> [[Self; F]; 2] {
        let mut values = [[0.0; F]; 2];
        let mut k = 0;
        while k < F {
            let output = fan.output + k as u32 * fan.apart;
            values[0][k] = stored[0] + Self::squared(axis.weight, place.abs_diff(output));
            values[1][k] = stored[1] + Self::squared(axis.weight, (place + 1).abs_diff(output));
            k += 1;
        }
        values
    }

    #[inline(always)]
    fn better(best: CostAt, here: Self, next: Self, place: u32) -> CostAt {
        let (cost, place) = if next < here {
            (next, place + 1)
        } else {
            (here, place)
        };
        if cost < best.cost {
            CostAt { cost, place }
        } else {
            best
        }
    }

    /// The chunk's first where all costs are infinite.
    #[inline(always)]
    fn best_place(best: CostAt, start: u32) -> u32 {
        if best.place == u32::MAX {
            start
        } else {
            best.place
        }
    }

    #[inline(always)]
    fn without_place(self) -> Self {
        self
    }

    #[inline(always)]
    fn cost(least: Self, _axis: &Axis<Self>, _output: u32) -> Self {
        least
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
