//! Bridges between parts of the skeleton that the force field leaves disconnected.
//!
//! Where a solid is so thin that all its voxels are surface voxels there is no force, and where
//! critical points are missing, curves are missing too: the skeleton of a component then falls into
//! several parts. The parts are connected by shortest paths through 26-adjacent voxels. The weight
//! of a step is its length times one plus the spacing divided by the distance to the surface, so
//! paths are short and prefer the middle of wide regions. Together the bridges form a minimum
//! spanning tree, built by Borůvka's rule: the part with the fewest points is always connected
//! next, to the part with the lowest path cost, so that searches stay small.

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

/// Point of the skeleton at which bridges may start.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// Position in voxel coordinates.
    pub point: Point3<f64>,
    /// Voxel of the solid that contains the point or is next to it.
    pub voxel: [usize; 3],
    /// Index of the skeleton part that the point belongs to.
    pub part: usize,
}

/// Index of a missing voxel or seed.
const NO_INDEX: usize = usize::MAX;

/// Path cost as an ordered key: costs are finite and non-negative, so their bit patterns have the
/// same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost(u64);

impl Cost {
    fn new(cost: f64) -> Self {
        Self(cost.to_bits())
    }
}

/// Voxels of the searched components, with consecutive indices.
struct IndexedVoxels<'a> {
    solid: &'a SolidComponents,
    /// Index of the first voxel of each run of the solid.
    first_voxel: Vec<usize>,
    coordinates: Vec<[u32; 3]>,
}

impl<'a> IndexedVoxels<'a> {
    fn new(solid: &'a SolidComponents, is_searched: impl Fn(u32) -> bool) -> Self {
        let mut first_voxel = filled_or_unwind(NO_INDEX, solid.run_count());
        let mut coordinates = Vec::new();
        solid.for_each_run_of_voxels(|run, label, voxels| {
            if is_searched(label) {
                first_voxel[run] = coordinates.len();
                coordinates.extend_or_unwind(voxels);
            }
        });
        Self {
            solid,
            first_voxel,
            coordinates,
        }
    }

    fn index(&self, voxel: [usize; 3]) -> Option<usize> {
        let (run, before) = self.solid.run_index(voxel)?;
        let first = self.first_voxel[run];
        (first != NO_INDEX).then(|| first + before)
    }

    /// Calls `visit(index, step)` for each voxel of the 3 × 3 × 3 neighbourhood of a voxel,
    /// including itself. Steps are numbered with x fastest; 13 is the voxel itself.
    fn for_each_neighbour(&self, voxel: usize, mut visit: impl FnMut(usize, usize)) {
        let at = self.coordinates[voxel];
        self.solid.for_each_neighbour(at, |run, before, [x, y, z]| {
            let step = (x + 1) + 3 * (y + 1) + 9 * (z + 1);
            visit(self.first_voxel[run] + before, step as usize);
        });
    }

    fn point(&self, voxel: usize) -> Point3<f64> {
        Point3::from(self.coordinates[voxel].map(f64::from))
    }
}

/// State of the connection of parts.
struct PartJoiner<'a> {
    voxels: IndexedVoxels<'a>,
    seeds: &'a [Seed],
    /// Lengths of the 27 steps.
    step_lengths: [f64; 27],
    /// Edge weight per unit length at each voxel: at least 1, and larger near the surface.
    edge_weights: Vec<f64>,
    /// First seed in each voxel. All seeds in a voxel belong to parts that have been joined.
    seed_in: Vec<usize>,
    sets: UnionFind,
    /// Cost of the best path so far to each voxel, and the preceding voxel; reset after each
    /// search.
    costs: Vec<f64>,
    predecessors: Vec<usize>,
}

impl PartJoiner<'_> {
    fn set_at(&mut self, voxel: usize) -> Option<usize> {
        let seed = self.seed_in[voxel];
        (seed != NO_INDEX).then(|| self.sets.root(self.seeds[seed].part))
    }

    /// Returns the shortest path from a set of parts, given the voxels of its seeds, to another
    /// set: its voxels from the last to the first. Returns `None` if no other set is reachable.
    fn shortest_path_from(&mut self, set: usize, starts: &[usize]) -> Option<Vec<usize>> {
        let mut reached: Vec<usize> = copy_or_unwind(starts);
        let mut queue = BinaryHeap::new();
        for &start in starts {
            self.costs[start] = 0.0;
            queue.push_or_unwind(Reverse((Cost::new(0.0), start)));
        }
        let mut target = None;
        while let Some(Reverse((cost, current))) = queue.pop() {
            if cost > Cost::new(self.costs[current]) {
                continue;
            }
            if self.set_at(current).is_some_and(|reached| reached != set) {
                target = Some(current);
                break;
            }
            let (so_far, edge_weight) = (self.costs[current], self.edge_weights[current]);
            self.voxels.for_each_neighbour(current, |next, step| {
                let cost = so_far
                    + 0.5 * self.step_lengths[step] * (edge_weight + self.edge_weights[next]);
                if cost < self.costs[next] {
                    self.costs[next] = cost;
                    self.predecessors[next] = current;
                    reached.push_or_unwind(next);
                    queue.push_or_unwind(Reverse((Cost::new(cost), next)));
                }
            });
        }
        let path = target.map(|end| {
            let next = |&voxel: &usize| {
                Some(self.predecessors[voxel]).filter(|&predecessor| predecessor != NO_INDEX)
            };
            std::iter::successors(Some(end), next).collect_or_unwind()
        });
        for voxel in reached {
            self.costs[voxel] = f64::INFINITY;
            self.predecessors[voxel] = NO_INDEX;
        }
        path
    }

    /// Converts a path to points: the seeds at both ends, in seed order, and the voxels between
    /// them.
    fn path_points(&self, path: &[usize]) -> Vec<Point3<f64>> {
        let [Some(&last), Some(&first)] = [path.first(), path.last()] else {
            return Vec::new();
        };
        let ends = [first, last].map(|voxel| self.seed_in[voxel]);
        let inner = path[1..path.len() - 1].iter().rev();
        let mut points = vec![self.seeds[ends[0]].point];
        points.extend_or_unwind(inner.map(|&voxel| self.voxels.point(voxel)));
        points.push_or_unwind(self.seeds[ends[1]].point);
        if ends[0] > ends[1] {
            points.reverse();
        }
        points
    }
}

/// Returns the lengths of the steps to the 27 voxels of a neighbourhood, x fastest.
fn step_lengths(axes: &Matrix3<f64>) -> [f64; 27] {
    std::array::from_fn(|k| {
        let step = [k % 3, k / 3 % 3, k / 9].map(|at| at as f64 - 1.0);
        (axes * Vector3::from(step)).norm()
    })
}

/// Finds the shortest paths that connect the parts of the seeds within each component, each from
/// one seed's point to another's.
///
/// `clearance` returns the distance of points from the surface, in the world units defined by
/// `axes`; it must be positive. Takes about 70 bytes of host memory per voxel of the components
/// that contain seeds. The time of a search is O(n log n) in the number of voxels closer than the
/// nearest other part.
///
/// # Errors
/// Errors of `clearance`.
pub fn find_bridges(
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
    let voxels = IndexedVoxels::new(solid, |label| is_searched[label as usize]);
    let count = voxels.coordinates.len();
    let points: Vec<_> = (0..count).map(|k| voxels.point(k)).collect_or_unwind();
    let radii = clearance(&points)?;
    let step_lengths = step_lengths(&axes);
    let steps = step_lengths.iter().copied().filter(|&length| length > 0.0);
    let unit = steps.fold(f64::INFINITY, f64::min);
    let part_count = seeds.iter().map(|seed| seed.part + 1).max().unwrap_or(0);
    let mut joiner = PartJoiner {
        voxels,
        seeds,
        step_lengths,
        edge_weights: radii.iter().map(|r| 1.0 + unit / r).collect_or_unwind(),
        seed_in: filled_or_unwind(NO_INDEX, count),
        sets: unwrap_or_unwind(UnionFind::try_new(part_count)),
        costs: filled_or_unwind(f64::INFINITY, count),
        predecessors: filled_or_unwind(NO_INDEX, count),
    };
    let mut paths = Vec::new();
    let mut starts: Vec<Vec<usize>> = filled_or_unwind(Vec::new(), part_count);
    for (index, seed) in seeds.iter().enumerate() {
        let Some(voxel) = joiner.voxels.index(seed.voxel) else {
            continue;
        };
        match joiner.seed_in[voxel] {
            NO_INDEX => {
                joiner.seed_in[voxel] = index;
                starts[seed.part].push_or_unwind(voxel);
            }
            // two parts in one voxel
            other if joiner.sets.join(seeds[other].part, seed.part) => {
                paths.push_or_unwind(vec![seeds[other].point, seed.point]);
            }
            _ => (),
        }
    }
    for part in 0..part_count {
        let root = joiner.sets.root(part);
        if root != part {
            let moved = std::mem::take(&mut starts[part]);
            starts[root].extend_or_unwind(moved);
        }
    }
    let has_start = |&set: &usize| !starts[set].is_empty();
    let sets = (0..part_count).filter(has_start);
    let mut queue: BinaryHeap<_> =
        collect_into_or_unwind(sets.map(|set| Reverse((starts[set].len(), set))));
    while let Some(Reverse((len, set))) = queue.pop() {
        // the set has grown since, and has a newer entry in the queue
        if starts[set].len() != len {
            continue;
        }
        let Some(path) = joiner.shortest_path_from(set, &starts[set]) else {
            continue;
        };
        paths.push_or_unwind(joiner.path_points(&path));
        let other = joiner.set_at(path[0]).unwrap_or(set);
        joiner.sets.join(set, other);
        let (root, joined) = (set.min(other), set.max(other));
        let moved = std::mem::take(&mut starts[joined]);
        starts[root].extend_or_unwind(moved);
        queue.push_or_unwind(Reverse((starts[root].len(), root)));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        grid::{DeviceMask, Geometry},
        skeleton::components,
    };

    /// Creates a solid of one layer from rows of characters.
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

    fn seed(part: usize, [x, y]: [usize; 2]) -> Seed {
        Seed {
            point: Point3::new(x as f64 + 0.25, y as f64, 0.0),
            voxel: [x, y, 0],
            part,
        }
    }

    fn bridges_of_layer(rows: &[&str], seeds: &[Seed]) -> Vec<Vec<[f64; 2]>> {
        let unit_clearance = |points: &[Point3<f64>]| Ok(vec![1.0; points.len()]);
        let paths = find_bridges(&layer(rows), seeds, Matrix3::identity(), unit_clearance).unwrap();
        let flat = |path: Vec<Point3<f64>>| path.iter().map(|at| [at.x, at.y]).collect();
        paths.into_iter().map(flat).collect()
    }

    #[test]
    fn bridges_stay_inside_the_solid() {
        let rows = ["#####", "#...#", "#.###"];
        let paths = bridges_of_layer(&rows, &[seed(0, [0, 2]), seed(1, [2, 2])]);
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
        assert_eq!(paths, [expected.to_vec()]);
    }

    #[test]
    fn bridges_form_a_minimum_spanning_tree() {
        let row = ["##########"];
        // the first two seeds belong to one part
        let seeds = [
            seed(0, [0, 0]),
            seed(0, [3, 0]),
            seed(1, [5, 0]),
            seed(2, [9, 0]),
        ];
        let paths = bridges_of_layer(&row, &seeds);
        assert_eq!(paths.len(), 2);
        assert_eq!(paths[0], [[3.25, 0.0], [4.0, 0.0], [5.25, 0.0]]);
        assert_eq!(paths[1].len(), 5);
    }

    #[test]
    fn components_stay_separate_and_parts_in_one_voxel_are_joined() {
        let paths = bridges_of_layer(&["##.##"], &[seed(0, [0, 0]), seed(1, [4, 0])]);
        assert!(paths.is_empty());
        let paths = bridges_of_layer(&["##.##"], &[seed(0, [0, 0]), seed(1, [0, 0])]);
        assert_eq!(paths, [[[0.25, 0.0]; 2]]);
        assert!(bridges_of_layer(&["##.##"], &[]).is_empty());
    }
}
