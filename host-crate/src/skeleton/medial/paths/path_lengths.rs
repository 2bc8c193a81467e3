//! Lengths of the shortest paths from the root.

use super::{propagation::propagate_from_root, shortest_paths::ShortestPaths, steps::step_lengths};
use crate::{grid::Metric, memory::ExtendOrUnwind, skeleton::medial::voxels::object::Object};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Length units per unit of the smallest spacing. Integer lengths make sums independent of their
/// order.
const UNITS: f64 = 256.0;

/// Length of each step in [`UNITS`].
struct StepUnits([u32; 27]);

impl StepUnits {
    fn new(metric: &Metric) -> Self {
        Self(step_lengths(metric).map(|length| (UNITS * length).round() as u32))
    }
}

/// Euclidean length of the path to each voxel of a component.
pub struct PathLengths {
    /// Length in [`UNITS`] plus 1; one entry per voxel.
    lengths: Vec<AtomicU32>,
}

impl PathLengths {
    /// Computes the lengths of all paths, in about one step per voxel.
    pub fn new(paths: &ShortestPaths, object: &Object, metric: &Metric) -> Self {
        let steps = StepUnits::new(metric);
        let extended = |length: u32, step: usize| length.wrapping_add(steps.0[step]);
        let lengths = propagate_from_root(paths, object, |_| 1, |_, _| None, extended);
        Self { lengths }
    }

    /// Returns the length of the path to a voxel, in units of the smallest spacing.
    #[inline(always)]
    pub fn length(&self, voxel: usize) -> f64 {
        f64::from(self.length_units(voxel)) / UNITS
    }

    /// Returns the length of the path to a voxel as an integer, for comparisons.
    #[inline(always)]
    pub fn length_units(&self, voxel: usize) -> u32 {
        self.lengths[voxel].load(Relaxed).wrapping_sub(1)
    }
}

/// Returns the lengths of the paths to some voxels as integers, for comparisons. Takes time and
/// memory linear in the number of voxels on these paths.
pub fn path_lengths_to(
    voxels: &[u32],
    paths: &ShortestPaths,
    object: &Object,
    metric: &Metric,
) -> Vec<u32> {
    let steps = StepUnits::new(metric);
    let mut known: HashMap<u32, u32> = HashMap::new();
    let mut path = Vec::new();
    let mut lengths = Vec::new();
    for &voxel in voxels {
        let mut at = voxel;
        let mut length = loop {
            if let Some(&length) = known.get(&at) {
                break length;
            }
            let Some(step) = paths.predecessor_bit(at as usize) else {
                break 0;
            };
            path.push_or_unwind((at, steps.0[step]));
            at = object.neighbour(at as usize, step) as u32;
        };
        while let Some((voxel, step)) = path.pop() {
            length = length.wrapping_add(step);
            known.push_or_unwind((voxel, length));
        }
        lengths.push_or_unwind(length);
    }
    lengths
}
