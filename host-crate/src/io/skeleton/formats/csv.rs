//! Tables of branches and of nodes as comma-separated values (RFC 4180), one row each, with a
//! header line. Undefined values are empty.

use crate::graph::Skeleton;
use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use std::io::{self, Write};

/// Encoder of the table of branches.
pub(in crate::io::skeleton) struct BranchTableEncoder;

static BRANCH_INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "CSV",
    extension: "csv",
    reader: None,
};

impl SkeletonEncoder for BranchTableEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &BRANCH_INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        const COLUMNS: &str = "branch,component,kind,first_node,last_node,length,distance,\
                               tortuosity,mean_radius,min_radius,max_radius,mean_section_area,\
                               strahler_order";
        write_table(content, COLUMNS, out, |skeleton, label, out| {
            for (number, branch) in skeleton.branches().iter().enumerate() {
                let [first, last] = branch.chain.ends();
                let component = skeleton.nodes[first].component;
                write!(out, "{label}{number},{component},{},", branch.kind.name())?;
                write!(out, "{first},{last},{},{},", branch.length, branch.distance)?;
                write!(out, "{},", optional(branch.tortuosity()))?;
                write!(out, "{},{},", branch.mean_radius, branch.min_radius)?;
                write!(
                    out,
                    "{},{},",
                    branch.max_radius,
                    optional(branch.mean_section_area)
                )?;
                writeln!(out, "{}", optional(branch.strahler_order))?;
            }
            Ok(())
        })
    }
}

/// Encoder of the table of nodes.
pub(in crate::io::skeleton) struct NodeTableEncoder;

static NODE_INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "CSV of nodes",
    extension: "nodes.csv",
    reader: None,
};

impl SkeletonEncoder for NodeTableEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &NODE_INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        let columns = "node,component,kind,degree,x,y,z,radius";
        write_table(content, columns, out, |skeleton, label, out| {
            let nodes = skeleton.nodes.iter().zip(skeleton.degrees());
            for (number, (node, degree)) in nodes.enumerate() {
                let [x, y, z] = skeleton.node_in_world(number).into();
                let (component, kind) = (node.component, node.kind.name());
                write!(out, "{label}{number},{component},{kind},{degree},")?;
                writeln!(out, "{x},{y},{z},{}", node.radius)?;
            }
            Ok(())
        })
    }
}

/// Writes a header and the rows of each skeleton; `rows` gets the cell of the label with its comma,
/// or an empty text without labels.
fn write_table(
    content: SkeletonContent<'_>,
    columns: &str,
    out: &mut dyn Write,
    rows: impl Fn(&Skeleton, &str, &mut dyn Write) -> io::Result<()>,
) -> io::Result<SkeletonWriteReport> {
    if let SkeletonContent::Labels(_) = content {
        write!(out, "label,")?;
    }
    writeln!(out, "{columns}")?;
    for (label, skeleton) in content.skeletons() {
        let label = label.map(|label| format!("{label},"));
        rows(skeleton, &label.unwrap_or_default(), out)?;
    }
    Ok(SkeletonWriteReport::default())
}

/// Formats a value, or an empty text.
fn optional<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
