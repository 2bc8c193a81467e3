//! Boundary faces of a component: faces between its voxels and the background.

use super::{
    cell_grid::CellGrid,
    neighbour_bits::{FACES, OFFSETS, bits},
    object::{Object, collect_in_order},
    row_index::{RowIndex, ceil, count_below, floor},
    word_neighbourhood::SurfaceVoxel,
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind},
};
use std::{cmp::Ordering, sync::OnceLock};

/// Surface voxels of a component with their boundary faces.
pub struct BoundaryFaces<'a> {
    metric: &'a Metric,
    voxels: Vec<[i32; 3]>,
    /// Index of the first face of each voxel, followed by the number of faces.
    starts: Vec<u32>,
    faces: Vec<Face>,
    rows: RowIndex,
    /// Cell grid, built at the first query far from the surface.
    cells: OnceLock<CellGrid>,
    /// Area of a face perpendicular to each axis, in units of the smallest spacing squared.
    areas: [f64; 3],
    /// Offset from the centre of a face to the centre of the background voxel beyond it, by side.
    outer_offsets: [[f64; 3]; 6],
    /// Shift of y per step along z, in voxels; non-zero for oblique axes.
    slant: f64,
}

/// Distance from which nearest voxels are found by the cell grid, in units of the smallest spacing.
const MIN_CELL_DISTANCE: f64 = 5.0;

/// Boundary face.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Centre of the face, in world coordinates whose unit is the smallest spacing.
    pub at: [f64; 3],
    /// Twice the axis perpendicular to the face, plus 1 on the side of increasing coordinates.
    side: u32,
}

impl Face {
    /// Returns the axis perpendicular to the face.
    #[inline(always)]
    pub fn axis(&self) -> usize {
        (self.side >> 1) as usize
    }
}

impl<'a> BoundaryFaces<'a> {
    /// Finds the boundary faces of a component.
    pub fn new(object: &Object, metric: &'a Metric) -> Self {
        let surface_voxels = object.surface_voxels();
        let mut starts = with_capacity_or_unwind(surface_voxels.len() + 1);
        let mut count = 0;
        for voxel in &surface_voxels {
            starts.push_or_unwind(count);
            count += (!voxel.neighbour_mask & FACES).count_ones();
        }
        starts.push_or_unwind(count);
        let faces = |voxel: usize| {
            let SurfaceVoxel {
                position,
                neighbour_mask,
                ..
            } = surface_voxels[voxel];
            bits(!neighbour_mask & FACES).map(move |face| {
                let offset = OFFSETS[face];
                let at =
                    [0, 1, 2].map(|axis| f64::from(position[axis]) + 0.5 * f64::from(offset[axis]));
                let axis = offset.iter().position(|&step| step != 0).unwrap_or(0);
                let is_last = u32::from(offset[axis] > 0);
                Face {
                    at: metric.to_world(at),
                    side: 2 * axis as u32 + is_last,
                }
            })
        };
        let faces = collect_in_order(surface_voxels.len(), faces);
        let voxels: Vec<[i32; 3]> = surface_voxels
            .iter()
            .map(|voxel| voxel.position)
            .collect_or_unwind();
        let rows = RowIndex::from_positions(voxels.iter().map(|&[_, y, z]| [y, z]));
        let g = metric.products();
        let area = |a: f64, b: f64, ab: f64| (a * b - ab * ab).max(0.0).sqrt();
        Self {
            metric,
            cells: OnceLock::new(),
            rows,
            voxels,
            starts,
            faces,
            areas: [
                area(g[1], g[2], g[5]),
                area(g[0], g[2], g[4]),
                area(g[0], g[1], g[3]),
            ],
            outer_offsets: [0, 1, 2, 3, 4, 5].map(|side: usize| {
                let mut offset = [0.0; 3];
                offset[side / 2] = if side % 2 == 1 { 0.5 } else { -0.5 };
                metric.to_world(offset)
            }),
            slant: {
                let u = metric.upper();
                (u[1][2] / u[1][1]).abs()
            },
        }
    }

    /// Returns the positions of the surface voxels, in voxel order.
    pub fn voxels(&self) -> &[[i32; 3]] {
        &self.voxels
    }

    /// Returns the faces of a surface voxel, given by its index among the surface voxels.
    pub fn voxel_faces(&self, voxel: usize) -> &[Face] {
        &self.faces[self.starts[voxel] as usize..self.starts[voxel + 1] as usize]
    }

    /// Returns the area of the faces perpendicular to an axis.
    pub fn area(&self, axis: usize) -> f64 {
        self.areas[axis]
    }

    /// Calls `visit` with the faces of the voxels in a bounding region of a ball: all faces within
    /// the radius, and some others.
    pub fn visit_near(&self, at: [f64; 3], radius: f64, mut visit: impl FnMut(&[Face])) {
        // one voxel more than the extent of the ball, because faces are half a voxel from their
        // voxels' centres
        let u = self.metric.upper();
        let half = radius / u[2][2] + 1.0;
        let first = ceil(at[2] - half).max(0);
        let last = floor(at[2] + half).min(self.rows.plane_count() - 1);
        let slants = [u[0][1] / u[0][0], u[0][2] / u[0][0]];
        let slant = slants[0].abs() + slants[1].abs();
        for z in first..=last {
            let dz = f64::from(z) - at[2];
            let margin = (dz.abs() - 1.0).max(0.0) * u[2][2];
            let half = (radius * radius - margin * margin).max(0.0).sqrt() / u[1][1] + 1.0;
            let middle = at[1] - u[1][2] * dz / u[1][1];
            let low = ceil(middle - half - self.slant);
            let high = floor(middle + half + self.slant);
            for row in self.rows.between(z, low, high) {
                let dy = f64::from(self.rows.position(row)[0]) - at[1];
                let middle = at[0] - slants[0] * dy - slants[1] * dz;
                let across = ((dy + u[1][2] * dz / u[1][1]).abs() - 1.0 - self.slant).max(0.0);
                let margin = margin * margin + (across * u[1][1]).powi(2);
                let rest = (radius * radius - margin).max(0.0).sqrt();
                let half = rest / u[0][0] + 1.0 + slant;
                let range = self.rows.members(row);
                let voxels = &self.voxels[range.clone()];
                let [low, high] = [ceil(middle - half), floor(middle + half).saturating_add(1)]
                    .map(|x| self.starts[range.start + count_below(voxels, x)] as usize);
                if low < high {
                    visit(&self.faces[low..high]);
                }
            }
        }
    }

    /// Returns the distance from a position inside the component to the nearest centre of a
    /// background voxel, in units of the smallest spacing. The distance must be within `bounds`;
    /// the search stops, in row order, at the first distance that reaches the lower bound.
    pub fn distance_to_background(&self, at: [f64; 3], bounds: [f64; 2]) -> f64 {
        if bounds[1] < MIN_CELL_DISTANCE {
            self.distance_by_rows(at, bounds)
        } else {
            self.distance_by_cells(at, bounds)
        }
    }

    /// Computes the distance by visiting all rows of a ball.
    fn distance_by_rows(&self, at: [f64; 3], [lower, upper]: [f64; 2]) -> f64 {
        let enough = lower * lower;
        let mut best = upper * upper;
        let world = self.metric.to_world(at);
        self.visit_near(at, upper, |faces| {
            if best > enough {
                for face in faces {
                    best = best.min(self.squared_distance_beyond(face, world));
                }
            }
        });
        best.sqrt()
    }

    /// Returns the squared distance from a world position to the centre of the background voxel
    /// beyond a face. The nearest background voxel shares a face with the component.
    #[inline(always)]
    fn squared_distance_beyond(&self, face: &Face, world: [f64; 3]) -> f64 {
        let outer_offsets = self.outer_offsets[face.side as usize];
        let offset = [0, 1, 2].map(|axis| face.at[axis] + outer_offsets[axis] - world[axis]);
        offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]
    }

    /// Computes the distance by the cell grid, with the same bits as
    /// [`distance_by_rows`](Self::distance_by_rows): a large ball overlaps many more rows than
    /// surface cells.
    fn distance_by_cells(&self, at: [f64; 3], [lower, upper]: [f64; 2]) -> f64 {
        let cells = || CellGrid::new(&self.voxels, &self.rows, self.metric);
        let cells = self.cells.get_or_init(cells);
        let enough = lower * lower;
        let mut best = upper * upper;
        // z and y of the first row that reaches the lower bound
        let mut last = [i32::MAX; 2];
        let world = self.metric.to_world(at);
        cells.visit_near(self.metric, at, best, |bound, voxels| {
            let [start, end] = [voxels.start, voxels.end].map(|at| self.starts[at] as usize);
            for face in &self.faces[start..end] {
                let square = self.squared_distance_beyond(face, world);
                if square > enough {
                    best = best.min(square);
                    continue;
                }
                let [_, y, z] = self.voxels[voxels.start];
                match [z, y].cmp(&last) {
                    Ordering::Less => (last, best) = ([z, y], square),
                    Ordering::Equal => best = best.min(square),
                    // the search by rows would have stopped before this row
                    Ordering::Greater => {}
                }
            }
            *bound = best.max(enough);
        });
        best.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            progress::ComponentProgress,
            voxels::{frame::Frame, object_tests::runs_from_positions},
        },
    };
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: test_cases::case_count(100), failure_persistence: None, ..Default::default() })]

        #[test]
        fn distances_by_cells_equal_distances_by_rows(
            holes in prop::collection::vec(prop::array::uniform3(0u32..40), 0..30),
            spacing in prop::sample::select(vec![[1.0; 3], [1.0, 2.0, 1.5], [5.0, 1.0, 1.0]]),
            shear in prop::sample::select(vec![0.0, 0.4]),
            positions in prop::collection::vec((prop::array::uniform3(0u32..160), 0.0f64..30.0, 0.0f64..3.0), 40),
        ) {
            let block = (0..40u32 * 30 * 35).map(|at| [at % 40, at / 40 % 30, at / 1200]);
            let runs = runs_from_positions(block.filter(|position| !holes.contains(position)));
            let [a, b, c] = spacing;
            let axes = nalgebra::Matrix3::new(a, shear * b, 0.0, 0.0, b, shear, 0.0, 0.0, c);
            let geometry = Geometry::new(axes, nalgebra::Vector3::zeros()).unwrap();
            let frame = Frame::unpermuted(&runs);
            let metric = frame.metric(&Metric::rounded(&geometry).0);
            let object = Object::new(&runs, &frame, &ComponentProgress::disabled()).unwrap();
            let boundary = BoundaryFaces::new(&object, &metric);
            for (at, middle, off) in positions {
                let at = at.map(|at| f64::from(at) / 4.0);
                // the lower bound can be negative
                let bounds = [middle - off, middle + off];
                prop_assert_eq!(boundary.distance_by_cells(at, bounds).to_bits(), boundary.distance_by_rows(at, bounds).to_bits());
            }
        }
    }
}
