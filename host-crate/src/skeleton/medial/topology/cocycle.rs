//! Cohomology basis of a component: assigns to every step between adjacent voxels a class, such
//! that the sum of the classes along a closed path is its class in the first homology with
//! coefficients in Z/2.
//!
//! The class of a step is that of the runs of its two voxels ([`RunClasses`]).

use super::{
    homology_classes::{ClassTable, HomologyClass, symmetric_difference},
    run_classes::RunClasses,
};
use crate::{
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::ComponentProgress,
        voxels::{
            neighbour_bits::{ADJACENT, NEIGHBOURS, SUCCESSORS, bits},
            object::Object,
            x_runs::{TouchingRuns, XRuns},
        },
    },
};
use std::ops::{Add, Range};

/// Classes of all steps of a component.
pub struct Cocycle {
    /// Table of the classes.
    pub table: ClassTable,
    runs: XRuns,
    /// Index of the first entry of `pairs` of each run, followed by the number of entries.
    starts: Vec<u32>,
    /// Touching runs of each run with which its class is not zero, in ascending order, and the
    /// class.
    pairs: Vec<(u32, HomologyClass)>,
    /// Number of independent classes: the rank of the first homology.
    rank: u64,
}

/// Number of runs per parallel task of the verification.
const RUNS_PER_TASK: usize = 1 << 8;

impl Cocycle {
    /// Returns the cocycle of a component without tunnels.
    pub fn zero() -> Self {
        Self {
            table: ClassTable::default(),
            runs: XRuns::empty(),
            starts: Vec::new(),
            pairs: Vec::new(),
            rank: 0,
        }
    }

    /// Computes the cocycle of a component.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(object: &Object, progress: &ComponentProgress<'_>) -> Result<Self, Cancelled> {
        let runs = XRuns::new(object);
        progress.check()?;
        let touching = TouchingRuns::new(object);
        let RunClasses {
            table,
            starts,
            pairs,
            rank,
        } = RunClasses::new(&touching, runs.len(), progress)?;
        Ok(Self {
            table,
            runs,
            starts,
            pairs,
            rank,
        })
    }

    /// Returns the number of independent classes.
    pub fn rank(&self) -> u64 {
        self.rank
    }

    /// Returns the pairs of a run whose class is not zero.
    #[inline(always)]
    fn run_pairs(&self, run: usize) -> &[(u32, HomologyClass)] {
        &self.pairs[self.starts[run] as usize..self.starts[run + 1] as usize]
    }

    /// Returns the class of the step between two adjacent voxels.
    #[inline(always)]
    pub fn step_class(&self, from: usize, to: usize) -> HomologyClass {
        if self.pairs.is_empty() {
            return 0;
        }
        let pairs = self.run_pairs(self.runs.run_at(from));
        if pairs.is_empty() {
            return 0;
        }
        let other = self.runs.run_at(to) as u32;
        match pairs.binary_search_by_key(&other, |pair| pair.0) {
            Ok(at) => pairs[at].1,
            Err(_) => 0,
        }
    }

    /// Returns `true` if a voxel can have a step with a non-zero class.
    #[inline(always)]
    pub fn has_classes(&self, voxel: usize) -> bool {
        self.have_classes(voxel, voxel)
    }

    /// Returns `true` if any voxel of a range, given by its first and its last voxel, can have a
    /// step with a non-zero class.
    #[inline(always)]
    pub fn have_classes(&self, first: usize, last: usize) -> bool {
        !self.pairs.is_empty()
            && self.starts[self.runs.run_at(first)] < self.starts[self.runs.run_at(last) + 1]
    }

    /// Returns the bits of the class of a path through adjacent voxels.
    pub fn path_bits(&self, path: &[u32]) -> Vec<u32> {
        let mut bits = Vec::new();
        if self.rank == 0 {
            return bits;
        }
        for step in path.windows(2) {
            let class = self.step_class(step[0] as usize, step[1] as usize);
            if class != 0 {
                bits = symmetric_difference(&bits, self.table.bits(class));
            }
        }
        bits
    }

    /// Counts triangles of mutually adjacent voxels whose classes do not sum to zero; each such
    /// triangle is counted at least once. Only triangles with a step of non-zero class are tested.
    /// The test looks at voxels, so it verifies the classes of runs independently.
    pub fn open_triangles(&self, object: &Object) -> u64 {
        if self.pairs.is_empty() {
            return 0;
        }
        let open_at = |a: usize| {
            let neighbours = object.neighbours(a, NEIGHBOURS);
            let mask = neighbours.mask();
            let mut open = 0;
            // each step is tested from its first voxel
            for first in bits(mask & SUCCESSORS) {
                let b = neighbours.at(first);
                let ab = self.step_class(a, b);
                if ab == 0 {
                    continue;
                }
                for second in bits(mask & ADJACENT[first] & !(1 << first)) {
                    let c = neighbours.at(second);
                    let (ac, bc) = (self.step_class(a, c), self.step_class(b, c));
                    open += u64::from(!self.table.is_sum(ab, ac, bc));
                }
            }
            open
        };
        let range_sum = |runs: Range<usize>| {
            let runs = runs.filter(|&run| !self.run_pairs(run).is_empty());
            runs.flat_map(|run| self.runs.voxels(run))
                .map(open_at)
                .sum::<u64>()
        };
        parallel::reduce(self.runs.len(), RUNS_PER_TASK, range_sum, u64::add).unwrap_or(0)
    }
}

/// Returns the class of a path through adjacent voxels.
pub fn path_class(cocycle: &mut Cocycle, path: &[u32]) -> HomologyClass {
    let bits = cocycle.path_bits(path);
    cocycle.table.class_from_bits(&bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::{Geometry, Mask},
        skeleton::medial::{
            topology::{betti_numbers::BettiNumbers, cycle_basis::CycleBasis},
            voxels::{frame::Frame, runs::Runs},
        },
    };
    use proptest::prelude::*;

    /// Checks the cocycle of the component with the most runs.
    fn check(samples: &[bool], dims: [usize; 3]) {
        let mask = Mask::from_bools(samples, dims, Geometry::default()).unwrap();
        let runs = Runs::from_mask(&mask).unwrap();
        let components = runs.components().unwrap();
        let Some(runs) = components.iter().max_by_key(|runs| runs.len()) else {
            return;
        };
        let progress = &ComponentProgress::disabled();
        let object = Object::new(runs, &Frame::unpermuted(runs), progress).unwrap();
        let cocycle = Cocycle::new(&object, progress).unwrap();
        assert_eq!(cocycle.rank(), BettiNumbers::new(&object).tunnels);
        assert_eq!(cocycle.open_triangles(&object), 0);
        // the classes of the cycles of all steps have the full rank
        let steps = (0..object.len()).flat_map(|voxel| {
            let neighbours = object.neighbours(voxel, SUCCESSORS);
            neighbours.map(move |(_, other)| [voxel, other])
        });
        let edges = steps.map(|[from, to]| {
            let class = cocycle.step_class(from, to);
            assert_eq!(class, cocycle.step_class(to, from));
            ([from, to], cocycle.table.bits(class))
        });
        let cycles = CycleBasis::new(object.len(), edges);
        assert_eq!(cycles.rank() as u64, cocycle.rank());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: test_cases::case_count(2000), failure_persistence: None, ..Default::default() })]

        /// Random objects with tunnels and cavities.
        #[test]
        fn ranks_equal_the_number_of_tunnels(
            seed in any::<u64>(),
            fill in 0.3f64..0.95,
            dims in prop::array::uniform3(1usize..12),
        ) {
            let mut state = seed;
            let mut is_set = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 40) as f64) < fill * (1u64 << 24) as f64
            };
            let samples: Vec<bool> = (0..dims.iter().product::<usize>()).map(|_| is_set()).collect();
            check(&samples, dims);
        }
    }

    /// A solid with a tunnel, a cavity and long runs, a shell, and a plate with holes.
    #[test]
    fn known_objects_have_closed_cocycles() {
        let dims = [140, 20, 20];
        let solid = |is_set: &dyn Fn([usize; 3]) -> bool| {
            let voxels = (0..dims.iter().product::<usize>())
                .map(|at| is_set([at % 140, at / 140 % 20, at / 2800]));
            check(&voxels.collect::<Vec<_>>(), dims);
        };
        solid(&|[x, y, z]| {
            let is_tunnel = (60..64).contains(&x) && (8..12).contains(&y);
            let is_cavity = (100..104).contains(&x) && (8..12).contains(&y) && (8..12).contains(&z);
            !is_tunnel && !is_cavity
        });
        solid(&|[x, y, z]| [x, y, z].contains(&0) || x == 139 || y == 19 || z == 19);
        solid(&|[x, y, z]| z == 4 && !(x % 7 == 3 && y % 5 == 2));
    }
}
