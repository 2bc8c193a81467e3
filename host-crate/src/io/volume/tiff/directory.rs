//! Directories of TIFF and BigTIFF files, one per page.

use std::collections::HashSet;

use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::tiff::damaged;
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Largest number of entries of a directory.
const MAX_ENTRIES: u64 = 4096;
/// Largest number of pages.
const MAX_PAGES: usize = 1 << 20;
/// Memory of the values of all directories, per byte of the file, and in addition, in bytes.
const MAX_VALUES: (u64, u64) = (8, 1 << 16);

/// Reader of numbers at offsets of a file.
pub(super) struct TiffFile<'f, 'a> {
    pub bytes: &'f RandomAccessBytes<'a>,
    /// Number of bytes of the file.
    pub length: u64,
    pub order: ByteOrder,
    /// `true` for BigTIFF, whose offsets have 64 bits.
    is_big: bool,
    /// Offset of the first directory.
    first: u64,
}

/// Values of the entries of a directory.
#[derive(Default)]
pub(super) struct Directory {
    entries: Vec<(u16, Values)>,
}

/// Values of an entry.
enum Values {
    Integers(Vec<u64>),
    Text(String),
    Real(f64),
}

impl<'f, 'a> TiffFile<'f, 'a> {
    /// Reads the header.
    pub fn open(bytes: &'f RandomAccessBytes<'a>, length: u64) -> Result<Self, FileProblem> {
        let mut start = [0; 16];
        let available = length.min(16) as usize;
        bytes.fill(&mut start[..available], 0)?;
        let order = match &start[..2] {
            b"II" => ByteOrder::Little,
            b"MM" => ByteOrder::Big,
            _ => {
                return Err(FileProblem::WrongMagic {
                    format: crate::io::VolumeFormat::Tiff,
                    expected: "II or MM",
                    found: crate::io::error::show_bytes(&start[..available]),
                });
            }
        };
        let mut file = Self {
            bytes,
            length,
            order,
            is_big: false,
            first: 0,
        };
        file.is_big = match file.integer(&start[2..4]) {
            42 => false,
            43 => true,
            version => return Err(damaged(format!("the version is {version}"))),
        };
        file.first = if file.is_big {
            file.integer(&start[8..16])
        } else {
            file.integer(&start[4..8])
        };
        Ok(file)
    }

    /// Returns the name of the format.
    pub fn version(&self) -> &'static str {
        if self.is_big { "BigTIFF" } else { "TIFF" }
    }

    fn integer(&self, bytes: &[u8]) -> u64 {
        self.order.unsigned(bytes)
    }

    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
        let end = offset.checked_add(count);
        if end.is_none_or(|end| end > self.length) {
            return Err(damaged(format!(
                "{count} bytes at {offset} are beyond the end of the file, which has {}",
                self.length
            )));
        }
        let mut bytes = memory::try_zeroed("directories", count as usize)?;
        if !self.bytes.fill(&mut bytes, offset)? {
            return Err(FileProblem::FileChanged);
        }
        Ok(bytes)
    }

    /// Reads the directories of all pages.
    pub fn directories(&self) -> Result<Vec<Directory>, FileProblem> {
        let mut found = Vec::new();
        let mut visited = HashSet::new();
        let mut offset = self.first;
        let mut budget = self.length.saturating_mul(MAX_VALUES.0) + MAX_VALUES.1;
        while offset != 0 {
            if !visited.insert(offset) {
                return Err(damaged(format!("the directory at {offset} follows itself")));
            }
            if found.len() == MAX_PAGES {
                return Err(damaged(format!("it has more than {MAX_PAGES} pages")));
            }
            let (directory, next) = self.directory(offset, &mut budget)?;
            found.push(directory);
            offset = next;
        }
        if found.is_empty() {
            return Err(damaged("it has no pages".to_owned()));
        }
        Ok(found)
    }

    /// Reads a directory and the offset of the next one.
    fn directory(&self, offset: u64, budget: &mut u64) -> Result<(Directory, u64), FileProblem> {
        let (count_bytes, entry_bytes, word) = if self.is_big { (8, 20, 8) } else { (2, 12, 4) };
        let count = self.integer(&self.read(offset, count_bytes)?);
        if count > MAX_ENTRIES {
            return Err(damaged(format!("a directory has {count} entries")));
        }
        let bytes = self.read(offset + count_bytes, count * entry_bytes + word)?;
        let (entries, next) = bytes.split_at((count * entry_bytes) as usize);
        let mut directory = Directory::default();
        for entry in entries.chunks_exact(entry_bytes as usize) {
            let tag = self.integer(&entry[..2]) as u16;
            if is_needed(tag)
                && let Some(values) = self.values(entry, word as usize, budget)?
            {
                directory.entries.push((tag, values));
            }
        }
        let next = self.integer(next);
        if next >= self.length {
            return Err(damaged(format!(
                "the next page is at byte {next}, but the file has only {}; it is truncated, fetch it again",
                self.length
            )));
        }
        Ok((directory, next))
    }

    /// Reads the values of an entry; `None` for a type that no needed tag has.
    fn values(
        &self,
        entry: &[u8],
        word: usize,
        budget: &mut u64,
    ) -> Result<Option<Values>, FileProblem> {
        let kind = self.integer(&entry[2..4]);
        let width = match kind {
            1 | 2 | 7 => 1,
            3 => 2,
            4 | 13 => 4,
            5 | 16 | 18 => 8,
            _ => return Ok(None),
        };
        let count = self.integer(&entry[4..4 + word]);
        let inline = &entry[4 + word..4 + 2 * word];
        let too_many = || damaged(format!("an entry has {count} values"));
        let total = count.checked_mul(width).ok_or_else(too_many)?;
        // Integers are stored with 64 bits.
        let stored = if matches!(kind, 2 | 5) {
            Some(total)
        } else {
            count.checked_mul(8)
        };
        let left = stored.and_then(|stored| budget.checked_sub(stored));
        *budget = left.ok_or_else(too_many)?;
        let external;
        let bytes = if total <= word as u64 {
            &inline[..total as usize]
        } else {
            external = self.read(self.integer(inline), total)?;
            &external[..]
        };
        Ok(Some(match kind {
            2 => Values::Text(String::from_utf8_lossy(bytes).into_owned()),
            5 if bytes.len() >= 8 => {
                let (above, below) = (self.integer(&bytes[..4]), self.integer(&bytes[4..8]));
                Values::Real(above as f64 / below as f64)
            }
            _ => {
                let numbers = bytes.chunks_exact(width as usize);
                Values::Integers(numbers.map(|bytes| self.integer(bytes)).collect())
            }
        }))
    }
}

fn is_needed(tag: u16) -> bool {
    matches!(
        tag,
        254 | 256..=259 | 262 | 266 | 270 | 273 | 274 | 277..=279 | 282..=284 | 296 | 317 | 322..=325 | 339
    )
}

impl Directory {
    /// Returns the integers of an entry; none if it is missing.
    pub fn integers(&self, tag: u16) -> &[u64] {
        match self.entries.iter().find(|(known, _)| *known == tag) {
            Some((_, Values::Integers(numbers))) => numbers,
            _ => &[],
        }
    }

    /// Returns the first integer of an entry.
    pub fn integer(&self, tag: u16) -> Option<u64> {
        self.integers(tag).first().copied()
    }

    /// Returns the text of an entry.
    pub fn text(&self, tag: u16) -> Option<&str> {
        match self.entries.iter().find(|(known, _)| *known == tag) {
            Some((_, Values::Text(text))) => Some(text.trim_end_matches('\0')),
            _ => None,
        }
    }

    /// Returns a rational number.
    pub fn real(&self, tag: u16) -> Option<f64> {
        match self.entries.iter().find(|(known, _)| *known == tag) {
            Some((_, Values::Real(number))) => Some(*number),
            _ => None,
        }
    }
}
