//! Shortest paths from a root to every voxel of a component, with edge weights that are small near
//! the medial axis (TEASAR; Sato et al. 2000).

use super::{
    brick_costs::path_costs,
    steps::{extended_cost, half_step_lengths},
};
use crate::{
    grid::Metric,
    memory::ExtendOrUnwind,
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::{
            neighbour_bits::NEIGHBOURS,
            object::{MIN_PARALLEL_ITEMS, Object},
            word_neighbourhood::set_bits,
        },
    },
};

/// Shortest-path tree of a component.
#[cfg_attr(test, derive(PartialEq))]
pub struct ShortestPaths {
    /// Neighbour bit of the step to the predecessor of each voxel, the lowest one on ties; 13 for
    /// the root.
    predecessors: Vec<u8>,
    /// Cost of the path to each voxel; empty if not requested.
    costs: Vec<f64>,
    /// Half of the length of each step.
    half_step_lengths: [f64; 27],
}

/// Neighbour bit of the voxel itself.
const ROOT: u8 = 13;

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
        let half_step_lengths = half_step_lengths(metric);
        let costs = path_costs(object, edge_weights, &half_step_lengths, root, progress)?;
        let predecessors = find_predecessors(object, edge_weights, &half_step_lengths, &costs);
        progress.finish_stage(Stage::Paths)?;
        Ok(Self {
            predecessors,
            costs: if with_costs { costs } else { Vec::new() },
            half_step_lengths,
        })
    }

    /// Creates shortest paths that were computed on a device.
    pub fn from_parts(metric: &Metric, predecessors: Vec<u8>, costs: Vec<f64>) -> Self {
        Self {
            predecessors,
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

    /// Drops the costs, after which [`cycle_cost`](Self::cycle_cost) must not be called.
    pub fn drop_costs(&mut self) {
        self.costs = Vec::new();
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

/// Returns the neighbour bit of the step from each voxel to its predecessor: the first neighbour
/// from which a step leads to the voxel's cost. The root has the bit of the voxel itself.
fn find_predecessors(
    object: &Object,
    edge_weights: &[f32],
    half_step_lengths: &[f64; 27],
    costs: &[f64],
) -> Vec<u8> {
    let words = object.words();
    let predecessor = |word: usize, bit: u32, voxel: usize| {
        let (cost, edge_weight) = (costs[voxel], edge_weights[voxel]);
        let mut neighbours = object.word_neighbours(word, bit, NEIGHBOURS);
        let found = neighbours.find(|&(bit, other)| {
            let half = half_step_lengths[bit];
            costs[other] < cost
                && extended_cost(costs[other], half, edge_weights[other], edge_weight) == cost
        });
        found.map_or(ROOT, |(bit, _)| bit as u8)
    };
    parallel::collect(words.len(), MIN_PARALLEL_ITEMS, |range, list| {
        for word in range {
            let bits = set_bits(words[word].bits);
            let voxels = (words[word].first as usize..).zip(bits);
            list.extend_or_unwind(voxels.map(|(voxel, bit)| predecessor(word, bit, voxel)));
        }
    })
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
