//! Writer of zip archives to a stream (APPNOTE 6.3): stored entries, and deflated entries whose
//! sizes follow them.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Compression level, as for volumes.
const LEVEL: u32 = 2;
/// Date of all entries, 1 January 1980, so that equal contents make equal files.
const DATE: u16 = 0x21;
/// Largest size or offset in fields of 32 bits.
const MAX_SHORT: u64 = u32::MAX as u64 - 1;
/// Flags: names are UTF-8; the sizes follow the content.
const UTF8: u16 = 1 << 11;
const SIZES_FOLLOW: u16 = 1 << 3;
/// Version that reads zip64, and the one that reads deflate.
const VERSIONS: [u16; 2] = [45, 20];

/// Entry of the directory.
struct Entry {
    name: String,
    flags: u16,
    is_deflated: bool,
    is_large: bool,
    crc: u32,
    compressed: u64,
    size: u64,
    offset: u64,
}

/// Archive that is written from front to back.
pub(in crate::io) struct ZipWriter<W> {
    out: Counter<W>,
    entries: Vec<Entry>,
}

impl<W: Write> ZipWriter<W> {
    /// Starts an archive.
    pub fn new(out: W) -> Self {
        Self {
            out: Counter { out, count: 0 },
            entries: Vec::new(),
        }
    }

    /// Writes an entry without compression.
    pub fn store(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut crc = Crc::new();
        crc.update(content);
        let size = content.len() as u64;
        let entry = Entry {
            name: name.to_owned(),
            flags: UTF8,
            is_deflated: false,
            is_large: size > MAX_SHORT,
            crc: crc.sum(),
            compressed: size,
            size,
            offset: self.out.count,
        };
        self.out.write_all(&entry.local_header())?;
        self.out.write_all(content)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes a compressed entry, of which `write` writes at most `max_bytes` bytes.
    pub fn deflate(
        &mut self,
        name: &str,
        max_bytes: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut entry = Entry {
            name: name.to_owned(),
            flags: UTF8 | SIZES_FOLLOW,
            is_deflated: true,
            // Incompressible content grows a little.
            is_large: max_bytes > MAX_SHORT - MAX_SHORT / 64,
            crc: 0,
            compressed: 0,
            size: 0,
            offset: self.out.count,
        };
        self.out.write_all(&entry.local_header())?;
        let start = self.out.count;
        (entry.crc, entry.size) = self.write_deflated(write)?;
        entry.compressed = self.out.count - start;
        let mut sizes = b"PK\x07\x08".to_vec();
        sizes.extend(entry.crc.to_le_bytes());
        for size in [entry.compressed, entry.size] {
            let bytes = size.to_le_bytes();
            sizes.extend(if entry.is_large {
                &bytes[..]
            } else {
                &bytes[..4]
            });
        }
        self.out.write_all(&sizes)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Compresses a content. Returns its checksum and its size before compression.
    fn write_deflated(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<(u32, u64)> {
        let mut content = Content {
            encoder: DeflateEncoder::new(&mut self.out, Compression::new(LEVEL)),
            crc: Crc::new(),
            size: 0,
        };
        write(&mut content)?;
        content.encoder.try_finish()?;
        Ok((content.crc.sum(), content.size))
    }

    /// Writes the directory with a comment of the archive. Returns the underlying writer.
    pub fn finish(mut self, comment: &str) -> io::Result<W> {
        let start = self.out.count;
        for entry in &self.entries {
            self.out.write_all(&entry.directory_header())?;
        }
        let (size, count) = (self.out.count - start, self.entries.len() as u64);
        if size > MAX_SHORT || start > MAX_SHORT || count > 0xFFFE {
            let record = self.out.count;
            let mut end = b"PK\x06\x06".to_vec();
            end.extend(44_u64.to_le_bytes());
            end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [count, count, size, start] {
                end.extend(number.to_le_bytes());
            }
            end.extend(b"PK\x06\x07\0\0\0\0");
            end.extend(record.to_le_bytes());
            end.extend(1_u32.to_le_bytes());
            self.out.write_all(&end)?;
        }
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        for _ in 0..2 {
            end.extend((count.min(0xFFFF) as u16).to_le_bytes());
        }
        for number in [size, start] {
            end.extend(saturate(number).to_le_bytes());
        }
        end.extend((comment.len() as u16).to_le_bytes());
        end.extend(comment.as_bytes());
        self.out.write_all(&end)?;
        Ok(self.out.out)
    }
}

impl Entry {
    /// Returns version, flags, method and date, which both headers have.
    fn common(&self) -> Vec<u8> {
        let version = VERSIONS[usize::from(!self.is_large)];
        let method = if self.is_deflated { 8 } else { 0 };
        let fields = [version, self.flags, method, 0, DATE];
        fields
            .iter()
            .flat_map(|field| field.to_le_bytes())
            .collect()
    }

    fn local_header(&self) -> Vec<u8> {
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(self.common());
        header.extend(self.crc.to_le_bytes());
        for size in [self.compressed, self.size] {
            let size = if self.is_large { u32::MAX } else { size as u32 };
            header.extend(size.to_le_bytes());
        }
        header.extend((self.name.len() as u16).to_le_bytes());
        let extra = if self.is_large { 20_u16 } else { 0 };
        header.extend(extra.to_le_bytes());
        header.extend(self.name.as_bytes());
        if self.is_large {
            header.extend([1, 0, 16, 0]);
            for size in [self.size, self.compressed] {
                header.extend(size.to_le_bytes());
            }
        }
        header
    }

    fn directory_header(&self) -> Vec<u8> {
        let numbers = [self.size, self.compressed, self.offset];
        let large: Vec<u64> = numbers.into_iter().filter(|it| *it > MAX_SHORT).collect();
        let mut header = b"PK\x01\x02".to_vec();
        header.extend(VERSIONS[usize::from(large.is_empty() && !self.is_large)].to_le_bytes());
        header.extend(self.common());
        header.extend(self.crc.to_le_bytes());
        for size in [self.compressed, self.size] {
            header.extend(saturate(size).to_le_bytes());
        }
        header.extend((self.name.len() as u16).to_le_bytes());
        let extra = if large.is_empty() {
            0
        } else {
            4 + 8 * large.len()
        };
        header.extend((extra as u16).to_le_bytes());
        // Comment, disk and attributes.
        header.extend([0; 10]);
        header.extend(saturate(self.offset).to_le_bytes());
        header.extend(self.name.as_bytes());
        if !large.is_empty() {
            header.extend([1, 0, 8 * large.len() as u8, 0]);
            large
                .iter()
                .for_each(|number| header.extend(number.to_le_bytes()));
        }
        header
    }
}

/// Returns a number for a field of 32 bits; all bits are set if it stands in the zip64 field.
fn saturate(number: u64) -> u32 {
    if number > MAX_SHORT {
        u32::MAX
    } else {
        number as u32
    }
}

/// Writer that counts its bytes.
struct Counter<W> {
    out: W,
    count: u64,
}

impl<W: Write> Write for Counter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Content of a compressed entry.
struct Content<W: Write> {
    encoder: DeflateEncoder<W>,
    crc: Crc,
    size: u64,
}

impl<W: Write> Write for Content<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.encoder.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::source::random_access::RandomAccessBytes;
    use crate::io::zip::ZipArchive;

    #[test]
    fn written_archives_are_read() {
        for max_bytes in [1 << 20, u64::MAX] {
            let mut bytes = Vec::new();
            let mut archive = ZipWriter::new(&mut bytes);
            archive.store("a/ä.txt", b"stored").unwrap();
            let write = |out: &mut dyn Write| out.write_all(&[7; 100_000]);
            archive.deflate("b", max_bytes, write).unwrap();
            archive.store("empty", b"").unwrap();
            archive.finish("comment").unwrap();
            assert!(bytes.len() < 1000);
            let length = bytes.len() as u64;
            let archive = ZipArchive::open(RandomAccessBytes::Bytes(&bytes), length).unwrap();
            let read = |name: &str| {
                archive
                    .read_entry(archive.entry(name).unwrap(), 1 << 20)
                    .unwrap()
            };
            assert_eq!(read("a/ä.txt"), b"stored");
            assert_eq!(read("b"), [7; 100_000]);
            assert_eq!(read("empty"), b"");
        }
    }
}
