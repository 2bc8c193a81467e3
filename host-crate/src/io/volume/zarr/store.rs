//! Keys and values of a Zarr hierarchy: files of a folder, or entries of a zip archive.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::io::FileProblem;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::zarr::damaged;
use crate::io::zip::ZipArchive;
use crate::memory;

/// Largest compressed entry of which a part is read: all of it is decompressed.
const MAX_COMPRESSED: u64 = 256 << 20;
/// Keys of metadata.
const METADATA: [&str; 4] = ["zarr.json", ".zattrs", ".zarray", ".zgroup"];

/// Values of a hierarchy by key.
pub(super) enum Store<'a> {
    /// A folder, with its path without links.
    Folder { path: PathBuf, resolved: PathBuf },
    /// An archive, with the prefix of all keys.
    Zip {
        archive: ZipArchive<'a>,
        prefix: String,
    },
}

/// Returns `true` for a folder of a Zarr array or group.
pub(in crate::io) fn is_zarr(folder: &Path) -> bool {
    METADATA.iter().any(|name| folder.join(name).is_file())
}

impl<'a> Store<'a> {
    /// Opens a folder.
    pub fn open_folder(path: &Path) -> Result<Self, FileProblem> {
        let resolved = fs::canonicalize(path);
        Ok(Self::Folder {
            path: path.to_owned(),
            resolved: resolved.map_err(|error| FileProblem::from_io("open the folder", error))?,
        })
    }

    /// Opens an archive, whose hierarchy may be in a folder.
    pub fn open_zip(bytes: RandomAccessBytes<'a>, length: u64) -> Result<Self, FileProblem> {
        let archive = ZipArchive::open(bytes, length)?;
        let prefixes = archive.names().filter_map(|name| {
            let (prefix, last) = name.rsplit_once('/').map_or(("", name), |it| it);
            METADATA.contains(&last).then(|| prefix.to_owned())
        });
        let prefix = prefixes.min_by_key(|prefix| (prefix.len(), prefix.clone()));
        let prefix =
            prefix.ok_or_else(|| damaged("the archive holds no Zarr metadata".to_owned()))?;
        let prefix = if prefix.is_empty() {
            prefix
        } else {
            format!("{prefix}/")
        };
        Ok(Self::Zip { archive, prefix })
    }

    /// Returns the value of a key, which has at most `limit` bytes; `None` if there is none.
    pub fn read(&self, key: &str, limit: u64) -> Result<Option<Vec<u8>>, FileProblem> {
        check_key(key)?;
        match self {
            Self::Folder { .. } => {
                let Some((file, length)) = self.open_file(key)? else {
                    return Ok(None);
                };
                if length > limit {
                    return Err(damaged(format!(
                        "{key} has {length} bytes, of which at most {limit} are read"
                    )));
                }
                read_file(file, 0, length).map(Some)
            }
            Self::Zip { archive, prefix } => match archive.entry(&format!("{prefix}{key}")) {
                Some(entry) => archive.read_entry(entry, limit).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Returns a part of the value of a key. A negative offset counts from its end.
    pub fn read_range(
        &self,
        key: &str,
        offset: i64,
        count: u64,
    ) -> Result<Option<Vec<u8>>, FileProblem> {
        check_key(key)?;
        let beyond = |length: u64| {
            damaged(format!(
                "{key} has {length} bytes, but {count} at {offset} are needed"
            ))
        };
        let start = |length: u64| {
            let start = match u64::try_from(offset) {
                Ok(offset) => Some(offset),
                Err(_) => length.checked_sub(offset.unsigned_abs()),
            };
            let start = start.filter(|it| it.checked_add(count).is_some_and(|end| end <= length));
            start.ok_or_else(|| beyond(length))
        };
        match self {
            Self::Folder { .. } => {
                let Some((file, length)) = self.open_file(key)? else {
                    return Ok(None);
                };
                read_file(file, start(length)?, count).map(Some)
            }
            Self::Zip { archive, prefix } => {
                let Some(entry) = archive.entry(&format!("{prefix}{key}")) else {
                    return Ok(None);
                };
                let start = start(entry.size)?;
                if !entry.is_deflated {
                    return archive.read_stored(entry, start, count).map(Some);
                }
                let value = archive.read_entry(entry, MAX_COMPRESSED)?;
                let start = start as usize;
                Ok(Some(value[start..start + count as usize].to_vec()))
            }
        }
    }

    /// Opens the file of a key, which must be in the folder once links are resolved.
    fn open_file(&self, key: &str) -> Result<Option<(File, u64)>, FileProblem> {
        let Self::Folder { path, resolved } = self else {
            return Ok(None);
        };
        let open = |error| FileProblem::from_io("open a chunk", error);
        let target = match fs::canonicalize(path.join(key)) {
            Ok(target) => target,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(open(error)),
        };
        if !target.starts_with(resolved) {
            return Err(damaged(format!("{key} is a link out of the folder")));
        }
        let metadata = fs::metadata(&target).map_err(open)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        Ok(Some((File::open(&target).map_err(open)?, metadata.len())))
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn read_file(file: File, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
    let mut bytes = memory::try_zeroed("a chunk", count as usize)?;
    if !RandomAccessBytes::File(file.into()).fill(&mut bytes, offset)? {
        return Err(FileProblem::FileChanged);
    }
    Ok(bytes)
}

/// Refuses keys that leave the hierarchy.
fn check_key(key: &str) -> Result<(), FileProblem> {
    let is_valid = key.split('/').all(|part| {
        !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0'])
    });
    if is_valid && !Path::new(key).is_absolute() {
        Ok(())
    } else {
        Err(damaged(format!("the path {key:?} leaves the hierarchy")))
    }
}
