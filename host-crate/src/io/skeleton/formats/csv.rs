//! Tables of branches and of nodes as comma-separated values (RFC 4180), one row each, with a
//! header line. Undefined values are empty.

use crate::graph::Skeleton;
use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::io::{Cell, Table};
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
        const COLUMNS: [&str; 13] = [
            "branch",
            "component",
            "kind",
            "first_node",
            "last_node",
            "length",
            "distance",
            "tortuosity",
            "mean_radius",
            "min_radius",
            "max_radius",
            "mean_section_area",
            "strahler_order",
        ];
        write_rows(content, &COLUMNS, out, |skeleton, add| {
            for (number, branch) in skeleton.branches().iter().enumerate() {
                let [first, last] = branch.chain.ends();
                add(vec![
                    number.into(),
                    skeleton.nodes[first].component.into(),
                    branch.kind.name().into(),
                    first.into(),
                    last.into(),
                    branch.length.into(),
                    branch.distance.into(),
                    branch.tortuosity().into(),
                    branch.mean_radius.into(),
                    branch.min_radius.into(),
                    branch.max_radius.into(),
                    branch.mean_section_area.into(),
                    branch.strahler_order.into(),
                ]);
            }
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
        const COLUMNS: [&str; 8] = [
            "node",
            "component",
            "kind",
            "degree",
            "x",
            "y",
            "z",
            "radius",
        ];
        write_rows(content, &COLUMNS, out, |skeleton, add| {
            let nodes = skeleton.nodes.iter().zip(skeleton.degrees());
            for (number, (node, degree)) in nodes.enumerate() {
                let [x, y, z]: [f64; 3] = skeleton.node_in_world(number).into();
                add(vec![
                    number.into(),
                    node.component.into(),
                    node.kind.name().into(),
                    degree.into(),
                    x.into(),
                    y.into(),
                    z.into(),
                    node.radius.into(),
                ]);
            }
        })
    }
}

/// Writes the rows of each skeleton, which `rows` adds, after a cell with the label if there are
/// labels.
fn write_rows(
    content: SkeletonContent<'_>,
    columns: &[&'static str],
    out: &mut dyn Write,
    rows: impl Fn(&Skeleton, &mut dyn FnMut(Vec<Cell>)),
) -> io::Result<SkeletonWriteReport> {
    let has_labels = matches!(content, SkeletonContent::Labels(_));
    let label_column = has_labels.then_some("label");
    let mut table = Table::new(label_column.into_iter().chain(columns.iter().copied()));
    for (label, skeleton) in content.skeletons() {
        rows(skeleton, &mut |cells| {
            table.add(label.map(Cell::from).into_iter().chain(cells));
        });
    }
    table.write_csv(out)?;
    Ok(SkeletonWriteReport::default())
}
