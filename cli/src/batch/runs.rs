//! Runs of a batch, and their failures.

use crate::{
    terminal::{ReportedFailure, Terminal},
    usage::UsageError,
};
use ferrovox::pipeline::PipelineError;
use std::path::Path;

/// The runs of a batch so far.
pub(super) struct Runs<'a> {
    /// Terminal of the batch.
    batch: &'a Terminal,
    /// Terminal of a run, which collects JSON objects.
    pub terminal: Terminal,
    /// Number of runs, with those that failed.
    pub total: usize,
    failed: Vec<String>,
}

impl<'a> Runs<'a> {
    pub fn new(batch: &'a Terminal) -> Self {
        Self {
            batch,
            terminal: batch.collecting(),
            total: 0,
            failed: Vec::new(),
        }
    }

    /// Reports a failed run, unless its error ends the batch: an invalid command line, or a
    /// cancellation.
    pub fn fail(&mut self, file: &Path, error: anyhow::Error) -> anyhow::Result<()> {
        let is_cancelled = error
            .downcast_ref()
            .is_some_and(PipelineError::is_cancelled);
        if is_cancelled || error.downcast_ref::<UsageError>().is_some() {
            return Err(error);
        }
        self.total += 1;
        let name = file.display().to_string();
        if error.downcast_ref::<ReportedFailure>().is_none() {
            self.terminal.error(&error);
        }
        self.failed.push(name);
        Ok(())
    }

    /// Prints the results that were collected, and fails if a run failed.
    pub fn finish(self) -> anyhow::Result<()> {
        const MAX_NAMED: usize = 10;
        let count = self.failed.len();
        let problem = (count > 0).then(|| {
            let named = self.failed[..count.min(MAX_NAMED)].join(", ");
            let more = if count > MAX_NAMED { ", …" } else { "" };
            format!("{count} of {} runs failed: {named}{more}", self.total)
        });
        self.batch.print_collected(&self.terminal, problem)
    }
}
