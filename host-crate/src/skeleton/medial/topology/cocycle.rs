//! Cohomology basis of a component: assigns to every step between adjacent voxels a class, such
//! that the sum of the classes along a closed path is its class in the first homology with
//! coefficients in Z/2.
//!
//! Voxels are added one at a time, together with the steps to the voxels already present. If the
//! present neighbours form one contractible part, which holds for every simple voxel, the classes
//! of the new steps follow from the triangles between them. Each further part closes a cycle and
//! introduces a new class. Triangles whose classes do not sum to zero express a class as the sum of
//! others (annotations; Dey, Fan and Wang 2014). The voxels of the topological skeleton are added
//! first, then the deleted voxels in reverse order of deletion.

use super::{
    homology_classes::{ClassTable, HomologyClass, symmetric_difference},
    thinning::{ThinnedVoxel, TopologicalSkeleton},
};
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::{
            adjacency::Neighbours,
            neighbour_bits::{
                ADJACENT, CUBE, NEIGHBOURS, OFFSETS, SUCCESSORS, bits, connected_part, offset_bit,
            },
            object::Object,
        },
    },
};
use std::ops::{Add, Range};

/// Classes of the steps of a voxel, by neighbour bit. Stored only for voxels that have a step with
/// a non-zero class.
type Slot = [HomologyClass; 27];

/// Classes of all steps of a component.
pub struct Cocycle {
    /// Table of the classes.
    pub table: ClassTable,
    /// Slot of each voxel, or [`NONE`].
    slot_indices: Vec<u32>,
    slots: Vec<Slot>,
    /// Voxel of each slot.
    owners: Vec<u32>,
    /// `true` for voxels that have a slot or a neighbour with a slot.
    is_near: Vec<bool>,
    /// Number of independent classes: the rank of the first homology.
    rank: u64,
}

/// Marker of voxels without a slot.
const NONE: u32 = u32::MAX;

impl Cocycle {
    /// Returns the cocycle of a component without tunnels.
    pub fn zero() -> Self {
        Self {
            table: ClassTable::default(),
            slot_indices: Vec::new(),
            slots: Vec::new(),
            owners: Vec::new(),
            is_near: Vec::new(),
            rank: 0,
        }
    }

    /// Computes the cocycle of an object from its topological skeleton.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(
        object: &Object,
        skeleton: &TopologicalSkeleton,
        progress: &ComponentProgress<'_>,
    ) -> Result<Self, Cancelled> {
        let mut builder = Builder {
            cocycle: Self {
                slot_indices: filled_or_unwind(NONE, object.len()),
                is_near: zeroed_or_unwind::<bool>(object.len()),
                ..Self::zero()
            },
            object,
            alive: Vec::new(),
        };
        builder.add_topological_skeleton(skeleton, progress)?;
        let total = object.len();
        for (at, thinned) in skeleton.deleted.iter().rev().enumerate() {
            let voxel = thinned.voxel as usize;
            progress.report_every(Stage::Classes, total + at, 2 * total)?;
            if builder.cocycle.is_near[voxel] {
                builder.add(voxel, thinned.neighbour_mask);
            }
        }
        let mut cocycle = builder.cocycle;
        cocycle.rank = builder.alive.iter().filter(|&&alive| alive).count() as u64;
        Ok(cocycle)
    }

    /// Returns the number of independent classes.
    pub fn rank(&self) -> u64 {
        self.rank
    }

    /// Returns the class of the step from a voxel to the neighbour at a bit.
    #[inline(always)]
    pub fn step_class(&self, voxel: usize, bit: usize) -> HomologyClass {
        match self.slot_indices.get(voxel) {
            Some(&slot) if slot != NONE => self.slots[slot as usize][bit],
            _ => 0,
        }
    }

    /// Returns `true` if a voxel has a step with a non-zero class.
    #[inline(always)]
    pub fn has_classes(&self, voxel: usize) -> bool {
        self.slot_indices
            .get(voxel)
            .is_some_and(|&slot| slot != NONE)
    }

    /// Returns the bits of the class of a path through adjacent voxels.
    pub fn path_bits(&self, object: &Object, path: &[u32]) -> Vec<u32> {
        let mut bits = Vec::new();
        if self.rank == 0 {
            return bits;
        }
        for step in path.windows(2) {
            let [from, to] = [step[0] as usize, step[1] as usize];
            if from != to && self.has_classes(from) {
                let class = self.step_class(from, object.neighbour_bit(from, to));
                if class != 0 {
                    bits = symmetric_difference(&bits, self.table.bits(class));
                }
            }
        }
        bits
    }

    /// Counts triangles of mutually adjacent voxels whose classes do not sum to zero; each such
    /// triangle is counted at least once. Only triangles with a step of non-zero class are tested.
    pub fn open_triangles(&self, object: &Object) -> u64 {
        let open_at = |at: usize| {
            let (slot, a) = (&self.slots[at], self.owners[at] as usize);
            let neighbour_mask = object.neighbour_mask(a) & NEIGHBOURS;
            let mut open = 0;
            // each step is tested from its first voxel
            for (first, b) in object.neighbours(a, SUCCESSORS) {
                let ab = slot[first];
                if ab == 0 {
                    continue;
                }
                for second in bits(neighbour_mask & ADJACENT[first] & !(1 << first)) {
                    let (ac, bc) = (slot[second], self.step_class(b, bit_between(first, second)));
                    open += u64::from(!self.table.is_sum(ab, ac, bc));
                }
            }
            open
        };
        let range_sum = |slots: Range<usize>| slots.map(open_at).sum::<u64>();
        parallel::reduce(self.owners.len(), 1 << 10, range_sum, u64::add).unwrap_or(0)
    }
}

/// Returns the neighbour bit of the step between two adjacent neighbours of a voxel.
#[inline(always)]
fn bit_between(from: usize, to: usize) -> usize {
    let (a, b) = (OFFSETS[from], OFFSETS[to]);
    offset_bit([b[0] - a[0], b[1] - a[1], b[2] - a[2]])
}

/// State of the construction.
struct Builder<'a> {
    cocycle: Cocycle,
    object: &'a Object,
    /// `true` for bits that are still independent classes.
    alive: Vec<bool>,
}

impl Builder<'_> {
    /// Adds the voxels of the topological skeleton, each after an adjacent one.
    fn add_topological_skeleton(
        &mut self,
        skeleton: &TopologicalSkeleton,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        // indices refer to the remaining voxels of the topological skeleton
        let remaining = &skeleton.remaining[..];
        let find_index =
            |voxel: usize| remaining.binary_search_by_key(&(voxel as u32), |at| at.voxel);
        let mut added = zeroed_or_unwind::<bool>(remaining.len());
        let mut queue = std::collections::VecDeque::new();
        let mut is_queued = zeroed_or_unwind::<bool>(remaining.len());
        for start in 0..remaining.len() {
            if is_queued[start] {
                continue;
            }
            is_queued[start] = true;
            queue.push_or_unwind(start);
            while let Some(at) = queue.pop_front() {
                let ThinnedVoxel {
                    voxel,
                    neighbour_mask,
                } = remaining[at];
                let voxel = voxel as usize;
                let mut present = 0;
                for (bit, other) in self.object.neighbours(voxel, neighbour_mask) {
                    let Ok(other) = find_index(other) else {
                        continue;
                    };
                    if added[other] {
                        present |= 1 << bit;
                    }
                    if !is_queued[other] {
                        is_queued[other] = true;
                        queue.push_or_unwind(other);
                    }
                }
                self.add(voxel, present);
                self.close_triangles(voxel, present);
                added[at] = true;
                progress.check()?;
            }
        }
        Ok(())
    }

    /// Adds a voxel, given the neighbour bits of the voxels added before it (`present`).
    fn add(&mut self, voxel: usize, present: u32) {
        let neighbours = self.object.neighbours(voxel, present);
        let mut classes: Slot = [0; 27];
        let mut pending = present;
        let mut is_first = true;
        while pending != 0 {
            let seed = pending & pending.wrapping_neg();
            let part = connected_part(seed, present);
            pending &= !part;
            if !is_first {
                let bit = self.alive.len() as u32;
                self.alive.push_or_unwind(true);
                classes[seed.trailing_zeros() as usize] = self.cocycle.table.single(bit);
            }
            is_first = false;
            self.spread(neighbours, seed, part, &mut classes);
        }
        if classes.iter().any(|&class| class != 0) {
            for bit in bits(present) {
                if classes[bit] != 0 {
                    self.set_step_class([voxel, neighbours.at(bit)], bit, classes[bit]);
                }
            }
        }
    }

    /// Assigns classes to the steps to a connected part of the neighbours, starting from the seed.
    fn spread(&mut self, neighbours: Neighbours, seed: u32, part: u32, classes: &mut Slot) {
        let mut visited = seed;
        let mut front = seed;
        while front != 0 {
            let from = front.trailing_zeros() as usize;
            front &= front - 1;
            let new = ADJACENT[from] & part & !visited;
            if new == 0 {
                continue;
            }
            visited |= new;
            front |= new;
            let Cocycle {
                table,
                slots,
                slot_indices,
                ..
            } = &mut self.cocycle;
            // most voxels have no step with a non-zero class
            let slot = slots.get(slot_indices[neighbours.at(from)] as usize);
            for bit in bits(new) {
                let step = slot.map_or(0, |slot| slot[bit_between(from, bit)]);
                classes[bit] = table.sum(classes[from], step);
            }
        }
    }

    /// Tests the triangles of a voxel with its present neighbours; for each sum of classes that is
    /// not zero, eliminates its highest bit.
    fn close_triangles(&mut self, voxel: usize, present: u32) {
        for (from, neighbour) in self.object.neighbours(voxel, present) {
            let later = ADJACENT[from] & present & !((2 << from) - 1);
            for to in bits(later) {
                let third = self.cocycle.step_class(neighbour, bit_between(from, to));
                let [a, b] = [from, to].map(|bit| self.cocycle.step_class(voxel, bit));
                let sum = self.cocycle.table.sum(a, b);
                let sum = self.cocycle.table.sum(sum, third);
                if sum != 0 {
                    self.set_to_zero(sum);
                }
            }
        }
    }

    /// Eliminates the highest bit of a class from all classes, which makes the class zero.
    fn set_to_zero(&mut self, class: HomologyClass) {
        let bits = self.cocycle.table.bits(class);
        let Some(&highest) = bits.last() else {
            return;
        };
        self.alive[highest as usize] = false;
        let Cocycle { table, slots, .. } = &mut self.cocycle;
        for slot in slots {
            for one in slot {
                if *one != 0 && table.bits(*one).binary_search(&highest).is_ok() {
                    *one = table.sum(*one, class);
                }
            }
        }
    }

    /// Sets the class of a step in both directions.
    fn set_step_class(&mut self, [voxel, other]: [usize; 2], bit: usize, class: HomologyClass) {
        let slot = self.slot_index(voxel);
        self.cocycle.slots[slot][bit] = class;
        let slot = self.slot_index(other);
        self.cocycle.slots[slot][26 - bit] = class;
    }

    /// Returns the slot index of a voxel, adding a slot if necessary.
    fn slot_index(&mut self, voxel: usize) -> usize {
        let cocycle = &mut self.cocycle;
        if cocycle.slot_indices[voxel] == NONE {
            cocycle.slot_indices[voxel] = cocycle.slots.len() as u32;
            cocycle.slots.push_or_unwind([0; 27]);
            cocycle.owners.push_or_unwind(voxel as u32);
            let object = self.object;
            for (_, other) in object.neighbours(voxel, CUBE) {
                cocycle.is_near[other] = true;
            }
        }
        cocycle.slot_indices[voxel] as usize
    }
}

/// Returns the class of a path through adjacent voxels.
pub fn path_class(cocycle: &mut Cocycle, object: &Object, path: &[u32]) -> HomologyClass {
    let bits = cocycle.path_bits(object, path);
    cocycle.table.class_from_bits(&bits)
}
