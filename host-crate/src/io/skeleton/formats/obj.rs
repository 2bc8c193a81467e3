//! Wavefront OBJ: `v` records for points, `l` for edges, `p` for nodes without edges. Groups are
//! labels if there are any, otherwise levels.

use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::io::skeleton::polylines::Polylines;
use crate::io::wavefront;
use std::io::{self, Write};

/// Encoder of OBJ.
pub(in crate::io::skeleton) struct ObjEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "OBJ",
    extension: "obj",
    reader: None,
};

impl SkeletonEncoder for ObjEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        writeln!(out, "# a skeleton, written by ferrovox")?;
        // 1-based index of the first point of the skeleton.
        let mut first = 1;
        for (label, skeleton) in content.skeletons() {
            let polylines = Polylines::from_skeleton(skeleton);
            for point in &polylines.positions {
                wavefront::write_vector(out, "v", [point.x, point.y, point.z])?;
            }
            if let Some(label) = label {
                wavefront::write_group(out, &format!("label_{label}"))?;
            }
            for node in &polylines.isolated_nodes {
                wavefront::write_element(out, "p", [node + first])?;
            }
            for level in 0..=u8::MAX {
                let edges = skeleton.edges.iter().zip(&polylines.lines);
                let mut edges = edges.filter(|(edge, _)| edge.level == level).peekable();
                // An element belongs to one group only: that of the label has priority.
                if edges.peek().is_some() && label.is_none() {
                    wavefront::write_group(out, &format!("level{level}"))?;
                }
                for (_, line) in edges {
                    wavefront::write_element(out, "l", line.iter().map(|point| point + first))?;
                }
            }
            first += polylines.positions.len();
        }
        Ok(SkeletonWriteReport::default())
    }
}
