//! Errors of skeleton graphs.

use crate::{error::ErrorKind, memory::OutOfMemory};

/// Error of validating or pruning a skeleton graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The nodes and edges are inconsistent.
    #[error("invalid skeleton graph: {problem}")]
    Invalid {
        /// Description of the first inconsistency.
        problem: String,
    },
    /// The pruning limit is negative or NaN.
    #[error("the pruning limit is {found}; give a number of at least 0")]
    Prune {
        /// Length or ratio that was given.
        found: f64,
    },
    /// The distance across which components are joined is negative or not finite.
    #[error("the joining distance is {found}; give a finite number of at least 0")]
    Join {
        /// Distance that was given.
        found: f64,
    },
    /// The host is out of memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl GraphError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) => ErrorKind::Memory,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
