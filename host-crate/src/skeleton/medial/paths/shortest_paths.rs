//! Shortest paths from a root to every voxel of a component (Dijkstra 1959), with edge weights that
//! are small near the medial axis (TEASAR; Sato et al. 2000).

use super::radix_heap::RadixHeap;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::{
            neighbour_bits::{NEIGHBOURS, OFFSETS},
            object::Object,
        },
    },
};
use ferrovox_kernels::skeleton::geodesics::extend_path_cost;

/// Shortest-path tree of a component.
#[cfg_attr(test, derive(PartialEq))]
pub struct ShortestPaths {
    /// Neighbour bit of the step to the predecessor of each voxel, the lowest one on ties; 13 for
    /// the root.
    predecessors: Vec<u8>,
    /// Euclidean length of the path to each voxel, in [`UNITS`] per unit of the smallest spacing.
    lengths: Vec<u32>,
    /// Cost of the path to each voxel; empty if not requested.
    costs: Vec<f64>,
    /// Half of the length of each step.
    half_step_lengths: [f64; 27],
}

/// Per-voxel inputs of the path search.
#[cfg_attr(test, derive(PartialEq))]
pub struct DistancesAndWeights {
    /// Squared distance to the nearest background voxel, in units of the smallest spacing squared.
    pub squared_distances: Vec<f64>,
    /// Edge weight per unit length.
    pub edge_weights: Vec<f32>,
}

impl DistancesAndWeights {
    /// Computes the edge weights from squared distances.
    pub fn new(object: &Object, metric: &Metric, squared_distances: Vec<f64>) -> Self {
        let edge_weights = edge_weights(object, metric, &squared_distances);
        Self {
            squared_distances,
            edge_weights,
        }
    }
}

/// State of a voxel during the search, kept together for locality.
#[derive(Clone, Copy)]
struct VoxelState {
    cost: f64,
    edge_weight: f32,
    length: u32,
}

/// Neighbour bit of the voxel itself.
const ROOT: u8 = 13;

/// Length units per unit of the smallest spacing. Integer lengths make sums independent of their
/// order.
const UNITS: f64 = 256.0;

impl ShortestPaths {
    /// Computes the shortest paths from a root. The cost of a step is its length times the mean of
    /// the edge weights of its two voxels.
    ///
    /// # Errors
    /// [`Cancelled`].
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
        // three states more, because the states of a row of neighbours are read together
        let padding = [0.0; 3];
        let edge_weights = edge_weights.iter().chain(&padding);
        let mut states: Vec<VoxelState> = edge_weights.map(unknown).collect_or_unwind();
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
            // non-negative floating-point numbers are ordered like their bits
            if key > cost.to_bits() {
                continue;
            }
            progress.report_every(Stage::Paths, count, object.len())?;
            count += 1;
            let neighbours = object.neighbours(voxel, NEIGHBOURS);
            // compared before any of them is changed: loads that miss the cache overlap
            let dearer = neighbours.select(|first| {
                let states = &states[first..first + 3];
                [0, 1, 2].map(|at| states[at].cost > cost)
            });
            for (bit, other) in dearer {
                let target = &mut states[other];
                let next = extended_cost(
                    cost,
                    half_step_lengths[bit],
                    edge_weight,
                    target.edge_weight,
                );
                let predecessor = 26 - bit as u8;
                let is_less = next < target.cost;
                if is_less || (next == target.cost && predecessor < predecessors[other]) {
                    target.cost = next;
                    target.length = length.wrapping_add(lengths[bit]);
                    predecessors[other] = predecessor;
                    if is_less {
                        queue.push(next.to_bits(), other as u32);
                    }
                }
            }
        }
        states.truncate(object.len());
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

    /// Creates shortest paths that were computed on a device.
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

    /// Returns the neighbour bit of the step to the predecessor of a voxel, or `None` for the root.
    #[inline(always)]
    pub fn predecessor_bit(&self, voxel: usize) -> Option<usize> {
        let bit = self.predecessors[voxel];
        (bit != ROOT).then_some(bit.into())
    }

    /// Returns the length of the path to a voxel, in units of the smallest spacing.
    #[inline(always)]
    pub fn length(&self, voxel: usize) -> f64 {
        f64::from(self.lengths[voxel]) / UNITS
    }

    /// Returns the length of the path to a voxel as an integer, for comparisons.
    #[inline(always)]
    pub fn length_units(&self, voxel: usize) -> u32 {
        self.lengths[voxel]
    }

    /// Returns the cost of the closed path from the root to `from`, over the step to `to`, and back
    /// to the root. Requires costs.
    pub fn cycle_cost(&self, edge_weights: &[f32], from: usize, to: usize, bit: usize) -> f64 {
        extended_cost(
            self.costs[from],
            self.half_step_lengths[bit],
            edge_weights[from],
            edge_weights[to],
        ) + self.costs[to]
    }
}

/// Returns the cost of a path extended by a step of half length `half` between voxels with the
/// given edge weights.
#[inline(always)]
pub fn extended_cost(cost: f64, half: f64, from_weight: f32, to_weight: f32) -> f64 {
    extend_path_cost(cost, half, f64::from(from_weight) + f64::from(to_weight))
}

/// Returns the length of each step, in units of the smallest spacing.
pub fn step_lengths(metric: &Metric) -> [f64; 27] {
    OFFSETS.map(|step| metric.length(step.map(f64::from)))
}

/// Returns half of the length of each step.
pub fn half_step_lengths(metric: &Metric) -> [f64; 27] {
    step_lengths(metric).map(|length| 0.5 * length)
}

/// Returns the length of each step in [`UNITS`].
pub fn step_lengths_in_units(metric: &Metric) -> [u32; 27] {
    step_lengths(metric).map(|length| (UNITS * length).round() as u32)
}

/// Returns the edge weight of each voxel: the inverse fourth power of the distance to the nearest
/// background voxel, plus those of the distances to the background along each axis in both
/// directions. The axis terms distinguish voxels of equal distance.
fn edge_weights(object: &Object, metric: &Metric, squared_distances: &[f64]) -> Vec<f32> {
    let mut sums = zeroed_or_unwind::<f64>(object.len());
    let square = metric.squared_spacing(0);
    for run in object.x_runs() {
        let count = run.len() as u32;
        for (at, sum) in (0..count).zip(&mut sums[run]) {
            *sum += axis_weight(at + 1, square);
            *sum += axis_weight(count - at, square);
        }
    }
    let mut steps = zeroed_or_unwind::<u32>(object.len());
    for (axis, [ahead, back]) in [(1, [5, 3]), (2, [7, 1])] {
        let square = metric.squared_spacing(axis);
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

/// Returns the weight of a distance of `steps` voxels to the background along an axis with squared
/// spacing `square`.
fn axis_weight(steps: u32, square: f64) -> f64 {
    let steps = f64::from(steps) * f64::from(steps) * square;
    1.0 / (steps * steps)
}

/// Returns a voxel farthest from the component's centroid.
pub fn extremal_voxel(object: &Object, metric: &Metric) -> usize {
    farthest_voxel(object, metric, centroid(object), object.row_endpoints())
}

/// Returns the centroid of the component's voxels, in voxel coordinates of its frame.
pub fn centroid(object: &Object) -> [f64; 3] {
    let count = object.len() as f64;
    let mut sum = [0i64; 3];
    for row in 0..object.row_count() {
        let voxels = object.row_voxels(row).len() as i64;
        let [y, z] = object.row_position(row).map(i64::from);
        let run_sum = |[start, end]: [i32; 2]| i64::from(end - start) * i64::from(start + end - 1);
        let runs = object.row_runs(row, |word| object.words()[word].bits);
        let doubled_sum: i64 = runs.map(run_sum).sum();
        for (sum, more) in sum
            .iter_mut()
            .zip([doubled_sum / 2, voxels * y, voxels * z])
        {
            *sum += more;
        }
    }
    sum.map(|sum| sum as f64 / count)
}

/// Returns the first of the voxels that are farthest from a position.
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
