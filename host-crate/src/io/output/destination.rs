//! Destination of an output: a file, after following symbolic links, or a stream.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::io::FileProblem;
use crate::io::file_extension::extension;

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// Destination of an output.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A file, which is replaced.
    File(FileDestination),
    /// A stream that receives the bytes as they are written.
    Stream(Stream),
}

/// A file that is replaced.
#[derive(Debug)]
pub(crate) struct FileDestination {
    /// Path after following symbolic links.
    pub target: PathBuf,
    pub folder: PathBuf,
    /// Metadata of the existing file, if there is one.
    pub existing: Option<Metadata>,
}

/// A destination that is written directly instead of being replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    StandardOutput,
    /// Another open file descriptor of the process.
    Descriptor(PathBuf),
    /// A device or a pipe.
    Device(PathBuf),
}

impl Stream {
    /// Opens the stream for writing.
    pub fn open(&self) -> io::Result<File> {
        match self {
            Self::StandardOutput => standard_output(),
            Self::Descriptor(path) => File::options().append(true).open(path),
            Self::Device(path) => File::options().write(true).open(path),
        }
    }
}

impl Destination {
    /// Resolves the path of an output.
    pub fn resolve(path: &Path) -> Result<Self, FileProblem> {
        let target = match resolve_links(path)? {
            ResolvedPath::Stream(stream) => return Ok(Self::Stream(stream)),
            ResolvedPath::File(target) => target,
        };
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(Metadata::is_dir) {
            return Err(FileProblem::IsDirectory);
        }
        let folder = parent_folder(&target).to_owned();
        if !folder.is_dir() {
            let missing = io::Error::other(format!(
                "there is no folder {}; create it first",
                folder.display()
            ));
            return Err(FileProblem::Io {
                action: "create the file",
                source: missing,
            });
        }
        Ok(Self::File(FileDestination {
            target,
            folder,
            existing,
        }))
    }
}

/// Path after following symbolic links.
pub(crate) enum ResolvedPath {
    /// An existing file, a path where a file can be created, or a directory.
    File(PathBuf),
    Stream(Stream),
}

/// Follows symbolic links, including a last one to a file that does not exist yet.
///
/// In a sticky world-writable folder (`/tmp`), links, pipes and files of other users are rejected
/// unless they belong to the owner of the folder, like Linux does with `protected_symlinks`,
/// `protected_fifos` and `protected_regular`.
pub(crate) fn resolve_links(path: &Path) -> Result<ResolvedPath, FileProblem> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Some(stream) = open_file(&path) {
            return Ok(ResolvedPath::Stream(stream));
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(_) => return Ok(ResolvedPath::File(path)),
        };
        check_owner(&path, &metadata)?;
        if metadata.is_symlink() {
            let target = fs::read_link(&path);
            let target = target.map_err(|error| FileProblem::from_io("follow the link", error))?;
            path = parent_folder(&path).join(target);
        } else if metadata.is_file() || metadata.is_dir() {
            return Ok(ResolvedPath::File(path));
        } else {
            return Ok(ResolvedPath::Stream(Stream::Device(path)));
        }
    }
    let source = io::Error::other(format!("more than {MAX_LINKS} symbolic links"));
    let action = "follow the link";
    Err(FileProblem::Io { action, source })
}

/// Returns `true` if `path` stands for the standard output of the process: `-`, `/dev/stdout` or a
/// link to it.
///
/// ```
/// use ferrovox::io::is_standard_output;
///
/// assert!(is_standard_output("-"));
/// assert!(!is_standard_output("./-"));
/// ```
pub fn is_standard_output(path: impl AsRef<Path>) -> bool {
    matches!(
        resolve_links(path.as_ref()),
        Ok(ResolvedPath::Stream(Stream::StandardOutput))
    )
}

/// Returns `true` if `path` is a device, a pipe or an open file descriptor of the process.
pub(crate) fn is_stream(path: &Path) -> bool {
    matches!(resolve_links(path), Ok(ResolvedPath::Stream(_)))
}

/// Returns the extension of `path`, or `stream_default` for a stream without an extension: a
/// device, a pipe or standard output.
pub(crate) fn output_extension(path: &Path, stream_default: &str) -> String {
    let extension = extension(path);
    if extension.is_empty() && is_stream(path) {
        stream_default.to_owned()
    } else {
        extension
    }
}

/// Returns the folder of a path; `.` for a bare file name.
pub(crate) fn parent_folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the open file descriptor of the process that a name stands for. The descriptor may
/// belong to a named file, but that file is not replaced: its owner would keep writing to the old
/// one.
fn open_file(path: &Path) -> Option<Stream> {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    if names.iter().any(|name| path == Path::new(name)) {
        return Some(Stream::StandardOutput);
    }
    if !cfg!(unix) {
        return None;
    }
    let folder = fs::canonicalize(parent_folder(path)).ok()?;
    let own = format!("/proc/{}/fd", std::process::id());
    let is_descriptor = folder == Path::new(&own) || folder == Path::new("/dev/fd");
    is_descriptor.then(|| match path.file_name() {
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
/// Fails if another user could have planted the file or link.
fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), FileProblem> {
    use std::os::unix::fs::MetadataExt;
    const STICKY_FOR_ALL: u32 = 0o1002;
    let Ok(folder) = fs::metadata(parent_folder(path)) else {
        return Ok(());
    };
    let (owner, own) = (metadata.uid(), rustix::process::geteuid().as_raw());
    let is_shared = folder.mode() & STICKY_FOR_ALL == STICKY_FOR_ALL;
    if !is_shared || metadata.is_dir() || owner == own || owner == folder.uid() {
        return Ok(());
    }
    Err(FileProblem::ForeignOwner {
        path: path.to_owned(),
        owner,
    })
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Metadata) -> Result<(), FileProblem> {
    Ok(())
}
