//! Text format of the potential-field method's reference program: a line `x y z segment radius` for
//! each point, in voxels.

use crate::graph::Skeleton;
use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use std::io::{self, Write};

/// Encoder of the `.skel` text format.
pub(in crate::io::skeleton) struct SkelEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "skel",
    extension: "skel",
    reader: None,
};

impl SkeletonEncoder for SkelEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        let mut next_segment = 0;
        for (_, skeleton) in content.skeletons() {
            next_segment = write_skeleton(skeleton, next_segment, out)?;
        }
        Ok(SkeletonWriteReport::default())
    }
}

/// Writes a skeleton whose segments are numbered from `first`; returns the number after the last.
fn write_skeleton(skeleton: &Skeleton, first: usize, out: &mut dyn Write) -> io::Result<usize> {
    for (segment, edge) in (first..).zip(&skeleton.edges) {
        for (point, radius) in edge.points.iter().zip(&edge.radii) {
            let [x, y, z] = [point.x, point.y, point.z];
            writeln!(out, "{x} {y} {z} {segment} {radius}")?;
        }
    }
    // A node without edges is a segment of one point.
    let degrees = skeleton.degrees();
    let isolated = skeleton
        .nodes
        .iter()
        .zip(degrees)
        .filter(|pair| pair.1 == 0);
    let mut next = first + skeleton.edges.len();
    for (node, _) in isolated {
        let [x, y, z] = [node.position.x, node.position.y, node.position.z];
        writeln!(out, "{x} {y} {z} {next} {}", node.radius)?;
        next += 1;
    }
    Ok(next)
}
