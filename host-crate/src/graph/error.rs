//! What can be wrong with a graph.

use crate::memory::OutOfMemory;

/// Why a graph is none, or cannot be pruned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A graph whose parts do not fit together.
    #[error("the skeleton is no graph: {problem}")]
    Invalid {
        /// What does not fit.
        problem: String,
    },
    /// A length or a ratio to prune by that is none.
    #[error("branches shorter than {found} are to be pruned: it must be 0 or more")]
    Prune {
        /// The length or ratio.
        found: f64,
    },
    /// The host has not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
