//! Exact Euclidean distance transform of a component.
//!
//! Outside the component, the background voxel next to the end of a scanline is nearer than all
//! voxels beyond it. The parabolas of a scanline (Felzenszwalb and Huttenlocher 2012) are therefore
//! those of its own voxels and of its two ends, and the time is linear in the number of voxels.

use super::{
    neighbour_bits::{NEIGHBOURS, OFFSETS, bits},
    object::{MIN_PARALLEL_ITEMS, Object},
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::progress::{ComponentProgress, Stage},
};
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// Returns the squared distance from each voxel to the nearest background voxel centre, in units of
/// the smallest spacing squared. The result is exact for orthogonal axes.
///
/// Distances along oblique axes are not separable; the offsets to the nearest background voxels are
/// then propagated between neighbours, which overestimates rare distances by a small fraction of a
/// voxel.
///
/// # Errors
/// [`Cancelled`].
pub fn squared_distances(
    object: &Object,
    metric: &Metric,
    progress: &ComponentProgress<'_>,
) -> Result<Vec<f64>, Cancelled> {
    if !metric.is_diagonal() {
        return propagate_offsets(object, metric, progress);
    }
    let zeros = (0..object.len()).map(|_| AtomicU64::new(0));
    let squares = Squares(zeros.collect_or_unwind());
    let weight = metric.squared_spacing(0);
    parallel::map_ranges(object.row_count(), MIN_PARALLEL_ITEMS, |rows| {
        for run in rows.flat_map(|row| object.row_x_runs(row)) {
            for voxel in run.clone() {
                let steps = (voxel + 1 - run.start).min(run.end - voxel) as f64;
                squares.set(voxel, weight * steps * steps);
            }
        }
    });
    let line = || Scanline {
        // on a grid of cubic voxels all squared distances are integers
        is_exact: (0..3).all(|axis| metric.squared_spacing(axis) == 1.0),
        ..Scanline::default()
    };
    for (axis, [ahead, back]) in [(1, [16, 10]), (2, [22, 4])] {
        let weight = metric.squared_spacing(axis);
        let words = object.words().len();
        parallel::for_each_with(words.div_ceil(WORDS_PER_TASK), line, |line, task| {
            let start = task * WORDS_PER_TASK;
            let words = start..words.min(start + WORDS_PER_TASK);
            if progress.check().is_ok() {
                for voxel in object.line_starts(words, back) {
                    line.minimise(object, voxel, ahead, weight, &squares);
                }
            }
        });
        progress.report(Stage::Distances, axis, 2)?;
    }
    progress.finish_stage(Stage::Distances)?;
    Ok(squares.into_values())
}

/// Number of words whose scanlines a thread processes at a time.
const WORDS_PER_TASK: usize = 1 << 10;

/// Squared distance of each voxel. The voxels of a scanline are only accessed by one thread.
struct Squares(Vec<AtomicU64>);

impl Squares {
    #[inline(always)]
    fn get(&self, voxel: usize) -> f64 {
        f64::from_bits(self.0[voxel].load(Relaxed))
    }

    #[inline(always)]
    fn set(&self, voxel: usize, square: f64) {
        self.0[voxel].store(square.to_bits(), Relaxed);
    }

    fn into_values(self) -> Vec<f64> {
        let squares = self.0.into_iter();
        // in place: both types have one size and alignment
        squares
            .map(|square| f64::from_bits(square.into_inner()))
            .collect()
    }
}

/// Buffers for one scanline.
#[derive(Default)]
struct Scanline {
    /// Voxels of the scanline.
    voxels: Vec<u32>,
    /// Squared distances along the previously processed axes, one per voxel, with 0 at both ends.
    values: Vec<f64>,
    /// `true` if no value is rounded.
    is_exact: bool,
    /// Parabolas of the lower envelope: apex, and the coordinate from which the parabola is the
    /// lowest.
    envelope: Vec<(usize, f64)>,
}

impl Scanline {
    /// Replaces the squared distances of the scanline that starts at a voxel by the minimum over
    /// its parabolas.
    fn minimise(
        &mut self,
        object: &Object,
        start: usize,
        ahead: usize,
        weight: f64,
        squares: &Squares,
    ) {
        self.voxels.clear();
        let voxels = object.line_from(start, ahead);
        self.voxels
            .extend_or_unwind(voxels.map(|voxel| voxel as u32));
        if self.voxels.len() == 1 {
            squares.set(start, squares.get(start).min(weight));
            return;
        }
        self.values.clear();
        self.values.push_or_unwind(0.0);
        let values = self.voxels.iter();
        self.values
            .extend_or_unwind(values.map(|&voxel| squares.get(voxel as usize)));
        self.values.push_or_unwind(0.0);
        if self.is_exact {
            self.minimise_by_envelope(weight, squares);
        } else {
            self.minimise_by_search(weight, squares);
        }
    }

    /// Minimises over all candidate values: with rounded values, an intersection of parabolas close
    /// to a voxel could select either of two.
    fn minimise_by_search(&self, weight: f64, squares: &Squares) {
        for (at, &voxel) in (1..).zip(&self.voxels) {
            let mut best = self.values[at];
            for steps in 1..self.values.len() {
                let offset_cost = weight * steps as f64 * steps as f64;
                if offset_cost >= best {
                    break;
                }
                if let Some(value) = self.values.get(at + steps) {
                    best = best.min(value + offset_cost);
                }
                if let Some(before) = at.checked_sub(steps) {
                    best = best.min(self.values[before] + offset_cost);
                }
            }
            squares.set(voxel as usize, best);
        }
    }

    fn minimise_by_envelope(&mut self, weight: f64, squares: &Squares) {
        let count = self.voxels.len();
        self.envelope.clear();
        self.envelope.push_or_unwind((0, f64::NEG_INFINITY));
        for at in 1..count + 2 {
            loop {
                let (top, from) = self.envelope[self.envelope.len() - 1];
                let (p, q) = (at as f64, top as f64);
                let intersection = ((self.values[at] - self.values[top]) / weight + p * p - q * q)
                    / (2.0 * (p - q));
                if intersection > from {
                    self.envelope.push_or_unwind((at, intersection));
                    break;
                }
                // the first parabola starts at minus infinity
                self.envelope.pop();
            }
        }
        let mut part = 0;
        for (at, &voxel) in (1..).zip(&self.voxels) {
            while part + 1 < self.envelope.len() && self.envelope[part + 1].1 < f64::from(at) {
                part += 1;
            }
            let (apex, _) = self.envelope[part];
            let steps = f64::from(at) - apex as f64;
            squares.set(voxel as usize, self.values[apex] + weight * steps * steps);
        }
    }
}

/// Propagates the offsets to the nearest background voxels until no distance decreases.
fn propagate_offsets(
    object: &Object,
    metric: &Metric,
    progress: &ComponentProgress<'_>,
) -> Result<Vec<f64>, Cancelled> {
    let mut offsets = zeroed_or_unwind::<[i32; 3]>(object.len());
    let mut squared_distances = filled_or_unwind(f64::INFINITY, object.len());
    let mut queue = VecDeque::new();
    let mut is_queued = zeroed_or_unwind::<bool>(object.len());
    let square = |offset: [i32; 3]| metric.squared_length(offset.map(f64::from));
    for voxel in 0..object.len() {
        for bit in bits(!object.neighbour_mask(voxel) & NEIGHBOURS) {
            let found = square(OFFSETS[bit]);
            if found < squared_distances[voxel] {
                squared_distances[voxel] = found;
                offsets[voxel] = OFFSETS[bit];
            }
        }
        if squared_distances[voxel].is_finite() {
            queue.push_or_unwind(voxel);
            is_queued[voxel] = true;
        }
    }
    let mut visited = 0;
    while let Some(voxel) = queue.pop_front() {
        visited += 1;
        progress.report_every(Stage::Distances, visited, 2 * object.len())?;
        is_queued[voxel] = false;
        for (bit, other) in object.neighbours(voxel, NEIGHBOURS) {
            let step = OFFSETS[bit];
            let offset = [0, 1, 2].map(|axis| offsets[voxel][axis] - step[axis]);
            let found = square(offset);
            if found < squared_distances[other] {
                squared_distances[other] = found;
                offsets[other] = offset;
                if !is_queued[other] {
                    is_queued[other] = true;
                    queue.push_or_unwind(other);
                }
            }
        }
    }
    progress.finish_stage(Stage::Distances)?;
    Ok(squared_distances)
}
