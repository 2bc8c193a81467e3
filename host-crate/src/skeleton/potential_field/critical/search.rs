//! Set of critical points found so far.

use super::{CriticalPoint, newton::refine_by_newton};
use crate::{
    device::Stream,
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, collect_into_or_unwind,
        stable_sort_or_unwind,
    },
    skeleton::{SkeletonError, potential_field::field::Sources},
};
use nalgebra::{Point3, Vector3};
use std::collections::{HashMap, HashSet};

/// Points closer than this are merged, in units of the smallest spacing.
const MERGE_DISTANCE: f64 = 1e-5;

/// Critical points found so far.
#[derive(Default)]
pub struct Search {
    /// Distinct critical points.
    pub points: Vec<CriticalPoint>,
    /// Indices of the points by the nearest voxel.
    indices_by_voxel: HashMap<[i64; 3], Vec<usize>>,
}

/// Number of starting points per axis of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density(pub u32);

impl Search {
    /// Searches the cells given by their first corners; `is_inside` returns `true` for points in a
    /// cell with a force at all corners.
    pub fn search(
        &mut self,
        (stream, sources, exponent): (&Stream, &Sources, f64),
        cells: &[[i64; 3]],
        Density(per_axis): Density,
        is_inside: impl Fn(&Point3<f64>) -> bool,
    ) -> Result<(), SkeletonError> {
        let offsets = (0..per_axis.pow(3)).map(|k| {
            let fraction = [
                k % per_axis,
                k / per_axis % per_axis,
                k / per_axis / per_axis,
            ];
            Vector3::from(
                fraction.map(|fraction| (f64::from(fraction) + 0.5) / f64::from(per_axis)),
            )
        });
        let offsets: Vec<Vector3<f64>> = offsets.collect_or_unwind();
        let starts: Vec<Point3<f64>> = cells
            .iter()
            .flat_map(|cell| {
                let corner = Point3::from(cell.map(|at| at as f64));
                offsets.iter().map(move |offset| corner + offset)
            })
            .collect_or_unwind();
        let (metric, _) = Metric::snapped(sources.geometry());
        // limits the number of points refined at a time
        for starts in starts.chunks(1 << 18) {
            for point in refine_by_newton(stream, sources, exponent, starts)? {
                if is_inside(&point.position) {
                    self.insert(point, metric);
                }
            }
        }
        Ok(())
    }

    /// Returns the first corners of the cells that contain the points found so far.
    pub fn cells(&self) -> impl Iterator<Item = [i64; 3]> {
        let positions = self.points.iter().map(|point| point.position);
        positions.map(|at| [at.x, at.y, at.z].map(|at| at.floor() as i64))
    }

    /// Sorts the points by position: z, then y, then x.
    pub fn sort(&mut self) {
        let key = |point: &CriticalPoint| {
            let at = point.position;
            // rounded, so that the order does not depend on rounding errors
            [at.z, at.y, at.x].map(|a| (a * 1e4).round() as i64)
        };
        stable_sort_or_unwind(&mut self.points, |a, b| key(a).cmp(&key(b)));
        self.indices_by_voxel.clear();
    }

    /// Inserts a point unless it is already known.
    fn insert(&mut self, point: CriticalPoint, metric: Metric) {
        let voxel = nearest_voxel(&point.position);
        let is_known = neighbours(voxel).any(|voxel| {
            let indices = self.indices_by_voxel.get(&voxel).into_iter().flatten();
            indices
                .map(|&index| self.points[index].position)
                .any(|position| metric.to_world(position - point.position).norm() < MERGE_DISTANCE)
        });
        if !is_known {
            self.indices_by_voxel.reserve_or_unwind(1);
            self.indices_by_voxel
                .entry(voxel)
                .or_default()
                .push_or_unwind(self.points.len());
            self.points.push_or_unwind(point);
        }
    }
}

fn nearest_voxel(point: &Point3<f64>) -> [i64; 3] {
    [point.x, point.y, point.z].map(|at| at.round() as i64)
}

/// Returns a voxel and its 26 neighbours.
fn neighbours([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..27).map(move |k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1])
}

/// Returns the cells and all their neighbours, without duplicates.
pub fn with_neighbours(cells: &[[i64; 3]]) -> Vec<[i64; 3]> {
    let unique: HashSet<[i64; 3]> =
        collect_into_or_unwind(cells.iter().copied().flat_map(neighbours));
    let mut sorted: Vec<_> = unique.into_iter().collect_or_unwind();
    sorted.sort_unstable();
    sorted
}
