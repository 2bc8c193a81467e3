//! Zip archives (APPNOTE 6.3): reader of stored and deflated entries, zip64.

pub(super) mod writer;

use std::collections::HashMap;
use std::io::Read;

use crate::io::FileProblem;
use crate::io::source::DEFLATE_LIMIT;
use crate::io::source::random_access::RandomAccessBytes;
use crate::memory;

/// Longest comment of an archive, and the record before it, in bytes.
const MAX_END: u64 = 65_535 + 22;
/// Largest size of the directory of an archive, in bytes.
const MAX_DIRECTORY: u64 = 1 << 30;
/// Problem of an entry that the archive does not hold.
const BEYOND: &str = "an entry is beyond its end; fetch the truncated file again";

/// An entry of an archive.
#[derive(Clone, Debug)]
pub(super) struct ZipEntry {
    pub is_deflated: bool,
    crc: u32,
    /// Number of bytes in the archive.
    pub compressed: u64,
    /// Number of bytes after decompression.
    pub size: u64,
    /// Offset of the local header.
    offset: u64,
}

/// An archive, whose entries are read by name.
pub(super) struct ZipArchive<'a> {
    bytes: RandomAccessBytes<'a>,
    length: u64,
    entries: HashMap<String, ZipEntry>,
}

impl<'a> ZipArchive<'a> {
    /// Reads the directory of an archive of `length` bytes.
    pub fn open(bytes: RandomAccessBytes<'a>, length: u64) -> Result<Self, FileProblem> {
        let mut archive = Self {
            bytes,
            length,
            entries: HashMap::new(),
        };
        let (start, size, count) = archive.find_directory()?;
        if size > MAX_DIRECTORY {
            return Err(damaged(&format!("its directory has {size} bytes")));
        }
        let directory = archive.read(start, size)?;
        let mut rest = &directory[..];
        for _ in 0..count {
            let header = rest
                .get(..46)
                .ok_or_else(|| damaged("its directory ends early"))?;
            if !header.starts_with(b"PK\x01\x02") {
                return Err(damaged("its directory has an invalid entry"));
            }
            let lengths = [28, 30, 32].map(|at| usize::from(short(header, at)));
            let end = 46 + lengths.iter().sum::<usize>();
            let tail = rest
                .get(46..end)
                .ok_or_else(|| damaged("its directory ends early"))?;
            rest = &rest[end..];
            let name = String::from_utf8_lossy(&tail[..lengths[0]]).into_owned();
            let mut sizes = [24, 20, 42].map(|at| u64::from(long(header, at)));
            extend_sizes(&tail[lengths[0]..lengths[0] + lengths[1]], &mut sizes);
            let [size, compressed, offset] = sizes;
            let method = short(header, 10);
            let is_encrypted = short(header, 8) & 1 == 1;
            if is_encrypted || !matches!(method, 0 | 8) {
                return Err(FileProblem::Unsupported {
                    what: format!("a zip archive with the compression {method} or encryption"),
                    advice: "extract it, or store or deflate its entries",
                });
            }
            if compressed > length || size > compressed.saturating_mul(DEFLATE_LIMIT) + 64 {
                return Err(damaged(&format!(
                    "{name:?} has {size} bytes in {compressed} bytes"
                )));
            }
            let entry = ZipEntry {
                is_deflated: method == 8,
                crc: long(header, 16),
                compressed,
                size,
                offset,
            };
            archive.entries.insert(name, entry);
        }
        Ok(archive)
    }

    /// Returns offset, size and number of entries of the directory.
    fn find_directory(&self) -> Result<(u64, u64, u64), FileProblem> {
        let tail_length = self.length.min(MAX_END);
        let tail = self.read(self.length - tail_length, tail_length)?;
        let end = tail
            .windows(22)
            .rposition(|it| it.starts_with(b"PK\x05\x06"));
        let end =
            end.ok_or_else(|| damaged("it has no directory; fetch the truncated file again"))?;
        let record = &tail[end..];
        let count = u64::from(short(record, 10));
        let (size, start) = (u64::from(long(record, 12)), u64::from(long(record, 16)));
        let is_large = count == 0xFFFF || size == 0xFFFF_FFFF || start == 0xFFFF_FFFF;
        if let (true, Some(locator)) = (is_large, end.checked_sub(20).map(|at| &tail[at..end]))
            && locator.starts_with(b"PK\x06\x07")
        {
            let record = self.read(quad(locator, 8), 56)?;
            if record.starts_with(b"PK\x06\x06") {
                return Ok((quad(&record, 48), quad(&record, 40), quad(&record, 32)));
            }
        }
        Ok((start, size, count))
    }

    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
        let end = offset.checked_add(count);
        if end.is_none_or(|end| end > self.length) {
            return Err(damaged(BEYOND));
        }
        let mut bytes = memory::try_zeroed("an entry of an archive", count as usize)?;
        if !self.bytes.fill(&mut bytes, offset)? {
            return Err(FileProblem::FileChanged);
        }
        Ok(bytes)
    }

    /// Returns the names of all entries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the entry with this name.
    pub fn entry(&self, name: &str) -> Option<&ZipEntry> {
        self.entries.get(name)
    }

    /// Returns the offset of the content of an entry in the archive, which holds all of it.
    pub fn content_offset(&self, entry: &ZipEntry) -> Result<u64, FileProblem> {
        let header = self.read(entry.offset, 30)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(damaged("an entry has no header"));
        }
        let skipped = 30 + u64::from(short(&header, 26)) + u64::from(short(&header, 28));
        let start = entry.offset + skipped;
        if start > self.length || entry.compressed > self.length - start {
            return Err(damaged(BEYOND));
        }
        Ok(start)
    }

    /// Reads a part of an entry that is stored without compression, without its checksum.
    pub fn read_stored(
        &self,
        entry: &ZipEntry,
        offset: u64,
        count: u64,
    ) -> Result<Vec<u8>, FileProblem> {
        let start = self.content_offset(entry)?;
        let end = offset.checked_add(count);
        if end.is_none_or(|end| end > entry.compressed) {
            return Err(damaged(BEYOND));
        }
        self.read(start + offset, count)
    }

    /// Reads an entry of at most `limit` bytes and compares its checksum.
    pub fn read_entry(&self, entry: &ZipEntry, limit: u64) -> Result<Vec<u8>, FileProblem> {
        if entry.size > limit {
            return Err(damaged(&format!(
                "an entry has {} bytes, of which at most {limit} are read",
                entry.size
            )));
        }
        let stored = self.read(self.content_offset(entry)?, entry.compressed)?;
        let content = if entry.is_deflated {
            let mut content = memory::try_zeroed("an entry of an archive", entry.size as usize)?;
            let mut decoder = flate2::read::DeflateDecoder::new(&stored[..]);
            decoder
                .read_exact(&mut content)
                .map_err(|error| damaged(&format!("an entry cannot be decompressed: {error}")))?;
            content
        } else {
            stored
        };
        let mut crc = flate2::Crc::new();
        crc.update(&content);
        if content.len() as u64 != entry.size || crc.sum() != entry.crc {
            return Err(damaged("the checksum of an entry is wrong"));
        }
        Ok(content)
    }
}

/// Replaces sizes of 32 bits that are too small by those of the zip64 field.
fn extend_sizes(mut extra: &[u8], sizes: &mut [u64; 3]) {
    while extra.len() >= 4 {
        let length = usize::from(short(extra, 2));
        let Some(field) = extra.get(4..4 + length) else {
            return;
        };
        if short(extra, 0) == 1 {
            let mut values = field.as_chunks::<8>().0.iter();
            for size in sizes.iter_mut().filter(|size| **size == 0xFFFF_FFFF) {
                if let Some(value) = values.next() {
                    *size = u64::from_le_bytes(*value);
                }
            }
        }
        extra = &extra[4 + length..];
    }
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]))
}

fn quad(bytes: &[u8], at: usize) -> u64 {
    u64::from(long(bytes, at)) | u64::from(long(bytes, at + 4)) << 32
}

fn damaged(problem: &str) -> FileProblem {
    FileProblem::Archive(problem.to_owned())
}
