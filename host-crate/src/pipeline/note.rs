//! What a user should know of a run that did not fail.

use crate::io::StoredType;
use std::{fmt, path::PathBuf};

/// Something to know of a run that did not fail.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// What the reader of a file assumed, or did not understand.
    Reader {
        /// The file.
        path: PathBuf,
        /// The reader's words.
        text: String,
    },
    /// Samples were converted to f32, because kernels have no samples of their type.
    Converted {
        /// The file.
        path: PathBuf,
        /// The samples' type in the file.
        stored: StoredType,
        /// How many samples f32 does not hold exactly.
        inexact: usize,
    },
    /// A file's format has trees only.
    CutCycles {
        /// The file.
        path: PathBuf,
        /// How many cycles were cut.
        count: usize,
    },
    /// The critical points of some components do not add up.
    Unbalanced {
        /// The file of the object.
        path: PathBuf,
        /// Of how many components.
        count: usize,
        /// Of so many.
        all: usize,
    },
}

impl Note {
    /// Whether the result may be other than expected: a warning, where anything else explains the result.
    pub fn is_warning(&self) -> bool {
        !matches!(self, Self::CutCycles { .. })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reader { path, text } => write!(f, "{}: {text}", path.display()),
            Self::Converted {
                path,
                stored,
                inexact,
            } => write!(
                f,
                "{}: {stored} samples are converted to f32; {inexact} of them are not exact",
                path.display()
            ),
            Self::CutCycles { path, count } => write!(
                f,
                "{}: {count} cycles were cut, since the format has trees only",
                path.display()
            ),
            Self::Unbalanced { path, count, all } => write!(
                f,
                "{}: the critical points of {count} of {all} components do not add up to the Euler number: some were not found, and curves may be missing",
                path.display()
            ),
        }
    }
}
