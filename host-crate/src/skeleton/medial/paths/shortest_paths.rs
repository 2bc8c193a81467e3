//! Cheapest ways from a root to every voxel of a component (Dijkstra 1959), where the middle is
//! cheap (as in TEASAR, Sato et al. 2000).

use super::radix_heap::RadixHeap;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        progress::{ComponentProgress, REPORT_INTERVAL, Stage},
        voxels::{
            neighbour_bits::{NEIGHBOURS, OFFSETS},
            object::Object,
        },
    },
};
use ferrovox_kernels::skeleton::geodesics::extend_path_cost;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Cheapest ways.
#[cfg_attr(test, derive(PartialEq))]
pub struct ShortestPaths {
    /// For each voxel the bit of the way to the one before it: of several the first; 13 for the
    /// root.
    predecessors: Vec<u8>,
    /// For each voxel the length of the way to it, in parts of the smallest spacing.
    lengths: Vec<u32>,
    /// What each way costs. May be empty where no one asks for them.
    costs: Vec<f64>,
    /// Half of the lengths of steps.
    half_step_lengths: [f64; 27],
}

/// What is measured of each voxel before there are ways.
#[cfg_attr(test, derive(PartialEq))]
pub struct DistancesAndWeights {
    /// The squared distance to the nearest voxel that is not of the component, in squares of the
    /// smallest spacing.
    pub squared_distances: Vec<f64>,
    /// What a unit of length costs.
    pub edge_weights: Vec<f32>,
}

impl DistancesAndWeights {
    /// The prices that follow from squared distances.
    pub fn new(object: &Object, metric: &Metric, squared_distances: Vec<f64>) -> Self {
        let edge_weights = edge_weights(object, metric, &squared_distances);
        Self {
            squared_distances,
            edge_weights,
        }
    }
}

/// What is known of a voxel, together since it is asked for together.
#[derive(Clone, Copy)]
struct VoxelState {
    cost: f64,
    edge_weight: f32,
    length: u32,
}

/// The bit of the voxel itself.
const ROOT: u8 = 13;

/// Parts of the smallest spacing that lengths are counted in: whole numbers, whose sums do not
/// depend on their order.
const UNITS: f64 = 256.0;

impl ShortestPaths {
    /// Those from a root. A step costs its length by the mean of the prices of its ends.
    pub fn from_root(
        object: &Object,
        metric: &Metric,
        edge_weights: &[f32],
        root: usize,
        with_costs: bool,
        progress: &ComponentProgress<'_>,
    ) -> Result<Self, Cancelled> {
        let unknown = |&edge_weight: &f32| VoxelState {
            cost: f64::INFINITY,
            edge_weight,
            length: 0,
        };
        let mut states: Vec<VoxelState> = edge_weights.iter().map(unknown).collect_or_unwind();
        let mut predecessors = filled_or_unwind(ROOT, object.len());
        let half_step_lengths = half_step_lengths(metric);
        let lengths = step_lengths_in_units(metric);
        let mut queue = RadixHeap::default();
        states[root].cost = 0.0;
        queue.push(0, root as u32);
        let mut count = 0;
        while let Some((key, voxel)) = queue.pop() {
            let voxel = voxel as usize;
            let VoxelState {
                cost,
                edge_weight,
                length,
            } = states[voxel];
            // positive numbers are in the order of their bits
            if key > cost.to_bits() {
                continue;
            }
            progress.report_every(Stage::Paths, count, object.len())?;
            count += 1;
            for (bit, other) in object.neighbours(voxel, NEIGHBOURS) {
                let there = &mut states[other];
                if there.cost <= cost {
                    continue;
                }
                let next =
                    extended_cost(cost, half_step_lengths[bit], edge_weight, there.edge_weight);
                let predecessor = 26 - bit as u8;
                let is_less = next < there.cost;
                if is_less || (next == there.cost && predecessor < predecessors[other]) {
                    there.cost = next;
                    there.length = length.wrapping_add(lengths[bit]);
                    predecessors[other] = predecessor;
                    if is_less {
                        queue.push(next.to_bits(), other as u32);
                    }
                }
            }
        }
        let lengths = states.iter().map(|state| state.length).collect_or_unwind();
        let costs = if with_costs {
            states.iter().map(|state| state.cost).collect_or_unwind()
        } else {
            Vec::new()
        };
        progress.finish_stage(Stage::Paths)?;
        Ok(Self {
            predecessors,
            lengths,
            costs,
            half_step_lengths,
        })
    }

    /// Those that were found elsewhere.
    pub fn from_parts(
        metric: &Metric,
        predecessors: Vec<u8>,
        lengths: Vec<u32>,
        costs: Vec<f64>,
    ) -> Self {
        Self {
            predecessors,
            lengths,
            costs,
            half_step_lengths: half_step_lengths(metric),
        }
    }

    /// Calls `visit` with each voxel but the root, the one before it and the bit of the way back to
    /// that, which is visited first.
    pub fn visit_from_root(&self, object: &Object, mut visit: impl FnMut(usize, usize, usize)) {
        let mut is_done = zeroed_or_unwind::<bool>(self.predecessors.len());
        let mut path = Vec::new();
        for voxel in 0..self.predecessors.len() {
            let mut at = voxel;
            while !is_done[at] {
                is_done[at] = true;
                let Some(bit) = self.predecessor_bit(at) else {
                    break;
                };
                let before = object.neighbour(at, bit);
                path.push_or_unwind((at, before, bit));
                at = before;
            }
            while let Some((at, before, bit)) = path.pop() {
                visit(at, before, bit);
            }
        }
    }

    /// The bit of the way to the voxel before one; none for the root.
    #[inline(always)]
    pub fn predecessor_bit(&self, voxel: usize) -> Option<usize> {
        let bit = self.predecessors[voxel];
        (bit != ROOT).then_some(bit.into())
    }

    /// How long the way from the root is, in the smallest spacing.
    #[inline(always)]
    pub fn length(&self, voxel: usize) -> f64 {
        f64::from(self.lengths[voxel]) / UNITS
    }

    /// The same in parts, for comparisons.
    #[inline(always)]
    pub fn length_units(&self, voxel: usize) -> u32 {
        self.lengths[voxel]
    }

    /// What the way from the root to two voxels that touch and the step between them cost together,
    /// where these have such prices. Not without costs.
    pub fn cycle_cost(&self, edge_weights: &[f32], from: usize, to: usize, bit: usize) -> f64 {
        extended_cost(
            self.costs[from],
            self.half_step_lengths[bit],
            edge_weights[from],
            edge_weights[to],
        ) + self.costs[to]
    }
}

/// What a way costs that goes on from another by a step between voxels of two prices, of which half
/// the length is known.
#[inline(always)]
fn extended_cost(cost: f64, half: f64, one: f32, other: f32) -> f64 {
    extend_path_cost(cost, half, f64::from(one) + f64::from(other))
}

/// Half of the lengths of steps.
pub fn half_step_lengths(metric: &Metric) -> [f64; 27] {
    OFFSETS.map(|step| 0.5 * metric.length(step.map(f64::from)))
}

/// The lengths of steps as whole numbers.
pub fn step_lengths_in_units(metric: &Metric) -> [u32; 27] {
    OFFSETS.map(|step| (UNITS * metric.length(step.map(f64::from))).round() as u32)
}

/// What a unit of length costs at each voxel: the fourth power of the reciprocal distance to the
/// nearest voxel outside, and those of the distances along the axes in both directions, which tell
/// voxels of one distance apart.
fn edge_weights(object: &Object, metric: &Metric, squared_distances: &[f64]) -> Vec<f32> {
    let mut sums = zeroed_or_unwind::<f64>(object.len());
    let square = metric.square(0);
    for run in object.x_runs() {
        let count = run.len() as u32;
        for (at, sum) in (0..count).zip(&mut sums[run]) {
            *sum += axis_weight(at + 1, square);
            *sum += axis_weight(count - at, square);
        }
    }
    let mut steps = zeroed_or_unwind::<u32>(object.len());
    for (axis, [ahead, back]) in [(1, [5, 3]), (2, [7, 1])] {
        let square = metric.square(axis);
        let mut add = |row: usize, direction: usize| {
            let voxels = object.row_voxels(row);
            steps[voxels.clone()].fill(1);
            object.row_overlaps(row, direction, |here, there, count| {
                for at in 0..count {
                    steps[here + at] = steps[there + at] + 1;
                }
            });
            for (sum, &steps) in sums[voxels.clone()].iter_mut().zip(&steps[voxels]) {
                *sum += axis_weight(steps, square);
            }
        };
        (0..object.row_count()).for_each(|row| add(row, back));
        (0..object.row_count())
            .rev()
            .for_each(|row| add(row, ahead));
    }
    let pairs = sums.iter().zip(squared_distances);
    pairs
        .map(|(sum, square)| (sum + 1.0 / (square * square)) as f32)
        .collect_or_unwind()
}

/// The price of so many steps out of a component along an axis whose squared spacing is `square`.
fn axis_weight(steps: u32, square: f64) -> f64 {
    let steps = f64::from(steps) * f64::from(steps) * square;
    1.0 / (steps * steps)
}

/// The cheapest way from a voxel to the first that is a goal, with both; only the voxel if there is
/// none.
pub fn shortest_path_to(
    context: &ComponentContext<'_>,
    from: usize,
    is_goal: impl Fn(usize) -> bool,
) -> Result<Vec<u32>, Cancelled> {
    let ComponentContext {
        object,
        metric,
        edge_weights,
        ..
    } = *context;
    let half_step_lengths = half_step_lengths(metric);
    // for each voxel what the way there costs, and one more than the voxel before; 0 if it is not
    // reached. Pages that are not asked for take no memory
    let mut states = filled_or_unwind((0.0, 0u32), object.len());
    let mut queue = BinaryHeap::new();
    states[from] = (0.0, from as u32 + 1);
    queue.push_or_unwind(Reverse((0u64, from as u32)));
    let mut visited = 0usize;
    while let Some(Reverse((key, voxel))) = queue.pop() {
        let cost = f64::from_bits(key);
        if states[voxel as usize].0 < cost {
            continue;
        }
        visited += 1;
        if visited.is_multiple_of(REPORT_INTERVAL) {
            context.progress.check()?;
        }
        let here = voxel as usize;
        if is_goal(here) {
            let mut path = vec![voxel];
            let mut at = voxel;
            while at as usize != from {
                at = states[at as usize].1 - 1;
                path.push_or_unwind(at);
            }
            path.reverse();
            return Ok(path);
        }
        for (bit, other) in object.neighbours(here, NEIGHBOURS) {
            let best = &mut states[other];
            // a way there is not less than to here
            if best.1 != 0 && best.0 <= cost {
                continue;
            }
            let next = extended_cost(
                cost,
                half_step_lengths[bit],
                edge_weights[here],
                edge_weights[other],
            );
            if best.1 == 0 || next < best.0 {
                *best = (next, voxel + 1);
                queue.push_or_unwind(Reverse((next.to_bits(), other as u32)));
            }
        }
    }
    Ok(vec![from as u32])
}

/// A voxel at an extremity: that which is farthest from the middle of all.
pub fn extremal_voxel(object: &Object, metric: &Metric) -> usize {
    let count = object.len() as f64;
    let mut sum = [0i64; 3];
    for row in 0..object.row_count() {
        let voxels = object.row_voxels(row).len() as i64;
        let [y, z] = object.row_position(row).map(i64::from);
        let run_sum = |[start, end]: [i32; 2]| i64::from(end - start) * i64::from(start + end - 1);
        let runs = object.row_runs(row, |word| object.words()[word].bits);
        let twice: i64 = runs.map(run_sum).sum();
        for (sum, more) in sum.iter_mut().zip([twice / 2, voxels * y, voxels * z]) {
            *sum += more;
        }
    }
    let middle = sum.map(|sum| sum as f64 / count);
    farthest_voxel(object, metric, middle, object.row_endpoints())
}

/// The first of the voxels that are farthest from a place.
pub fn farthest_voxel(
    object: &Object,
    metric: &Metric,
    from: [f64; 3],
    voxels: impl Iterator<Item = u32>,
) -> usize {
    let mut best = (-1.0, 0);
    for voxel in voxels {
        let at = object.position(voxel as usize);
        let square = metric.squared_length([0, 1, 2].map(|axis| f64::from(at[axis]) - from[axis]));
        if square > best.0 {
            best = (square, voxel as usize);
        }
    }
    best.1
}
