//! Cheapest ways from a root to every voxel of a component (Dijkstra 1959), where the middle is cheap (as in TEASAR, Sato et al. 2000).

use super::{
    known::Known,
    metric::Metric,
    neighbours::{AROUND, OFFSETS},
    object::Object,
    radix_heap::RadixHeap,
};
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
    pub fn from_root(object: &Object, metric: &Metric, prices: &[f64], root: usize) -> Self {
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
            ways.order.push(voxel as u32);
            for (bit, other) in object.neighbours(voxel, AROUND) {
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
        ways
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
    let price = |steps: u32, square: f64| {
        let steps = f64::from(steps) * f64::from(steps) * square;
        1.0 / (steps * steps)
    };
    let square = metric.square(0);
    for run in object.runs() {
        let count = run.len() as u32;
        for (at, sum) in (0..count).zip(&mut prices[run]) {
            *sum += price(at + 1, square);
            *sum += price(count - at, square);
        }
    }
    let mut steps = vec![0u32; object.len()];
    for (axis, [ahead, back]) in [(1, [5, 3]), (2, [7, 1])] {
        let square = metric.square(axis);
        let mut add = |row: usize, way: usize| {
            let voxels = object.voxels_of(row);
            steps[voxels.clone()].fill(1);
            object.pairs(row, way, |here, there, count| {
                for at in 0..count {
                    steps[here + at] = steps[there + at] + 1;
                }
            });
            for (sum, &steps) in prices[voxels.clone()].iter_mut().zip(&steps[voxels]) {
                *sum += price(steps, square);
            }
        };
        (0..object.rows()).for_each(|row| add(row, back));
        (0..object.rows()).rev().for_each(|row| add(row, ahead));
    }
    prices
}

/// The cheapest way from a voxel to the first that is a goal, with both; only the voxel if there is none.
pub fn cheapest(known: &Known<'_>, from: usize, is_goal: impl Fn(usize) -> bool) -> Vec<u32> {
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
    while let Some(Reverse((key, voxel))) = queue.pop() {
        let cost = f64::from_bits(key);
        if places.get(&voxel).is_some_and(|&(known, _)| known < cost) {
            continue;
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
            return way;
        }
        for (bit, other) in object.neighbours(here, AROUND) {
            let next = cost + 0.5 * steps[bit] * (prices[here] + prices[other]);
            let best = places.entry(other as u32).or_insert((f64::INFINITY, voxel));
            if next < best.0 {
                *best = (next, voxel);
                queue.push(Reverse((next.to_bits(), other as u32)));
            }
        }
    }
    vec![from as u32]
}

/// A voxel at an extremity: the last that is reached from the one that is farthest from the middle of all.
pub fn tip(object: &Object, metric: &Metric) -> usize {
    let count = object.len() as f64;
    let mut sum = [0i64; 3];
    for row in 0..object.rows() {
        let voxels = object.voxels_of(row).len() as i64;
        let [y, z] = object.row_place(row).map(i64::from);
        let of_run = |[start, end]: [i32; 2]| i64::from(end - start) * i64::from(start + end - 1);
        let twice: i64 = object.runs_of(row).map(of_run).sum();
        for (sum, more) in sum.iter_mut().zip([twice / 2, voxels * y, voxels * z]) {
            *sum += more;
        }
    }
    let middle = sum.map(|sum| sum as f64 / count);
    let far = farthest(object, metric, middle, object.ends_of_rows());
    let mut is_found = vec![false; object.len()];
    let (mut front, mut last) = (vec![far as u32], Vec::new());
    is_found[far] = true;
    while !front.is_empty() {
        let mut next = Vec::new();
        for &voxel in &front {
            let voxel = voxel as usize;
            for (_, other) in object.neighbours(voxel, AROUND) {
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
        let at = object.place(voxel as usize);
        let square = metric.squared_length([0, 1, 2].map(|axis| f64::from(at[axis]) - from[axis]));
        if square > best.0 {
            best = (square, voxel as usize);
        }
    }
    best.1
}
