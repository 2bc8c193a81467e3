//! Removal of background voxels from a box, without creating tunnels.

use super::{bit_box::BitBox, digital_ball::DigitalBall};
use crate::{
    grid::{Connectivity, Runs},
    memory::{
        CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, unwrap_or_unwind,
        with_capacity_or_unwind,
    },
    skeleton::medial::voxels::neighbour_bits::{
        FACES, NEIGHBOURS, OFFSETS, bits, face_connected_parts,
    },
    union_find::UnionFind,
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
};

/// Order of removal: greatest distance from the component first, then nearest to the opening, then
/// first in the box.
type Priority = (u32, Reverse<u32>, Reverse<usize>);

/// Background of a component, from which voxels outside the opening are still to be removed.
///
/// Voxels that are not removed count as object. The 6-connected components of the removed
/// background are kept in a union-find structure.
pub struct BackgroundRemoval<'a> {
    solid: &'a BitBox,
    /// Removed background voxels.
    removed: BitBox,
    /// Background voxels outside the opening: the candidates.
    candidates: BitBox,
    /// Number of candidates before each word of the box.
    candidates_before: Vec<usize>,
    /// Positions of the candidates in the box.
    positions: Vec<[u32; 3]>,
    /// Runs of the opening.
    opening: Runs,
    /// Union-find structure of the runs of the opening, followed by the candidates.
    sets: UnionFind,
}

impl<'a> BackgroundRemoval<'a> {
    /// Starts with the background voxels `open`, which are removed unconditionally. Returns `None`
    /// if these are all.
    pub fn new(solid: &'a BitBox, open: BitBox) -> Option<Self> {
        let mut occupied = open.copy();
        occupied.unite(solid);
        let candidates = occupied.complement();
        if candidates.is_empty() {
            return None;
        }
        let mut candidates_before = with_capacity_or_unwind(candidates.words().len());
        let mut count = 0;
        for word in candidates.words() {
            candidates_before.push_or_unwind(count);
            count += word.count_ones() as usize;
        }
        let opening = open.box_runs();
        let sets = unwrap_or_unwind(opening.joined(Connectivity::Faces, count));
        Some(Self {
            solid,
            removed: open,
            positions: candidates.positions().collect_or_unwind(),
            candidates,
            candidates_before,
            opening,
            sets,
        })
    }

    /// Removes candidates until every removal would create a tunnel, and returns the remaining
    /// ones, or `None` if all were removed.
    pub fn remaining_voxels(mut self, ball: &DigitalBall) -> Option<BitBox> {
        let priorities = self.priorities(ball);
        let mut queue = BinaryHeap::from(priorities.iter().copied().collect_or_unwind());
        let mut is_queued = filled_or_unwind(true, priorities.len());
        while let Some((_, _, Reverse(candidate))) = queue.pop() {
            is_queued[candidate] = false;
            if !self.try_remove(candidate) {
                continue;
            }
            // the neighbours may have become removable
            for bit in bits(NEIGHBOURS) {
                let position = neighbour(self.positions[candidate], bit);
                if self.candidates.contains(position) && !self.removed.contains(position) {
                    let other = self.candidate_index(position);
                    if !std::mem::replace(&mut is_queued[other], true) {
                        queue.push_or_unwind(priorities[other]);
                    }
                }
            }
        }
        let mut remaining = self.isolated_voxels(&priorities);
        self.removed.subtract(&remaining);
        remaining.unite(&self.candidates);
        remaining.subtract(&self.removed);
        (!remaining.is_empty()).then_some(remaining)
    }

    /// Returns the removed candidates that the remaining ones separate from the rest of their
    /// component of the background; they would become cavities.
    fn isolated_voxels(&mut self, priorities: &[Priority]) -> BitBox {
        let runs = self.opening.list.len();
        let count = self.positions.len();
        let mut background = unwrap_or_unwind(self.opening.joined(Connectivity::Faces, count));
        for candidate in 0..count {
            for bit in bits(FACES) {
                let position = neighbour(self.positions[candidate], bit);
                if !self.solid.contains(position) {
                    background.join(runs + candidate, self.set_member(position));
                }
            }
        }
        // first removed candidate of each enclosed component, by priority
        let mut first: HashMap<usize, Priority> = HashMap::new();
        let mut isolated = self.removed.empty();
        let is_removed = |it: &Self, candidate: usize| it.removed.contains(it.positions[candidate]);
        for candidate in (0..count).filter(|&candidate| is_removed(self, candidate)) {
            let component = background.root(runs + candidate);
            if component >= runs {
                let best = first.entry(component).or_insert(priorities[candidate]);
                *best = priorities[candidate].max(*best);
            }
        }
        for candidate in 0..count {
            // a set with a run of the opening has a run as its root
            let set = self.sets.root(runs + candidate);
            if set < runs || !is_removed(self, candidate) {
                continue;
            }
            let component = background.root(runs + candidate);
            let is_first = match first.get(&component) {
                Some(&(_, _, Reverse(first))) => self.sets.root(runs + first) == set,
                None => false,
            };
            if !is_first {
                isolated.set(self.positions[candidate]);
            }
        }
        isolated
    }

    /// Removes a candidate unless that creates a tunnel: unless two parts of the removed background
    /// in its neighbourhood belong to the same component. Returns `true` if it was removed.
    fn try_remove(&mut self, candidate: usize) -> bool {
        let position = self.positions[candidate];
        let mut components = [0; 6];
        let mut count = 0;
        for part in face_connected_parts(self.removed.neighbourhood(position)) {
            let face = (part & FACES).trailing_zeros() as usize;
            let member = self.set_member(neighbour(position, face));
            let component = self.sets.root(member);
            if components[..count].contains(&component) {
                return false;
            }
            components[count] = component;
            count += 1;
        }
        self.removed.set(position);
        for &component in &components[..count] {
            self.sets
                .join(component, self.opening.list.len() + candidate);
        }
        true
    }

    /// Returns the union-find member of a removed voxel.
    fn set_member(&self, position: [u32; 3]) -> usize {
        if self.candidates.contains(position) {
            return self.opening.list.len() + self.candidate_index(position);
        }
        let run = self.opening.at(position.map(|at| at as usize));
        run.unwrap_or_default()
    }

    /// Returns the index of a candidate.
    fn candidate_index(&self, position: [u32; 3]) -> usize {
        let word = self.candidates.word_index(position);
        let below = self.candidates.words()[word] & ((1 << (position[0] % 32)) - 1);
        self.candidates_before[word] + below.count_ones() as usize
    }

    /// Returns the priorities of all candidates.
    fn priorities(&self, ball: &DigitalBall) -> Vec<Priority> {
        let offsets = ball.offsets_by_length();
        let squared_distance = |position: [u32; 3]| {
            let nearest = offsets.iter().find(|(_, offset)| {
                self.solid.contains(
                    [0, 1, 2].map(|axis| position[axis].wrapping_add_signed(offset[axis])),
                )
            });
            nearest.map_or(u32::MAX, |&(square, _)| square)
        };
        let squares: Vec<u32> = self
            .positions
            .iter()
            .map(|&position| squared_distance(position))
            .collect_or_unwind();
        let layers = self.layers(&squares);
        let each = squares.into_iter().zip(layers).enumerate();
        each.map(|(candidate, (square, layer))| (square, Reverse(layer), Reverse(candidate)))
            .collect_or_unwind()
    }

    /// Returns the number of steps through candidates from the opening, so that tunnels are closed
    /// in their middle. In a component of the background without opening, the steps are counted
    /// from its voxel of the greatest distance.
    fn layers(&self, squares: &[u32]) -> Vec<u32> {
        let mut layers = filled_or_unwind(u32::MAX, squares.len());
        let mut queue = VecDeque::new();
        for (candidate, &position) in self.positions.iter().enumerate() {
            if self.removed.neighbourhood(position) & FACES != 0 {
                layers[candidate] = 1;
                queue.push_or_unwind(candidate);
            }
        }
        self.spread(&mut layers, &mut queue);
        let enclosed = (0..squares.len()).filter(|&candidate| layers[candidate] == u32::MAX);
        let mut enclosed: Vec<usize> = enclosed.collect_or_unwind();
        enclosed.sort_unstable_by_key(|&candidate| (Reverse(squares[candidate]), candidate));
        for start in enclosed {
            if layers[start] == u32::MAX {
                layers[start] = 0;
                queue.push_or_unwind(start);
                self.spread(&mut layers, &mut queue);
            }
        }
        layers
    }

    /// Numbers the layers of all candidates that are reached from the queue.
    fn spread(&self, layers: &mut [u32], queue: &mut VecDeque<usize>) {
        while let Some(candidate) = queue.pop_front() {
            for bit in bits(FACES) {
                let position = neighbour(self.positions[candidate], bit);
                if self.candidates.contains(position) {
                    let other = self.candidate_index(position);
                    if layers[other] == u32::MAX {
                        layers[other] = layers[candidate] + 1;
                        queue.push_or_unwind(other);
                    }
                }
            }
        }
    }
}

/// Returns the position of a neighbour.
fn neighbour(position: [u32; 3], bit: usize) -> [u32; 3] {
    [0, 1, 2].map(|axis| position[axis].wrapping_add_signed(OFFSETS[bit][axis]))
}
