//! Cohomology basis of a component from its runs of voxels along x.
//!
//! Closed boxes that touch pairwise have a common point, so by the nerve theorem a component is
//! homotopy equivalent to the clique complex of its touching runs: runs are vertices, touching runs
//! are edges, and three runs that touch each other are triangles. Edges of a spanning tree get the
//! class zero. The class of an edge follows from the two other edges of a triangle; when no further
//! class follows, an edge gets a new class. Triangles whose classes then do not sum to zero express
//! a class as the sum of others.

use super::homology_classes::{Basis, ClassTable, HomologyClass};
use crate::{
    memory::{ExtendOrUnwind, ReserveOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::x_runs::TouchingRuns,
    },
};
use std::collections::{BTreeSet, HashMap};

/// Classes of the pairs of touching runs.
pub struct RunClasses {
    pub table: ClassTable,
    /// Index of the first entry of `pairs` of each run, followed by the number of entries.
    pub starts: Vec<u32>,
    /// Touching runs of each run with which its class is not zero, in ascending order, and the
    /// class.
    pub pairs: Vec<(u32, HomologyClass)>,
    /// Number of independent classes: the rank of the first homology.
    pub rank: u64,
}

impl RunClasses {
    /// Computes the classes of a connected set of runs, in time linear in the number of triangles
    /// of touching runs, plus the elimination of the relations between classes.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(
        touching: &TouchingRuns,
        runs: usize,
        progress: &ComponentProgress<'_>,
    ) -> Result<Self, Cancelled> {
        let mut builder = Builder {
            touching,
            progress,
            classes: filled_or_unwind(UNKNOWN, touching.pair_count()),
            table: ClassTable::default(),
            pending: Vec::new(),
            propagated: 0,
        };
        builder.add_spanning_tree(runs);
        builder.propagate()?;
        let mut generators = 0;
        for run in 0..runs {
            for (index, &other) in touching.range(run).zip(touching.neighbours(run)) {
                if builder.classes[index] == UNKNOWN {
                    let class = builder.table.single(generators);
                    generators += 1;
                    builder.set_class(run as u32, other, class);
                    builder.propagate()?;
                }
            }
        }
        let relations = builder.relations(runs)?;
        Ok(builder.quotient(runs, u64::from(generators), &relations))
    }
}

/// Marker of pairs whose class is not known yet.
const UNKNOWN: HomologyClass = HomologyClass::MAX;

/// State of the construction.
struct Builder<'a> {
    touching: &'a TouchingRuns,
    progress: &'a ComponentProgress<'a>,
    /// Class of each (run, neighbour) pair.
    classes: Vec<HomologyClass>,
    table: ClassTable,
    /// Pairs in the order in which their classes became known; those before `propagated` were
    /// followed through their triangles.
    pending: Vec<[u32; 2]>,
    propagated: usize,
}

impl Builder<'_> {
    /// Gives the class zero to the edges of a breadth-first spanning tree: with short paths to the
    /// first run, few pairs have another class.
    fn add_spanning_tree(&mut self, runs: usize) {
        let mut is_reached = zeroed_or_unwind::<bool>(runs);
        let mut queue = vec![0u32];
        is_reached[0] = true;
        let mut next = 0;
        while let Some(&run) = queue.get(next) {
            next += 1;
            for &other in self.touching.neighbours(run as usize) {
                if !is_reached[other as usize] {
                    is_reached[other as usize] = true;
                    queue.push_or_unwind(other);
                    self.set_class(run, other, 0);
                }
            }
        }
    }

    /// Sets the class of a pair of touching runs.
    fn set_class(&mut self, run: u32, other: u32, class: HomologyClass) {
        for (from, to) in [(run, other), (other, run)] {
            if let Some(index) = self.touching.pair_index(from as usize, to) {
                self.classes[index] = class;
            }
        }
        self.pending.push_or_unwind([run, other]);
    }

    /// Calls `visit` with each run that touches both runs of a pair, and with the indices of its
    /// pairs with them.
    #[inline(always)]
    fn for_each_triangle(&self, [a, b]: [u32; 2], mut visit: impl FnMut(u32, [usize; 2])) {
        let [a, b] = [a as usize, b as usize];
        let touching = self.touching;
        // the time is nearly independent of the longer list
        let is_swapped = touching.range(a).len() > touching.range(b).len();
        let (short, long) = if is_swapped { (b, a) } else { (a, b) };
        for (first, &third) in touching.range(short).zip(touching.neighbours(short)) {
            if let Some(second) = touching.pair_index(long, third) {
                let indices = if is_swapped {
                    [second, first]
                } else {
                    [first, second]
                };
                visit(third, indices);
            }
        }
    }

    /// Follows known classes through triangles until no further class follows.
    fn propagate(&mut self) -> Result<(), Cancelled> {
        let mut found: Vec<([u32; 2], [HomologyClass; 2])> = Vec::new();
        while let Some(&[a, b]) = self.pending.get(self.propagated) {
            let (done, total) = (self.propagated, self.touching.pair_count());
            self.progress.report_every(Stage::Classes, done, total)?;
            self.propagated += 1;
            let Some(index) = self.touching.pair_index(a as usize, b) else {
                continue;
            };
            let class = self.classes[index];
            self.for_each_triangle([a, b], |third, pairs| {
                match pairs.map(|pair| self.classes[pair]) {
                    [UNKNOWN, UNKNOWN] => {}
                    [UNKNOWN, known] => found.push_or_unwind(([a, third], [class, known])),
                    [known, UNKNOWN] => found.push_or_unwind(([b, third], [class, known])),
                    _ => {}
                }
            });
            for ([run, third], terms) in found.drain(..) {
                let sum = self.table.sum(terms[0], terms[1]);
                self.set_class(run, third, sum);
            }
        }
        Ok(())
    }

    /// Returns the sums of classes that must be zero, in echelon form.
    fn relations(&mut self, runs: usize) -> Result<Basis, Cancelled> {
        let mut terms: BTreeSet<[HomologyClass; 3]> = BTreeSet::new();
        for run in 0..runs {
            self.progress.report_every(Stage::Classes, run, runs)?;
            for (index, &other) in self.touching.range(run).zip(self.touching.neighbours(run)) {
                let class = self.classes[index];
                // a triangle without a class other than zero is closed
                if class == 0 || (other as usize) < run {
                    continue;
                }
                self.for_each_triangle([run as u32, other], |_, pairs| {
                    let [first, second] = pairs.map(|pair| self.classes[pair]);
                    if !self.table.is_sum(class, first, second) {
                        let mut triangle = [class, first, second];
                        triangle.sort_unstable();
                        terms.insert(triangle);
                    }
                });
            }
        }
        let mut relations = Basis::default();
        for [a, b, c] in terms {
            let sum = self.table.sum(a, b);
            let sum = self.table.sum(sum, c);
            relations.insert(&self.table, sum);
        }
        Ok(relations)
    }

    /// Returns the classes modulo the relations.
    fn quotient(self, runs: usize, generators: u64, relations: &Basis) -> RunClasses {
        let mut table = ClassTable::default();
        let mut reduced: HashMap<HomologyClass, HomologyClass> = HashMap::new();
        let (mut starts, mut pairs) = (Vec::new(), Vec::new());
        for run in 0..runs {
            starts.push_or_unwind(pairs.len() as u32);
            for (index, &other) in self.touching.range(run).zip(self.touching.neighbours(run)) {
                let class = self.classes[index];
                if class == 0 {
                    continue;
                }
                reduced.reserve_or_unwind(1);
                let class = *reduced.entry(class).or_insert_with(|| {
                    table.class_from_bits(&relations.normal_form(self.table.bits(class)))
                });
                if class != 0 {
                    pairs.push_or_unwind((other, class));
                }
            }
        }
        starts.push_or_unwind(pairs.len() as u32);
        RunClasses {
            table,
            starts,
            pairs,
            rank: generators - relations.rank() as u64,
        }
    }
}
