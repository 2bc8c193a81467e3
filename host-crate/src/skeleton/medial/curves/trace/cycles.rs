//! Cycles of the initial curves: a basis of the homology, in order of increasing cost.

use super::CurveTracer;
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, stable_sort_or_unwind, zeroed_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        topology::{
            cocycle::Cocycle,
            homology_classes::{Basis, HomologyClass},
        },
        voxels::{
            neighbour_bits::{NEIGHBOURS, PREDECESSORS},
            object::MIN_PARALLEL_ITEMS,
        },
    },
};
use std::collections::{HashMap, HashSet};

/// Step between two voxels that closes a cycle with their shortest paths from the root.
struct Candidate {
    cost: f64,
    class: HomologyClass,
    ends: [u32; 2],
}

impl CurveTracer<'_> {
    /// Adds a cycle basis of the homology, cheapest cycles first, and the paths from the cycles to
    /// the root.
    pub(super) fn add_cycles(&mut self, cocycle: &mut Cocycle) -> Result<(), Cancelled> {
        let object = self.context.object;
        let paths = self.paths;
        let mut classes: Vec<HomologyClass> = zeroed_or_unwind(object.len());
        paths.visit_from_root(object, |voxel, before, bit| {
            let step = cocycle.step_class(voxel, bit);
            classes[voxel] = cocycle.table.sum(classes[before], step);
        });
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
        classes: &[HomologyClass],
    ) -> Result<Vec<Candidate>, Cancelled> {
        let paths = self.paths;
        let object = self.context.object;
        let mut cheapest: HashMap<HomologyClass, Candidate> = HashMap::new();
        // few steps close a path of non-zero class
        let shared = &*cocycle;
        let closing_steps =
            parallel::collect(object.len(), MIN_PARALLEL_ITEMS, |voxels, closing_steps| {
                for voxel in voxels {
                    let class = classes[voxel];
                    let has_classes = shared.has_classes(voxel);
                    for (bit, other) in object.neighbours(voxel, PREDECESSORS) {
                        let other_class = classes[other];
                        if class == other_class && !has_classes {
                            continue;
                        }
                        let step = shared.step_class(voxel, bit);
                        if !shared.table.is_sum(class, other_class, step) {
                            closing_steps.push_or_unwind(([other as u32, voxel as u32], bit, step));
                        }
                    }
                }
            });
        for (ends, bit, step) in closing_steps {
            let [other, voxel] = ends.map(|end| end as usize);
            let path = cocycle.table.sum(classes[voxel], classes[other]);
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
    fn add_path_to_skeleton(
        &mut self,
        cocycle: &mut Cocycle,
        classes: &[HomologyClass],
        from: usize,
    ) {
        let object = self.context.object;
        let mut path = Vec::new();
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            path.push_or_unwind(voxel as u32);
            let mut adjacent = None;
            for (bit, other) in object.neighbours(voxel, NEIGHBOURS) {
                if self.is_on_skeleton[other] {
                    let both = cocycle.table.sum(classes[voxel], classes[other]);
                    if cocycle.table.sum(both, cocycle.step_class(voxel, bit)) == 0 {
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

    /// Removes the path from the root to the cycles; coverage decides whether it is needed.
    pub(super) fn remove_trunk(&mut self, root: usize) {
        let mut linked: HashMap<u32, Vec<u32>> = HashMap::new();
        for &[a, b] in &self.links.pairs {
            linked.reserve_or_unwind(2);
            linked.entry(a).or_default().push_or_unwind(b);
            linked.entry(b).or_default().push_or_unwind(a);
        }
        let mut trunk = HashSet::new();
        let mut voxel = root as u32;
        let mut last = None;
        while let Some(next) = linked.get(&voxel)
            && next.len() == if last.is_none() { 1 } else { 2 }
            && let Some(&ahead) = next.iter().find(|&&other| Some(other) != last)
        {
            trunk.push_or_unwind(voxel);
            last = Some(voxel);
            voxel = ahead;
        }
        let links = &mut self.links.pairs;
        links.retain(|link| link.iter().all(|voxel| !trunk.contains(voxel)));
    }
}
