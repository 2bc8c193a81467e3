//! Writing the text of the potential field method's first program: `x y z segment radius` for each
//! point, in voxels.

use super::Content;
use crate::graph::Skeleton;
use std::io::{self, Write};

pub fn write(content: Content<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut first = 0;
    for (_, skeleton) in content.parts() {
        first = write_one(skeleton, first, out)?;
    }
    Ok(())
}

/// Writes a skeleton with segments from `first` on; returns the next one's number.
fn write_one(skeleton: &Skeleton, first: usize, out: &mut dyn Write) -> io::Result<usize> {
    for (segment, edge) in (first..).zip(&skeleton.edges) {
        for (point, radius) in edge.points.iter().zip(&edge.radii) {
            let [x, y, z] = [point.x, point.y, point.z];
            writeln!(out, "{x} {y} {z} {segment} {radius}")?;
        }
    }
    // a node without an edge is a segment of one point
    let degrees = skeleton.degrees();
    let alone = skeleton
        .nodes
        .iter()
        .zip(degrees)
        .filter(|pair| pair.1 == 0);
    let mut next = first + skeleton.edges.len();
    for (node, _) in alone {
        let [x, y, z] = [node.position.x, node.position.y, node.position.z];
        writeln!(out, "{x} {y} {z} {next} {}", node.radius)?;
        next += 1;
    }
    Ok(next)
}
