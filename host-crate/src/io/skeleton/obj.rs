//! Writing OBJ: `v` for points, `l` for curves, `p` for nodes without any; numbers from 1.

use super::polylines::Polylines;
use crate::graph::Skeleton;
use std::io::{self, Write};

pub fn write(skeleton: &Skeleton, out: &mut dyn Write) -> io::Result<()> {
    let polylines = Polylines::of(skeleton);
    writeln!(out, "# a skeleton, written by ferrovox")?;
    for point in &polylines.positions {
        writeln!(out, "v {} {} {}", point.x, point.y, point.z)?;
    }
    for node in &polylines.alone {
        writeln!(out, "p {}", node + 1)?;
    }
    for level in 0..=u8::MAX {
        let edges = skeleton.edges.iter().zip(&polylines.lines);
        let mut of_level = edges.filter(|(edge, _)| edge.level == level).peekable();
        if of_level.peek().is_some() {
            writeln!(out, "g level{level}")?;
        }
        for (_, line) in of_level {
            write!(out, "l")?;
            for point in line {
                write!(out, " {}", point + 1)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
