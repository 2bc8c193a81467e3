//! Writing files so that they are there in full or not at all: one, or several together.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::place::FilePlace;
use super::replace::Replacement;
use super::temporary::Temporary;
use super::{FileError, FileProblem};

/// Files whose locks are held until they have their names. Of more, the others' are given up: a
/// process can have only so many open files.
const MOST_OPEN: usize = 200;

/// Writes `path` through a temporary file in the same folder, which takes its place when everything
/// is on the disk. Whatever fails, what stood there before is untouched and nothing half-written
/// stays behind.
///
/// A symbolic link is followed, and stays. In a folder that all may write to and whose files only
/// their owners may remove (`/tmp`), a link or file of another user is refused. A device, a pipe or
/// standard output (`-`) is written to directly. A file that is replaced keeps its permissions, and
/// its owner where that is possible.
///
/// A temporary file that a killed process left for the same output is removed.
///
/// # Errors
/// [`FileError`] for what the operating system refuses, and for what `write` returns.
///
/// ```
/// use ferrovox::io::replace_file;
/// use std::io::{Error, Write};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// replace_file(&path, |file| file.write_all(b"first"))?;
/// let failed = replace_file(&path, |file| {
///     file.write_all(b"sec")?;
///     Err(Error::other("no more words"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replace_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    alone(|group| group.write(path, write))
}

/// Writes one file by what writes it to a group.
pub(crate) fn alone<R>(
    write: impl FnOnce(&mut FileGroup) -> Result<R, FileError>,
) -> Result<R, FileError> {
    let mut group = FileGroup::new();
    let result = write(&mut group)?;
    group.finish()?;
    Ok(result)
}

/// Files that are replaced together: all of them, or none.
///
/// Each is complete, and on the disk, before any appears under its name; all that can still fail
/// then is to give them their names. Dropped before it is finished, a group leaves all files as
/// they were. A device, a pipe or standard output gets its bytes as they are written.
///
/// ```
/// use ferrovox::io::FileGroup;
/// use std::io::{Error, Write};
///
/// let folder = tempfile::tempdir()?;
/// let path = |name| folder.path().join(name);
/// let mut group = FileGroup::new();
/// group.write(path("a.txt"), |file| file.write_all(b"a"))?;
/// group.write(path("b.txt"), |file| file.write_all(b"b"))?;
/// assert!(!path("a.txt").exists());
/// group.finish()?;
/// assert!(path("a.txt").exists() && path("b.txt").exists());
///
/// let mut group = FileGroup::new();
/// group.write(path("a.txt"), |file| file.write_all(b"new"))?;
/// assert!(group.write(path("b.txt"), |_| Err(Error::other("no"))).is_err());
/// drop(group);
/// assert_eq!(std::fs::read(path("a.txt"))?, b"a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct FileGroup {
    files: Vec<Complete>,
}

/// A file with all its content, which is not under its name yet.
#[derive(Debug)]
struct Complete {
    /// As it was named.
    path: PathBuf,
    place: FilePlace,
    temporary: Temporary,
}

impl FileGroup {
    /// A group without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a file, which appears under its name with the others.
    ///
    /// # Errors
    /// [`FileError`] for what the operating system refuses, and for what `write` returns.
    pub fn write(
        &mut self,
        path: impl AsRef<Path>,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let written = || {
            let mut replacement = Replacement::begin(path)?;
            let written = replacement.file().and_then(write);
            written.map_err(|error| FileProblem::from_io("write", error))?;
            self.add(path, replacement)
        };
        written().map_err(|problem| FileError::new(path, problem))
    }

    /// Adds a file that has all its content.
    pub(crate) fn add(&mut self, path: &Path, file: Replacement) -> Result<(), FileProblem> {
        if let Some((place, mut temporary)) = file.complete()? {
            if self.files.len() >= MOST_OPEN {
                temporary.close();
            }
            self.files.push(Complete {
                path: path.to_owned(),
                place,
                temporary,
            });
        }
        Ok(())
    }

    /// Puts all files in their places.
    ///
    /// # Errors
    /// [`FileError`] for a name that the operating system refuses. If other files have their names
    /// by then, which cannot be undone, it says which are new and which are what they were
    /// ([`FileProblem::PartlyReplaced`]).
    pub fn finish(self) -> Result<(), FileError> {
        // what can be known before anything is changed
        for file in &self.files {
            if file.place.target.is_dir() {
                return Err(FileError::new(&file.path, FileProblem::IsDirectory));
            }
        }
        let mut folders = BTreeSet::new();
        let mut new = Vec::new();
        let mut files = self.files.into_iter();
        let mut result = Ok(());
        while let Some(Complete {
            path,
            place,
            temporary,
        }) = files.next()
        {
            let problem = match temporary.rename(&place.target) {
                Ok(()) => {
                    new.push(path);
                    folders.insert(place.folder);
                    continue;
                }
                Err(error) => FileProblem::from_io("give the file its name", error),
            };
            let problem = if new.is_empty() {
                problem
            } else {
                FileProblem::PartlyReplaced {
                    problem: Box::new(problem),
                    old: [path.clone()]
                        .into_iter()
                        .chain(files.map(|it| it.path.clone()))
                        .collect(),
                    new,
                }
            };
            result = Err(FileError::new(&path, problem));
            break;
        }
        // The new names are on the disk when the folders are. Not every file system can do this.
        for folder in folders.iter().filter_map(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    /// A group of three files that replace others, and their folder.
    fn group() -> (tempfile::TempDir, FileGroup) {
        let folder = tempfile::tempdir().unwrap();
        let mut group = FileGroup::new();
        for name in ["a", "b", "c"] {
            let path = folder.path().join(name);
            fs::write(&path, "old").unwrap();
            group.write(&path, |file| file.write_all(b"new")).unwrap();
        }
        (folder, group)
    }

    fn content(folder: &Path) -> String {
        let read = |name| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let content = ["a", "b", "c"].map(read).join(" ");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
        content
    }

    #[test]
    fn all_or_none() {
        let (folder, finished) = group();
        finished.finish().unwrap();
        assert_eq!(content(folder.path()), "new new new");
        let (folder, dropped) = group();
        drop(dropped);
        assert_eq!(content(folder.path()), "old old old");
    }

    #[test]
    fn what_can_be_known_before_is_found_before() {
        let (folder, group) = group();
        let second = folder.path().join("b");
        fs::remove_file(&second).unwrap();
        fs::create_dir(&second).unwrap();
        let error = group.finish().unwrap_err();
        assert!(matches!(error.problem, FileProblem::IsDirectory), "{error}");
        assert_eq!(content(folder.path()), "old  old");
    }

    #[test]
    fn an_error_afterwards_says_what_is_new() {
        let (folder, group) = group();
        // the name of the second is refused since its temporary file is gone
        fs::remove_file(group.files[1].temporary.path().unwrap()).unwrap();
        let error = group.finish().unwrap_err().to_string();
        let name = |name: &str| folder.path().join(name).display().to_string();
        let (a, b, c) = (name("a"), name("b"), name("c"));
        assert!(error.starts_with(&b), "{error}");
        let said = format!("; new already: {a}; as it was before: {b}, {c}");
        assert!(error.ends_with(&said), "{error}");
        assert_eq!(content(folder.path()), "new old old");
    }

    #[test]
    fn more_files_than_a_process_may_open() {
        let folder = tempfile::tempdir().unwrap();
        let mut group = FileGroup::new();
        for number in 0..1500 {
            let path = folder.path().join(number.to_string());
            group.write(path, |_| Ok(())).unwrap();
        }
        group.finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1500);
    }
}
