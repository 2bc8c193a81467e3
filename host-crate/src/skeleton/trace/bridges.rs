//! Ways through a solid between what the force leaves apart.
//!
//! Where a solid is so thin that all of its voxels are surface there is no force, and where critical points were not found curves are missing: there the
//! skeleton of one component falls apart. Its pieces are joined by the cheapest ways through voxels that touch one another, of which a step costs its
//! length divided by the square of the distance to the surface: so ways go through the middle of what is wide. This is Kruskal's spanning tree, found while the
//! ways grow from all pieces at the same time (Dijkstra).

use crate::skeleton::{SkeletonError, SolidComponents, queries::UnionFind};
use nalgebra::{Matrix3, Point3, Vector3};
use std::{cmp::Reverse, collections::BinaryHeap};

/// A point of the skeleton, from which ways begin.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// Where it is.
    pub point: Point3<f64>,
    /// The voxel of the solid that it is in or beside.
    pub voxel: [usize; 3],
    /// Which piece of the skeleton it is of.
    pub piece: usize,
}

/// No voxel, or no seed.
const NONE: usize = usize::MAX;

/// A cost as a key: costs are finite and not below 0, so that their bits are in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost(u64);

impl Cost {
    fn of(cost: f64) -> Self {
        Self(cost.to_bits())
    }
}

/// What happens when ways have grown to a cost: a voxel is reached, or ways from two sides meet between two voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Reached(usize),
    Met(usize, usize),
}

/// The voxels of some components, by numbers.
struct Voxels<'a> {
    solid: &'a SolidComponents,
    /// For each run of the solid the number of its first voxel.
    first: Vec<usize>,
    places: Vec<[u32; 3]>,
}

impl<'a> Voxels<'a> {
    fn new(solid: &'a SolidComponents, is_wanted: impl Fn(u32) -> bool) -> Self {
        let mut first = vec![NONE; solid.run_count()];
        let mut places = Vec::new();
        solid.for_each_run_of_voxels(|run, label, voxels| {
            if is_wanted(label) {
                first[run] = places.len();
                places.extend(voxels);
            }
        });
        Self {
            solid,
            first,
            places,
        }
    }

    fn number(&self, voxel: [usize; 3]) -> Option<usize> {
        let (run, before) = self.solid.run_of(voxel)?;
        let first = self.first[run];
        (first != NONE).then(|| first + before)
    }

    /// The voxels that touch one, each with the step there.
    fn around(&self, voxel: usize) -> impl Iterator<Item = (usize, Vector3<f64>)> {
        let at = self.places[voxel];
        let steps = (0..27).filter(|&k| k != 13);
        steps.filter_map(move |k| {
            let step = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            let place = [0, 1, 2].map(|axis| (at[axis] as usize).wrapping_add_signed(step[axis]));
            let number = self.number(place)?;
            Some((number, Vector3::from(step.map(|s| s as f64))))
        })
    }

    fn point(&self, voxel: usize) -> Point3<f64> {
        Point3::from(self.places[voxel].map(f64::from))
    }
}

/// Ways that grow.
struct Ways<'a> {
    seeds: &'a [Seed],
    /// For each voxel the cost of the cheapest way so far, the voxel before, the seed it begins at, and whether it stays.
    costs: Vec<f64>,
    before: Vec<usize>,
    owner: Vec<usize>,
    is_done: Vec<bool>,
    events: BinaryHeap<Reverse<(Cost, Event)>>,
}

impl<'a> Ways<'a> {
    fn new(seeds: &'a [Seed], count: usize) -> Self {
        Self {
            seeds,
            costs: vec![f64::INFINITY; count],
            before: vec![NONE; count],
            owner: vec![NONE; count],
            is_done: vec![false; count],
            events: BinaryHeap::new(),
        }
    }

    fn reach(&mut self, voxel: usize, cost: f64, before: usize, owner: usize) {
        if cost < self.costs[voxel] {
            self.costs[voxel] = cost;
            self.before[voxel] = before;
            self.owner[voxel] = owner;
            self.push(cost, Event::Reached(voxel));
        }
    }

    fn push(&mut self, cost: f64, event: Event) {
        self.events.push(Reverse((Cost::of(cost), event)));
    }

    fn seed(&self, voxel: usize) -> &Seed {
        &self.seeds[self.owner[voxel]]
    }

    /// From a seed to a voxel: the seed's point instead of its voxel.
    fn way_to(&self, voxels: &Voxels<'_>, mut voxel: usize) -> Vec<Point3<f64>> {
        let start = self.seed(voxel).point;
        let mut way = Vec::new();
        while self.before[voxel] != NONE {
            way.push(voxels.point(voxel));
            voxel = self.before[voxel];
        }
        way.push(start);
        way.reverse();
        way
    }
}

/// The cheapest ways that join the pieces which seeds are of, as far as they lie in one component: each from one seed's point to another's.
///
/// `clearance` says how far points are from the surface, in the units that `axes` make of steps in voxels; never 0. Takes about 100 bytes of host memory for each voxel of the components that seeds are in;
/// work is proportional to voxels and the logarithm of their number.
///
/// # Errors
/// Those of `clearance`.
pub fn bridges(
    solid: &SolidComponents,
    seeds: &[Seed],
    axes: &Matrix3<f64>,
    clearance: impl FnOnce(&[Point3<f64>]) -> Result<Vec<f64>, SkeletonError>,
) -> Result<Vec<Vec<Point3<f64>>>, SkeletonError> {
    let mut is_wanted = vec![false; solid.count()];
    for seed in seeds {
        if let Some(label) = solid.label(seed.voxel) {
            is_wanted[label as usize] = true;
        }
    }
    let voxels = Voxels::new(solid, |label| is_wanted[label as usize]);
    let count = voxels.places.len();
    let points: Vec<_> = (0..count).map(|k| voxels.point(k)).collect();
    let price: Vec<f64> = clearance(&points)?.iter().map(|r| 1.0 / (r * r)).collect();
    let pieces = seeds.iter().map(|seed| seed.piece + 1).max().unwrap_or(0);
    let mut sets = UnionFind::new(pieces);
    let mut found = Vec::new();
    let mut ways = Ways::new(seeds, count);
    for (number, seed) in seeds.iter().enumerate() {
        let Some(voxel) = voxels.number(seed.voxel) else {
            continue;
        };
        ways.reach(voxel, 0.0, NONE, number);
        // two pieces in one voxel
        let other = *ways.seed(voxel);
        if sets.join(other.piece, seed.piece) {
            found.push(vec![other.point, seed.point]);
        }
    }
    while let Some(Reverse((_, event))) = ways.events.pop() {
        match event {
            Event::Reached(here) => {
                if std::mem::replace(&mut ways.is_done[here], true) {
                    continue;
                }
                for (next, step) in voxels.around(here) {
                    let length = (axes * step).norm();
                    let step = 0.5 * length * (price[here] + price[next]);
                    let cost = ways.costs[here] + step;
                    if !ways.is_done[next] {
                        ways.reach(next, cost, here, ways.owner[here]);
                    } else if !sets.are_joined(ways.seed(here).piece, ways.seed(next).piece) {
                        // no way that is found later is cheaper than twice what has been reached
                        let half = 0.5 * (cost + ways.costs[next]);
                        ways.push(half, Event::Met(here, next));
                    }
                }
            }
            Event::Met(here, next) => {
                if sets.join(ways.seed(here).piece, ways.seed(next).piece) {
                    // in the order of the seeds
                    let (here, next) = match ways.owner[here] < ways.owner[next] {
                        true => (here, next),
                        false => (next, here),
                    };
                    let mut way = ways.way_to(&voxels, here);
                    way.extend(ways.way_to(&voxels, next).into_iter().rev());
                    found.push(way);
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::Device, distance::SiteMask, skeleton::components, volume::Geometry};

    /// A solid of one layer, drawn in rows.
    fn layer(rows: &[&str]) -> SolidComponents {
        let voxels: Vec<u8> = rows
            .concat()
            .bytes()
            .map(|byte| u8::from(byte == b'#'))
            .collect();
        let stream = Device::cpu().stream().unwrap();
        let dims = [rows[0].len(), rows.len(), 1];
        let mask = SiteMask::upload(&stream, &voxels, dims, Geometry::default()).unwrap();
        components(&stream, &mask).unwrap()
    }

    fn seed(piece: usize, [x, y]: [usize; 2]) -> Seed {
        Seed {
            point: Point3::new(x as f64 + 0.25, y as f64, 0.0),
            voxel: [x, y, 0],
            piece,
        }
    }

    fn found(rows: &[&str], seeds: &[Seed]) -> Vec<Vec<[f64; 2]>> {
        let same = |points: &[Point3<f64>]| Ok(vec![1.0; points.len()]);
        let ways = bridges(&layer(rows), seeds, &Matrix3::identity(), same).unwrap();
        let flat = |way: Vec<Point3<f64>>| way.iter().map(|at| [at.x, at.y]).collect();
        ways.into_iter().map(flat).collect()
    }

    #[test]
    fn ways_go_around_what_is_not_there() {
        let rows = ["#####", "#...#", "#.###"];
        let ways = found(&rows, &[seed(0, [0, 2]), seed(1, [2, 2])]);
        let expected = [
            [0.25, 2.0],
            [0.0, 1.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [3.0, 0.0],
            [4.0, 1.0],
            [3.0, 2.0],
            [2.25, 2.0],
        ];
        assert_eq!(ways, [expected.to_vec()]);
    }

    #[test]
    fn the_shortest_ways_join_all() {
        let row = ["##########"];
        // 0 and 1 are of one piece
        let seeds = [
            seed(0, [0, 0]),
            seed(0, [3, 0]),
            seed(1, [5, 0]),
            seed(2, [9, 0]),
        ];
        let ways = found(&row, &seeds);
        assert_eq!(ways.len(), 2);
        assert_eq!(ways[0], [[3.25, 0.0], [4.0, 0.0], [5.25, 0.0]]);
        assert_eq!(ways[1].len(), 5);
    }

    #[test]
    fn what_is_apart_stays_so_and_one_voxel_can_have_two_pieces() {
        let ways = found(&["##.##"], &[seed(0, [0, 0]), seed(1, [4, 0])]);
        assert!(ways.is_empty());
        let ways = found(&["##.##"], &[seed(0, [0, 0]), seed(1, [0, 0])]);
        assert_eq!(ways, [[[0.25, 0.0]; 2]]);
        assert!(found(&["##.##"], &[]).is_empty());
    }
}
