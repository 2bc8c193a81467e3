//! SWC: a tree of points per component, `number type x y z radius parent`, parents first.
//!
//! The tree of a component starts as its shortest-path tree (Dijkstra) from the root, the point
//! with the largest radius. It cuts a cycle where two equally long paths meet, in the middle of an
//! edge, which would end in two leaves. The cut is moved along the edge to a node, so that only one
//! leaf remains, or none if the edge has a single step. The root of a cell body has type 1.

use crate::graph::Skeleton;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::io::skeleton::polylines::Polylines;
use crate::io::skeleton::{SkeletonWriteReport, swc_reader};
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind};
use nalgebra::Point3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

/// SWC type of the centre of a cell body.
const SOMA: u8 = 1;
/// SWC type of a point inside a branch.
const UNDEFINED: u8 = 0;
/// SWC type of a point with several branches.
const FORK: u8 = 5;
/// SWC type of an endpoint.
const END: u8 = 6;

/// Encoder of SWC.
pub(in crate::io::skeleton) struct SwcEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "SWC",
    extension: "swc",
    reader: Some(swc_reader::read),
};

impl SkeletonEncoder for SwcEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        writeln!(out, "# a skeleton, written by ferrovox: world coordinates")?;
        writeln!(out, "# number type x y z radius parent")?;
        let (mut written, mut cut_cycles) = (0, 0);
        for (label, skeleton) in content.skeletons() {
            if let Some(label) = label {
                writeln!(out, "# label {label}")?;
            }
            cut_cycles += write_trees(skeleton, &mut written, out)?;
        }
        Ok(SkeletonWriteReport { cut_cycles })
    }
}

/// Writes the trees of a skeleton. `written` counts the points of the file. Returns the number of
/// cycles that were cut.
fn write_trees(skeleton: &Skeleton, written: &mut usize, out: &mut dyn Write) -> io::Result<usize> {
    let polylines = Polylines::from_skeleton(skeleton);
    let (mut parents, segments) = shortest_path_tree(&polylines);
    let tree_segments = parents.iter().flatten().count();
    move_cuts_to_nodes(&polylines, &mut parents);
    let somas: Vec<Point3<f64>> = skeleton
        .somas()
        .into_iter()
        .map(|soma| skeleton.to_world(soma.position))
        .collect_or_unwind();
    let mut children = filled_or_unwind(Vec::new(), parents.len());
    let mut roots = Vec::new();
    for (point, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push_or_unwind(point),
            None => roots.push_or_unwind(point),
        }
    }
    let mut numbers = zeroed_or_unwind::<usize>(parents.len());
    // Depth first, so that a branch stands in consecutive lines.
    let mut stack: Vec<usize> = roots.into_iter().rev().collect_or_unwind();
    while let Some(point) = stack.pop() {
        *written += 1;
        numbers[point] = *written;
        let parent = parents[point].map_or(-1, |parent| numbers[parent] as i64);
        let kind = match (children[point].len(), parent) {
            (_, -1) if somas.contains(&polylines.positions[point]) => SOMA,
            (0, _) => END,
            (1, -1) => END,
            (1, _) => UNDEFINED,
            _ => FORK,
        };
        let [x, y, z] = polylines.positions[point].into();
        let radius = polylines.radii[point];
        writeln!(out, "{written} {kind} {x} {y} {z} {radius} {parent}")?;
        stack.extend_or_unwind(children[point].iter().rev().copied());
    }
    Ok(segments - tree_segments)
}

/// Moves each cut inside an edge to one of the edge's nodes: the points between are attached to the
/// other side of the cut.
fn move_cuts_to_nodes(polylines: &Polylines, parents: &mut [Option<usize>]) {
    for line in &polylines.lines {
        let is_cut =
            |step: &[usize]| parents[step[0]] != Some(step[1]) && parents[step[1]] != Some(step[0]);
        let Some(cut) = line.windows(2).position(is_cut) else {
            continue;
        };
        let last = line.len() - 1;
        let (before, after) = (&line[1..=cut], &line[cut + 1..last]);
        // a root inside the edge must not get a parent
        if after.iter().all(|&point| parents[point].is_some()) {
            for step in (cut..last).take_while(|&step| step + 1 < last) {
                parents[line[step + 1]] = Some(line[step]);
            }
        } else if before.iter().all(|&point| parents[point].is_some()) {
            for step in 1..=cut {
                parents[line[step]] = Some(line[step + 1]);
            }
        }
    }
}

/// Computes the shortest-path tree of each component. Returns the parent of each point, `None` for
/// a root, and the total number of segments between points.
fn shortest_path_tree(polylines: &Polylines) -> (Vec<Option<usize>>, usize) {
    let count = polylines.positions.len();
    let mut neighbors = filled_or_unwind(Vec::new(), count);
    let mut segments = 0;
    for segment in polylines.lines.iter().flat_map(|line| line.windows(2)) {
        neighbors[segment[0]].push_or_unwind(segment[1]);
        neighbors[segment[1]].push_or_unwind(segment[0]);
        segments += 1;
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
        // The bits of nonnegative floats are ordered like their values.
        let mut queue = BinaryHeap::from([Reverse((0u64, root))]);
        while let Some(Reverse((bits, point))) = queue.pop() {
            let distance = f64::from_bits(bits);
            if distance > distances[point] {
                continue;
            }
            for &next in &neighbors[point] {
                let step = polylines.positions[next] - polylines.positions[point];
                let candidate = distance + step.norm();
                if candidate < distances[next] {
                    distances[next] = candidate;
                    parents[next] = Some(point);
                    queue.push_or_unwind(Reverse((candidate.to_bits(), next)));
                }
            }
        }
    }
    (parents, segments)
}
