//! Reader of SWC: points with a number and the number of their parent, in any order.

use super::swc_forest::{Forest, PURPOSE, Record};
use crate::graph::Skeleton;
use crate::io::FileProblem;
use crate::io::error::{MAX_LINE, SwcField, SwcProblem};
use crate::io::source::Source;
use crate::memory;
use nalgebra::Point3;

/// Reads the trees of a file as one graph.
pub(super) fn read(source: Source<'_>) -> Result<Skeleton, FileProblem> {
    let records = read_records(source)?;
    let forest = Forest::new(&records)?;
    forest.check_cycles(&records)?;
    forest.to_skeleton(&records)
}

fn read_records(mut source: Source<'_>) -> Result<Vec<Record>, FileProblem> {
    let mut records = Vec::new();
    let mut line_number = 0;
    while let Some(mut line) = source.line(MAX_LINE)? {
        line_number += 1;
        let is_cut = line.len() == MAX_LINE;
        let comment = line.iter().position(|&byte| byte == b'#');
        if is_cut && comment.is_none() {
            return Err(SwcProblem::LongLine { line: line_number }.into());
        }
        // Skip the rest of a long comment.
        let mut continues = is_cut;
        while continues {
            continues = source
                .line(MAX_LINE)?
                .is_some_and(|rest| rest.len() == MAX_LINE);
        }
        line.truncate(comment.unwrap_or(line.len()));
        // Bytes that are not UTF-8 are not numbers either; the error shows their lossy form.
        let text = String::from_utf8_lossy(&line);
        if !text.trim_ascii().is_empty() {
            memory::try_reserve_amortized(PURPOSE, &mut records, 1)?;
            records.push(parse_record(line_number, &text)?);
        }
    }
    Ok(records)
}

/// Parses the point of a line. Words after the seventh are ignored.
fn parse_record(line: u64, text: &str) -> Result<Record, SwcProblem> {
    let mut words = text.split_ascii_whitespace();
    let mut found = 0;
    let mut next = || {
        let word = words.next();
        found += usize::from(word.is_some());
        word.ok_or(SwcProblem::TooFewWords { line, found })
    };
    let invalid = |field, text: &str| SwcProblem::NotANumber {
        line,
        field,
        text: text.chars().take(60).collect(),
    };
    let integer = |field, word: &str, min: i64| {
        let number = word.parse().ok().filter(|&number: &i64| number >= min);
        number.ok_or_else(|| invalid(field, word))
    };
    let real = |field, word: &str| {
        let number = word.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| invalid(field, word))
    };
    let number = integer(SwcField::Number, next()?, 0)?;
    integer(SwcField::Type, next()?, i64::MIN)?;
    let position = Point3::new(
        real(SwcField::X, next()?)?,
        real(SwcField::Y, next()?)?,
        real(SwcField::Z, next()?)?,
    );
    let radius = real(SwcField::Radius, next()?)?;
    Ok(Record {
        line,
        number,
        parent: integer(SwcField::Parent, next()?, -1)?,
        position,
        radius: radius.max(0.0),
    })
}
