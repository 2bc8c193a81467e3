//! Atomic writing of one file, or of several files together.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::io::output::destination::FileDestination;
use crate::io::output::lock::OutputLock;
use crate::io::output::replacement::Replacement;
use crate::io::output::temporary_file::TemporaryFile;
use crate::io::{FileError, FileProblem};

/// Number of temporary files that stay open and locked until they are renamed. Further ones are
/// closed, because the number of open files of a process is limited.
const MAX_OPEN: usize = 200;

/// Writes a file atomically: to a temporary file in the same folder, which is renamed to `path`
/// once everything is on the disk. After any failure, an existing file is unchanged and no
/// incomplete file is left behind.
///
/// A symbolic link is followed and kept. In a sticky world-writable folder (`/tmp`), a link or file
/// of another user is rejected. A device, a pipe or standard output (`-`) is written directly. A
/// replaced file keeps its permissions and, if possible, its owner.
///
/// Temporary files that a killed process left for the same output are removed.
///
/// # Errors
/// [`FileError`] for errors of the operating system, and for those that `write` returns.
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
    write_alone(|group| group.write(path, write))
}

/// Calls `write` with a group and finishes it: for a single file.
pub(crate) fn write_alone<R>(
    write: impl FnOnce(&mut FileGroup) -> Result<R, FileError>,
) -> Result<R, FileError> {
    let mut group = FileGroup::new();
    let result = write(&mut group)?;
    group.finish()?;
    Ok(result)
}

/// Files that are replaced together, all or none.
///
/// Every file is complete and on the disk before the first is renamed, so that only a rename can
/// still fail. Dropping a group before it is finished leaves all files unchanged. A device, a pipe
/// or standard output receives its bytes as they are written.
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
    files: Vec<CompleteFile>,
}

/// A complete file that has not been renamed yet.
#[derive(Debug)]
struct CompleteFile {
    /// Path as it was given, for messages.
    path: PathBuf,
    destination: FileDestination,
    temporary: TemporaryFile,
}

impl FileGroup {
    /// Creates an empty group.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a file, which is renamed to `path` together with the others.
    ///
    /// # Errors
    /// [`FileError`] for errors of the operating system, and for those that `write` returns.
    pub fn write(
        &mut self,
        path: impl AsRef<Path>,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let write_and_add = || {
            let mut replacement = Replacement::create(path)?;
            let written = replacement.file().and_then(write);
            written.map_err(|error| FileProblem::from_io("write", error))?;
            self.add(path, replacement)
        };
        write_and_add().map_err(|problem| FileError::new(path, problem))
    }

    /// Adds a file that is complete.
    pub(crate) fn add(&mut self, path: &Path, file: Replacement) -> Result<(), FileProblem> {
        if let Some((destination, mut temporary)) = file.complete()? {
            if self.files.len() >= MAX_OPEN {
                temporary.close();
            }
            self.files.push(CompleteFile {
                path: path.to_owned(),
                destination,
                temporary,
            });
        }
        Ok(())
    }

    /// Renames all files to their paths.
    ///
    /// # Errors
    /// [`FileError`] if a file cannot be renamed. If others have been renamed already, which cannot
    /// be undone, the error lists the replaced and the unchanged files
    /// ([`FileProblem::PartlyReplaced`]).
    pub fn finish(mut self) -> Result<(), FileError> {
        // Detect predictable failures before anything is changed.
        for file in &self.files {
            if file.destination.target.is_dir() {
                return Err(FileError::new(&file.path, FileProblem::IsDirectory));
            }
        }
        // The process does not end between two renames.
        let mut outputs = OutputLock::acquire();
        let failure = self.files.iter_mut().enumerate().find_map(|(index, file)| {
            let renamed = file
                .temporary
                .rename(&file.destination.target, &mut outputs);
            renamed.err().map(|error| (index, error))
        });
        drop(outputs);
        let replaced_count = failure
            .as_ref()
            .map_or(self.files.len(), |(index, _)| *index);
        let (replaced, unchanged) = self.files.split_at(replaced_count);
        // Renames are durable once the folders are synchronized. Not every file system supports it.
        let folders: BTreeSet<&Path> = replaced
            .iter()
            .map(|file| file.destination.folder.as_path())
            .collect();
        for folder in folders.iter().filter_map(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        let Some((index, error)) = failure else {
            return Ok(());
        };
        let mut problem = FileProblem::from_io("give the file its name", error);
        if !replaced.is_empty() {
            let paths = |files: &[CompleteFile]| files.iter().map(|it| it.path.clone()).collect();
            problem = FileProblem::PartlyReplaced {
                problem: Box::new(problem),
                unchanged: paths(unchanged),
                replaced: paths(replaced),
            };
        }
        Err(FileError::new(&self.files[index].path, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    /// Returns a group of three files that replace existing ones, and their folder.
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
    fn finished_group_replaces_all_files_and_dropped_group_none() {
        let (folder, finished) = group();
        finished.finish().unwrap();
        assert_eq!(content(folder.path()), "new new new");
        let (folder, dropped) = group();
        drop(dropped);
        assert_eq!(content(folder.path()), "old old old");
    }

    #[test]
    fn directory_in_place_of_a_file_is_detected_before_any_rename() {
        let (folder, group) = group();
        let second = folder.path().join("b");
        fs::remove_file(&second).unwrap();
        fs::create_dir(&second).unwrap();
        let error = group.finish().unwrap_err();
        assert!(matches!(error.problem, FileProblem::IsDirectory), "{error}");
        assert_eq!(content(folder.path()), "old  old");
    }

    #[test]
    fn failed_rename_lists_replaced_and_unchanged_files() {
        let (folder, group) = group();
        // Renaming the second file fails because its temporary file is gone.
        fs::remove_file(group.files[1].temporary.path().unwrap()).unwrap();
        let error = group.finish().unwrap_err().to_string();
        let name = |name: &str| folder.path().join(name).display().to_string();
        let (a, b, c) = (name("a"), name("b"), name("c"));
        assert!(error.starts_with(&b), "{error}");
        let listed = format!("; already replaced: {a}; unchanged: {b}, {c}");
        assert!(error.ends_with(&listed), "{error}");
        assert_eq!(content(folder.path()), "new old old");
    }

    #[test]
    fn group_may_have_more_files_than_a_process_may_open() {
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
