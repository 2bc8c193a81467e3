//! Lower bound test for the length of paths of a homology class: an integer search that rules out
//! nearly all detours in time linear in the visited voxels.

use super::radix_heap::RadixHeap;
use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, ReserveOrUnwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        progress::REPORT_INTERVAL,
        topology::{cocycle::Cocycle, homology_classes::HomologyClass},
        voxels::neighbour_bits::{NEIGHBOURS, OFFSETS, offset_bit},
    },
};
use std::collections::HashMap;

/// Length units per unit of the smallest spacing.
const UNITS: f64 = 256.0;

/// Greatest length that is searched, in [`UNITS`]; one more step does not overflow.
const MAX_LENGTH: f64 = (1u32 << 30) as f64;

/// Lengths of the steps between neighbours, from which path lengths are bounded from below.
struct StepLengths<'a> {
    metric: &'a Metric,
    /// Length of each step to a neighbour, rounded down.
    steps: [u32; 27],
}

impl<'a> StepLengths<'a> {
    fn new(metric: &'a Metric) -> Self {
        Self {
            metric,
            steps: OFFSETS.map(|step| to_units(metric.length(step.map(f64::from)))),
        }
    }

    /// Returns a lower bound of the length of a path between two voxels.
    #[inline(always)]
    fn lower_bound(&self, from: [i32; 3], to: [i32; 3]) -> u64 {
        let distance = [0, 1, 2].map(|axis| to[axis].abs_diff(from[axis]));
        if !self.metric.is_diagonal() {
            return u64::from(to_units(self.metric.length(offset(from, to))));
        }
        // shortest unobstructed path: along all three axes, then along two and one of the remaining
        // ones; optimal because step lengths are submodular in their axes
        let mut axes = [0, 1, 2];
        axes.sort_unstable_by_key(|&axis| distance[axis]);
        let [short, middle, long] = axes;
        let mut step = [1; 3];
        let mut sum = 0;
        let mut before = 0;
        for axis in [short, middle, long] {
            sum += u64::from(distance[axis] - before) * u64::from(self.steps[offset_bit(step)]);
            before = distance[axis];
            step[axis] = 0;
        }
        sum
    }
}

/// Returns the offset between two voxels.
fn offset(from: [i32; 3], to: [i32; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| f64::from(to[axis]) - f64::from(from[axis]))
}

/// Converts a length to [`UNITS`], rounding down with a margin for rounding errors.
fn to_units(length: f64) -> u32 {
    (length * UNITS * (1.0 - 1e-12)) as u32
}

/// Length of the shortest known path to a voxel plus 1, and the class of the path; zeros if there
/// is none.
type Arrival = [u32; 2];

/// Tests whether a homology class has a path shorter than a limit, for the paths of one component.
/// Buffers are reused between searches.
pub struct LengthBound<'a> {
    context: &'a ComponentContext<'a>,
    lengths: StepLengths<'a>,
    /// Shortest known path to each voxel within the class with which it was first reached.
    first_arrivals: Vec<Arrival>,
    /// Voxels that were reached.
    touched: Vec<u32>,
    /// Voxels reached with further classes, each with the shortest known path of that class.
    further_arrivals: Vec<(u32, Arrival)>,
    /// Index into `further_arrivals` by voxel and class.
    further_indices: HashMap<(u32, HomologyClass), u32>,
}

impl<'a> LengthBound<'a> {
    pub fn new(context: &'a ComponentContext<'a>) -> Self {
        Self {
            context,
            lengths: StepLengths::new(context.metric),
            first_arrivals: Vec::new(),
            touched: Vec::new(),
            further_arrivals: Vec::new(),
            further_indices: HashMap::new(),
        }
    }

    /// Returns `false` only if no path of a homology class between two voxels is shorter than
    /// `limit`, in units of the smallest spacing. If the result is `true`, there is a path that is
    /// at most marginally longer.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn may_be_below(
        &mut self,
        cocycle: &mut Cocycle,
        ends: [usize; 2],
        class: HomologyClass,
        limit: f64,
    ) -> Result<bool, Cancelled> {
        let limit = (limit * UNITS).ceil();
        if limit > MAX_LENGTH {
            return Ok(true);
        }
        if self.first_arrivals.is_empty() {
            self.first_arrivals = zeroed_or_unwind(self.context.object.len());
        }
        let found = self.search(cocycle, ends, class, limit as u64);
        for &voxel in &self.touched {
            self.first_arrivals[voxel as usize] = [0; 2];
        }
        self.touched.clear();
        self.further_arrivals.clear();
        self.further_indices.clear();
        found
    }

    fn search(
        &mut self,
        cocycle: &mut Cocycle,
        [from, to]: [usize; 2],
        class: HomologyClass,
        limit: u64,
    ) -> Result<bool, Cancelled> {
        let object = self.context.object;
        let goal = object.position(to);
        let mut queue = RadixHeap::default();
        self.record_arrival(from as u32, 0, 0);
        queue.push(0, from as u32);
        let mut visited = 0usize;
        while let Some((key, state)) = queue.pop() {
            let (voxel, [after, class_here]) = self.arrival_at(state);
            // a shorter path is known
            if u64::from(after) <= key {
                continue;
            }
            let voxel = voxel as usize;
            // states of further arrivals are numbered after those of voxels
            if self.first_arrivals.len() + self.further_arrivals.len() > u32::MAX as usize - 27 {
                return Ok(true);
            }
            if key + self.lengths.lower_bound(object.position(voxel), goal) >= limit {
                continue;
            }
            if voxel == to && class_here == class {
                return Ok(true);
            }
            visited += 1;
            if visited.is_multiple_of(REPORT_INTERVAL) {
                self.context.progress.check()?;
            }
            let has_classes = cocycle.has_classes(voxel);
            for (bit, other) in object.neighbours(voxel, NEIGHBOURS) {
                let next = key as u32 + self.lengths.steps[bit];
                let next_class = if has_classes {
                    cocycle
                        .table
                        .sum(class_here, cocycle.step_class(voxel, other))
                } else {
                    class_here
                };
                if let Some(state) = self.record_arrival(other as u32, next_class, next) {
                    queue.push(u64::from(next), state);
                }
            }
        }
        Ok(false)
    }

    /// Returns the voxel and the arrival of a state: a voxel's first class, or a further one.
    #[inline(always)]
    fn arrival_at(&self, state: u32) -> (u32, Arrival) {
        match (state as usize).checked_sub(self.first_arrivals.len()) {
            None => (state, self.first_arrivals[state as usize]),
            Some(further_arrivals) => self.further_arrivals[further_arrivals],
        }
    }

    /// Records a path of a class to a voxel, and returns its state if it is the shortest so far.
    #[inline(always)]
    fn record_arrival(&mut self, voxel: u32, class: HomologyClass, length: u32) -> Option<u32> {
        let [after, first] = &mut self.first_arrivals[voxel as usize];
        if *after == 0 {
            [*after, *first] = [length + 1, class];
            self.touched.push_or_unwind(voxel);
            return Some(voxel);
        }
        if *first == class {
            let is_less = length + 1 < *after;
            *after = (length + 1).min(*after);
            return is_less.then_some(voxel);
        }
        self.record_further_arrival(voxel, class, length)
    }

    /// Records a path whose class differs from the voxel's first class.
    fn record_further_arrival(
        &mut self,
        voxel: u32,
        class: HomologyClass,
        length: u32,
    ) -> Option<u32> {
        let count = self.first_arrivals.len() + self.further_arrivals.len();
        self.further_indices.reserve_or_unwind(1);
        let state = *self
            .further_indices
            .entry((voxel, class))
            .or_insert(count as u32);
        match (state as usize).checked_sub(self.first_arrivals.len()) {
            Some(at) if at < self.further_arrivals.len() => {
                let (_, [after, _]) = &mut self.further_arrivals[at];
                let is_less = length + 1 < *after;
                *after = (length + 1).min(*after);
                is_less.then_some(state)
            }
            _ => {
                self.further_arrivals
                    .push_or_unwind((voxel, [length + 1, class]));
                Some(state)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{paths::class_paths, test_objects::with_context},
    };

    /// The bound never exceeds the true length, and is close to it.
    #[test]
    fn bound_never_exceeds_the_shortest_path() {
        let sheared = nalgebra::Matrix3::new(1.0, 0.4, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 1.2);
        let sheared = Geometry::new(sheared, nalgebra::Vector3::zeros()).unwrap();
        let long = Geometry::from_spacing([1.0, 1.7, 0.8], [0.0; 3]).unwrap();
        let mut state = 3u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize
        };
        for geometry in [Geometry::default(), long, sheared] {
            for fill in [12, 30, 60] {
                let solid: Vec<bool> = (0..729).map(|_| random() % 100 < fill).collect();
                let is_set = |[x, y, z]: [usize; 3]| solid[(9 * z + y) * 9 + x];
                with_context([9; 3], geometry, is_set, |context, cocycle| {
                    let mut bound = LengthBound::new(context);
                    for _ in 0..test_cases::case_count(60) {
                        let ends = [0, 1].map(|_| random() % context.object.len());
                        let bits: Vec<u32> = (0..30).filter(|_| random() % 20 == 0).collect();
                        let class = cocycle.table.class_from_bits(if random() % 2 == 0 {
                            &[]
                        } else {
                            &bits
                        });
                        let far = 18.0;
                        let found =
                            class_paths::search_shortest_path(context, cocycle, ends, class, far)
                                .unwrap();
                        let length = found.map_or(far, |(length, _)| length);
                        let mut is_below =
                            |limit| bound.may_be_below(cocycle, ends, class, limit).unwrap();
                        assert!(!is_below(0.99 * length), "{ends:?}: {length}");
                        assert!(
                            length == far || is_below(length + 1e-9),
                            "{ends:?}: {length}"
                        );
                    }
                });
            }
        }
    }
}
