//! Squared distances to the background, and edge weights for shortest paths along the medial axis.

use super::runs::Solid;
use crate::{
    arith::div_rem,
    distance::sites::BitRows,
    rows::{Items, Rows},
    skeleton::field::MaskRanks,
};
use cuda_std::{View, ViewMut, kernel};

/// Computes the squared distance from each voxel of an object to the nearest background voxel in
/// its row; 0 for background samples.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads the words of the voxel's run
/// and writes one element; no shared memory.
///
/// # Safety
/// `words` must hold `bits.words()` elements of an object with no voxel at the border of the grid;
/// `squared_distances` must hold one element per sample of the grid, which `rows` covers.
#[kernel(baseline)]
pub unsafe fn squared_distances_along_x(
    words: View<u32>,
    bits: BitRows,
    squared_spacing: f64,
    rows: Rows,
    squared_distances: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    rows.for_each(|at| {
        let mut squared_distance = 0.0;
        if solid.contains(at) {
            let (forward, back) = (solid.steps_forward(at), solid.steps_back(at));
            let steps = if forward < back { forward } else { back } as f64;
            squared_distance = squared_spacing * steps * steps;
        }
        squared_distances.write(bits.grid.sample(at[0], at[1], at[2]), squared_distance);
    });
}

/// Extends squared distances by one axis: for each voxel of an object, the minimum over its line
/// along y or z of the squared distance so far plus the squared distance along the line; 0 for
/// background samples.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads two elements per step until no
/// farther sample can be closer, writes one; no shared memory.
///
/// # Safety
/// `from` and `to` must hold one element for each of the `items.count` samples of the grid; `from`
/// must be the output of `squared_distances_along_x`, or of this kernel for another axis. `stride`
/// is the distance between consecutive samples along the axis.
#[kernel(baseline)]
pub unsafe fn squared_distances_along_axis(
    from: View<f64>,
    stride: u64,
    squared_spacing: f64,
    items: Items,
    to: ViewMut<f64>,
) {
    items.for_each(|at| {
        to.write(
            at,
            min_along_line(from, at, stride as usize, squared_spacing),
        )
    });
}

/// Returns the minimum over a line of the squared distance so far plus the squared distance along
/// the line. Lines end with the object, at a squared distance of 0.
#[inline(always)]
fn min_along_line(from: View<f64>, at: usize, stride: usize, squared_spacing: f64) -> f64 {
    let mut min = from.read(at);
    let mut steps = 1;
    let (mut continues_forward, mut continues_back) = (true, true);
    while continues_forward || continues_back {
        let step_distance = squared_spacing * steps as f64 * steps as f64;
        if step_distance >= min {
            break;
        }
        if continues_forward {
            let neighbour = from.read(at + steps * stride);
            continues_forward = neighbour > 0.0;
            min = if neighbour + step_distance < min {
                neighbour + step_distance
            } else {
                min
            };
        }
        if continues_back {
            let neighbour = from.read(at - steps * stride);
            continues_back = neighbour > 0.0;
            min = if neighbour + step_distance < min {
                neighbour + step_distance
            } else {
                min
            };
        }
        steps += 1;
    }
    min
}

/// Returns the edge weight contributed by a distance of `steps` along an axis with the given
/// squared spacing.
#[inline(always)]
fn step_weight(steps: u32, squared_spacing: f64) -> f64 {
    let squared_distance = steps as f64 * steps as f64 * squared_spacing;
    1.0 / (squared_distance * squared_distance)
}

/// Lines of samples along an axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisLines {
    /// Distance between consecutive samples of a line, in elements.
    pub stride: u64,
    /// Samples per line.
    pub len: u64,
    /// Number of lines that start at consecutive samples (a group).
    pub interleaved: u64,
    /// Distance between the first samples of consecutive groups, in elements.
    pub group_stride: u64,
    /// Squared spacing along the axis.
    pub squared_spacing: f64,
}

/// Adds, to each voxel's sum, the edge weights of its distances to the background along a line, in
/// both directions.
///
/// **Mapping:** one line per thread, traversed forward and backward; consecutive threads take
/// consecutive samples. **Memory:** per sample, reads one element twice and writes three; no shared
/// memory.
///
/// # Safety
/// `squared_distances`, `steps` and `sums` must hold one element per sample of the lines, of which
/// there are `items.count`; squared distances must be 0 exactly outside the object.
#[kernel(baseline)]
pub unsafe fn add_edge_weights_along_axis(
    squared_distances: View<f64>,
    lines: AxisLines,
    items: Items,
    steps: ViewMut<f32>,
    sums: ViewMut<f64>,
) {
    items.for_each(|line| {
        let (group, interleaved) = div_rem(line as u64, lines.interleaved);
        let start = group * lines.group_stride + interleaved;
        let mut count = 0;
        let mut position = 0;
        while position < lines.len {
            let at = (start + position * lines.stride) as usize;
            count = if squared_distances.read(at) > 0.0 {
                count + 1
            } else {
                0
            };
            // lines are shorter than 2^24, so the count is exact
            steps.write(at, count as f32);
            position += 1;
        }
        count = 0;
        while position > 0 {
            position -= 1;
            let at = (start + position * lines.stride) as usize;
            let back = steps.read(at) as u32;
            count = if back > 0 { count + 1 } else { 0 };
            if back > 0 {
                let sum = sums.read(at) + step_weight(back, lines.squared_spacing);
                sums.write(at, sum + step_weight(count, lines.squared_spacing));
            }
        }
    });
}

/// Sets each voxel's sum to the edge weights of its distances to the background along x, in both
/// directions.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads the words of the voxel's run
/// and writes one element per voxel; no shared memory.
///
/// # Safety
/// `words` must hold `bits.words()` elements of an object with no voxel at the border of the grid;
/// `sums` must hold one element per sample of the grid, which `rows` covers.
#[kernel(baseline)]
pub unsafe fn edge_weights_along_x(
    words: View<u32>,
    bits: BitRows,
    squared_spacing: f64,
    rows: Rows,
    sums: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    rows.for_each(|at| {
        if solid.contains(at) {
            let back = step_weight(solid.steps_back(at), squared_spacing);
            let sum = back + step_weight(solid.steps_forward(at), squared_spacing);
            sums.write(bits.grid.sample(at[0], at[1], at[2]), sum);
        }
    });
}

/// Gathers the squared distances and edge weights of the object's voxels in voxel order, and writes
/// the edge weight of each sample of the grid: the sum of the inverse fourth powers of the
/// distances to the nearest background sample and to the background along each axis in both
/// directions; infinite outside the object. Initialises each sample's path cost to infinity.
///
/// **Mapping:** one sample of the grid per thread. **Memory:** reads two elements and writes up to
/// four; no shared memory.
///
/// # Safety
/// `words` must hold `bits.words()` elements of an object in the grid, `before` the number of its
/// voxels before each word. `sums`, `edge_weights` and `costs` must hold one element per sample of
/// the grid, which `rows` covers: on entry, `sums` holds the weights along the axes and `costs` the
/// squared distances. `squared_distances` and `voxel_edge_weights` must hold one element per voxel.
#[kernel(baseline)]
pub unsafe fn finish_edge_weights(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    sums: View<f64>,
    rows: Rows,
    squared_distances: ViewMut<f64>,
    voxel_edge_weights: ViewMut<f32>,
    edge_weights: ViewMut<f32>,
    costs: ViewMut<f64>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    rows.for_each(|[x, y, z]| {
        let at = bits.grid.sample(x, y, z);
        let mut edge_weight = f32::INFINITY;
        if let Some(rank) = ranks.rank([x, y, z]) {
            let squared_distance = costs.read(at);
            squared_distances.write(rank as usize, squared_distance);
            edge_weight = (1.0 / (squared_distance * squared_distance) + sums.read(at)) as f32;
            voxel_edge_weights.write(rank as usize, edge_weight);
        }
        edge_weights.write(at, edge_weight);
        costs.write(at, f64::INFINITY);
    });
}
