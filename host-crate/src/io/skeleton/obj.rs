//! Writing OBJ: `v` for points, `l` for curves, `p` for nodes without any; numbers from 1. Groups
//! are those of labels, or else of levels.

use super::{Content, polylines::Polylines};
use std::io::{self, Write};

pub fn write(content: Content<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# a skeleton, written by ferrovox")?;
    // the number of a skeleton's first point
    let mut first = 1;
    for (label, skeleton) in content.parts() {
        let polylines = Polylines::of(skeleton);
        for point in &polylines.positions {
            writeln!(out, "v {} {} {}", point.x, point.y, point.z)?;
        }
        if let Some(label) = label {
            writeln!(out, "g label_{label}")?;
        }
        for node in &polylines.alone {
            writeln!(out, "p {}", node + first)?;
        }
        for level in 0..=u8::MAX {
            let edges = skeleton.edges.iter().zip(&polylines.lines);
            let mut of_level = edges.filter(|(edge, _)| edge.level == level).peekable();
            // a group of levels would take lines out of that of the label
            if of_level.peek().is_some() && label.is_none() {
                writeln!(out, "g level{level}")?;
            }
            for (_, line) in of_level {
                write!(out, "l")?;
                for point in line {
                    write!(out, " {}", point + first)?;
                }
                writeln!(out)?;
            }
        }
        first += polylines.positions.len();
    }
    Ok(())
}
