//! Edges that go far round: shortest ways of a given class, and edges that take them.

use super::{
    classes::{Basis, Class},
    cocycle::{Cocycle, class_of},
    crossing::{Place, centre},
    draft::{Draft, DraftEdge},
    known::Known,
    links::Links,
    neighbours::{AROUND, OFFSETS},
};
use crate::union_find::UnionFind;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// A way that is shorter than this makes an edge of this length and greatest radius a detour.
pub fn longest_half(length: f64, radius: f64) -> f64 {
    // not for what rounding makes of equal lengths
    (length - radius) / 2.0 - 1e-9
}

/// Has edges that go far round take the shortest way of their class instead; whether there are any. Pieces and classes of cycles stay.
pub fn straighten(known: &Known<'_>, cocycle: &mut Cocycle, links_of: &mut Links) -> bool {
    let mut draft = Draft::of(known.object, links_of);
    let mut any = false;
    // each time the sum of lengths becomes less
    while let Some((edge, way)) = first_detour(known, cocycle, &draft) {
        replace(known, cocycle, links_of, &draft, edge, &way);
        draft = Draft::of(known.object, links_of);
        any = true;
    }
    any
}

/// The first edge that is a detour, and the shorter way.
fn first_detour(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    draft: &Draft,
) -> Option<(usize, Vec<u32>)> {
    for (number, edge) in draft.edges.iter().enumerate() {
        let length = known.length(&edge.points);
        let ends = [edge.voxels[0], edge.voxels[edge.voxels.len() - 1]].map(|end| end as usize);
        let [a, b] = ends.map(|end| known.object.place(end).map(f64::from));
        let straight = known.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]));
        if straight >= longest_half(length, 0.0) {
            continue;
        }
        let radius = |&point: &Place| known.radius(point);
        let radius = edge.points.iter().map(radius).fold(0.0, f64::max);
        let class = class_of(cocycle, known.object, &edge.voxels);
        let most = longest_half(length, radius);
        if let Some((_, way)) = shortest_below(known, cocycle, ends, class, most) {
            return Some((number, way));
        }
    }
    None
}

/// Replaces an edge by a part of a way of the same class between its ends, which may touch other edges.
fn replace(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    links_of: &mut Links,
    draft: &Draft,
    edge: usize,
    way: &[u32],
) {
    let DraftEdge { voxels, .. } = &draft.edges[edge];
    let is_of_edge = |link: &[u32; 2]| {
        let mut steps = voxels.windows(2);
        steps.any(|step| step == link || (step[0] == link[1] && step[1] == link[0]))
    };
    let mut links: Vec<[u32; 2]> = links_of.pairs.clone();
    links.retain(|link| !is_of_edge(link));
    // voxels of the rest, and the ends of the edge
    let mut rest: Vec<u32> = links.iter().flatten().copied().collect();
    rest.extend([voxels[0], voxels[voxels.len() - 1]]);
    rest.sort_unstable();
    rest.dedup();
    let number = |voxel: u32| rest.binary_search(&voxel).ok();
    let index = |voxel: u32| number(voxel).unwrap_or(0);
    let potentials = Potentials::of(known, cocycle, &rest, &links, index);
    let touches: Vec<usize> = (0..way.len())
        .filter(|&at| number(way[at]).is_some())
        .collect();
    // parts of the way from one voxel of the rest to the next
    let mut best: Option<(f64, &[u32])> = None;
    for ends in touches.windows(2) {
        let part = &way[ends[0]..=ends[1]];
        let class = class_of(cocycle, known.object, part);
        if potentials.needs(cocycle, [part[0], part[part.len() - 1]].map(index), class) {
            let points: Vec<Place> = part
                .iter()
                .map(|&voxel| centre(known.object.place(voxel as usize)))
                .collect();
            let length = known.length(&points);
            if best.is_none_or(|(least, _)| length < least) {
                best = Some((length, part));
            }
        }
    }
    if let Some((_, part)) = best {
        links.extend(part.windows(2).map(|step| [step[0], step[1]]));
        let mut voxels = part[..part.len() - 1].to_vec();
        voxels.sort_unstable();
        if voxels.windows(2).any(|pair| pair[0] == pair[1]) {
            // a way round a tunnel may come back by the steps that it went, or cross itself
            links = independent(known, cocycle, &links);
        }
        links_of.pairs = links;
    }
}

/// Links without those that close a cycle whose class the others have.
pub fn independent(known: &Known<'_>, cocycle: &mut Cocycle, links: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut voxels: Vec<u32> = links.iter().flatten().copied().collect();
    voxels.sort_unstable();
    voxels.dedup();
    let index = |voxel: u32| voxels.partition_point(|&other| other < voxel);
    let mut sets = UnionFind::<usize>::new(voxels.len());
    let (mut kept, rest): (Vec<_>, Vec<_>) = links
        .iter()
        .copied()
        .partition(|link| sets.join(index(link[0]), index(link[1])));
    let tree = Potentials::of(known, cocycle, &voxels, &kept, index);
    let mut cycles = Basis::default();
    for link in rest {
        let [a, b] = link.map(|voxel| tree.classes[index(voxel)]);
        let both = cocycle.table.sum(a, b);
        let step = class_of(cocycle, known.object, &link);
        let cycle = cocycle.table.sum(both, step);
        if cycles.add(&cocycle.table, cycle) {
            kept.push(link);
        }
    }
    kept
}

/// What is known of the curves without an edge.
struct Potentials {
    /// For each voxel a member of its piece.
    pieces: Vec<usize>,
    /// For each voxel the class of a way to it in its piece.
    classes: Vec<Class>,
    cycles: Basis,
    is_one: bool,
}

impl Potentials {
    fn of(
        known: &Known<'_>,
        cocycle: &mut Cocycle,
        voxels: &[u32],
        links: &[[u32; 2]],
        index: impl Fn(u32) -> usize,
    ) -> Self {
        let mut sets = UnionFind::<usize>::new(voxels.len());
        let mut linked: Vec<Vec<usize>> = vec![Vec::new(); voxels.len()];
        let mut pieces = voxels.len();
        for link in links {
            let [a, b] = link.map(&index);
            linked[a].push(b);
            linked[b].push(a);
            pieces -= usize::from(sets.join(a, b));
        }
        let mut known_class: Vec<Option<Class>> = vec![None; voxels.len()];
        let mut cycles = Basis::default();
        for start in 0..voxels.len() {
            if known_class[start].is_some() {
                continue;
            }
            known_class[start] = Some(0);
            let mut waiting = vec![(start, 0)];
            while let Some((at, class)) = waiting.pop() {
                for &next in &linked[at] {
                    let [from, to] = [voxels[at], voxels[next]];
                    let step = class_of(cocycle, known.object, &[from, to]);
                    let sum = cocycle.table.sum(class, step);
                    match known_class[next] {
                        Some(other) => {
                            let cycle = cocycle.table.sum(sum, other);
                            cycles.add(&cocycle.table, cycle);
                        }
                        None => {
                            known_class[next] = Some(sum);
                            waiting.push((next, sum));
                        }
                    }
                }
            }
        }
        Self {
            pieces: (0..voxels.len()).map(|at| sets.root(at)).collect(),
            classes: known_class
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect(),
            cycles,
            is_one: pieces == 1,
        }
    }

    /// Whether a way of a class between two voxels joins pieces, or, if there is one piece, closes a cycle that the others do not make.
    fn needs(&self, cocycle: &mut Cocycle, [a, b]: [usize; 2], class: Class) -> bool {
        if !self.is_one {
            return self.pieces[a] != self.pieces[b];
        }
        let both = cocycle.table.sum(self.classes[a], self.classes[b]);
        let cycle = cocycle.table.sum(both, class);
        self.cycles.is_independent(&cocycle.table, cycle)
    }
}

/// The shortest way of a class between two voxels through centres of voxels that touch, and its length in the smallest spacing, if that is less than `most`.
///
/// Looks at places from which the way can still be so short only.
pub fn shortest_below(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    [from, to]: [usize; 2],
    class: Class,
    most: f64,
) -> Option<(f64, Vec<u32>)> {
    let Known { object, metric, .. } = *known;
    let goal = object.place(to);
    let rest = |voxel: usize| {
        let at = object.place(voxel);
        metric.length([0, 1, 2].map(|axis| f64::from(goal[axis] - at[axis])))
    };
    if rest(from) >= most {
        return None;
    }
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    // the length of the shortest way known, and where it comes from
    let mut places = Places::new();
    let mut queue = BinaryHeap::new();
    let start = (from as u32, 0);
    places.insert(start, (0.0, start));
    // by the least length that the whole way may have (Hart, Nilsson and Raphael 1968)
    queue.push(Reverse((rest(from).to_bits(), 0f64.to_bits(), start)));
    while let Some(Reverse((_, bits, place))) = queue.pop() {
        let length = f64::from_bits(bits);
        let is_old = places.get(&place).is_some_and(|&(known, _)| known < length);
        if is_old {
            continue;
        }
        let (voxel, at_class) = place;
        let voxel = voxel as usize;
        if voxel == to && at_class == class {
            return Some((length, way_back(&places, place)));
        }
        for (bit, other) in object.neighbours(voxel, AROUND) {
            let next = length + steps[bit];
            let least = next + rest(other);
            if least >= most {
                continue;
            }
            let next_class = cocycle.table.sum(at_class, cocycle.step(voxel, bit));
            let next_place = (other as u32, next_class);
            let best = places.entry(next_place).or_insert((f64::INFINITY, place));
            if next < best.0 {
                *best = (next, place);
                queue.push(Reverse((least.to_bits(), next.to_bits(), next_place)));
            }
        }
    }
    None
}

/// For voxels reached by ways of a class the length of the shortest known, and where it comes from.
type Places = HashMap<(u32, Class), (f64, (u32, Class))>;

/// The voxels from the beginning of a way to a place.
fn way_back(places: &Places, end: (u32, Class)) -> Vec<u32> {
    let mut way = vec![end.0];
    let mut place = end;
    while let Some(&(_, before)) = places.get(&place)
        && before != place
    {
        way.push(before.0);
        place = before;
    }
    way.reverse();
    way
}
