//! Edge lengths compared with the shortest path of the same homology class in the object.

use super::{
    Object, Property, cells::Cell, cells::Complex, collapse::Collapse, cover, inside::CurveTrace,
};
use ferrovox::graph::{Edge, Skeleton};
use nalgebra::{Point3, Vector3};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// Inputs of the search for shortest paths.
///
/// Paths go from voxel to voxel and are up to an eighth longer than the shortest curve: every
/// reported edge is too long, but edges that are slightly too long may be missed. Homology classes
/// are compared by 64 random cocycles.
pub struct ShortestPaths<'a> {
    /// Object.
    pub object: &'a Object,
    /// Cells of the object.
    pub complex: &'a Complex,
    /// Homology of the object.
    pub collapse: &'a Collapse,
    /// Skeleton.
    pub skeleton: &'a Skeleton,
    /// Traced curves of the skeleton.
    pub traced: &'a CurveTrace,
    /// Squared distances to the background.
    pub squared_distances: &'a [f64],
    /// Maximum number of states per search.
    pub max_states: usize,
}

/// Voxel, and the homology class of the path to it.
type State = (u32, u64);

impl ShortestPaths<'_> {
    /// Reports edges that are longer than twice the shortest path plus their radius.
    pub fn check(&self, property: &mut Property) {
        let mut cocycles = None;
        for (number, edge) in self.skeleton.edges.iter().enumerate() {
            let (Some(chain), Some(component)) =
                (&self.traced.chains[number], self.traced.edges[number])
            else {
                continue;
            };
            let world: Vec<_> = edge.points.iter().map(|&p| self.object.world(p)).collect();
            let length: f64 = world
                .windows(2)
                .map(|pair| (pair[1] - pair[0]).norm())
                .sum();
            let straight = (world[world.len() - 1] - world[0]).norm();
            let radius = self.radius(edge);
            if length <= 2.0 * straight + radius {
                continue;
            }
            let values = cocycles.get_or_insert_with(|| self.collapse.random_cocycles(1));
            let class = chain
                .iter()
                .fold(0, |sum, &edge| sum ^ values[edge as usize]);
            let max_length = (length - radius) / 2.0;
            let ends = [edge.points[0], edge.points[edge.points.len() - 1]];
            match self.shortest(ends, class, max_length, values) {
                SearchResult::Path(shortest) => {
                    property.add_fault(Some(component), edge.points[0], || {
                        format!("edge {number} is {length:.2} long; {shortest:.2} would suffice")
                    })
                }
                SearchResult::None => {}
                SearchResult::GivenUp => property.undecided += 1,
            }
        }
    }

    /// Returns the largest radius along an edge.
    fn radius(&self, edge: &Edge) -> f64 {
        let radii = edge.points.iter();
        radii
            .filter_map(|&point| cover::radius_at(self.object, self.squared_distances, point))
            .fold(0.0, f64::max)
    }

    /// Returns the cube of the object that contains a position, and the smallest cell that contains
    /// it.
    fn cube_at(&self, point: Point3<f64>) -> Option<(u32, Cell)> {
        let steps = super::curve::PositionGrid::new(self.object.first, self.object.dims, 0.0);
        let carrier = steps.carrier(point);
        let mut cells = vec![carrier];
        while cells.first().is_some_and(|cell| cell.dimension() < 3) {
            cells = cells.iter().flat_map(|cell| cell.cofaces()).collect();
            cells.retain(|cell| self.complex.contains(*cell));
        }
        let cube = cells.first()?;
        let index = self.object.index(cube.corner.map(|c| c as usize));
        Some((index as u32, carrier))
    }

    /// Returns the sum of the values along the path from one corner of a cube to another, axis by
    /// axis.
    fn between(&self, from: [i64; 3], to: [i64; 3], values: &[u64]) -> u64 {
        let mut at = from;
        let mut sum = 0;
        for axis in 0..3 {
            if at[axis] != to[axis] {
                let mut corner = at;
                corner[axis] = at[axis].min(to[axis]);
                let edge = Cell {
                    axes: 1 << axis,
                    corner,
                };
                sum ^= self.complex.number(edge).map_or(0, |number| values[number]);
                at[axis] = to[axis];
            }
        }
        sum
    }

    fn corner(&self, voxel: u32) -> [i64; 3] {
        self.object.position(voxel as usize).map(|c| c as i64)
    }

    /// Returns the length of the shortest path of a class from voxel to voxel, if it is below
    /// `max_length`.
    fn shortest(
        &self,
        ends: [Point3<f64>; 2],
        class: u64,
        max_length: f64,
        values: &[u64],
    ) -> SearchResult {
        let object = self.object;
        let cubes = ends.map(|end| self.cube_at(end));
        let [Some((first, from)), Some((last, to))] = cubes else {
            return SearchResult::None;
        };
        let begin = self.between(from.corner, self.corner(first), values);
        let target_class = class ^ self.between(self.corner(last), to.corner, values);
        let centre = |voxel: u32| object.world(object.centre(voxel as usize));
        let target = object.world(ends[1]);
        let start = (object.world(ends[0]) - centre(first)).norm();
        let end = (target - centre(last)).norm();
        let steps: Vec<([i64; 3], f64)> = super::object::steps()
            .map(|step| {
                let world = object.geometry.axes() * Vector3::from(step.map(|c| c as f64));
                (step, world.norm())
            })
            .collect();
        let mut best: HashMap<State, f64> = HashMap::from([((first, begin), start)]);
        let key = |length: f64| length.to_bits();
        let lower_bound = |voxel: u32, length_so_far: f64| {
            key(length_so_far + (centre(last) - centre(voxel)).norm())
        };
        let mut open = BinaryHeap::from([(Reverse(lower_bound(first, start)), first, begin)]);
        while let Some((Reverse(bound), voxel, sum)) = open.pop() {
            if f64::from_bits(bound) + end >= max_length {
                return SearchResult::None;
            }
            let length_so_far = best[&(voxel, sum)];
            if voxel == last && sum == target_class {
                return SearchResult::Path(length_so_far + end);
            }
            if bound > lower_bound(voxel, length_so_far) {
                continue;
            }
            if best.len() > self.max_states {
                return SearchResult::GivenUp;
            }
            let at = self.corner(voxel);
            for &(step, length) in &steps {
                let neighbour = (voxel as usize).wrapping_add_signed(object.offset(step));
                if object.owner[neighbour] == 0 {
                    continue;
                }
                let neighbour_corner = [0, 1, 2].map(|k| at[k] + step[k]);
                let shared = [0, 1, 2].map(|k| at[k].max(neighbour_corner[k]));
                let next = sum
                    ^ self.between(at, shared, values)
                    ^ self.between(shared, neighbour_corner, values);
                let state = (neighbour as u32, next);
                let next_length = length_so_far + length;
                if best
                    .get(&state)
                    .is_none_or(|&best_length| next_length < best_length)
                {
                    best.insert(state, next_length);
                    open.push((Reverse(lower_bound(state.0, next_length)), state.0, next));
                }
            }
        }
        SearchResult::None
    }
}

enum SearchResult {
    Path(f64),
    None,
    GivenUp,
}
