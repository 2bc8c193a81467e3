//! Edges that go far round: shortest ways of a given class, and edges that take them.

use super::{
    length_bound::Least,
    segment_voxels::{Place, centre},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::Known,
        curves::{
            intermediate_graph::{Draft, DraftEdge},
            voxel_links::Links,
        },
        progress::PORTION,
        topology::{
            cocycle::{Cocycle, class_of},
            cycle_basis::{CycleClasses, Role},
            homology_classes::Class,
        },
        voxels::neighbour_bits::{AROUND, OFFSETS},
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// A way that is shorter than this makes an edge of this length and greatest radius a detour.
pub fn longest_half(length: f64, radius: f64) -> f64 {
    // not for what rounding makes of equal lengths
    (length - radius) / 2.0 - 1e-9
}

/// Has edges that go far round take the shortest way of their class instead; whether there are any.
/// Pieces and classes of cycles stay.
pub fn straighten(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    links_of: &mut Links,
) -> Result<bool, Cancelled> {
    let mut draft = Draft::of(known.object, links_of);
    let mut any = false;
    let mut least = Least::new(known);
    // each time the sum of lengths becomes less
    while let Some((edge, way)) = first_detour(known, cocycle, &mut least, &draft)? {
        replace(known, cocycle, links_of, &draft, edge, &way);
        draft = Draft::of(known.object, links_of);
        any = true;
    }
    Ok(any)
}

/// The first edge that is a detour, and the shorter way.
fn first_detour(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    least: &mut Least<'_>,
    draft: &Draft,
) -> Result<Option<(usize, Vec<u32>)>, Cancelled> {
    for (number, edge) in draft.edges.iter().enumerate() {
        known.steps.check()?;
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
        if let Some((_, way)) = shortest_below(known, cocycle, least, ends, class, most)? {
            return Ok(Some((number, way)));
        }
    }
    Ok(None)
}

/// Replaces an edge by a part of a way of the same class between its ends, which may touch other
/// edges.
fn replace(
    known: &Known<'_>,
    cocycle: &Cocycle,
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
    let mut links: Vec<[u32; 2]> = copy_or_unwind(&links_of.pairs);
    links.retain(|link| !is_of_edge(link));
    // voxels of the rest, and the ends of the edge
    let mut rest: Vec<u32> = links.iter().flatten().copied().collect_or_unwind();
    rest.extend_or_unwind([voxels[0], voxels[voxels.len() - 1]]);
    rest.sort_unstable();
    rest.dedup();
    let number = |voxel: u32| rest.binary_search(&voxel).ok();
    let index = |voxel: u32| number(voxel).unwrap_or(0);
    let mut others = of_links(known, cocycle, rest.len(), &links, index);
    let touches: Vec<usize> = (0..way.len())
        .filter(|&at| number(way[at]).is_some())
        .collect_or_unwind();
    // parts of the way from one voxel of the rest to the next
    let mut best: Option<(f64, &[u32])> = None;
    for ends in touches.windows(2) {
        let part = &way[ends[0]..=ends[1]];
        let class = cocycle.bits_of(known.object, part);
        if others.needs([part[0], part[part.len() - 1]].map(index), &class) {
            let points: Vec<Place> = part
                .iter()
                .map(|&voxel| centre(known.object.place(voxel as usize)))
                .collect_or_unwind();
            let length = known.length(&points);
            if best.is_none_or(|(least, _)| length < least) {
                best = Some((length, part));
            }
        }
    }
    if let Some((_, part)) = best {
        links.extend_or_unwind(part.windows(2).map(|step| [step[0], step[1]]));
        let mut voxels = copy_or_unwind(&part[..part.len() - 1]);
        voxels.sort_unstable();
        if voxels.windows(2).any(|pair| pair[0] == pair[1]) {
            // a way round a tunnel may come back by the steps that it went, or cross itself
            links = independent(known, cocycle, &links);
        }
        links_of.pairs = links;
    }
}

/// Links without those that close a cycle whose class the others have.
pub fn independent(known: &Known<'_>, cocycle: &Cocycle, links: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut voxels: Vec<u32> = links.iter().flatten().copied().collect_or_unwind();
    voxels.sort_unstable();
    voxels.dedup();
    let index = |voxel: u32| voxels.partition_point(|&other| other < voxel);
    let CycleClasses { roles, .. } = of_links(known, cocycle, voxels.len(), links, index);
    let of_role = |role| {
        let links = links.iter().zip(&roles);
        links.filter_map(move |(&link, &other)| (other == role).then_some(link))
    };
    of_role(Role::Tree)
        .chain(of_role(Role::Independent))
        .collect_or_unwind()
}

/// The pieces and cycles of links between so many voxels, which `index` numbers.
fn of_links(
    known: &Known<'_>,
    cocycle: &Cocycle,
    voxels: usize,
    links: &[[u32; 2]],
    index: impl Fn(u32) -> usize,
) -> CycleClasses {
    let edge = |link: &[u32; 2]| (link.map(&index), cocycle.bits_of(known.object, link));
    CycleClasses::of(voxels, links.iter().map(edge))
}

/// The shortest way of a class between two voxels through centres of voxels that touch, and its
/// length in the smallest spacing, if that is less than `most`.
pub fn shortest_below(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    least: &mut Least<'_>,
    ends: [usize; 2],
    class: Class,
    most: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    if least.may_be_below(cocycle, ends, class, most)? {
        search(known, cocycle, ends, class, most)
    } else {
        Ok(None)
    }
}

/// The same, whatever it takes. Looks at places from which the way can still be so short only.
pub fn search(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    [from, to]: [usize; 2],
    class: Class,
    most: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    let Known { object, metric, .. } = *known;
    let goal = object.place(to);
    let rest = |voxel: usize| {
        let at = object.place(voxel);
        metric.length([0, 1, 2].map(|axis| f64::from(goal[axis] - at[axis])))
    };
    if rest(from) >= most {
        return Ok(None);
    }
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    // the length of the shortest way known, and where it comes from
    let mut places = Places::new();
    let mut queue = BinaryHeap::new();
    let start = (from as u32, 0);
    places.push_or_unwind((start, (0.0, start)));
    // by the least length that the whole way may have (Hart, Nilsson and Raphael 1968)
    queue.push_or_unwind(Reverse((rest(from).to_bits(), 0f64.to_bits(), start)));
    let mut looked_at = 0usize;
    while let Some(Reverse((_, bits, place))) = queue.pop() {
        let length = f64::from_bits(bits);
        let is_old = places.get(&place).is_some_and(|&(known, _)| known < length);
        if is_old {
            continue;
        }
        looked_at += 1;
        if looked_at.is_multiple_of(PORTION) {
            known.steps.check()?;
        }
        let (voxel, at_class) = place;
        let voxel = voxel as usize;
        if voxel == to && at_class == class {
            return Ok(Some((length, way_back(&places, place))));
        }
        for (bit, other) in object.neighbours(voxel, AROUND) {
            let next = length + steps[bit];
            let least = next + rest(other);
            if least >= most {
                continue;
            }
            let next_class = cocycle.table.sum(at_class, cocycle.step(voxel, bit));
            let next_place = (other as u32, next_class);
            places.reserve_or_unwind(1);
            let best = places.entry(next_place).or_insert((f64::INFINITY, place));
            if next < best.0 {
                *best = (next, place);
                queue.push_or_unwind(Reverse((least.to_bits(), next.to_bits(), next_place)));
            }
        }
    }
    Ok(None)
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
        way.push_or_unwind(before.0);
        place = before;
    }
    way.reverse();
    way
}
