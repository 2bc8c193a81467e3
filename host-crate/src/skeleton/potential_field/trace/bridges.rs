//! Ways through a solid between what the force leaves apart.
//!
//! Where a solid is so thin that all of its voxels are surface there is no force, and where
//! critical points were not found curves are missing: there the skeleton of one component falls
//! apart. Its pieces are joined by the cheapest ways through voxels that touch one another, of
//! which a step costs its length, times 1 and a voxel divided by the distance to the surface: so
//! ways are short, and rather in the middle of what is wide. Together they are a minimum spanning
//! tree: always the piece with the fewest points is joined to the one that is cheapest to reach
//! (Borůvka's rule), so that searches stay in what is small.

use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, collect_into_or_unwind, copy_or_unwind, filled_or_unwind,
        unwrap_or_unwind, zeroed_or_unwind,
    },
    skeleton::{SkeletonError, SolidComponents},
    union_find::UnionFind,
};
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

/// The voxels of some components, by numbers.
struct Voxels<'a> {
    solid: &'a SolidComponents,
    /// For each run of the solid the number of its first voxel.
    first: Vec<usize>,
    places: Vec<[u32; 3]>,
}

impl<'a> Voxels<'a> {
    fn new(solid: &'a SolidComponents, is_searched: impl Fn(u32) -> bool) -> Self {
        let mut first = filled_or_unwind(NONE, solid.run_count());
        let mut places = Vec::new();
        solid.for_each_run_of_voxels(|run, label, voxels| {
            if is_searched(label) {
                first[run] = places.len();
                places.extend_or_unwind(voxels);
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

    /// Calls `visit` with each voxel that touches one, itself among them, and the number of the
    /// step there: x fastest, 13 is none.
    fn for_each_around(&self, voxel: usize, mut visit: impl FnMut(usize, usize)) {
        let at = self.places[voxel];
        self.solid.for_each_around(at, |run, before, [x, y, z]| {
            let step = (x + 1) + 3 * (y + 1) + 9 * (z + 1);
            visit(self.first[run] + before, step as usize);
        });
    }

    fn point(&self, voxel: usize) -> Point3<f64> {
        Point3::from(self.places[voxel].map(f64::from))
    }
}

/// Pieces that are joined one after the other.
struct Pieces<'a> {
    voxels: Voxels<'a>,
    seeds: &'a [Seed],
    /// How long each of the 27 steps is.
    lengths: [f64; 27],
    /// For each voxel what a step of length 1 costs there: 1, and more near the surface.
    prices: Vec<f64>,
    /// For each voxel the first seed in it. All of one voxel are of joined pieces.
    seed_in: Vec<usize>,
    sets: UnionFind,
    /// For each voxel the cost of the cheapest way so far, and the voxel before: of one search.
    costs: Vec<f64>,
    before: Vec<usize>,
}

impl Pieces<'_> {
    fn set_in(&mut self, voxel: usize) -> Option<usize> {
        let seed = self.seed_in[voxel];
        (seed != NONE).then(|| self.sets.root(self.seeds[seed].piece))
    }

    /// The cheapest way from a set, which begins in some voxels, to another: its voxels from the
    /// last to the first. None if there is no other.
    fn search(&mut self, set: usize, starts: &[usize]) -> Option<Vec<usize>> {
        let mut reached: Vec<usize> = copy_or_unwind(starts);
        let mut open = BinaryHeap::new();
        for &start in starts {
            self.costs[start] = 0.0;
            open.push_or_unwind(Reverse((Cost::of(0.0), start)));
        }
        let mut found = None;
        while let Some(Reverse((cost, here))) = open.pop() {
            if cost > Cost::of(self.costs[here]) {
                continue;
            }
            if self.set_in(here).is_some_and(|other| other != set) {
                found = Some(here);
                break;
            }
            let (so_far, price) = (self.costs[here], self.prices[here]);
            self.voxels.for_each_around(here, |next, step| {
                let cost = so_far + 0.5 * self.lengths[step] * (price + self.prices[next]);
                if cost < self.costs[next] {
                    self.costs[next] = cost;
                    self.before[next] = here;
                    reached.push_or_unwind(next);
                    open.push_or_unwind(Reverse((Cost::of(cost), next)));
                }
            });
        }
        let way = found.map(|end| {
            let next = |&voxel: &usize| Some(self.before[voxel]).filter(|&before| before != NONE);
            std::iter::successors(Some(end), next).collect_or_unwind()
        });
        for voxel in reached {
            self.costs[voxel] = f64::INFINITY;
            self.before[voxel] = NONE;
        }
        way
    }

    /// The same as points: those of the seeds at both ends, in the order of the seeds, and the
    /// voxels between them.
    fn points_of(&self, way: &[usize]) -> Vec<Point3<f64>> {
        let [Some(&last), Some(&first)] = [way.first(), way.last()] else {
            return Vec::new();
        };
        let ends = [first, last].map(|voxel| self.seed_in[voxel]);
        let inner = way[1..way.len() - 1].iter().rev();
        let mut points = vec![self.seeds[ends[0]].point];
        points.extend_or_unwind(inner.map(|&voxel| self.voxels.point(voxel)));
        points.push_or_unwind(self.seeds[ends[1]].point);
        if ends[0] > ends[1] {
            points.reverse();
        }
        points
    }
}

/// The lengths of the steps to voxels that touch one another, x fastest.
fn lengths(axes: &Matrix3<f64>) -> [f64; 27] {
    std::array::from_fn(|k| {
        let step = [k % 3, k / 3 % 3, k / 9].map(|at| at as f64 - 1.0);
        (axes * Vector3::from(step)).norm()
    })
}

/// The cheapest ways that join the pieces which seeds are of, as far as they lie in one component:
/// each from one seed's point to another's.
///
/// `clearance` gives the distance of points from the surface, in the units that `axes` make of
/// steps in voxels; never 0. Takes about 70 bytes of host memory for each voxel of the components
/// that seeds are in. A search takes time in proportion to the voxels that are cheaper to reach
/// than the other piece, and the logarithm of their number.
///
/// # Errors
/// Those of `clearance`.
pub fn bridges(
    solid: &SolidComponents,
    seeds: &[Seed],
    axes: Matrix3<f64>,
    clearance: impl FnOnce(&[Point3<f64>]) -> Result<Vec<f64>, SkeletonError>,
) -> Result<Vec<Vec<Point3<f64>>>, SkeletonError> {
    let mut is_searched = zeroed_or_unwind::<bool>(solid.count());
    for seed in seeds {
        if let Some(label) = solid.label(seed.voxel) {
            is_searched[label as usize] = true;
        }
    }
    let voxels = Voxels::new(solid, |label| is_searched[label as usize]);
    let count = voxels.places.len();
    let points: Vec<_> = (0..count).map(|k| voxels.point(k)).collect_or_unwind();
    let radii = clearance(&points)?;
    let lengths = lengths(&axes);
    let steps = lengths.iter().copied().filter(|&length| length > 0.0);
    let unit = steps.fold(f64::INFINITY, f64::min);
    let numbers = seeds.iter().map(|seed| seed.piece + 1).max().unwrap_or(0);
    let mut pieces = Pieces {
        voxels,
        seeds,
        lengths,
        prices: radii.iter().map(|r| 1.0 + unit / r).collect_or_unwind(),
        seed_in: filled_or_unwind(NONE, count),
        sets: unwrap_or_unwind(UnionFind::try_new(numbers)),
        costs: filled_or_unwind(f64::INFINITY, count),
        before: filled_or_unwind(NONE, count),
    };
    let mut found = Vec::new();
    let mut starts: Vec<Vec<usize>> = filled_or_unwind(Vec::new(), numbers);
    for (number, seed) in seeds.iter().enumerate() {
        let Some(voxel) = pieces.voxels.number(seed.voxel) else {
            continue;
        };
        match pieces.seed_in[voxel] {
            NONE => {
                pieces.seed_in[voxel] = number;
                starts[seed.piece].push_or_unwind(voxel);
            }
            // two pieces in one voxel
            other if pieces.sets.join(seeds[other].piece, seed.piece) => {
                found.push_or_unwind(vec![seeds[other].point, seed.point]);
            }
            _ => (),
        }
    }
    for piece in 0..numbers {
        let root = pieces.sets.root(piece);
        if root != piece {
            let more = std::mem::take(&mut starts[piece]);
            starts[root].extend_or_unwind(more);
        }
    }
    let has_start = |&set: &usize| !starts[set].is_empty();
    let sets = (0..numbers).filter(has_start);
    let mut smallest: BinaryHeap<_> =
        collect_into_or_unwind(sets.map(|set| Reverse((starts[set].len(), set))));
    while let Some(Reverse((len, set))) = smallest.pop() {
        // what has grown since is in the queue anew
        if starts[set].len() != len {
            continue;
        }
        let Some(way) = pieces.search(set, &starts[set]) else {
            continue;
        };
        found.push_or_unwind(pieces.points_of(&way));
        let other = pieces.set_in(way[0]).unwrap_or(set);
        pieces.sets.join(set, other);
        let (root, joined) = (set.min(other), set.max(other));
        let more = std::mem::take(&mut starts[joined]);
        starts[root].extend_or_unwind(more);
        smallest.push_or_unwind(Reverse((starts[root].len(), root)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        grid::{DeviceMask, Geometry},
        skeleton::components,
    };

    /// A solid of one layer, drawn in rows.
    fn layer(rows: &[&str]) -> SolidComponents {
        let voxels: Vec<u8> = rows
            .concat()
            .bytes()
            .map(|byte| u8::from(byte == b'#'))
            .collect();
        let stream = Device::cpu().stream().unwrap();
        let dims = [rows[0].len(), rows.len(), 1];
        let mask = DeviceMask::upload(&stream, &voxels, dims, Geometry::default()).unwrap();
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
        let ways = bridges(&layer(rows), seeds, Matrix3::identity(), same).unwrap();
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
