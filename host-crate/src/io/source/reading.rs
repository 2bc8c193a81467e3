//! Reading and skipping of bytes, sequentially or with random access.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::{BUFFER, Source, position_reader};
use crate::io::FileProblem;
use crate::io::source::buffered::with_buffer;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::source::remaining::Remaining;
use crate::memory;

/// Smallest buffer that several threads fill from a file, in bytes.
const PARALLEL_READ_BYTES: usize = 4 << 20;

impl Source<'_> {
    /// Returns the next `count` bytes, or fewer at the end, without consuming them.
    pub fn peek(&mut self, count: usize) -> Result<Vec<u8>, FileProblem> {
        // Bytes that the buffer holds need no reader in front of this one.
        let start = with_buffer(&mut self.reader, |buffer| {
            buffer.get(..count).map(<[u8]>::to_vec)
        });
        if let Some(start) = start.map_err(|error| self.problem(error))? {
            return Ok(start);
        }
        let mut start = vec![0; count];
        let found = read_full(&mut self.reader, &mut start).map_err(|error| self.problem(error))?;
        start.truncate(found);
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(start.clone()).chain(rest));
        Ok(start)
    }

    /// Fills `buffer` and returns the number of bytes, which is less than the length of `buffer`
    /// only at the end.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, FileProblem> {
        if let Some(count) = self.fill_from_planes(buffer)? {
            return Ok(count);
        }
        if self.fill_in_parallel(buffer)? {
            return Ok(buffer.len());
        }
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &mut buffer[filled..];
            let read = if self.encoding.is_some() {
                // Read through the decoder's buffer: the number of bytes that a decoder returns
                // before it detects damage depends on the size of the request, and a damaged file
                // should give the same message however it is read.
                with_buffer(&mut self.reader, |chunk| {
                    let count = chunk.len().min(rest.len());
                    rest[..count].copy_from_slice(&chunk[..count]);
                    count
                })
            } else {
                self.reader.read(rest)
            };
            match read {
                Ok(0) => break,
                Ok(read) => {
                    if self.encoding.is_some() {
                        self.reader.consume(read);
                    }
                    self.advance(read as u64);
                    filled += read;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.problem(error)),
            }
        }
        Ok(filled)
    }

    /// Fills a buffer from decoded planes and returns the number of bytes; `None` for other
    /// sources. Nothing is read ahead: planes after the requested ones may be damaged.
    fn fill_from_planes(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, FileProblem> {
        let (
            Some(bytes @ RandomAccessBytes::Decoded(_)),
            Remaining::Exactly(left) | Remaining::AtMost(left),
        ) = (&self.positioned, self.left)
        else {
            return Ok(None);
        };
        let count = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        if !bytes.fill(&mut buffer[..count], self.position)? {
            return Err(FileProblem::FileChanged);
        }
        self.seek_over(count as u64)?;
        Ok(Some(count))
    }

    /// Fills a large buffer from a file with several threads. Returns `false` if that is
    /// impossible, or if the file has become shorter meanwhile; a sequential read then determines
    /// its length.
    fn fill_in_parallel(&mut self, buffer: &mut [u8]) -> Result<bool, FileProblem> {
        let bytes = buffer.len() as u64;
        if buffer.len() < PARALLEL_READ_BYTES
            || !matches!(self.left, Remaining::Exactly(left) if left >= bytes)
        {
            return Ok(false);
        }
        match &self.positioned {
            Some(file @ RandomAccessBytes::File(_)) => {
                // The position is the offset in the file, see `seek_over`.
                Ok(file.fill(buffer, self.position)? && self.seek_over(bytes)?)
            }
            _ => Ok(false),
        }
    }

    /// Reads `count` bytes into memory that grows as they arrive; `None` if there are fewer.
    pub fn read_exact_growing(&mut self, count: u64) -> Result<Option<Vec<u8>>, FileProblem> {
        let mut bytes: Vec<u8> = Vec::new();
        while (bytes.len() as u64) < count {
            let start = bytes.len();
            let step = (count - start as u64).min(BUFFER as u64) as usize;
            memory::try_reserve_amortized("decompressed samples", &mut bytes, step)?;
            bytes.resize(start + step, 0);
            if self.fill(&mut bytes[start..])? < step {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }

    /// Skips `count` bytes and returns the number of bytes that existed.
    pub fn skip(&mut self, count: u64) -> Result<u64, FileProblem> {
        let is_decoded = matches!(self.positioned, Some(RandomAccessBytes::Decoded(_)));
        if let (true, Remaining::Exactly(left) | Remaining::AtMost(left)) = (is_decoded, self.left)
        {
            let count = count.min(left);
            self.seek_over(count)?;
            return Ok(count);
        }
        if count > BUFFER as u64 && self.seek_over(count)? {
            return Ok(count);
        }
        let mut skipped = 0;
        while skipped < count {
            let found = with_buffer(&mut self.reader, <[u8]>::len);
            let found = found.map_err(|error| self.problem(error))?;
            if found == 0 {
                break;
            }
            let step = (count - skipped).min(found as u64);
            self.reader.consume(step as usize);
            self.advance(step);
            skipped += step;
        }
        Ok(skipped)
    }

    /// Skips bytes of a file without reading them, or planes without decoding them. Returns `false`
    /// if that is impossible.
    fn seek_over(&mut self, count: u64) -> Result<bool, FileProblem> {
        if let (
            Some(bytes @ RandomAccessBytes::Decoded(_)),
            Remaining::Exactly(left) | Remaining::AtMost(left),
        ) = (&self.positioned, self.left)
        {
            if left < count {
                return Ok(false);
            }
            let length = self.position + left;
            self.reader = position_reader(bytes, self.position + count, length);
            self.advance(count);
            return Ok(true);
        }
        let Some(RandomAccessBytes::File(file)) = &self.positioned else {
            return Ok(false);
        };
        let Remaining::Exactly(left) = self.left else {
            return Ok(false);
        };
        if left < count {
            return Ok(false);
        }
        // All bytes consumed from a file are counted, so the position is the offset in the file.
        let offset = SeekFrom::Start(self.position + count);
        let mut file = Arc::clone(file);
        file.seek(offset).map_err(|error| self.problem(error))?;
        // The source may end before the file.
        let reader = BufReader::with_capacity(BUFFER, file);
        self.reader = Box::new(reader.take(left - count));
        self.advance(count);
        Ok(true)
    }
}

/// Reads until the buffer is full or the reader ends.
fn read_full(reader: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
