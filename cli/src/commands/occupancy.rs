//! `ferrovox occupancy`.

use super::{occupancy_question::question, occupancy_report::Report, occupancy_text::readable};
use crate::{
    args::OccupancyArgs,
    terminal::{Remark, Terminal},
};

/// Answers, or says what is wrong with the question.
pub fn run(args: &OccupancyArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let question = question(args)?;
    let report = Report::of(args, &question)?;
    let warnings: Vec<Remark> = report
        .warnings
        .iter()
        .cloned()
        .map(Remark::InText)
        .collect();
    terminal.report(&warnings, || &report, || readable(&report))
}
