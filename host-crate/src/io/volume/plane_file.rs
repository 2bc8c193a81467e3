//! Files from which planes are decoded on demand.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io::FileProblem;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::data_files::wrap;

/// File that holds planes.
#[derive(Clone)]
pub(super) enum PlaneFile<'a> {
    /// An open file or memory.
    Open(RandomAccessBytes<'a>),
    /// A file of a folder, opened for every plane: a process can only hold so many open files.
    Path(Arc<PathBuf>),
    /// Decompressed bytes.
    Inflated(Arc<Vec<u8>>),
}

impl<'a> PlaneFile<'a> {
    /// Returns the bytes of the file.
    pub fn open(&'a self) -> Result<RandomAccessBytes<'a>, FileProblem> {
        Ok(match self {
            Self::Open(bytes) => bytes.clone(),
            Self::Path(path) => {
                let open = |source| FileProblem::from_io("open the file", source);
                RandomAccessBytes::File(File::open(path.as_path()).map_err(open)?.into())
            }
            Self::Inflated(bytes) => RandomAccessBytes::Bytes(bytes),
        })
    }

    /// Returns the path of a file of a folder; `None` for the only file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Attributes a problem to the file if it is one of several.
    pub fn wrap(&self, problem: FileProblem) -> FileProblem {
        match self {
            Self::Path(path) => wrap(&path.display().to_string(), problem),
            _ => problem,
        }
    }
}
