//! Reading SWC: points with a number and the number of a parent, in any order, as a graph.

use super::swc_forest::{Forest, Record, WHAT};
use crate::graph::Skeleton;
use crate::io::FileProblem;
use crate::io::source::Source;
use crate::io::swc_problem::{LINE, SwcField, SwcProblem};
use crate::memory;
use nalgebra::Point3;

pub(super) fn read(source: Source<'_>) -> Result<Skeleton, FileProblem> {
    let records = records(source)?;
    let forest = Forest::new(&records)?;
    forest.check_cycles(&records)?;
    forest.skeleton(&records)
}

fn records(mut source: Source<'_>) -> Result<Vec<Record>, FileProblem> {
    let mut records = Vec::new();
    let mut number = 0;
    while let Some(mut line) = source.line(LINE)? {
        number += 1;
        let is_cut = line.len() == LINE;
        let comment = line.iter().position(|&byte| byte == b'#');
        if is_cut && comment.is_none() {
            return Err(SwcProblem::LongLine { line: number }.into());
        }
        // the rest of a long comment
        let mut goes_on = is_cut;
        while goes_on {
            goes_on = source.line(LINE)?.is_some_and(|rest| rest.len() == LINE);
        }
        line.truncate(comment.unwrap_or(line.len()));
        // whatever is no text is no number either, and shown as far as it can be
        let text = String::from_utf8_lossy(&line);
        if !text.trim_ascii().is_empty() {
            memory::try_reserve_amortized(WHAT, &mut records, 1)?;
            records.push(record(number, &text)?);
        }
    }
    Ok(records)
}

/// The point of a line. Of more than seven words the others are passed over.
fn record(line: u64, text: &str) -> Result<Record, SwcProblem> {
    let mut words = text.split_ascii_whitespace();
    let mut found = 0;
    let mut next = || {
        let word = words.next();
        found += usize::from(word.is_some());
        word.ok_or(SwcProblem::TooFewWords { line, found })
    };
    let wrong = |field, text: &str| SwcProblem::NotANumber {
        line,
        field,
        text: text.chars().take(60).collect(),
    };
    let whole = |field, word: &str, least: i64| {
        let number = word.parse().ok().filter(|&number: &i64| number >= least);
        number.ok_or_else(|| wrong(field, word))
    };
    let real = |field, word: &str| {
        let number = word.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| wrong(field, word))
    };
    let number = whole(SwcField::Number, next()?, 0)?;
    whole(SwcField::Type, next()?, i64::MIN)?;
    let position = Point3::new(
        real(SwcField::X, next()?)?,
        real(SwcField::Y, next()?)?,
        real(SwcField::Z, next()?)?,
    );
    let radius = real(SwcField::Radius, next()?)?;
    Ok(Record {
        line,
        number,
        parent: whole(SwcField::Parent, next()?, -1)?,
        position,
        radius: radius.max(0.0),
    })
}
