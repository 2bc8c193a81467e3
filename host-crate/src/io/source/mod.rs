//! A stream of bytes, plain or compressed, with a bound on its length.
//!
//! All readers work on a [`Source`], so that files, bytes in memory and decompressed streams share
//! one code path. The bound on the length protects against wrong headers: sizes are compared with
//! it before memory is allocated.

pub(super) mod decoded;
mod members;
pub(super) mod random_access;
mod read_ahead;
mod remaining;
#[cfg(test)]
mod tests;

pub(crate) use remaining::Remaining;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::thread::Scope;

use bzip2::bufread::BzDecoder;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use crate::io::FileProblem;
use crate::io::source::decoded::DecodedPlanes;
use crate::io::source::members::Members;
use crate::io::source::random_access::{PositionReader, RandomAccessBytes};
use crate::io::source::read_ahead::read_ahead;
use crate::memory;

/// Buffer size of a source over a file, in bytes.
const BUFFER: usize = 1 << 18;
/// Buffer size of a source over decoded planes, in bytes.
const PLANE_BUFFER: usize = 64;
/// Largest ratio of decompressed to compressed bytes in deflate.
const DEFLATE_LIMIT: u64 = 1032;
/// Upper bound on the ratio of decompressed to compressed bytes in bzip2: about 40 bytes encode a
/// block of 900 kB, in which each run of 5 bytes stands for at most 259.
const BZIP2_LIMIT: u64 = 1 << 21;

/// Name of bzip2 in errors.
const BZIP2: &str = "bzip2";

/// Smallest buffer that several threads fill from a file, in bytes.
const PARALLEL_READ_BYTES: usize = 4 << 20;
/// Smallest bound on the decompressed length for which decoding ahead is worthwhile, in bytes.
const READ_AHEAD_BYTES: u64 = DEFLATE_LIMIT << 16;

/// Underlying reader of a source. It may move to another thread.
type Reader<'a> = Box<dyn BufRead + Send + 'a>;

/// Stream of bytes that a reader consumes from front to back.
pub(crate) struct Source<'a> {
    reader: Reader<'a>,
    /// Random access to the same bytes, for uncompressed regular files and memory.
    positioned: Option<RandomAccessBytes<'a>>,
    left: Remaining,
    /// Number of bytes consumed so far.
    position: u64,
    /// Compression that is being decoded: `gzip`, `zlib` or `bzip2`.
    encoding: Option<&'static str>,
    /// `true` if the bytes that a header states have been counted by decoding them.
    is_counted: bool,
}

impl<'a> Source<'a> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, FileProblem> {
        let open = |source| FileProblem::from_io("open the file", source);
        let file = File::open(path).map_err(open)?;
        let metadata = file.metadata().map_err(open)?;
        if metadata.is_dir() {
            return Err(FileProblem::IsDirectory);
        }
        let file = Arc::new(file);
        let reader = Box::new(BufReader::with_capacity(BUFFER, Arc::clone(&file)));
        Ok(if metadata.is_file() {
            let mut source = Self::new(reader, Remaining::Exactly(metadata.len()));
            source.positioned = Some(RandomAccessBytes::File(file));
            source
        } else {
            Self::new(reader, Remaining::Unknown)
        })
    }

    /// Reads from memory.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        let mut source = Self::new(Box::new(bytes), Remaining::Exactly(bytes.len() as u64));
        source.positioned = Some(RandomAccessBytes::Bytes(bytes));
        source
    }

    /// Reads the output of a decoder.
    pub fn from_decoder(decoder: impl Read + Send + 'a, left: Remaining) -> Self {
        Self::new(Box::new(BufReader::with_capacity(BUFFER, decoder)), left)
    }

    /// Reads decoded planes, whose number is certain if `is_length_known`: memory for all of them
    /// may then be allocated at once.
    pub fn from_planes(planes: DecodedPlanes<'a>, is_length_known: bool) -> Self {
        let length = planes.total_bytes();
        let bytes = RandomAccessBytes::Decoded(Arc::new(planes));
        let left = if is_length_known {
            Remaining::Exactly(length)
        } else {
            Remaining::AtMost(length)
        };
        let mut source = Self::new(position_reader(&bytes, 0, length), left);
        source.positioned = Some(bytes);
        source
    }

    fn new(reader: Reader<'a>, left: Remaining) -> Self {
        Self {
            reader,
            positioned: None,
            left,
            position: 0,
            encoding: None,
            is_counted: false,
        }
    }

    /// Returns the number of remaining bytes, as far as it is known.
    pub fn remaining(&self) -> Remaining {
        self.left
    }

    /// Returns `true` if the remaining bzip2 data may expand to `bytes` bytes, which is more than
    /// deflate data of that length could: they should be counted before memory is allocated.
    pub fn needs_count(&self, bytes: u64) -> bool {
        let Remaining::AtMost(limit) = self.left else {
            return false;
        };
        let is_far_expanded = bytes > limit / BZIP2_LIMIT * DEFLATE_LIMIT;
        self.encoding == Some(BZIP2) && bytes > BUFFER as u64 && is_far_expanded
    }

    /// States that all bytes which the header states exist, after they were counted in another
    /// source of the same file.
    pub fn set_counted(&mut self) {
        self.is_counted = true;
    }

    /// Returns `true` if the bytes that the header states certainly exist.
    pub fn is_length_known(&self) -> bool {
        self.is_counted || matches!(self.left, Remaining::Exactly(_))
    }

    /// Returns random access to the bytes, with offsets that count like
    /// [`position`](Self::position); `None` for compressed data and pipes.
    pub fn positioned(&self) -> Option<RandomAccessBytes<'a>> {
        self.positioned.clone()
    }

    /// Returns the number of bytes consumed so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the next `count` bytes, or fewer at the end, without consuming them.
    pub fn peek(&mut self, count: usize) -> Result<Vec<u8>, FileProblem> {
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
                self.reader.fill_buf().map(|chunk| {
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
            match self.reader.fill_buf().map(<[u8]>::len) {
                Ok(0) => break,
                Ok(length) => {
                    let step = (count - skipped).min(length as u64);
                    self.reader.consume(step as usize);
                    self.advance(step);
                    skipped += step;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.problem(error)),
            }
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
        if !matches!(self.left, Remaining::Exactly(left) if left >= count) {
            return Ok(false);
        }
        // All bytes consumed from a file are counted, so the position is the offset in the file.
        let offset = SeekFrom::Start(self.position + count);
        let mut file = Arc::clone(file);
        file.seek(offset).map_err(|error| self.problem(error))?;
        self.reader = Box::new(BufReader::with_capacity(BUFFER, file));
        self.advance(count);
        Ok(true)
    }

    /// Reads the next line without its end (LF or CR LF); `None` at the end of the source. A line
    /// longer than `limit` is cut there, and the next call continues it.
    pub fn line(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(limit as u64);
        let consumed = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| self.problem(error))?;
        self.advance(consumed as u64);
        if consumed == 0 {
            return Ok(None);
        }
        if line.ends_with(b"\n") {
            line.pop();
            if line.ends_with(b"\r") {
                line.pop();
            }
        }
        Ok(Some(line))
    }

    /// Reads the bytes up to the next white space, comma or NUL, after skipping such bytes; `None`
    /// at the end. A word longer than `limit` is cut there.
    pub fn word(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let is_separator = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',' || *byte == 0;
        let mut word = Vec::new();
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.problem(error)),
            };
            if buffer.is_empty() {
                return Ok((!word.is_empty()).then_some(word));
            }
            let mut used = 0;
            let mut done = false;
            for byte in buffer {
                used += 1;
                if !is_separator(byte) {
                    word.push(*byte);
                    done = word.len() == limit;
                } else if !word.is_empty() {
                    done = true;
                }
                if done {
                    break;
                }
            }
            self.reader.consume(used);
            self.advance(used as u64);
            if done {
                return Ok(Some(word));
            }
        }
    }

    /// Decompresses the remaining bytes with gzip.
    pub fn gunzip(self) -> Self {
        self.decompress("gzip", DEFLATE_LIMIT, |reader| {
            let members = Members::<GzDecoder<_>>::new(reader);
            Box::new(BufReader::with_capacity(BUFFER, members))
        })
    }

    /// Decompresses the remaining bytes with zlib.
    pub fn inflate(self) -> Self {
        self.decompress("zlib", DEFLATE_LIMIT, |reader| {
            Box::new(BufReader::with_capacity(BUFFER, ZlibDecoder::new(reader)))
        })
    }

    /// Decompresses the remaining bytes with deflate, without a header.
    pub fn inflate_raw(self) -> Self {
        self.decompress("deflate", DEFLATE_LIMIT, |reader| {
            Box::new(BufReader::with_capacity(
                BUFFER,
                DeflateDecoder::new(reader),
            ))
        })
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

    /// Decompresses the remaining bytes with bzip2.
    pub fn bunzip2(self) -> Self {
        self.decompress(BZIP2, BZIP2_LIMIT, |reader| {
            let members = Members::<BzDecoder<_>>::new(reader);
            Box::new(BufReader::with_capacity(BUFFER, members))
        })
    }

    /// Decodes the remaining bytes ahead in a separate thread if there may be many. Pipes are not
    /// read ahead: a pipe may stay open after the last needed byte.
    pub fn decoded_ahead<'scope>(self, scope: &'scope Scope<'scope, '_>) -> Source<'scope>
    where
        'a: 'scope,
    {
        match (self.encoding, self.left) {
            (Some(_), Remaining::AtMost(left)) if left > READ_AHEAD_BYTES => Source {
                reader: read_ahead(self.reader, scope),
                ..self
            },
            _ => self,
        }
    }

    fn decompress(
        self,
        encoding: &'static str,
        limit: u64,
        decoder: impl FnOnce(Reader<'a>) -> Reader<'a>,
    ) -> Self {
        let left = match self.left {
            Remaining::Exactly(left) | Remaining::AtMost(left) => {
                Remaining::AtMost(left.saturating_mul(limit))
            }
            Remaining::Unknown => Remaining::Unknown,
        };
        Self {
            reader: decoder(self.reader),
            positioned: None,
            left,
            position: 0,
            encoding: Some(encoding),
            is_counted: false,
        }
    }

    fn advance(&mut self, bytes: u64) {
        self.position += bytes;
        self.left = self.left.after_consuming(bytes);
    }

    fn problem(&self, source: io::Error) -> FileProblem {
        let after = self.position;
        // Decoders of this crate report a `FileProblem` themselves.
        let source = match source.downcast::<FileProblem>() {
            Ok(problem) => return problem,
            Err(source) => source,
        };
        match (self.encoding, source.kind()) {
            (Some(encoding), io::ErrorKind::UnexpectedEof) => {
                FileProblem::CompressionEndsEarly { encoding, after }
            }
            (Some(encoding), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
                FileProblem::CompressionDamaged {
                    encoding,
                    after,
                    source,
                }
            }
            _ => FileProblem::from_io("read", source),
        }
    }
}

/// Returns a reader of random-access bytes from `offset` on.
fn position_reader<'a>(bytes: &RandomAccessBytes<'a>, offset: u64, length: u64) -> Reader<'a> {
    let reader = PositionReader {
        bytes: bytes.clone(),
        offset,
        length,
    };
    // Planes are read by `fill`, without a buffer.
    Box::new(BufReader::with_capacity(PLANE_BUFFER, reader))
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
