//! Errors of the command line that clap does not detect.

/// Options that exclude each other.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Fails with the first problem whose condition is `true`.
pub fn refuse(problems: &[(bool, impl ToString)]) -> anyhow::Result<()> {
    match problems.iter().find(|(is_present, _)| *is_present) {
        Some((_, problem)) => Err(UsageError(problem.to_string()).into()),
        None => Ok(()),
    }
}
