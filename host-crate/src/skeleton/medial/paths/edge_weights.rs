//! Edge weights of shortest paths, which are small near the medial axis (TEASAR; Sato et al. 2000).

use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, zeroed_or_unwind},
    parallel,
    skeleton::medial::voxels::object::Object,
};
use std::ops::Range;

/// Inputs of the stages after the distance transform, for each voxel.
#[cfg_attr(test, derive(PartialEq))]
pub struct DistancesAndWeights {
    /// Squared distance to the nearest background voxel, in units of the smallest spacing squared,
    /// rounded to single precision. On cubic voxels it is exact up to a distance of 4096 voxels.
    pub squared_distances: Vec<f32>,
    /// Edge weight per unit length.
    pub edge_weights: Vec<f32>,
}

impl DistancesAndWeights {
    /// Computes the edge weights from squared distances.
    pub fn new(object: &Object, metric: &Metric, squared_distances: Vec<f64>) -> Self {
        let edge_weights = edge_weights(object, metric, &squared_distances);
        Self {
            squared_distances: round_squares(&squared_distances),
            edge_weights,
        }
    }
}

/// Rounds squared distances to single precision.
pub fn round_squares(squared_distances: &[f64]) -> Vec<f32> {
    let squares = squared_distances.iter();
    squares.map(|&square| square as f32).collect_or_unwind()
}

/// Directions to the previous and to the next row along y and along z.
const ADJACENT_ROWS: [[usize; 2]; 2] = [[3, 5], [1, 7]];

/// Returns the edge weight of each voxel: the inverse fourth power of the distance to the nearest
/// background voxel, plus those of the distances to the background along each axis in both
/// directions. The axis terms distinguish voxels of equal distance.
fn edge_weights(object: &Object, metric: &Metric, squared_distances: &[f64]) -> Vec<f32> {
    let [along_y, along_z] = ADJACENT_ROWS;
    let table = |axis: usize| axis_weights(object.dims()[axis], metric.squared_spacing(axis));
    let tables = [0, 1, 2].map(table);
    let all_rows = 0..object.row_count();
    let [mut down, mut up] = [0, 1].map(|_| zeroed_or_unwind::<u32>(object.len()));
    count_steps(object, all_rows.clone(), along_z[0], &mut down, 0);
    count_steps(object, all_rows.rev(), along_z[1], &mut up, 0);
    let mut edge_weights = zeroed_or_unwind::<f32>(object.len());
    parallel::for_each_mut(
        &mut plane_slices(object, &mut edge_weights),
        |_, (rows, edge_weights)| {
            let start = object.row_voxels(rows.start).start;
            let mut sums = zeroed_or_unwind::<f64>(edge_weights.len());
            for run in rows.clone().flat_map(|row| object.row_x_runs(row)) {
                let count = run.len();
                let sums = &mut sums[run.start - start..run.end - start];
                for (at, sum) in sums.iter_mut().enumerate() {
                    *sum += tables[0][at + 1];
                    *sum += tables[0][count - at];
                }
            }
            let mut steps = zeroed_or_unwind::<u32>(edge_weights.len());
            let add = |sums: &mut [f64], table: &[f64], steps: &[u32]| {
                for (sum, &steps) in sums.iter_mut().zip(steps) {
                    *sum += table[steps as usize];
                }
            };
            count_steps(object, rows.clone(), along_y[0], &mut steps, start);
            add(&mut sums, &tables[1], &steps);
            count_steps(object, rows.clone().rev(), along_y[1], &mut steps, start);
            add(&mut sums, &tables[1], &steps);
            add(&mut sums, &tables[2], &down[start..]);
            add(&mut sums, &tables[2], &up[start..]);
            let squares = &squared_distances[start..];
            for ((edge_weight, sum), square) in edge_weights.iter_mut().zip(sums).zip(squares) {
                *edge_weight = (sum + 1.0 / (square * square)) as f32;
            }
        },
    );
    edge_weights
}

/// Returns the rows of each plane with their part of a list that has one entry per voxel.
fn plane_slices<'a, T>(object: &Object, mut rest: &'a mut [T]) -> Vec<(Range<usize>, &'a mut [T])> {
    let mut planes = Vec::new();
    for z in 0..object.plane_count() {
        let rows = object.plane_rows(z);
        if !rows.is_empty() {
            let voxels = object.row_voxels(rows.end - 1).end - object.row_voxels(rows.start).start;
            let (plane, others) = rest.split_at_mut(voxels);
            rest = others;
            planes.push_or_unwind((rows, plane));
        }
    }
    planes
}

/// Counts the steps from each voxel of some rows to the background in a direction, whose row must
/// precede its neighbour in the opposite direction in `rows`. Entry 0 of `steps` is the voxel
/// `start`.
fn count_steps(
    object: &Object,
    rows: impl Iterator<Item = usize>,
    direction: usize,
    steps: &mut [u32],
    start: usize,
) {
    for row in rows {
        let voxels = object.row_voxels(row);
        steps[voxels.start - start..voxels.end - start].fill(1);
        object.row_overlaps(row, direction, |here, there, count| {
            let [here, there] = [here, there].map(|voxel| voxel - start);
            for at in 0..count {
                steps[here + at] = steps[there + at] + 1;
            }
        });
    }
}

/// Returns the weights of 0 to `max_steps` steps of a squared length along an axis.
fn axis_weights(max_steps: i32, squared_spacing: f64) -> Vec<f64> {
    let weight = |steps: i32| {
        let steps = f64::from(steps) * f64::from(steps) * squared_spacing;
        1.0 / (steps * steps)
    };
    (0..=max_steps).map(weight).collect_or_unwind()
}
