//! The voxels of a surface in cubes, so that the nearest are found without a look at all rows of a
//! ball.

use super::row_index::RowIndex;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
};
use std::ops::Range;

/// Voxels along the sides of a cube.
const SIDE: i32 = 8;

/// Cubes of [`SIDE`] voxels that have a voxel of a list.
pub struct CellGrid {
    /// Of cubes.
    rows: RowIndex,
    /// For each cube its x.
    xs: Vec<i32>,
    /// For each cube the first of its parts, and one more.
    starts: Vec<u32>,
    /// Voxels in a cube and a row, by their numbers in the list.
    parts: Vec<Range<u32>>,
    /// The distance from a cube's middle to the farthest centre of a voxel that has a face to one
    /// of the cube.
    radius: f64,
    /// How far a ball of radius 1 reaches along each axis, in voxels.
    reach: [f64; 3],
}

/// The cube of a coordinate.
fn block(at: i32) -> i32 {
    at.div_euclid(SIDE)
}

impl CellGrid {
    /// Those of a list of voxels in order, with its rows.
    pub fn new(voxels: &[[i32; 3]], rows: &RowIndex, metric: &Metric) -> Self {
        let mut all: Vec<([i32; 3], Range<u32>)> = Vec::new();
        for row in 0..rows.len() {
            let members = rows.members(row);
            let first = members.start as u32;
            let blocks = voxels[members].chunk_by(|a, b| block(a[0]) == block(b[0]));
            all.extend_or_unwind(blocks.scan(first, |next, part| {
                let [x, y, z] = part[0].map(block);
                let start = *next;
                *next += part.len() as u32;
                Some(([z, y, x], start..*next))
            }));
        }
        // parts of a cube stay in the order of their rows
        stable_sort_or_unwind(&mut all, |a, b| a.0.cmp(&b.0));
        let cells = all.chunk_by(|a, b| a.0 == b.0);
        let mut starts = vec![0];
        let mut xs = Vec::new();
        for parts in cells.clone() {
            starts.push_or_unwind(starts[xs.len()] + parts.len() as u32);
            xs.push_or_unwind(parts[0].0[2]);
        }
        let half = f64::from(SIDE + 1) / 2.0;
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let corners = corners.map(|[y, z]| metric.length([half, y * half, z * half]));
        Self {
            rows: RowIndex::from_positions(cells.map(|parts| [parts[0].0[1], parts[0].0[0]])),
            xs,
            starts,
            parts: all.into_iter().map(|(_, part)| part).collect_or_unwind(),
            radius: corners.into_iter().fold(0.0, f64::max) * (1.0 + SLACK),
            reach: metric.reach().map(|along| along * (1.0 + SLACK)),
        }
    }

    /// Calls `visit` with the voxels of cubes near a place, row by row of a cube, and with the
    /// squared distance up to which something is still looked for, which `visit` may make less:
    /// with all voxels of which one across a face is as near, and some that are not.
    pub fn visit_near(
        &self,
        metric: &Metric,
        at: [f64; 3],
        mut bound: f64,
        mut visit: impl FnMut(&mut f64, Range<usize>),
    ) {
        let radius = bound.sqrt();
        let side = f64::from(SIDE);
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let half = radius * self.reach[axis] + 1.0;
            let ends = [at[axis] - half, at[axis] + half];
            ends.map(|end| (end / side).floor() as i32)
        });
        let planes = z[0].max(0)..=z[1].min(self.rows.plane_count() - 1);
        for row in planes.flat_map(|plane| self.rows.between(plane, y[0], y[1])) {
            let [cell_y, cell_z] = self.rows.position(row);
            let cells = self.rows.members(row);
            let first = cells.start + self.xs[cells.clone()].partition_point(|&cell| cell < x[0]);
            for cell in first..cells.end {
                let cell_x = self.xs[cell];
                if cell_x > x[1] {
                    break;
                }
                let middle =
                    [cell_x, cell_y, cell_z].map(|cell| side * (f64::from(cell) + 0.5) - 0.5);
                let offset = [0, 1, 2].map(|axis| middle[axis] - at[axis]);
                let limit = bound.sqrt() * (1.0 + SLACK) + self.radius;
                if metric.squared_length(offset) > limit * limit {
                    continue;
                }
                let parts = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                for part in &self.parts[parts] {
                    visit(&mut bound, part.start as usize..part.end as usize);
                }
            }
        }
    }
}

/// What rounding may take from a length.
const SLACK: f64 = 1e-9;
