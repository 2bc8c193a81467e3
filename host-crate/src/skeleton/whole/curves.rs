//! Which voxels the curves of a component lead through.

use super::{
    classes::{Basis, Class},
    cocycle::Cocycle,
    cover::Cover,
    metric::Metric,
    neighbours::{AROUND, BEFORE},
    object::Object,
    ways::{Ways, farthest, tip},
};
use std::collections::HashMap;

/// The rule that says how far from its skeleton an object may reach; lengths in the smallest spacing.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub scale: f64,
    pub constant: f64,
}

impl Reach {
    /// How far a point with this radius covers.
    pub fn of(&self, radius: f64) -> f64 {
        self.scale * radius + self.constant
    }
}

/// From the distance between centres to that to the surface: half of the smallest spacing, at least.
const HALF: f64 = 0.5;

/// Ways through voxels that touch, as links between them.
pub struct Curves {
    /// Pairs of voxels that touch.
    pub links: Vec<[u32; 2]>,
    /// The only voxel, if there are no links.
    pub dot: Option<u32>,
}

/// A component, and what is known of it.
pub struct Known<'a> {
    pub object: &'a Object,
    pub metric: &'a Metric,
    pub squares: &'a [f64],
}

impl Curves {
    /// Cycles, one for each class, the cheapest first; then for as long as a voxel is not covered, the way from the farthest of them. The classes of all cycles are independent.
    pub fn of(known: &Known<'_>, cocycle: &mut Cocycle, reach: Reach) -> Self {
        let Known {
            object,
            metric,
            squares,
        } = *known;
        if object.len() == 1 {
            return Self {
                links: Vec::new(),
                dot: Some(0),
            };
        }
        let mut drawing = Drawing {
            known,
            reach,
            state: vec![0; object.len()],
            links: Vec::new(),
            trunk: Vec::new(),
            cover: Cover::new(object, metric),
        };
        let ball = match cocycle.rank() {
            0 => middle_of_ball(known),
            _ => None,
        };
        let root = ball.unwrap_or_else(|| tip(object, metric));
        let ways = Ways::from_root(object, metric, squares, root);
        drawing.state[root] = ON;
        if cocycle.rank() > 0 {
            drawing.add_cycles(&ways, cocycle, root);
        } else {
            drawing.paint(root);
            if ball.is_none() {
                let mut end = root;
                for &voxel in &ways.order {
                    if ways.lengths[voxel as usize] > ways.lengths[end] {
                        end = voxel as usize;
                    }
                }
                drawing.add_branch(&ways, end);
            }
        }
        drawing.add_branches(&ways);
        let links = drawing.links;
        Self {
            dot: links.is_empty().then_some(root as u32),
            links,
        }
    }
}

/// The middle of a component that is as wide as it is long.
fn middle_of_ball(known: &Known<'_>) -> Option<usize> {
    let Known {
        object,
        metric,
        squares,
    } = *known;
    let mut middle = 0;
    for voxel in 0..object.len() {
        if squares[voxel] > squares[middle] {
            middle = voxel;
        }
    }
    let at = object.voxels[middle].map(f64::from);
    let far = farthest(object, metric, at, 0..object.len() as u32);
    let there = object.voxels[far];
    let length = metric.length([0, 1, 2].map(|axis| f64::from(there[axis]) - at[axis]));
    (length <= 1.05 * squares[middle].sqrt() - 0.3).then_some(middle)
}

/// A voxel is of the skeleton.
const ON: u8 = 1;
/// It is on the way between the root and the cycles, which is of the skeleton only where a branch needs it.
const TRUNK: u8 = 2;

struct Drawing<'a> {
    known: &'a Known<'a>,
    reach: Reach,
    state: Vec<u8>,
    links: Vec<[u32; 2]>,
    /// From the root to the cycles.
    trunk: Vec<u32>,
    cover: Cover<'a>,
}

impl Drawing<'_> {
    /// Covers what a voxel of the skeleton covers.
    fn paint(&mut self, voxel: usize) {
        let radius = self.known.squares[voxel].sqrt() - HALF;
        let at = self.known.object.voxels[voxel].map(f64::from);
        self.cover.add(at, self.reach.of(radius));
    }

    /// The cycles, with the way from them to the root as the trunk.
    fn add_cycles(&mut self, ways: &Ways, cocycle: &mut Cocycle, root: usize) {
        let object = self.known.object;
        let mut classes: Vec<Class> = vec![0; object.len()];
        for &voxel in &ways.order {
            let voxel = voxel as usize;
            if let Some(bit) = ways.back(voxel) {
                let before = object.neighbour(voxel, bit);
                let step = cocycle.step(voxel, bit);
                classes[voxel] = cocycle.table.sum(classes[before], step);
            }
        }
        let mut candidates = self.candidates(ways, cocycle, &classes);
        candidates.sort_by(|a, b| {
            let [a_cost, b_cost] = [a.cost, b.cost];
            a_cost.total_cmp(&b_cost).then(a.ends.cmp(&b.ends))
        });
        let mut basis = Basis::default();
        for candidate in candidates {
            if basis.rank() as u64 == cocycle.rank() {
                break;
            }
            if basis.add(&cocycle.table, candidate.class) {
                for end in candidate.ends {
                    self.add_way(ways, cocycle, &classes, end as usize);
                }
                self.links.push(candidate.ends);
            }
        }
        self.find_trunk(root);
        for voxel in 0..object.len() {
            if self.state[voxel] == ON {
                self.paint(voxel);
            }
        }
    }

    /// For each class that a way from the root and back can have with one step beside the cheapest ways, the cheapest.
    fn candidates(&self, ways: &Ways, cocycle: &mut Cocycle, classes: &[Class]) -> Vec<Candidate> {
        let Known {
            object, squares, ..
        } = *self.known;
        let mut cheapest: HashMap<Class, Candidate> = HashMap::new();
        for voxel in 0..object.len() {
            let has_classes = cocycle.has_classes(voxel);
            for (bit, other) in object.neighbours(voxel, object.around[voxel] & BEFORE) {
                if classes[voxel] == classes[other] && !has_classes {
                    continue;
                }
                let way = cocycle.table.sum(classes[voxel], classes[other]);
                let class = cocycle.table.sum(way, cocycle.step(voxel, bit));
                if class == 0 {
                    continue;
                }
                let step = ways.step_cost(squares, voxel, other, bit);
                let cost = ways.costs[voxel] + step + ways.costs[other];
                let candidate = Candidate {
                    cost,
                    class,
                    ends: [other as u32, voxel as u32],
                };
                match cheapest.get_mut(&class) {
                    Some(best) if best.cost <= cost => {}
                    Some(best) => *best = candidate,
                    None => {
                        cheapest.insert(class, candidate);
                    }
                }
            }
        }
        cheapest.into_values().collect()
    }

    /// The way from a voxel to the skeleton, or beside it to a voxel that touches it where that changes no class.
    fn add_way(&mut self, ways: &Ways, cocycle: &mut Cocycle, classes: &[Class], from: usize) {
        let object = self.known.object;
        let mut way = Vec::new();
        let mut voxel = from;
        while self.state[voxel] != ON {
            way.push(voxel as u32);
            let mut beside = None;
            for (bit, other) in object.neighbours(voxel, object.around[voxel] & AROUND) {
                if self.state[other] == ON {
                    let both = cocycle.table.sum(classes[voxel], classes[other]);
                    if cocycle.table.sum(both, cocycle.step(voxel, bit)) == 0 {
                        beside = Some(other);
                        break;
                    }
                }
            }
            let before = ways.back(voxel).map(|bit| object.neighbour(voxel, bit));
            let Some(next) = beside.or(before) else {
                break;
            };
            self.links.push([voxel as u32, next as u32]);
            voxel = next;
        }
        for voxel in way {
            self.state[voxel as usize] = ON;
        }
    }

    /// Takes the way from the root to the first voxel that has more than two links, or is the end of it, for the trunk.
    fn find_trunk(&mut self, root: usize) {
        let mut linked: HashMap<u32, Vec<u32>> = HashMap::new();
        for &[a, b] in &self.links {
            linked.entry(a).or_default().push(b);
            linked.entry(b).or_default().push(a);
        }
        let mut voxel = root as u32;
        let mut last = None;
        while let Some(next) = linked.get(&voxel)
            && next.len() == if last.is_none() { 1 } else { 2 }
        {
            let ahead = next.iter().copied().find(|&other| Some(other) != last);
            let Some(ahead) = ahead else { break };
            self.trunk.push(voxel);
            last = Some(voxel);
            voxel = ahead;
        }
        if self.trunk.is_empty() {
            return;
        }
        let count = self.trunk.len();
        for &voxel in &self.trunk {
            self.state[voxel as usize] = TRUNK;
        }
        let state = &self.state;
        self.links
            .retain(|link| link.iter().all(|&voxel| state[voxel as usize] != TRUNK));
        // where it ends is of the skeleton
        self.trunk.push(voxel);
        debug_assert_eq!(self.trunk.len(), count + 1);
    }

    /// Makes the trunk from one of its voxels on part of the skeleton.
    fn grow_trunk(&mut self, from: u32) {
        let Some(start) = self.trunk.iter().position(|&voxel| voxel == from) else {
            return;
        };
        for at in start..self.trunk.len() - 1 {
            let [voxel, next] = [self.trunk[at], self.trunk[at + 1]];
            self.links.push([voxel, next]);
            self.state[voxel as usize] = ON;
            self.paint(voxel as usize);
        }
        self.trunk.truncate(start + 1);
    }

    /// The way from a voxel to the skeleton, or to a voxel that touches it.
    fn add_branch(&mut self, ways: &Ways, from: usize) {
        let object = self.known.object;
        let mut way = Vec::new();
        let mut voxel = from;
        while self.state[voxel] == 0 {
            way.push(voxel as u32);
            let beside = object
                .neighbours(voxel, object.around[voxel] & AROUND)
                .find(|&(_, other)| self.state[other] == ON);
            let before = || ways.back(voxel).map(|bit| object.neighbour(voxel, bit));
            let Some(next) = beside.map(|(_, other)| other).or_else(before) else {
                break;
            };
            self.links.push([voxel as u32, next as u32]);
            voxel = next;
        }
        if self.state[voxel] == TRUNK {
            self.grow_trunk(voxel as u32);
        }
        for voxel in way {
            self.state[voxel as usize] = ON;
            self.paint(voxel as usize);
        }
    }

    /// Branches to voxels that are not covered, that with the longest way first.
    fn add_branches(&mut self, ways: &Ways) {
        if self.cover.left() == 0 {
            return;
        }
        let mut waiting: Vec<u32> = (0..self.known.object.len() as u32)
            .filter(|&voxel| !self.cover.is_covered(voxel as usize))
            .collect();
        let length = |voxel: u32| ways.lengths[voxel as usize];
        waiting.sort_by(|&a, &b| length(b).total_cmp(&length(a)).then(a.cmp(&b)));
        for voxel in waiting {
            if self.cover.left() == 0 {
                return;
            }
            if !self.cover.is_covered(voxel as usize) {
                self.add_branch(ways, voxel as usize);
            }
        }
    }
}

/// A step that closes a cycle.
struct Candidate {
    cost: f64,
    class: Class,
    ends: [u32; 2],
}
