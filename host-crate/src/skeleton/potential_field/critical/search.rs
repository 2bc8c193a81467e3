//! The search for all critical points.

use super::{CriticalPoint, newton::polish};
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

/// Points nearer than this, in the smallest spacing, are one.
const SAME: f64 = 1e-5;

/// The critical points found so far.
#[derive(Default)]
pub struct Search {
    /// The points, each once.
    pub points: Vec<CriticalPoint>,
    /// By the voxel they are in.
    places: HashMap<[i64; 3], Vec<usize>>,
}

/// How densely a cell is searched: from this many places along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density(pub u32);

impl Search {
    /// Searches cells, which are known by their first corners; `is_inside` tests whether a place is
    /// in a cell with a force at all corners.
    pub fn search(
        &mut self,
        (stream, sources, exponent): (&Stream, &Sources, f64),
        cells: &[[i64; 3]],
        Density(along): Density,
        is_inside: impl Fn(&Point3<f64>) -> bool,
    ) -> Result<(), SkeletonError> {
        let places = (0..along.pow(3)).map(|k| {
            let part = [k % along, k / along % along, k / along / along];
            Vector3::from(part.map(|part| (f64::from(part) + 0.5) / f64::from(along)))
        });
        let places: Vec<Vector3<f64>> = places.collect_or_unwind();
        let starts: Vec<Point3<f64>> = cells
            .iter()
            .flat_map(|cell| {
                let corner = Point3::from(cell.map(|at| at as f64));
                places.iter().map(move |place| corner + place)
            })
            .collect_or_unwind();
        let (metric, _) = Metric::snapped(sources.geometry());
        // a bound for what is searched at a time
        for starts in starts.chunks(1 << 18) {
            for point in polish(stream, sources, exponent, starts)? {
                if is_inside(&point.position) {
                    self.keep(point, metric);
                }
            }
        }
        Ok(())
    }

    /// The cells of the points found so far, by their first corners.
    pub fn cells(&self) -> impl Iterator<Item = [i64; 3]> {
        let places = self.points.iter().map(|point| point.position);
        places.map(|at| [at.x, at.y, at.z].map(|at| at.floor() as i64))
    }

    /// Sorts the points by where they are: z, then y, then x.
    pub fn sort(&mut self) {
        let key = |point: &CriticalPoint| {
            let at = point.position;
            // what differs by rounding is in the same order everywhere
            [at.z, at.y, at.x].map(|a| (a * 1e4).round() as i64)
        };
        stable_sort_or_unwind(&mut self.points, |a, b| key(a).cmp(&key(b)));
        self.places.clear();
    }

    /// Keeps a point unless it is known.
    fn keep(&mut self, point: CriticalPoint, metric: Metric) {
        let voxel = voxel_of(&point.position);
        let known = neighbours(voxel).any(|place| {
            let there = self.places.get(&place).into_iter().flatten();
            there
                .map(|&known| self.points[known].position)
                .any(|known| metric.to_world(known - point.position).norm() < SAME)
        });
        if !known {
            self.places.reserve_or_unwind(1);
            self.places
                .entry(voxel)
                .or_default()
                .push_or_unwind(self.points.len());
            self.points.push_or_unwind(point);
        }
    }
}

fn voxel_of(point: &Point3<f64>) -> [i64; 3] {
    [point.x, point.y, point.z].map(|at| at.round() as i64)
}

/// A place and the 26 around it.
fn neighbours([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..27).map(move |k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1])
}

/// Cells and all around them, each once.
pub fn with_neighbours(cells: &[[i64; 3]]) -> Vec<[i64; 3]> {
    let all: HashSet<[i64; 3]> = collect_into_or_unwind(cells.iter().copied().flat_map(neighbours));
    let mut all: Vec<_> = all.into_iter().collect_or_unwind();
    all.sort_unstable();
    all
}
