//! The surface of a component: faces of its voxels that have no voxel of it beyond.

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

/// The voxels of a component that have such faces.
pub struct BoundaryFaces<'a> {
    metric: &'a Metric,
    voxels: Vec<[i32; 3]>,
    /// For each voxel the first of its faces, and one more.
    starts: Vec<u32>,
    faces: Vec<Face>,
    rows: RowIndex,
    /// Made when a place is first asked for that is far from the surface.
    cells: OnceLock<CellGrid>,
    /// The areas of faces across each axis, in squares of the smallest spacing.
    areas: [f64; 3],
    /// From a face's middle to the centre of the voxel beyond it, for each side.
    outer_offsets: [[f64; 3]; 6],
    /// How far steps of a voxel along z shift y, in voxels.
    slant: f64,
}

/// From this distance on, in the smallest spacing, the nearest voxels are found by cubes.
const MIN_CELL_DISTANCE: f64 = 5.0;

/// A face.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Its middle, in a world whose unit is the smallest spacing.
    pub at: [f64; 3],
    /// Twice the axis that it is across, and 1 where it is the voxel's last.
    side: u32,
}

impl Face {
    /// The axis that it is across.
    #[inline(always)]
    pub fn axis(&self) -> usize {
        (self.side >> 1) as usize
    }
}

impl<'a> BoundaryFaces<'a> {
    pub fn new(object: &Object, metric: &'a Metric) -> Self {
        let sites = object.surface_voxels();
        let mut starts = with_capacity_or_unwind(sites.len() + 1);
        let mut count = 0;
        for site in &sites {
            starts.push_or_unwind(count);
            count += (!site.neighbour_mask & FACES).count_ones();
        }
        starts.push_or_unwind(count);
        let faces = |site: usize| {
            let SurfaceVoxel {
                position,
                neighbour_mask,
                ..
            } = sites[site];
            bits(!neighbour_mask & FACES).map(move |face| {
                let offset = OFFSETS[face];
                let at =
                    [0, 1, 2].map(|axis| f64::from(position[axis]) + 0.5 * f64::from(offset[axis]));
                let axis = offset.iter().position(|&step| step != 0).unwrap_or(0);
                let is_last = u32::from(offset[axis] > 0);
                Face {
                    at: metric.world(at),
                    side: 2 * axis as u32 + is_last,
                }
            })
        };
        let faces = collect_in_order(sites.len(), faces);
        let voxels: Vec<[i32; 3]> = sites.iter().map(|site| site.position).collect_or_unwind();
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
                metric.world(offset)
            }),
            slant: {
                let u = metric.upper();
                (u[1][2] / u[1][1]).abs()
            },
        }
    }

    /// The area of the faces across an axis.
    pub fn area(&self, axis: usize) -> f64 {
        self.areas[axis]
    }

    /// Calls `visit` with faces whose voxels are in a box around a ball: all that are nearer than
    /// the radius, and some that are not.
    pub fn visit_near(&self, at: [f64; 3], radius: f64, mut visit: impl FnMut(&[Face])) {
        // the extent of a ball along each axis, and a voxel more: faces are half a voxel from their
        // voxels
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

    /// The distance from a place in the component to the nearest centre of a voxel that is not of
    /// it, in the smallest spacing; it is known to be between two. What is found at the lower one
    /// ends the search, row by row.
    pub fn distance_to_background(&self, at: [f64; 3], bounds: [f64; 2]) -> f64 {
        if bounds[1] < MIN_CELL_DISTANCE {
            self.distance_by_rows(at, bounds)
        } else {
            self.distance_by_cells(at, bounds)
        }
    }

    /// The same by all rows of a ball.
    fn distance_by_rows(&self, at: [f64; 3], [lower, upper]: [f64; 2]) -> f64 {
        let enough = lower * lower;
        let mut best = upper * upper;
        let here = self.metric.world(at);
        self.visit_near(at, upper, |faces| {
            if best > enough {
                for face in faces {
                    best = best.min(self.squared_distance_beyond(face, here));
                }
            }
        });
        best.sqrt()
    }

    /// The squared distance from a place in the world to the centre of the voxel beyond a face. The
    /// nearest voxel has a face to the component: across the others there is a nearer one.
    #[inline(always)]
    fn squared_distance_beyond(&self, face: &Face, here: [f64; 3]) -> f64 {
        let outer_offsets = self.outer_offsets[face.side as usize];
        let offset = [0, 1, 2].map(|axis| face.at[axis] + outer_offsets[axis] - here[axis]);
        offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]
    }

    /// The same by cubes, with the same bits: a ball has many more rows than cubes at the surface.
    fn distance_by_cells(&self, at: [f64; 3], [lower, upper]: [f64; 2]) -> f64 {
        let cells = || CellGrid::new(&self.voxels, &self.rows, self.metric);
        let cells = self.cells.get_or_init(cells);
        let enough = lower * lower;
        let mut best = upper * upper;
        // the z and y of the first row that ends the search
        let mut last = [i32::MAX; 2];
        let here = self.metric.world(at);
        cells.visit_near(self.metric, at, best, |bound, voxels| {
            let [start, end] = [voxels.start, voxels.end].map(|at| self.starts[at] as usize);
            for face in &self.faces[start..end] {
                let square = self.squared_distance_beyond(face, here);
                if square > enough {
                    best = best.min(square);
                    continue;
                }
                let [_, y, z] = self.voxels[voxels.start];
                match [z, y].cmp(&last) {
                    Ordering::Less => (last, best) = ([z, y], square),
                    Ordering::Equal => best = best.min(square),
                    // of later rows nothing counts
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
        #![proptest_config(ProptestConfig { cases: test_cases::cases(100), failure_persistence: None, ..Default::default() })]

        #[test]
        fn distances_have_the_bits_of_a_search_by_rows(
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
            let metric = frame.metric(&Metric::of(&geometry).0);
            let object = Object::new(&runs, &frame, &ComponentProgress::disabled()).unwrap();
            let boundary = BoundaryFaces::new(&object, &metric);
            for (at, middle, off) in positions {
                let at = at.map(|at| f64::from(at) / 4.0);
                // the lower bound may be below 0
                let bounds = [middle - off, middle + off];
                prop_assert_eq!(boundary.distance_by_cells(at, bounds).to_bits(), boundary.distance_by_rows(at, bounds).to_bits());
            }
        }
    }
}
