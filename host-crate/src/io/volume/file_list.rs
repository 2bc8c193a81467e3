//! Files of a folder with its subfolders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::io::FileProblem;

/// Largest number of files of a folder, with its subfolders.
const MAX_FILES: usize = 1 << 18;
/// Largest depth of subfolders.
const MAX_DEPTH: usize = 8;

/// Returns the files of a folder and its subfolders, sorted by path. Links to folders are not
/// followed, so that every file is found once and none outside of the folder's tree is searched.
///
/// # Errors
/// If a folder cannot be read, or there are more than [`MAX_FILES`] files.
pub(crate) fn list_files(folder: &Path) -> Result<Vec<PathBuf>, FileProblem> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    let list = |source| FileProblem::from_io("list the folder", source);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(list)? {
            let entry = entry.map_err(list)?;
            let kind = entry.file_type().map_err(list)?;
            let path = entry.path();
            if kind.is_dir() {
                if depth < MAX_DEPTH {
                    folders.push((path, depth + 1));
                }
            } else if fs::metadata(&path).is_ok_and(|it| it.is_file()) {
                files.push(path);
            }
            if files.len() > MAX_FILES || folders.len() > MAX_FILES {
                return Err(FileProblem::Unsupported {
                    what: format!("a folder with more than {MAX_FILES} files"),
                    advice: "name a folder that holds one series",
                });
            }
        }
    }
    files.sort();
    Ok(files)
}
