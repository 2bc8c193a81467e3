//! Shortest paths within a homology class.

use super::length_bound::LengthBound;
use crate::{
    memory::{ExtendOrUnwind, ReserveOrUnwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        progress::REPORT_INTERVAL,
        topology::{cocycle::Cocycle, homology_classes::HomologyClass},
        voxels::neighbour_bits::{NEIGHBOURS, OFFSETS},
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// Returns the length below which a path of the same homology class makes an edge too long. An edge
/// may be at most twice as long as any such path plus the maximum radius along the edge.
pub fn max_alternative_length(length: f64, radius: f64) -> f64 {
    // margin for rounding errors of equal lengths
    (length - radius) / 2.0 - 1e-9
}

/// Returns the shortest path of a homology class between two voxels through centres of adjacent
/// voxels, with its length in units of the smallest spacing, if it is shorter than `max_length`.
///
/// # Errors
/// [`Cancelled`].
pub fn shortest_path_below(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    bound: &mut LengthBound<'_>,
    ends: [usize; 2],
    class: HomologyClass,
    max_length: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    if bound.may_be_below(cocycle, ends, class, max_length)? {
        search_shortest_path(context, cocycle, ends, class, max_length)
    } else {
        Ok(None)
    }
}

/// Returns the same path as [`shortest_path_below`], without the preceding test by [`LengthBound`]:
/// searches over pairs of a voxel and a class, and expands only pairs through which a path shorter
/// than `max_length` can lead.
///
/// # Errors
/// [`Cancelled`].
pub fn search_shortest_path(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    [from, to]: [usize; 2],
    class: HomologyClass,
    max_length: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    let ComponentContext { object, metric, .. } = *context;
    let goal = object.position(to);
    let straight_distance = |voxel: usize| {
        let at = object.position(voxel);
        metric.length([0, 1, 2].map(|axis| f64::from(goal[axis] - at[axis])))
    };
    if straight_distance(from) >= max_length {
        return Ok(None);
    }
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    // length of the shortest known path to each state, and its predecessor
    let mut arrivals = Arrivals::new();
    let mut queue = BinaryHeap::new();
    let start = (from as u32, 0);
    arrivals.push_or_unwind((start, (0.0, start)));
    // ordered by a lower bound of the total length (A*; Hart, Nilsson and Raphael 1968)
    queue.push_or_unwind(Reverse((
        straight_distance(from).to_bits(),
        0f64.to_bits(),
        start,
    )));
    let mut visited = 0usize;
    while let Some(Reverse((_, bits, state))) = queue.pop() {
        let length = f64::from_bits(bits);
        let is_old = arrivals.get(&state).is_some_and(|&(best, _)| best < length);
        if is_old {
            continue;
        }
        visited += 1;
        if visited.is_multiple_of(REPORT_INTERVAL) {
            context.progress.check()?;
        }
        let (voxel, at_class) = state;
        let voxel = voxel as usize;
        if voxel == to && at_class == class {
            return Ok(Some((length, backtrack(&arrivals, state))));
        }
        for (bit, neighbour) in object.neighbours(voxel, NEIGHBOURS) {
            let next = length + steps[bit];
            let bound = next + straight_distance(neighbour);
            if bound >= max_length {
                continue;
            }
            let next_class = cocycle
                .table
                .sum(at_class, cocycle.step_class(voxel, neighbour));
            let next_state = (neighbour as u32, next_class);
            arrivals.reserve_or_unwind(1);
            let best = arrivals.entry(next_state).or_insert((f64::INFINITY, state));
            if next < best.0 {
                *best = (next, state);
                queue.push_or_unwind(Reverse((bound.to_bits(), next.to_bits(), next_state)));
            }
        }
    }
    Ok(None)
}

/// For each voxel and class of a path to it, the length of the shortest known path and its
/// predecessor.
type Arrivals = HashMap<(u32, HomologyClass), (f64, (u32, HomologyClass))>;

/// Returns the voxels of the path to a state.
fn backtrack(arrivals: &Arrivals, end: (u32, HomologyClass)) -> Vec<u32> {
    let mut path = vec![end.0];
    let mut state = end;
    while let Some(&(_, before)) = arrivals.get(&state)
        && before != state
    {
        path.push_or_unwind(before.0);
        state = before;
    }
    path.reverse();
    path
}
