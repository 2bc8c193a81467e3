//! Where an output goes: a file, whatever links lead to it, or a stream.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::FileProblem;
use super::format::extension;

/// Symbolic links that are followed at most, as by Linux.
const MOST_LINKS: usize = 40;

/// Where an output goes.
#[derive(Debug)]
pub(crate) enum Place {
    /// A file, which is replaced.
    File(FilePlace),
    /// What bytes are written to as they come.
    Stream(Stream),
}

/// A file that is replaced.
#[derive(Debug)]
pub(crate) struct FilePlace {
    /// Symbolic links followed.
    pub target: PathBuf,
    pub folder: PathBuf,
    /// What stands there now.
    pub before: Option<Metadata>,
}

/// What is written to directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    StandardOutput,
    /// Another open file of the process.
    Descriptor(PathBuf),
    /// A device or a pipe.
    Device(PathBuf),
}

impl Stream {
    pub fn open(&self) -> io::Result<File> {
        match self {
            Self::StandardOutput => standard_output(),
            Self::Descriptor(path) => File::options().append(true).open(path),
            Self::Device(path) => File::options().write(true).open(path),
        }
    }
}

impl Place {
    pub fn find(path: &Path) -> Result<Self, FileProblem> {
        let target = match follow(path)? {
            Target::Stream(stream) => return Ok(Self::Stream(stream)),
            Target::File(target) => target,
        };
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(Metadata::is_dir) {
            return Err(FileProblem::IsDirectory);
        }
        let folder = folder_of(&target).to_owned();
        if !folder.is_dir() {
            let missing = io::Error::other(format!("there is no folder {}", folder.display()));
            return Err(FileProblem::Io {
                action: "create the file",
                source: missing,
            });
        }
        Ok(Self::File(FilePlace {
            target,
            folder,
            before,
        }))
    }
}

/// What a path leads to.
pub(crate) enum Target {
    /// A file that is there or that can be made; or what is no place for a file, such as a
    /// directory.
    File(PathBuf),
    Stream(Stream),
}

/// Follows symbolic links, also one to a file that does not exist yet.
///
/// In a folder where everyone may put files and nobody may remove another's (`/tmp`), links, pipes
/// and files of other users are refused unless they are of the folder's owner: as Linux does with
/// `protected_symlinks`, `protected_fifos` and `protected_regular`.
pub(crate) fn follow(path: &Path) -> Result<Target, FileProblem> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Some(stream) = open_file(&path) {
            return Ok(Target::Stream(stream));
        }
        let there = match fs::symlink_metadata(&path) {
            Ok(there) => there,
            Err(_) => return Ok(Target::File(path)),
        };
        refuse_planted(&path, &there)?;
        if there.is_symlink() {
            let target = fs::read_link(&path);
            let target = target.map_err(|error| FileProblem::from_io("follow the link", error))?;
            path = folder_of(&path).join(target);
        } else if there.is_file() || there.is_dir() {
            return Ok(Target::File(path));
        } else {
            return Ok(Target::Stream(Stream::Device(path)));
        }
    }
    let source = io::Error::other(format!("more than {MOST_LINKS} symbolic links"));
    let action = "follow the link";
    Err(FileProblem::Io { action, source })
}

/// Whether an output is the process's standard output: `-`, `/dev/stdout` or a link to it.
///
/// ```
/// use ferrovox::io::is_standard_output;
///
/// assert!(is_standard_output("-"));
/// assert!(!is_standard_output("./-"));
/// ```
pub fn is_standard_output(path: impl AsRef<Path>) -> bool {
    matches!(
        follow(path.as_ref()),
        Ok(Target::Stream(Stream::StandardOutput))
    )
}

/// Whether an output is a device, a pipe or an open file of the process.
pub(crate) fn is_stream(path: &Path) -> bool {
    matches!(follow(path), Ok(Target::Stream(_)))
}

/// The extension of an output, or that of what goes to a stream without one: a device, a pipe or
/// standard output.
pub(crate) fn output_extension(path: &Path, of_stream: &str) -> String {
    match extension(path) {
        none if none.is_empty() && is_stream(path) => of_stream.to_owned(),
        found => found,
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The open file of the process that a name stands for. It may be a file with a name too, but that
/// one is not replaced: whoever opened it would have the old one.
fn open_file(path: &Path) -> Option<Stream> {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    if names.iter().any(|name| path == Path::new(name)) {
        return Some(Stream::StandardOutput);
    }
    if !cfg!(unix) {
        return None;
    }
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    let own = format!("/proc/{}/fd", std::process::id());
    let is_own = folder == Path::new(&own) || folder == Path::new("/dev/fd");
    is_own.then(|| match path.file_name() {
        Some(number) if number == "1" => Stream::StandardOutput,
        _ => Stream::Descriptor(path.to_owned()),
    })
}

#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn standard_output() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

#[cfg(unix)]
fn refuse_planted(path: &Path, there: &Metadata) -> Result<(), FileProblem> {
    use std::os::unix::fs::MetadataExt;
    const STICKY_FOR_ALL: u32 = 0o1002;
    let Ok(folder) = fs::metadata(folder_of(path)) else {
        return Ok(());
    };
    let (owner, own) = (there.uid(), rustix::process::geteuid().as_raw());
    let is_shared = folder.mode() & STICKY_FOR_ALL == STICKY_FOR_ALL;
    if !is_shared || there.is_dir() || owner == own || owner == folder.uid() {
        return Ok(());
    }
    Err(FileProblem::OfAnotherUser {
        path: path.to_owned(),
        owner,
    })
}

#[cfg(not(unix))]
fn refuse_planted(_: &Path, _: &Metadata) -> Result<(), FileProblem> {
    Ok(())
}
