//! Whether edges are no longer than they must be: beside the shortest way in the object that has
//! the same class.

use super::{
    Object, Property, cells::Cell, cells::Complex, collapse::Collapse, cover, inside::Traced,
};
use ferrovox::graph::{Edge, Skeleton};
use nalgebra::{Point3, Vector3};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// What is needed to look for ways.
///
/// A way goes from voxel to voxel, which makes it up to an eighth longer than the shortest: an edge
/// that is said to be too long is, but one that is a little too long may not be found. Classes are
/// compared by 64 random cocycles.
pub struct Ways<'a> {
    /// The object.
    pub object: &'a Object,
    /// Its cells.
    pub complex: &'a Complex,
    /// Its classes.
    pub collapse: &'a Collapse,
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// Where its edges are.
    pub traced: &'a Traced,
    /// Squared distances to the background.
    pub squares: &'a [f64],
    /// When to give up.
    pub most_states: usize,
}

/// A voxel that was reached by a way of a class.
type State = (u32, u64);

impl Ways<'_> {
    /// Looks for edges that are longer than twice the shortest way and their radius.
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
            let most = (length - radius) / 2.0;
            let ends = [edge.points[0], edge.points[edge.points.len() - 1]];
            match self.shortest(ends, class, most, values) {
                Found::Way(way) => property.fault(Some(component), edge.points[0], || {
                    format!("edge {number} is {length:.2} long, and {way:.2} would do")
                }),
                Found::None => {}
                Found::GivenUp => property.undecided += 1,
            }
        }
    }

    /// The largest radius along an edge.
    fn radius(&self, edge: &Edge) -> f64 {
        let radii = edge.points.iter();
        radii
            .filter_map(|&point| cover::radius_at(self.object, self.squares, point))
            .fold(0.0, f64::max)
    }

    /// The cube of the object that a position is in, and the cell that it is in.
    fn cube_at(&self, point: Point3<f64>) -> Option<(u32, Cell)> {
        let steps = super::curve::Steps::new(self.object.first, self.object.dims, 0.0);
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

    /// The sum of the values on the way from one corner of a cube to another, axis by axis.
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
        self.object.place(voxel as usize).map(|c| c as i64)
    }

    /// The shortest way of a class from voxel to voxel that is shorter than `most`.
    fn shortest(&self, ends: [Point3<f64>; 2], class: u64, most: f64, values: &[u64]) -> Found {
        let object = self.object;
        let cubes = ends.map(|end| self.cube_at(end));
        let [Some((first, from)), Some((last, to))] = cubes else {
            return Found::None;
        };
        let begin = self.between(from.corner, self.corner(first), values);
        let wanted = class ^ self.between(self.corner(last), to.corner, values);
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
        let guess = |voxel: u32, way: f64| key(way + (centre(last) - centre(voxel)).norm());
        let mut open = BinaryHeap::from([(Reverse(guess(first, start)), first, begin)]);
        while let Some((Reverse(bound), voxel, sum)) = open.pop() {
            if f64::from_bits(bound) + end >= most {
                return Found::None;
            }
            let way = best[&(voxel, sum)];
            if voxel == last && sum == wanted {
                return Found::Way(way + end);
            }
            if bound > guess(voxel, way) {
                continue;
            }
            if best.len() > self.most_states {
                return Found::GivenUp;
            }
            let at = self.corner(voxel);
            for &(step, length) in &steps {
                let other = (voxel as usize).wrapping_add_signed(object.offset(step));
                if object.owner[other] == 0 {
                    continue;
                }
                let there = [0, 1, 2].map(|k| at[k] + step[k]);
                let shared = [0, 1, 2].map(|k| at[k].max(there[k]));
                let next =
                    sum ^ self.between(at, shared, values) ^ self.between(shared, there, values);
                let state = (other as u32, next);
                let longer = way + length;
                if best.get(&state).is_none_or(|&known| longer < known) {
                    best.insert(state, longer);
                    open.push((Reverse(guess(state.0, longer)), state.0, next));
                }
            }
        }
        Found::None
    }
}

enum Found {
    Way(f64),
    None,
    GivenUp,
}
