//! Writing the text of the potential field method's first program: `x y z segment radius` for each point, in voxels.

use crate::graph::Skeleton;
use std::io::{self, Write};

pub fn write(skeleton: &Skeleton, out: &mut dyn Write) -> io::Result<()> {
    for (segment, edge) in skeleton.edges.iter().enumerate() {
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
    for (segment, (node, _)) in (skeleton.edges.len()..).zip(alone) {
        let [x, y, z] = [node.position.x, node.position.y, node.position.z];
        writeln!(out, "{x} {y} {z} {segment} {}", node.radius)?;
    }
    Ok(())
}
