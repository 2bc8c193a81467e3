//! Writing SWC: a tree of points for each component, `number type x y z radius parent`, parents
//! first.
//!
//! The tree is that of the shortest ways from the root, the widest node. So a cycle is cut where
//! two ways meet that are equally long: at the place that is farthest from the root.

use super::{Content, polylines::Polylines};
use crate::graph::Skeleton;
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

/// What SWC calls a point without a meaning of its own, a fork, and an end.
const UNDEFINED: u8 = 0;
const FORK: u8 = 5;
const END: u8 = 6;

/// Returns how many cycles were cut.
pub fn write(content: Content<'_>, out: &mut dyn Write) -> io::Result<usize> {
    writeln!(out, "# a skeleton, written by ferrovox: world coordinates")?;
    writeln!(out, "# number type x y z radius parent")?;
    let (mut written, mut cut) = (0, 0);
    for (label, skeleton) in content.parts() {
        if let Some(label) = label {
            writeln!(out, "# label {label}")?;
        }
        cut += write_one(skeleton, &mut written, out)?;
    }
    Ok(cut)
}

/// Writes a skeleton's trees after so many points, which it counts on. Returns how many cycles were
/// cut.
fn write_one(skeleton: &Skeleton, written: &mut usize, out: &mut dyn Write) -> io::Result<usize> {
    let polylines = Polylines::of(skeleton);
    let (parents, steps) = tree(&polylines);
    let mut children = filled_or_unwind(Vec::new(), parents.len());
    let mut roots = Vec::new();
    for (point, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push_or_unwind(point),
            None => roots.push_or_unwind(point),
        }
    }
    let mut numbers = zeroed_or_unwind::<usize>(parents.len());
    // branch after branch
    let mut left: Vec<usize> = roots.into_iter().rev().collect_or_unwind();
    while let Some(point) = left.pop() {
        *written += 1;
        numbers[point] = *written;
        let parent = parents[point].map_or(-1, |parent| numbers[parent] as i64);
        let kind = match (children[point].len(), parent) {
            (0, _) => END,
            (1, -1) => END,
            (1, _) => UNDEFINED,
            _ => FORK,
        };
        let [x, y, z] = polylines.positions[point].into();
        let radius = polylines.radii[point];
        writeln!(out, "{written} {kind} {x} {y} {z} {radius} {parent}")?;
        left.extend_or_unwind(children[point].iter().rev().copied());
    }
    let in_trees = parents.iter().flatten().count();
    Ok(steps - in_trees)
}

/// The next point on the shortest way to the root, for each point that is none; and how many steps
/// between points there are in all.
fn tree(polylines: &Polylines) -> (Vec<Option<usize>>, usize) {
    let count = polylines.positions.len();
    let mut next_to = filled_or_unwind(Vec::new(), count);
    let mut steps = 0;
    for step in polylines.lines.iter().flat_map(|line| line.windows(2)) {
        next_to[step[0]].push_or_unwind(step[1]);
        next_to[step[1]].push_or_unwind(step[0]);
        steps += 1;
    }
    let nodes = 0..count;
    let mut by_radius: Vec<usize> = nodes.collect_or_unwind();
    by_radius.sort_unstable_by(|&a, &b| {
        polylines.radii[b]
            .total_cmp(&polylines.radii[a])
            .then(a.cmp(&b))
    });
    let mut distances = filled_or_unwind(f64::INFINITY, count);
    let mut parents = filled_or_unwind(None, count);
    for root in by_radius {
        if distances[root].is_finite() {
            continue;
        }
        distances[root] = 0.0;
        // lengths are not negative, so their bits are in their order
        let mut waiting = BinaryHeap::from([Reverse((0u64, root))]);
        while let Some(Reverse((bits, point))) = waiting.pop() {
            let distance = f64::from_bits(bits);
            if distance > distances[point] {
                continue;
            }
            for &next in &next_to[point] {
                let step = polylines.positions[next] - polylines.positions[point];
                let other = distance + step.norm();
                if other < distances[next] {
                    distances[next] = other;
                    parents[next] = Some(point);
                    waiting.push_or_unwind(Reverse((other.to_bits(), next)));
                }
            }
        }
    }
    (parents, steps)
}
