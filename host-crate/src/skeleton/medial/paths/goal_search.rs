//! Shortest path from a voxel to the nearest of several goals (Dijkstra 1959).

use super::{
    radix_heap::RadixHeap,
    steps::{extended_cost, half_step_lengths},
};
use crate::{
    memory::{ExtendOrUnwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext, progress::REPORT_INTERVAL, voxels::neighbour_bits::NEIGHBOURS,
    },
};

/// Bits of the cost of the cheapest known path to a voxel, and its predecessor plus 1; zeros if the
/// voxel was not reached. Costs are not negative, so they are ordered like their bits.
type Arrival = [u64; 2];

/// Searches for shortest paths to goals. The arrays are kept between searches and cost nothing
/// until they are touched: a search takes time and memory linear in the voxels that it reaches.
pub struct GoalSearch<'a> {
    context: &'a ComponentContext<'a>,
    half_step_lengths: [f64; 27],
    /// One entry per voxel after the first search; all zero between searches.
    arrivals: Vec<Arrival>,
    /// Voxels that the current search reached.
    reached: Vec<u32>,
    queue: RadixHeap,
}

impl<'a> GoalSearch<'a> {
    /// Creates a search without allocating its arrays.
    pub fn new(context: &'a ComponentContext<'a>) -> Self {
        Self {
            context,
            half_step_lengths: half_step_lengths(context.metric),
            arrivals: Vec::new(),
            reached: Vec::new(),
            queue: RadixHeap::default(),
        }
    }

    /// Returns the shortest path from a voxel to the first goal, including both, or only the voxel
    /// if no goal is reachable.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn find_path(
        &mut self,
        from: usize,
        is_goal: impl Fn(usize) -> bool,
    ) -> Result<Vec<u32>, Cancelled> {
        if self.arrivals.is_empty() {
            self.arrivals = zeroed_or_unwind(self.context.object.len());
        }
        let goal = self.search(from, is_goal);
        let path = goal.map(|goal| self.backtrack(from, goal.unwrap_or(from)));
        for voxel in self.reached.drain(..) {
            self.arrivals[voxel as usize] = [0; 2];
        }
        self.queue.clear();
        path
    }

    /// Expands paths in order of their cost until the first goal, which is returned.
    fn search(
        &mut self,
        from: usize,
        is_goal: impl Fn(usize) -> bool,
    ) -> Result<Option<usize>, Cancelled> {
        let ComponentContext {
            object,
            edge_weights,
            progress,
            ..
        } = *self.context;
        self.arrivals[from] = [0, from as u64 + 1];
        self.reached.push_or_unwind(from as u32);
        self.queue.push(0, from as u32);
        let mut visited = 0usize;
        while let Some((key, voxel)) = self.queue.pop() {
            let current = voxel as usize;
            if self.arrivals[current][0] < key {
                continue;
            }
            visited += 1;
            if visited.is_multiple_of(REPORT_INTERVAL) {
                progress.check()?;
            }
            if is_goal(current) {
                return Ok(Some(current));
            }
            for (bit, neighbour) in object.neighbours(current, NEIGHBOURS) {
                let best = &mut self.arrivals[neighbour];
                let is_new = best[1] == 0;
                // a path through the current voxel costs at least as much
                if !is_new && best[0] <= key {
                    continue;
                }
                let next = extended_cost(
                    f64::from_bits(key),
                    self.half_step_lengths[bit],
                    edge_weights[current],
                    edge_weights[neighbour],
                )
                .to_bits();
                if is_new || next < best[0] {
                    *best = [next, u64::from(voxel) + 1];
                    self.queue.push(next, neighbour as u32);
                    if is_new {
                        self.reached.push_or_unwind(neighbour as u32);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the path between two voxels of the current search.
    fn backtrack(&self, from: usize, goal: usize) -> Vec<u32> {
        let mut path = vec![goal as u32];
        let mut at = goal;
        while at != from {
            at = self.arrivals[at][1] as usize - 1;
            path.push_or_unwind(at as u32);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Geometry, skeleton::medial::test_objects::with_context};

    /// A search writes only what it reaches, and leaves nothing behind for the next one.
    #[test]
    fn searches_write_only_the_voxels_they_reach() {
        with_context(
            [400, 9, 9],
            Geometry::default(),
            |_| true,
            |context, _| {
                let mut search = GoalSearch::new(context);
                let mut paths = Vec::new();
                for _ in 0..2 {
                    let [from, goal] = [[3, 4, 4], [9, 4, 4]]
                        .map(|position| context.object.voxel_at(position).unwrap());
                    let path = search.find_path(from, |voxel| voxel == goal).unwrap();
                    assert_eq!((path[0], path[path.len() - 1]), (from as u32, goal as u32));
                    assert_eq!(path.len(), 7);
                    // lists grow by doubling: a bound of the number of voxels that were reached
                    assert!(
                        search.reached.capacity() < 4096,
                        "{}",
                        search.reached.capacity()
                    );
                    assert!(search.arrivals.iter().all(|&arrival| arrival == [0; 2]));
                    paths.push(path);
                }
                assert_eq!(paths[0], paths[1]);
                assert_eq!(search.find_path(5, |_| false).unwrap(), [5]);
            },
        );
    }
}
