//! `ferrovox info`: contents of a volume file.

use super::{info_report::describe, info_text::readable};
use crate::{
    args::InfoArgs,
    terminal::{Remark, Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::pipeline::info::{self, InfoJob, MeasuredObjects};

/// Prints the contents of a volume file.
pub fn run(args: &InfoArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let object = &args.input.object;
    let name = args.input.name();
    let objects = match (&object.labels, object.level(&name)?) {
        (Some(list), _) => Some(MeasuredObjects::Labels(list.listed())),
        (None, Some(level)) => Some(MeasuredObjects::Level {
            level,
            inside: object.inside.into(),
        }),
        (None, None) => None,
    };
    refuse(&[
        (
            objects.is_none() && args.output.is_some(),
            "--output writes a table of objects: add --labels, --label or --iso",
        ),
        (
            objects.is_none() && (object.largest || object.fill_cavities),
            "--largest and --fill-cavities concern an object: add --label or --iso",
        ),
    ])?;
    let job = InfoJob {
        source: args.input.image_source()?,
        statistics: args.stats,
        objects,
        filter: args.input.filter()?,
        table: args.output.clone(),
    };
    let found = run_monitored(terminal, |monitor| info::run(&job, monitor))?;
    let mut notes = remarks(&found.warnings);
    let report = describe(args, found);
    notes.extend(report.notes.iter().cloned().map(Remark::InText));
    terminal.report(&notes, || &report, || readable(&report))
}
