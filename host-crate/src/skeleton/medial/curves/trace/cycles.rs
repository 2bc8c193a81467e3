//! Cycles of the initial curves: a basis of the homology, in order of increasing cost.

use super::CurveTracer;
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, collect_into_or_unwind,
        stable_sort_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        paths::path_classes::{PathClasses, path_classes},
        topology::{
            cocycle::Cocycle,
            homology_classes::{Basis, HomologyClass},
        },
        voxels::{
            neighbour_bits::{NEIGHBOURS, PREDECESSORS},
            object::{MIN_PARALLEL_ITEMS, OWN_ROW, Object},
        },
    },
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Step between two voxels that closes a cycle with their shortest paths from the root.
struct Candidate {
    cost: f64,
    class: HomologyClass,
    ends: [u32; 2],
}

/// Class of the shortest paths to the voxels of each word.
struct WordClasses {
    /// Common class of a word's voxels, or [`MIXED`]; one entry per word.
    classes: Vec<HomologyClass>,
}

/// Marker of words with several classes, or with a voxel that can have a step with a non-zero
/// class.
const MIXED: HomologyClass = HomologyClass::MAX;

impl WordClasses {
    fn new(object: &Object, cocycle: &Cocycle, classes: &PathClasses) -> Self {
        let word_class = |word: usize| {
            let voxels = object.first_voxel(word)..object.first_voxel(word + 1);
            let class = classes.get(voxels.start);
            let is_uniform = !cocycle.have_classes(voxels.start, voxels.end - 1)
                && voxels.clone().all(|voxel| classes.get(voxel) == class);
            if is_uniform { class } else { MIXED }
        };
        Self {
            classes: parallel::collect(object.words().len(), MIN_PARALLEL_ITEMS, |words, list| {
                list.extend_or_unwind(words.map(word_class));
            }),
        }
    }

    /// Returns `true` if the voxels of a word and their preceding neighbours have one class, and
    /// the steps between them have the class zero.
    fn are_uniform_around(&self, object: &Object, word: usize) -> bool {
        let class = self.classes[word];
        let has_class = |other: usize| self.classes.get(other).is_none_or(|&it| it == class);
        let bits = object.words()[word].bits;
        let [has_first, has_last] = [bits & 1 == 1, bits >> 63 == 1];
        let is_uniform_beyond = |direction: usize, step: i32| {
            let other = object.word_index_at_offset(word, direction, step);
            other.is_none_or(has_class)
        };
        class != MIXED
            && (0..OWN_ROW).all(|direction| {
                has_class(object.adjacent_word_index(word, direction))
                    && (!has_first || is_uniform_beyond(direction, -1))
                    && (!has_last || is_uniform_beyond(direction, 1))
            })
            && (!has_first || is_uniform_beyond(OWN_ROW, -1))
    }
}

impl CurveTracer<'_> {
    /// Adds a cycle basis of the homology, cheapest cycles first, and the paths from the cycles to
    /// the root.
    pub(super) fn add_cycles(&mut self, cocycle: &mut Cocycle) -> Result<(), Cancelled> {
        let classes = path_classes(cocycle, self.context.object, self.paths);
        self.context.progress.check()?;
        let mut candidates = self.cycle_candidates(cocycle, &classes)?;
        stable_sort_or_unwind(&mut candidates, |a, b| {
            a.cost.total_cmp(&b.cost).then(a.ends.cmp(&b.ends))
        });
        let mut basis = Basis::default();
        for candidate in candidates {
            if basis.rank() as u64 == cocycle.rank() {
                break;
            }
            if basis.insert(&cocycle.table, candidate.class) {
                for end in candidate.ends {
                    self.add_path_to_skeleton(cocycle, &classes, end as usize);
                }
                self.links.add_path(&candidate.ends);
            }
        }
        Ok(())
    }

    /// Considers all closed paths that consist of two shortest paths and a step between their ends,
    /// and returns the cheapest one of each non-zero homology class.
    fn cycle_candidates(
        &self,
        cocycle: &mut Cocycle,
        classes: &PathClasses,
    ) -> Result<Vec<Candidate>, Cancelled> {
        let paths = self.paths;
        let object = self.context.object;
        let mut cheapest: HashMap<HomologyClass, Candidate> = HashMap::new();
        // few steps close a path of non-zero class
        let shared = &*cocycle;
        let word_classes = WordClasses::new(object, shared, classes);
        let append = |words: Range<usize>, closing_steps: &mut Vec<_>| {
            for word in words.filter(|&word| !word_classes.are_uniform_around(object, word)) {
                for voxel in object.first_voxel(word)..object.first_voxel(word + 1) {
                    let class = classes.get(voxel);
                    let has_classes = shared.has_classes(voxel);
                    for (bit, other) in object.neighbours(voxel, PREDECESSORS) {
                        let other_class = classes.get(other);
                        if class == other_class && !has_classes {
                            continue;
                        }
                        let step = shared.step_class(voxel, other);
                        if !shared.table.is_sum(class, other_class, step) {
                            closing_steps.push_or_unwind(([other as u32, voxel as u32], bit, step));
                        }
                    }
                }
            }
        };
        let closing_steps = parallel::collect(object.words().len(), MIN_PARALLEL_ITEMS, append);
        for (ends, bit, step) in closing_steps {
            let [other, voxel] = ends.map(|end| end as usize);
            let path = cocycle.table.sum(classes.get(voxel), classes.get(other));
            let class = cocycle.table.sum(path, step);
            let cost = paths.cycle_cost(self.context.edge_weights, voxel, other, bit);
            let candidate = Candidate { cost, class, ends };
            match cheapest.get_mut(&class) {
                Some(best) if best.cost <= cost => {}
                Some(best) => *best = candidate,
                None => {
                    cheapest.push_or_unwind((class, candidate));
                }
            }
        }
        Ok(cheapest.into_values().collect_or_unwind())
    }

    /// Adds the path from a voxel to the skeleton. Stops at a voxel next to the skeleton if the
    /// step to it does not change the homology class.
    fn add_path_to_skeleton(&mut self, cocycle: &mut Cocycle, classes: &PathClasses, from: usize) {
        let object = self.context.object;
        let mut path = Vec::new();
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            path.push_or_unwind(voxel as u32);
            let mut adjacent = None;
            for (_, other) in object.neighbours(voxel, NEIGHBOURS) {
                if self.is_on_skeleton[other] {
                    let both = cocycle.table.sum(classes.get(voxel), classes.get(other));
                    if cocycle.table.sum(both, cocycle.step_class(voxel, other)) == 0 {
                        adjacent = Some(other);
                        break;
                    }
                }
            }
            let before = self.predecessor(voxel);
            let Some(next) = adjacent.or(before) else {
                break;
            };
            self.links.add_path(&[voxel as u32, next as u32]);
            voxel = next;
        }
        self.mark_on_skeleton(&path);
    }

    /// Removes the path from the root to the cycles, and returns its voxels up to the first one of
    /// the remaining links, or none if a cycle contains the root. Coverage decides whether the path
    /// is needed.
    pub(super) fn remove_trunk(&mut self, root: usize) -> Vec<u32> {
        let mut linked: HashMap<u32, Vec<u32>> = HashMap::new();
        for &[a, b] in &self.links.pairs {
            linked.reserve_or_unwind(2);
            linked.entry(a).or_default().push_or_unwind(b);
            linked.entry(b).or_default().push_or_unwind(a);
        }
        let mut trunk = vec![root as u32];
        let mut voxel = root as u32;
        let mut last = None;
        while let Some(next) = linked.get(&voxel)
            && next.len() == if last.is_none() { 1 } else { 2 }
            && let Some(&ahead) = next.iter().find(|&&other| Some(other) != last)
        {
            trunk.push_or_unwind(ahead);
            last = Some(voxel);
            voxel = ahead;
        }
        if trunk.len() == 1 {
            return Vec::new();
        }
        let removed: HashSet<u32> =
            collect_into_or_unwind(trunk[..trunk.len() - 1].iter().copied());
        let links = &mut self.links.pairs;
        links.retain(|link| link.iter().all(|voxel| !removed.contains(voxel)));
        trunk
    }
}
