//! Cheapest ways from a root to every voxel of a component (Dijkstra 1959), where the middle is cheap (as in TEASAR, Sato et al. 2000).

use super::{
    known::Known,
    metric::Metric,
    neighbours::{AROUND, OFFSETS},
    object::Object,
    radix_heap::RadixHeap,
    steps::{PORTION, Stage, Steps},
};
use crate::monitor::Cancelled;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// Cheapest ways.
pub struct Ways {
    reached: Vec<Reached>,
    /// For each voxel the bit of the way to the one before it; 13 for the root.
    back: Vec<u8>,
    /// The voxels in the order of their costs.
    pub order: Vec<u32>,
    /// The lengths of steps.
    steps: [f64; 27],
}

/// What is known of a voxel, together since it is asked for together.
#[derive(Clone, Copy)]
struct Reached {
    cost: f64,
    price: f32,
    length: f32,
}

/// The bit of the voxel itself.
const ROOT: u8 = 13;

impl Ways {
    /// Those from a root. A step costs its length by the mean of the prices of its ends.
    pub fn from_root(
        object: &Object,
        metric: &Metric,
        prices: &[f64],
        root: usize,
        steps: &Steps<'_>,
    ) -> Result<Self, Cancelled> {
        let unknown = |&price: &f64| Reached {
            cost: f64::INFINITY,
            price: price as f32,
            length: 0.0,
        };
        let mut ways = Self {
            reached: prices.iter().map(unknown).collect(),
            back: vec![ROOT; object.len()],
            order: Vec::with_capacity(object.len()),
            steps: OFFSETS.map(|step| metric.length(step.map(f64::from))),
        };
        let mut queue = RadixHeap::default();
        ways.reached[root].cost = 0.0;
        queue.push(0, root as u32);
        while let Some((key, voxel)) = queue.pop() {
            let voxel = voxel as usize;
            let Reached {
                cost,
                price,
                length,
            } = ways.reached[voxel];
            // positive numbers are in the order of their bits
            if key > cost.to_bits() {
                continue;
            }
            steps.every(Stage::Ways, ways.order.len(), object.len())?;
            ways.order.push(voxel as u32);
            for (bit, other) in object.neighbours(voxel, object.around[voxel] & AROUND) {
                let there = &mut ways.reached[other];
                if there.cost <= cost {
                    continue;
                }
                let step = ways.steps[bit];
                let next = cost + step_cost(step, price, there.price);
                if next < there.cost {
                    there.cost = next;
                    there.length = length + step as f32;
                    ways.back[other] = 26 - bit as u8;
                    queue.push(next.to_bits(), other as u32);
                }
            }
        }
        steps.done(Stage::Ways)?;
        Ok(ways)
    }

    /// The bit of the way to the voxel before one; none for the root.
    #[inline(always)]
    pub fn back(&self, voxel: usize) -> Option<usize> {
        let bit = self.back[voxel];
        (bit != ROOT).then_some(bit.into())
    }

    /// How long the way from the root is, in the smallest spacing.
    #[inline(always)]
    pub fn length(&self, voxel: usize) -> f32 {
        self.reached[voxel].length
    }

    /// What the way from the root to two voxels that touch and the step between them cost together.
    pub fn cost_round(&self, from: usize, to: usize, bit: usize) -> f64 {
        let [from, to] = [from, to].map(|voxel| self.reached[voxel]);
        from.cost + step_cost(self.steps[bit], from.price, to.price) + to.cost
    }
}

/// What a step between voxels of two prices costs.
#[inline(always)]
fn step_cost(length: f64, one: f32, other: f32) -> f64 {
    0.5 * length * (f64::from(one) + f64::from(other))
}

/// What a unit of length costs at each voxel: the fourth power of the reciprocal distance to the nearest voxel outside, and those of the distances along the axes in
/// both directions, which tell voxels of one distance apart.
pub fn prices(object: &Object, metric: &Metric, squares: &[f64]) -> Vec<f64> {
    let mut prices: Vec<f64> = squares
        .iter()
        .map(|square| 1.0 / (square * square))
        .collect();
    let mut steps = vec![0u32; object.len()];
    for (axis, (ahead, back)) in [(14, 12), (16, 10), (22, 4)].into_iter().enumerate() {
        let square = metric.square(axis);
        let price = |steps: u32| {
            let steps = f64::from(steps) * f64::from(steps) * square;
            1.0 / (steps * steps)
        };
        for voxel in 0..object.len() {
            steps[voxel] = match object.around[voxel] >> back & 1 {
                1 => steps[object.neighbour(voxel, back)] + 1,
                _ => 1,
            };
            prices[voxel] += price(steps[voxel]);
        }
        for voxel in (0..object.len()).rev() {
            steps[voxel] = match object.around[voxel] >> ahead & 1 {
                1 => steps[object.neighbour(voxel, ahead)] + 1,
                _ => 1,
            };
            prices[voxel] += price(steps[voxel]);
        }
    }
    prices
}

/// The cheapest way from a voxel to the first that is a goal, with both; only the voxel if there is none.
pub fn cheapest(
    known: &Known<'_>,
    from: usize,
    is_goal: impl Fn(usize) -> bool,
) -> Result<Vec<u32>, Cancelled> {
    let Known {
        object,
        metric,
        prices,
        ..
    } = *known;
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    let mut places: HashMap<u32, (f64, u32)> = HashMap::new();
    let mut queue = BinaryHeap::new();
    places.insert(from as u32, (0.0, from as u32));
    queue.push(Reverse((0u64, from as u32)));
    let mut looked_at = 0usize;
    while let Some(Reverse((key, voxel))) = queue.pop() {
        let cost = f64::from_bits(key);
        if places.get(&voxel).is_some_and(|&(known, _)| known < cost) {
            continue;
        }
        looked_at += 1;
        if looked_at.is_multiple_of(PORTION) {
            known.steps.check()?;
        }
        let here = voxel as usize;
        if is_goal(here) {
            let mut way = vec![voxel];
            let mut at = voxel;
            while let Some(&(_, before)) = places.get(&at)
                && before != at
            {
                way.push(before);
                at = before;
            }
            way.reverse();
            return Ok(way);
        }
        for (bit, other) in object.neighbours(here, object.around[here] & AROUND) {
            let next = cost + 0.5 * steps[bit] * (prices[here] + prices[other]);
            let best = places.entry(other as u32).or_insert((f64::INFINITY, voxel));
            if next < best.0 {
                *best = (next, voxel);
                queue.push(Reverse((next.to_bits(), other as u32)));
            }
        }
    }
    Ok(vec![from as u32])
}

/// A voxel at an extremity: the last that is reached from the one that is farthest from the middle of all.
pub fn tip(object: &Object, metric: &Metric) -> usize {
    let count = object.len() as f64;
    let mut sum = [0i64; 3];
    for voxel in &object.voxels {
        for axis in 0..3 {
            sum[axis] += i64::from(voxel[axis]);
        }
    }
    let middle = sum.map(|sum| sum as f64 / count);
    let far = farthest(object, metric, middle, 0..object.len() as u32);
    let mut is_found = vec![false; object.len()];
    let (mut front, mut last) = (vec![far as u32], Vec::new());
    is_found[far] = true;
    while !front.is_empty() {
        let mut next = Vec::new();
        for &voxel in &front {
            let voxel = voxel as usize;
            for (_, other) in object.neighbours(voxel, object.around[voxel] & AROUND) {
                if !is_found[other] {
                    is_found[other] = true;
                    next.push(other as u32);
                }
            }
        }
        last = std::mem::replace(&mut front, next);
    }
    last.sort_unstable();
    farthest(object, metric, middle, last.into_iter())
}

/// The first of the voxels that are farthest from a place.
pub fn farthest(
    object: &Object,
    metric: &Metric,
    from: [f64; 3],
    voxels: impl Iterator<Item = u32>,
) -> usize {
    let mut best = (-1.0, 0);
    for voxel in voxels {
        let at = object.voxels[voxel as usize];
        let square = metric.squared_length([0, 1, 2].map(|axis| f64::from(at[axis]) - from[axis]));
        if square > best.0 {
            best = (square, voxel as usize);
        }
    }
    best.1
}
