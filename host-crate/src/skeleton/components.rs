//! Connected components of a solid.

use super::SkeletonError;
use crate::{
    device::Stream,
    grid::{Connectivity, DeviceMask, Geometry, Run, Runs},
    memory::{
        self, CollectOrUnwind, ExtendOrUnwind, catch_out_of_memory, filled_or_unwind,
        unwrap_or_unwind, with_capacity_or_unwind, zeroed_or_unwind,
    },
};
use std::ops::Range;

/// Components of a solid with 26-connected voxels.
///
/// Stored as runs of voxels on the host. Components are numbered in the order of their first
/// voxels, x fastest.
#[derive(Clone, Debug)]
pub struct SolidComponents {
    geometry: Geometry,
    runs: Runs,
    /// Component of each run.
    labels: Vec<u32>,
    voxels: Vec<u64>,
    euler: Vec<i64>,
}

/// Labels the connected components of a solid.
///
/// The mask is copied to the host, where labelling takes time linear in the number of words and
/// runs, 12 bytes per run and 8 per row.
///
/// # Errors
/// [`SkeletonError::TooManyComponents`] for more than 2³² − 1 components; errors of the device.
pub fn components(stream: &Stream, solid: &DeviceMask) -> Result<SolidComponents, SkeletonError> {
    catch_out_of_memory("the components of the object", || {
        label_components(stream, solid)
    })
}

fn label_components(stream: &Stream, solid: &DeviceMask) -> Result<SolidComponents, SkeletonError> {
    let runs = Runs::from_words(&solid.download(stream)?, solid.layout());
    let labels = label(&runs)?;
    let count = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let mut components = SolidComponents {
        geometry: solid.geometry,
        runs,
        labels,
        voxels: zeroed_or_unwind(count),
        euler: zeroed_or_unwind(count),
    };
    for (run, &label) in components.runs.list.iter().zip(&components.labels) {
        components.voxels[label as usize] += u64::from(run.end - run.start);
    }
    components.add_euler_numbers();
    Ok(components)
}

fn label(runs: &Runs) -> Result<Vec<u32>, SkeletonError> {
    let mut sets = unwrap_or_unwind(runs.joined(Connectivity::Corners, 0));
    let mut labels = with_capacity_or_unwind(runs.list.len());
    let mut count = 0u64;
    for run in 0..runs.list.len() {
        let root = sets.root(run);
        if root < run {
            labels.push_or_unwind(labels[root]);
        } else {
            labels.push_or_unwind(count as u32);
            count += 1;
        }
    }
    if count > u64::from(u32::MAX) {
        Err(SkeletonError::TooManyComponents { found: count })
    } else {
        Ok(labels)
    }
}

impl SolidComponents {
    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.voxels.len()
    }

    /// Returns the number of voxels of each component.
    pub fn voxels(&self) -> &[u64] {
        &self.voxels
    }

    /// Returns the Euler characteristic of each component, as defined by
    /// [`euler_number`](super::euler_number).
    pub fn euler_numbers(&self) -> &[i64] {
        &self.euler
    }

    /// Returns the component of voxel (x, y, z), or `None` if it is outside the solid or the grid.
    pub fn label(&self, voxel: [usize; 3]) -> Option<u32> {
        Some(self.labels[self.run_index(voxel)?.0])
    }

    /// Returns the run that contains a voxel, and the number of preceding voxels in that run.
    pub(super) fn run_index(&self, [x, y, z]: [usize; 3]) -> Option<(usize, usize)> {
        let run = self.runs.at([x, y, z])?;
        Some((run, x - self.runs.list[run].start as usize))
    }

    /// Calls `visit(run, index in the run, step)` for each voxel of the solid in the 3 × 3 × 3
    /// neighbourhood of a voxel, including itself.
    pub(super) fn for_each_neighbour(
        &self,
        [x, y, z]: [u32; 3],
        mut visit: impl FnMut(usize, usize, [i32; 3]),
    ) {
        for (dy, dz) in (0..9).map(|k| (k % 3 - 1, k / 3 - 1)) {
            let neighbour = |at: u32, step: i32| Some(at.checked_add_signed(step)? as usize);
            let row = self.row_at(neighbour(y, dy), neighbour(z, dz));
            let first = row.start + self.runs.list[row.clone()].partition_point(|run| run.end < x);
            for index in first..row.end {
                let run = self.runs.list[index];
                let from = run.start.max(x.saturating_sub(1));
                for neighbour_x in from..run.end.min(x + 2) {
                    let step = [neighbour_x as i32 - x as i32, dy, dz];
                    visit(index, (neighbour_x - run.start) as usize, step);
                }
                if run.start > x {
                    break;
                }
            }
        }
    }

    /// Returns the number of runs.
    pub(super) fn run_count(&self) -> usize {
        self.runs.list.len()
    }

    /// Calls `visit(run index, component, voxels)` for each run.
    pub(super) fn for_each_run_of_voxels(
        &self,
        mut visit: impl FnMut(usize, u32, &mut dyn Iterator<Item = [u32; 3]>),
    ) {
        let mut index = 0;
        self.for_each_run(|run, label, [y, z]| {
            visit(index, label, &mut (run.start..run.end).map(|x| [x, y, z]));
            index += 1;
        });
    }

    /// Returns, for each component, the voxel closest to the mean of its voxels; the first one on
    /// ties.
    pub fn central_voxels(&self) -> Vec<[u32; 3]> {
        let mut sums = filled_or_unwind([0.0f64; 3], self.count());
        self.for_each_run(|run, label, [y, z]| {
            let len = f64::from(run.end - run.start);
            let middle = 0.5 * f64::from(run.start + run.end - 1);
            let sum = &mut sums[label as usize];
            for (sum, at) in sum.iter_mut().zip([middle, f64::from(y), f64::from(z)]) {
                *sum += len * at;
            }
        });
        let mut nearest = filled_or_unwind((f64::INFINITY, [0; 3]), self.count());
        self.for_each_run(|run, label, [y, z]| {
            let count = self.voxels[label as usize] as f64;
            let [x, mean_y, mean_z] = sums[label as usize].map(|sum| sum / count);
            let nearest_x = x
                .round()
                .clamp(f64::from(run.start), f64::from(run.end - 1));
            let offset = [nearest_x - x, f64::from(y) - mean_y, f64::from(z) - mean_z];
            let squared: f64 = offset.iter().map(|d| d * d).sum();
            let nearest = &mut nearest[label as usize];
            if squared < nearest.0 {
                *nearest = (squared, [nearest_x as u32, y, z]);
            }
        });
        nearest
            .into_iter()
            .map(|(_, voxel)| voxel)
            .collect_or_unwind()
    }

    /// Calls `visit(run, component, [y, z])` for each run.
    fn for_each_run(&self, mut visit: impl FnMut(Run, u32, [u32; 2])) {
        let ny = self.runs.bits.grid.ny as usize;
        for row in 0..self.runs.row_count() {
            for run in self.runs.row(row) {
                let at = [(row % ny) as u32, (row / ny) as u32];
                visit(self.runs.list[run], self.labels[run], at);
            }
        }
    }

    /// Returns the voxels of one component as a mask, which is empty if there is no such component.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn mask(&self, stream: &Stream, component: u32) -> Result<DeviceMask, SkeletonError> {
        let count = self.runs.bits.words() as usize;
        let mut words: Vec<u32> = memory::try_zeroed("the voxels of a component", count)?;
        for row in 0..self.runs.row_count() {
            let first = row * self.runs.bits.per_row as usize;
            for run in self
                .runs
                .row(row)
                .filter(|&run| self.labels[run] == component)
            {
                for x in self.runs.list[run].start..self.runs.list[run].end {
                    words[first + (x >> 5) as usize] |= 1 << (x & 31);
                }
            }
        }
        Ok(DeviceMask {
            bits: stream.upload(&words)?,
            grid: self.runs.bits.grid,
            geometry: self.geometry,
        })
    }

    /// Returns the runs of a row; none outside the grid.
    fn row_at(&self, y: Option<usize>, z: Option<usize>) -> Range<usize> {
        let grid = self.runs.bits.grid;
        match (y, z) {
            (Some(y), Some(z)) if y < grid.ny as usize && z < grid.nz as usize => {
                self.runs.row(z * grid.ny as usize + y)
            }
            _ => 0..0,
        }
    }

    /// Computes the Euler characteristic of each component: the kernel's sum over lattice lines
    /// (`ferrovox_kernels::skeleton::euler`), with each run counted for its component. Runs that
    /// touch belong to one component.
    fn add_euler_numbers(&mut self) {
        let grid = self.runs.bits.grid;
        if self.runs.list.is_empty() {
            return;
        }
        let mut euler = std::mem::take(&mut self.euler);
        for z in 0..=grid.nz as usize {
            for y in 0..=grid.ny as usize {
                let (y_before, z_before) = (y.checked_sub(1), z.checked_sub(1));
                let a = self.row_at(Some(y), Some(z));
                let b = self.row_at(y_before, Some(z));
                let c = self.row_at(Some(y), z_before);
                let d = self.row_at(y_before, z_before);
                for run in a.clone() {
                    euler[self.labels[run] as usize] += 1;
                }
                self.add_runs([a.clone(), b.clone(), c.clone(), d], 1, &mut euler);
                self.add_runs([a.clone(), b, 0..0, 0..0], -1, &mut euler);
                self.add_runs([a, c, 0..0, 0..0], -1, &mut euler);
            }
        }
        self.euler = euler;
    }

    /// Adds `increment` to the component's sum for each run of the union of four rows.
    fn add_runs(&self, mut rows: [Range<usize>; 4], increment: i64, sums: &mut [i64]) {
        let mut covered_to = None;
        loop {
            let next = rows.iter_mut().filter(|row| row.start < row.end);
            let Some(first) = next.min_by_key(|row| self.runs.list[row.start].start) else {
                return;
            };
            let run = self.runs.list[first.start];
            if covered_to.is_none_or(|covered_to| covered_to < run.start) {
                sums[self.labels[first.start] as usize] += increment;
            }
            covered_to = covered_to.max(Some(run.end));
            first.start += 1;
        }
    }
}
