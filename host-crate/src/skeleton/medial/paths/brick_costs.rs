//! Costs of the shortest paths from a root to all voxels of a component, brick by brick.
//!
//! Dijkstra's algorithm (1959) visits voxels in the order of their costs, all over the component,
//! so that most accesses to memory miss the caches. Here it runs within one brick at a time, until
//! no cost in the brick decreases, in the order of the smallest cost that a brick has yet to pass
//! on. Voxels whose cost decreases later are relaxed again; most are relaxed once. The costs do not
//! depend on the order: each is the minimum over all paths of a monotone function.

use super::steps::extended_cost;
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::{
            neighbour_bits::{NEIGHBOURS, SIDES},
            object::Object,
            row_words::WIDTH,
        },
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// Number of rows of a brick along y and z; along x it is one word.
const SIDE: i32 = 8;
/// Maximum number of words of a component that is a single brick.
const MAX_SINGLE_BRICK_WORDS: usize = 64;
/// Minimum number of voxels of a component whose bricks are processed in parallel.
const MIN_PARALLEL_VOXELS: usize = 1 << 16;
/// Maximum number of bricks that are processed at a time: with more, voxels are relaxed more often.
const MAX_BATCH: usize = 32;

/// Bits of costs with bricks or voxels, least cost first.
type Queue = BinaryHeap<Reverse<(u64, u32)>>;

/// Costs of the cheapest known paths.
struct CostSearch<'a> {
    object: &'a Object,
    edge_weights: &'a [f32],
    half_step_lengths: &'a [f64; 27],
    /// Bits of the cost of each voxel; numbers that are not negative are ordered like their bits.
    /// Three infinite costs follow, because the costs of a row of neighbours are read together.
    costs: Vec<AtomicU64>,
    /// Brick of each word.
    word_bricks: Vec<u32>,
}

/// Returns the cost of the shortest path from a root to each voxel. The cost of a step is half its
/// length times the sum of the edge weights of its two voxels. Takes nearly linear time.
///
/// # Errors
/// [`Cancelled`].
pub fn path_costs(
    object: &Object,
    edge_weights: &[f32],
    half_step_lengths: &[f64; 27],
    root: usize,
    progress: &ComponentProgress<'_>,
) -> Result<Vec<f64>, Cancelled> {
    let mut costs = with_capacity_or_unwind(object.len() + 3);
    let infinite = f64::INFINITY.to_bits();
    costs.extend((0..object.len() + 3).map(|_| AtomicU64::new(infinite)));
    let (word_bricks, bricks) = find_bricks(object);
    let search = CostSearch {
        object,
        edge_weights,
        half_step_lengths,
        costs,
        word_bricks,
    };
    search.run(root, bricks, progress)?;
    let mut costs = search.costs;
    costs.truncate(object.len());
    // in place: both types have one size and alignment
    Ok(costs
        .into_iter()
        .map(|cost| f64::from_bits(cost.into_inner()))
        .collect())
}

/// Returns the brick of each word, and the number of bricks.
fn find_bricks(object: &Object) -> (Vec<u32>, usize) {
    let words = object.words().len();
    if words <= MAX_SINGLE_BRICK_WORDS {
        return (filled_or_unwind(0, words), 1);
    }
    let mut bricks: HashMap<[i32; 3], u32> = HashMap::new();
    let mut word_bricks = with_capacity_or_unwind(words);
    for word in 0..words {
        let [x, y, z] = object.word_position(word);
        let position = [x, y / SIDE, z / SIDE];
        let next = bricks.len() as u32;
        let brick = match bricks.get(&position) {
            Some(&brick) => brick,
            None => {
                bricks.push_or_unwind((position, next));
                next
            }
        };
        word_bricks.push_or_unwind(brick);
    }
    (word_bricks, bricks.len())
}

impl CostSearch<'_> {
    /// Relaxes all steps until no cost decreases.
    fn run(
        &self,
        root: usize,
        bricks: usize,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        let max_batch = match self.object.len() {
            0..MIN_PARALLEL_VOXELS => 1,
            _ => MAX_BATCH.min(2 * rayon::current_num_threads()),
        };
        // voxels whose cost decreased, and the smallest of these costs
        let mut pending: Vec<Vec<u32>> = filled_or_unwind(Vec::new(), bricks);
        let mut least_costs = filled_or_unwind(u64::MAX, bricks);
        let mut queue = Queue::new();
        let mut decreased = vec![(self.brick(root), root as u32)];
        self.costs[root].store(0f64.to_bits(), Relaxed);
        let mut batch = Vec::new();
        let mut relaxed = 0;
        loop {
            for (brick, voxel) in decreased.drain(..) {
                let cost = self.costs[voxel as usize].load(Relaxed);
                let brick_index = brick as usize;
                pending[brick_index].push_or_unwind(voxel);
                if cost < least_costs[brick_index] {
                    least_costs[brick_index] = cost;
                    queue.push_or_unwind(Reverse((cost, brick)));
                }
            }
            while batch.len() < max_batch
                && let Some(Reverse((cost, brick))) = queue.pop()
            {
                let least_cost = &mut least_costs[brick as usize];
                // the brick is in the queue with a smaller cost, or was processed
                if *least_cost == cost {
                    *least_cost = u64::MAX;
                    batch.push_or_unwind(std::mem::take(&mut pending[brick as usize]));
                }
            }
            if batch.is_empty() {
                return progress.check();
            }
            for (count, list) in parallel::map_mut(&mut batch, |_, voxels| self.relax(voxels)) {
                relaxed += count;
                decreased.extend_or_unwind(list);
            }
            batch.clear();
            progress.report(Stage::Paths, relaxed, self.object.len())?;
        }
    }

    /// Relaxes the steps from some voxels of a brick, and from all voxels of the brick whose costs
    /// then decrease. Returns the number of relaxed voxels, and the voxels of other bricks whose
    /// costs decreased, with their bricks.
    fn relax(&self, voxels: &mut Vec<u32>) -> (usize, Vec<(u32, u32)>) {
        let mut decreased = Vec::new();
        voxels.sort_unstable();
        voxels.dedup();
        let cost_bits = |voxel: u32| self.costs[voxel as usize].load(Relaxed);
        let mut queue = Queue::with_capacity(voxels.len());
        for &voxel in voxels.iter() {
            queue.push_or_unwind(Reverse((cost_bits(voxel), voxel)));
        }
        let mut count = 0;
        while let Some(Reverse((bits, voxel))) = queue.pop() {
            if bits != cost_bits(voxel) {
                continue;
            }
            count += 1;
            let cost = f64::from_bits(bits);
            let edge_weight = self.edge_weights[voxel as usize];
            let (word, bit) = self.object.locate(voxel as usize);
            let within = neighbours_within(self.object.word_position(word), bit);
            let neighbours = self.object.word_neighbours(word, bit, NEIGHBOURS);
            // compared before any of them is changed: loads that miss the cache overlap
            let dearer = neighbours.select(|first| {
                let costs = &self.costs[first..first + 3];
                [0, 1, 2].map(|at| costs[at].load(Relaxed) > bits)
            });
            for (bit, other) in dearer {
                let half = self.half_step_lengths[bit];
                let next = extended_cost(cost, half, edge_weight, self.edge_weights[other]);
                let (next, known) = (next.to_bits(), &self.costs[other]);
                if next < known.load(Relaxed) && next < known.fetch_min(next, Relaxed) {
                    if within >> bit & 1 == 1 {
                        queue.push_or_unwind(Reverse((next, other as u32)));
                    } else {
                        decreased.push_or_unwind((self.brick(other), other as u32));
                    }
                }
            }
        }
        (count, decreased)
    }

    /// Returns the brick of a voxel.
    fn brick(&self, voxel: usize) -> u32 {
        self.word_bricks[self.object.locate(voxel).0]
    }
}

/// Returns the neighbours in the brick of the voxel at a bit of a word.
#[inline(always)]
fn neighbours_within([_, y, z]: [i32; 3], bit: u32) -> u32 {
    let along = [bit as i32, y % SIDE, z % SIDE];
    let last = [WIDTH - 1, SIDE - 1, SIDE - 1];
    let mut within = NEIGHBOURS;
    for axis in 0..3 {
        if along[axis] == 0 {
            within &= !SIDES[axis][0];
        }
        if along[axis] == last[axis] {
            within &= !SIDES[axis][1];
        }
    }
    within
}
