//! Which voxels the curves of a component lead through.

use super::{
    coverage::{Cover, Reach},
    endpoints::end_of,
    intermediate_graph::Draft,
    intersections::uncross,
    uncovered_queue::Waiting,
    voxel_links::Links,
};
use crate::{
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind, stable_sort_or_unwind,
        zeroed_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::Known,
        paths::{
            segment_voxels::{Place, centre, in_voxels},
            shorten::straighten,
            shortest_paths::{Ways, cheapest, farthest, tip},
        },
        progress::Stage,
        topology::{
            cocycle::Cocycle,
            homology_classes::{Basis, Class},
        },
        voxels::{
            neighbour_bits::{AROUND, BEFORE},
            object::{Object, PORTION},
        },
    },
};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Where ways begin, and the ways.
pub struct Start {
    pub root: Root,
    pub ways: Ways,
}

/// The voxel that ways begin at.
#[derive(Clone, Copy)]
pub struct Root {
    pub voxel: usize,
    /// Whether it is the middle of a ball.
    is_middle: bool,
}

impl Root {
    pub fn of(object: &Object, metric: &Metric, squares: &[f64], tunnels: u64) -> Self {
        let middle = match tunnels {
            0 => middle_of_ball(object, metric, squares),
            _ => None,
        };
        Self {
            voxel: middle.unwrap_or_else(|| tip(object, metric)),
            is_middle: middle.is_some(),
        }
    }
}

/// What curves begin with: cycles, one for each class, the cheapest first; without tunnels the
/// longest way, or the middle of a ball.
pub struct Beginning {
    ways: Ways,
    links: Links,
}

impl Beginning {
    pub fn of(
        known: &Known<'_>,
        cocycle: &mut Cocycle,
        start: Start,
        reach: Reach,
    ) -> Result<Self, Cancelled> {
        let Start { root, ways } = start;
        let Root {
            voxel: root,
            is_middle,
        } = root;
        let mut drawing = Drawing::of(known, &ways, Links::default(), reach, false);
        drawing.put_on(&[root as u32]);
        if cocycle.rank() > 0 {
            drawing.add_cycles(cocycle)?;
            drawing.cut_trunk(root);
        } else if !is_middle {
            drawing.add_branch(farthest_along(&ways, known.object.len()))?;
        } else {
            drawing.links = Links::dot(root);
        }
        let links = drawing.links;
        Ok(Self { ways, links })
    }
}

/// The beginning, and for as long as a voxel is not covered, the way from the farthest of them;
/// then branches to curved places that are long enough. Edges that go far round are straightened.
/// The classes of all cycles are independent. With `ends_go_on` the cover is that of curves whose
/// ends go straight on, as [`extend`](super::tips::extend) has them.
pub fn draw(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    beginning: &Beginning,
    reach: Reach,
    curved: &[u32],
    ends_go_on: bool,
) -> Result<Links, Cancelled> {
    let Beginning { ways, links } = beginning;
    let mut drawing = Drawing::of(known, ways, links.clone(), reach, ends_go_on);
    drawing.start_cover()?;
    drawing.add_branches()?;
    drawing.add_details(curved)?;
    for _ in 0..ROUNDS {
        if !straighten(known, cocycle, &mut drawing.links)? {
            break;
        }
        drawing.start_cover()?;
        if !drawing.add_branches()? {
            break;
        }
    }
    uncross(known, cocycle, &mut drawing.links);
    known.steps.done(Stage::Curves)?;
    Ok(drawing.links)
}

/// The part of a radius that is passed over.
const PASSED: f64 = 0.3;
/// How often edges are straightened, and what they no longer cover gets branches, at most.
const ROUNDS: usize = 20;

/// A branch to a curved place is longer than so many radii and so many of the smallest spacing.
const LONG: [f64; 2] = [1.3, 1.5];

/// The voxel with the longest way.
fn farthest_along(ways: &Ways, count: usize) -> usize {
    let of_range = |voxels: Range<usize>| {
        let keys = voxels.map(|voxel| (ways.parts(voxel), Reverse(voxel)));
        keys.max()
    };
    let last = parallel::reduce(count, PORTION, of_range, Option::max).flatten();
    last.map_or(0, |(_, Reverse(voxel))| voxel)
}

/// The middle of a component that is as wide as it is long.
fn middle_of_ball(object: &Object, metric: &Metric, squares: &[f64]) -> Option<usize> {
    // the first of the greatest
    let order = |a: &usize, b: &usize| squares[*a].total_cmp(&squares[*b]).then(b.cmp(a));
    let of_range = |voxels: Range<usize>| voxels.max_by(order);
    let larger = |a: Option<usize>, b: Option<usize>| a.into_iter().chain(b).max_by(order);
    let middle = parallel::reduce(squares.len(), PORTION, of_range, larger)??;
    let at = object.place(middle).map(f64::from);
    let far = farthest(object, metric, at, object.ends_of_rows());
    let there = object.place(far);
    let length = metric.length([0, 1, 2].map(|axis| f64::from(there[axis]) - at[axis]));
    (length <= 1.05 * squares[middle].sqrt() - 0.3).then_some(middle)
}

struct Drawing<'a> {
    known: &'a Known<'a>,
    reach: Reach,
    ways: &'a Ways,
    /// For each voxel whether it is of the skeleton, and those that are.
    is_on: Vec<bool>,
    on: Vec<u32>,
    links: Links,
    cover: Cover<'a>,
    ends_go_on: bool,
}

impl<'a> Drawing<'a> {
    fn of(
        known: &'a Known<'a>,
        ways: &'a Ways,
        links: Links,
        reach: Reach,
        ends_go_on: bool,
    ) -> Self {
        Self {
            known,
            reach,
            ways,
            is_on: zeroed_or_unwind::<bool>(known.object.len()),
            on: Vec::new(),
            links,
            cover: Cover::new(known.object, known.metric),
            ends_go_on,
        }
    }

    /// Makes voxels some of the skeleton.
    fn put_on(&mut self, voxels: &[u32]) {
        for &voxel in voxels {
            self.is_on[voxel as usize] = true;
        }
        self.on.extend_or_unwind(voxels.iter().copied());
    }

    /// What a place covers: a ball.
    fn ball(&self, place: Place) -> ([f64; 3], f64) {
        let radius = self.known.radius(place);
        (in_voxels(place), self.reach.of(radius))
    }

    /// What a way covers, but for next to nothing: voxels that are near to the last, for their
    /// radius, are passed over.
    fn balls(&self, way: &[u32]) -> Vec<([f64; 3], f64)> {
        let mut balls = Vec::new();
        let mut next = 0.0;
        for (at, &voxel) in way.iter().enumerate() {
            let place = self.place(voxel);
            if at > 0 {
                next -= self.known.distance(self.place(way[at - 1]), place);
            }
            if next <= 0.0 || at + 1 == way.len() {
                balls.push_or_unwind(self.ball(place));
                next = PASSED * self.known.radius(place);
            }
        }
        balls
    }

    fn place(&self, voxel: u32) -> Place {
        centre(self.known.object.place(voxel as usize))
    }

    /// Covers what the curves cover.
    fn start_cover(&mut self) -> Result<(), Cancelled> {
        self.cover = Cover::new(self.known.object, self.known.metric);
        for voxel in std::mem::take(&mut self.on) {
            self.is_on[voxel as usize] = false;
        }
        let voxels = self.links.voxels();
        self.put_on(&voxels);
        let draft = Draft::of(self.known.object, &self.links);
        let degrees = draft.degrees();
        let mut edges = draft.edges;
        let balls = parallel::try_map_mut(&mut edges, |_, edge| {
            self.known.steps.check()?;
            let mut balls = self.balls(&edge.voxels);
            for node in edge.nodes {
                if self.ends_go_on && degrees[node] == 1 {
                    balls.extend_or_unwind(self.balls_of_end(&edge.points));
                }
                edge.points.reverse();
            }
            Ok::<_, Cancelled>(balls)
        })?;
        let mut balls: Vec<_> = balls.into_iter().flatten().collect_or_unwind();
        balls.extend_or_unwind(self.links.dot.map(|dot| self.ball(self.place(dot))));
        self.cover.add_all(&balls);
        Ok(())
    }

    /// The cycles, and the ways from them to the root.
    fn add_cycles(&mut self, cocycle: &mut Cocycle) -> Result<(), Cancelled> {
        let object = self.known.object;
        let ways = self.ways;
        let mut classes: Vec<Class> = zeroed_or_unwind(object.len());
        ways.visit_from_root(object, |voxel, before, bit| {
            let step = cocycle.step(voxel, bit);
            classes[voxel] = cocycle.table.sum(classes[before], step);
        });
        self.known.steps.check()?;
        let mut candidates = self.candidates(cocycle, &classes)?;
        stable_sort_or_unwind(&mut candidates, |a, b| {
            a.cost.total_cmp(&b.cost).then(a.ends.cmp(&b.ends))
        });
        let mut basis = Basis::default();
        for candidate in candidates {
            if basis.rank() as u64 == cocycle.rank() {
                break;
            }
            if basis.add(&cocycle.table, candidate.class) {
                for end in candidate.ends {
                    self.add_way(cocycle, &classes, end as usize);
                }
                self.links.add(&candidate.ends);
            }
        }
        Ok(())
    }

    /// For each class that a way from the root and back can have with one step beside the cheapest
    /// ways, the cheapest.
    fn candidates(
        &self,
        cocycle: &mut Cocycle,
        classes: &[Class],
    ) -> Result<Vec<Candidate>, Cancelled> {
        let ways = self.ways;
        let object = self.known.object;
        let mut cheapest: HashMap<Class, Candidate> = HashMap::new();
        // ways beside each other close no cycle but for a few
        let known = &*cocycle;
        let steps = parallel::collect(object.len(), PORTION, |voxels, steps| {
            for voxel in voxels {
                let here = classes[voxel];
                let has_classes = known.has_classes(voxel);
                for (bit, other) in object.neighbours(voxel, BEFORE) {
                    let there = classes[other];
                    if here == there && !has_classes {
                        continue;
                    }
                    let step = known.step(voxel, bit);
                    if !known.table.is_sum(here, there, step) {
                        steps.push_or_unwind(([other as u32, voxel as u32], bit, step));
                    }
                }
            }
        });
        for (ends, bit, step) in steps {
            let [other, voxel] = ends.map(|end| end as usize);
            let way = cocycle.table.sum(classes[voxel], classes[other]);
            let class = cocycle.table.sum(way, step);
            let cost = ways.cost_round(self.known.prices, voxel, other, bit);
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

    /// The way from a voxel to the skeleton, or beside it to a voxel that touches it where that
    /// changes no class.
    fn add_way(&mut self, cocycle: &mut Cocycle, classes: &[Class], from: usize) {
        let object = self.known.object;
        let mut way = Vec::new();
        let mut voxel = from;
        while !self.is_on[voxel] {
            way.push_or_unwind(voxel as u32);
            let mut beside = None;
            for (bit, other) in object.neighbours(voxel, AROUND) {
                if self.is_on[other] {
                    let both = cocycle.table.sum(classes[voxel], classes[other]);
                    if cocycle.table.sum(both, cocycle.step(voxel, bit)) == 0 {
                        beside = Some(other);
                        break;
                    }
                }
            }
            let before = self.before(voxel);
            let Some(next) = beside.or(before) else {
                break;
            };
            self.links.add(&[voxel as u32, next as u32]);
            voxel = next;
        }
        self.put_on(&way);
    }

    /// The voxel before one on the way from the root.
    fn before(&self, voxel: usize) -> Option<usize> {
        let bit = self.ways.back(voxel)?;
        Some(self.known.object.neighbour(voxel, bit))
    }

    /// Leaves out the way from the root to where the cycles begin: only the cover says what it is
    /// good for.
    fn cut_trunk(&mut self, root: usize) {
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

    /// The way from a voxel to the skeleton, or to a voxel that touches it.
    fn add_branch(&mut self, from: usize) -> Result<(), Cancelled> {
        let object = self.known.object;
        let mut way = vec![from as u32];
        let mut voxel = from;
        while !self.is_on[voxel] {
            let beside = object
                .neighbours(voxel, AROUND)
                .find(|&(_, other)| self.is_on[other]);
            let Some(next) = beside.map(|(_, other)| other).or(self.before(voxel)) else {
                // past the skeleton to the root
                way = cheapest(self.known, from, |voxel| self.is_on[voxel])?;
                break;
            };
            way.push_or_unwind(next as u32);
            voxel = next;
        }
        self.links.add(&way);
        self.put_on(&way);
        let mut balls = self.balls(&way);
        if self.ends_go_on {
            let places: Vec<Place> = way
                .iter()
                .map(|&voxel| self.place(voxel))
                .collect_or_unwind();
            balls.extend_or_unwind(self.balls_of_end(&places));
        }
        self.cover.add_all(&balls);
        let covered = object.len() - self.cover.left();
        self.known.steps.at(Stage::Curves, covered, object.len())
    }

    /// What a curve covers from where its end will be.
    fn balls_of_end(&self, places: &[Place]) -> impl Iterator<Item = ([f64; 3], f64)> {
        let places = end_of(self.known, places).into_iter();
        places.map(|place| self.ball(place))
    }

    /// Branches to some voxels, those that are farthest from the skeleton first, if they are long
    /// for the radius where they leave it.
    fn add_details(&mut self, curved: &[u32]) -> Result<(), Cancelled> {
        if curved.is_empty() {
            return Ok(());
        }
        let object = self.known.object;
        let ways = self.ways;
        let mut lengths = zeroed_or_unwind::<u32>(object.len());
        ways.visit_from_root(object, |voxel, before, _| {
            if !self.is_on[voxel] {
                let step = ways.parts(voxel).wrapping_sub(ways.parts(before));
                lengths[voxel] = lengths[before].wrapping_add(step);
            }
        });
        let mut waiting = copy_or_unwind(curved);
        let length = |voxel: u32| lengths[voxel as usize];
        waiting.sort_unstable_by_key(|&voxel| (Reverse(length(voxel)), voxel));
        // others are as far from them as the object is thick there
        let mut beside = Cover::new(object, self.known.metric);
        for voxel in waiting {
            if beside.is_covered(voxel as usize) {
                continue;
            }
            let mut leaves = voxel as usize;
            while let Some(before) = self.before(leaves).filter(|_| !self.is_on[leaves]) {
                leaves = before;
            }
            let long = self.ways.length(voxel as usize) - self.ways.length(leaves);
            let radius = self.known.radius(self.place(leaves as u32));
            if self.is_on[leaves] && long > LONG[0] * radius + LONG[1] {
                self.add_branch(voxel as usize)?;
                beside.add(object.place(voxel as usize).map(f64::from), radius + 0.5);
            }
        }
        Ok(())
    }

    /// Branches to voxels that are not covered, that with the longest way first. Whether there are
    /// any.
    fn add_branches(&mut self) -> Result<bool, Cancelled> {
        if self.cover.left() == 0 {
            return Ok(false);
        }
        let ways = self.ways;
        let mut waiting = Waiting::of(&self.cover, |voxel| ways.parts(voxel));
        while let Some(voxel) = waiting.next(&self.cover) {
            self.add_branch(voxel)?;
        }
        Ok(true)
    }
}

/// A step that closes a cycle.
struct Candidate {
    cost: f64,
    class: Class,
    ends: [u32; 2],
}
