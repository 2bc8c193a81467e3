//! Uniform grid of surface voxels, for nearest-voxel searches over large distances.

use super::row_index::RowIndex;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
};
use std::ops::Range;

/// Side of a cell, in voxels.
const SIDE: i32 = 8;

/// Non-empty cells of [`SIDE`]^3 voxels with the voxels they contain.
pub struct CellGrid {
    /// Index of the rows of cells by y and z.
    rows: RowIndex,
    /// Cell coordinate of each cell along x.
    xs: Vec<i32>,
    /// Index of the first part of each cell, followed by the number of parts.
    starts: Vec<u32>,
    /// Voxels of one cell in one row, as a range of indices into the list.
    parts: Vec<Range<u32>>,
    /// Largest distance from the centre of a cell to the centre of a voxel that shares a face with
    /// a voxel of the cell.
    radius: f64,
    /// Half extent of the unit ball's bounding box along each axis, in voxels.
    half_extent: [f64; 3],
}

/// Returns the cell coordinate of a voxel coordinate.
fn cell_coordinate(at: i32) -> i32 {
    at.div_euclid(SIDE)
}

impl CellGrid {
    /// Builds the grid from a sorted list of voxels and its row index.
    pub fn new(voxels: &[[i32; 3]], rows: &RowIndex, metric: &Metric) -> Self {
        let mut parts: Vec<([i32; 3], Range<u32>)> = Vec::new();
        for row in 0..rows.len() {
            let members = rows.members(row);
            let first = members.start as u32;
            let cell_parts =
                voxels[members].chunk_by(|a, b| cell_coordinate(a[0]) == cell_coordinate(b[0]));
            parts.extend_or_unwind(cell_parts.scan(first, |next, part| {
                let [x, y, z] = part[0].map(cell_coordinate);
                let start = *next;
                *next += part.len() as u32;
                Some(([z, y, x], start..*next))
            }));
        }
        // stable: the parts of a cell stay in row order
        stable_sort_or_unwind(&mut parts, |a, b| a.0.cmp(&b.0));
        let cells = parts.chunk_by(|a, b| a.0 == b.0);
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
            parts: parts.into_iter().map(|(_, part)| part).collect_or_unwind(),
            radius: corners.into_iter().fold(0.0, f64::max) * (1.0 + SLACK),
            half_extent: metric.unit_ball_extent().map(|along| along * (1.0 + SLACK)),
        }
    }

    /// Calls `visit` with the voxels of the cells near a position, row by row within a cell, and
    /// with the squared search radius `bound`, which `visit` may reduce. All voxels with a face
    /// neighbour within the search radius are visited, and some others.
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
            let half = radius * self.half_extent[axis] + 1.0;
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

/// Relative margin for rounding errors of lengths.
const SLACK: f64 = 1e-9;
