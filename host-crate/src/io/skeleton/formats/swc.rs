//! SWC: a tree of points per component, `number type x y z radius parent`, parents first.
//!
//! The tree of a component is its shortest-path tree (Dijkstra) from the root, the point with the
//! largest radius. A cycle is therefore cut where two equally long paths meet, at the point
//! farthest from the root.

use crate::graph::Skeleton;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::io::skeleton::polylines::Polylines;
use crate::io::skeleton::{SkeletonWriteReport, swc_reader};
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

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
    let (parents, segments) = shortest_path_tree(&polylines);
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
    let tree_segments = parents.iter().flatten().count();
    Ok(segments - tree_segments)
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
