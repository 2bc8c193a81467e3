//! The command `ferrovox occupancy`.

use super::{occupancy_input::resolve_input, occupancy_report::Report, occupancy_text::readable};
use crate::{
    args::OccupancyArgs,
    terminal::{Remark, Terminal},
};

/// Runs the command: computes the occupancy and prints the report.
pub fn run(args: &OccupancyArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let input = resolve_input(args)?;
    let report = Report::new(args, &input)?;
    let warnings: Vec<Remark> = report
        .warnings
        .iter()
        .cloned()
        .map(Remark::InText)
        .collect();
    terminal.report(&warnings, || &report, || readable(&report))
}
