//! Command lines that make no sense though clap takes them.

use crate::args::Cli;
use clap::{CommandFactory, error::ErrorKind};

/// Options that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

impl UsageError {
    /// As clap's own errors are printed.
    pub fn to_clap(&self) -> clap::Error {
        Cli::command().error(ErrorKind::ArgumentConflict, &self.0)
    }
}

/// Refuses the first problem that there is.
pub fn refuse(problems: &[(bool, impl ToString)]) -> anyhow::Result<()> {
    match problems.iter().find(|(is_there, _)| *is_there) {
        Some((_, problem)) => Err(UsageError(problem.to_string()).into()),
        None => Ok(()),
    }
}
