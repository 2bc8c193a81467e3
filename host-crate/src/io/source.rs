//! A stream of bytes, plain or compressed, with what is known of its length.
//!
//! Readers work on a [`Source`], so that files, bytes in memory and decompressed streams are read
//! by the same code. The length is what protects against headers that lie: sizes are compared
//! with it before memory is asked for.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::thread::Scope;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};

use super::positioned::Positioned;
use super::read_ahead::read_ahead;
use super::{Amount, FileProblem};

/// Buffer of a source over a file.
const BUFFER: usize = 1 << 18;
/// Deflate makes at most 1032 bytes of one.
const DEFLATE_LIMIT: u64 = 1032;
/// bzip2 makes at most a block of 900 kB, whose runs of 5 bytes stand for 259 at most, of some 40
/// bytes.
const BZIP2_LIMIT: u64 = 1 << 21;

/// Bytes that are read from a file by several threads.
const LARGE: usize = 4 << 20;
/// Compressed data are decoded ahead if there may come more than this.
const AHEAD: u64 = DEFLATE_LIMIT << 16;

/// What is known of the number of bytes that a source still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Exactly this many: a regular file, or memory.
    Exactly(u64),
    /// At most this many: compressed data.
    AtMost(u64),
    /// Anything: a pipe.
    Unknown,
}

impl Left {
    /// How many bytes there are if they are surely fewer than `needed`.
    pub fn fewer_than(self, needed: u64) -> Option<Amount> {
        match self {
            Self::Exactly(left) if left < needed => Some(Amount::Exactly(left)),
            Self::AtMost(left) if left < needed => Some(Amount::AtMost(left)),
            _ => None,
        }
    }

    fn after(self, taken: u64) -> Self {
        match self {
            Self::Exactly(left) => Self::Exactly(left.saturating_sub(taken)),
            Self::AtMost(left) => Self::AtMost(left.saturating_sub(taken)),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The reader behind a source. It may move to another thread.
type Reader<'a> = Box<dyn BufRead + Send + 'a>;

pub(crate) struct Source<'a> {
    reader: Reader<'a>,
    /// The bytes as they can be read at any place, where they can: a regular file or memory, not
    /// compressed.
    positioned: Option<Positioned<'a>>,
    left: Left,
    /// Bytes given out so far.
    position: u64,
    /// The encoding that is being undone: `gzip`, `zlib` or `bzip2`.
    encoding: Option<&'static str>,
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
            let mut source = Self::new(reader, Left::Exactly(metadata.len()));
            source.positioned = Some(Positioned::File(file));
            source
        } else {
            Self::new(reader, Left::Unknown)
        })
    }

    /// Reads from memory.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        let mut source = Self::new(Box::new(bytes), Left::Exactly(bytes.len() as u64));
        source.positioned = Some(Positioned::Bytes(bytes));
        source
    }

    /// Reads what a decoder makes of something else.
    pub fn from_decoder(decoder: impl Read + Send + 'a, left: Left) -> Self {
        Self::new(Box::new(BufReader::with_capacity(BUFFER, decoder)), left)
    }

    fn new(reader: Reader<'a>, left: Left) -> Self {
        Self {
            reader,
            positioned: None,
            left,
            position: 0,
            encoding: None,
        }
    }

    /// What is known of the number of bytes still to come.
    pub fn left(&self) -> Left {
        self.left
    }

    /// The bytes as they can be read at any place, counted like [`position`](Self::position);
    /// `None` for compressed data and pipes.
    pub fn positioned(&self) -> Option<Positioned<'a>> {
        self.positioned.clone()
    }

    /// How many bytes have been taken.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The first `count` bytes to come, or fewer at the end, without taking them.
    pub fn peek(&mut self, count: usize) -> Result<Vec<u8>, FileProblem> {
        let mut start = vec![0; count];
        let found = read_full(&mut self.reader, &mut start).map_err(|error| self.problem(error))?;
        start.truncate(found);
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(start.clone()).chain(rest));
        Ok(start)
    }

    /// Fills `buffer`; returns how many bytes there were, fewer than asked for only at the end.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, FileProblem> {
        if self.fill_at_place(buffer)? {
            return Ok(buffer.len());
        }
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &mut buffer[filled..];
            let read = if self.encoding.is_some() {
                // By way of the buffer: how much a decoder gives before it finds damage depends on
                // how much it is asked for, and a damaged file has one message however it is read.
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
                    self.take(read as u64);
                    filled += read;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.problem(error)),
            }
        }
        Ok(filled)
    }

    /// Fills a large buffer from a file by several threads; false where that cannot be done, and
    /// where the file has become shorter meanwhile: then it is read from the front, which finds how
    /// much there is.
    fn fill_at_place(&mut self, buffer: &mut [u8]) -> Result<bool, FileProblem> {
        let bytes = buffer.len() as u64;
        if buffer.len() < LARGE || !matches!(self.left, Left::Exactly(left) if left >= bytes) {
            return Ok(false);
        }
        match &self.positioned {
            Some(file @ Positioned::File(_)) => {
                // the position is the place in the file, as below
                Ok(file.fill(buffer, self.position)? && self.seek_over(bytes)?)
            }
            _ => Ok(false),
        }
    }

    /// Passes over `count` bytes; returns how many there were.
    pub fn skip(&mut self, count: u64) -> Result<u64, FileProblem> {
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
                    self.take(step);
                    skipped += step;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.problem(error)),
            }
        }
        Ok(skipped)
    }

    /// Passes over bytes of a file without reading them; false where that cannot be done.
    fn seek_over(&mut self, count: u64) -> Result<bool, FileProblem> {
        let Some(Positioned::File(file)) = &self.positioned else {
            return Ok(false);
        };
        if !matches!(self.left, Left::Exactly(left) if left >= count) {
            return Ok(false);
        }
        // Everything that a file gives out is counted, so the position is the place in the file.
        let place = SeekFrom::Start(self.position + count);
        let mut file = Arc::clone(file);
        file.seek(place).map_err(|error| self.problem(error))?;
        self.reader = Box::new(BufReader::with_capacity(BUFFER, file));
        self.take(count);
        Ok(true)
    }

    /// The next line without its end (LF or CR LF); `None` at the end of the source.
    /// A line longer than `limit` comes back cut at the limit: the callers' lines are short.
    pub fn line(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(limit as u64);
        let taken = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| self.problem(error))?;
        self.take(taken as u64);
        if taken == 0 {
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

    /// The bytes up to the next white space (or comma), white space before them passed over; `None`
    /// at the end. A word longer than `limit` comes back cut there.
    pub fn word(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',' || *byte == 0;
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
                if !is_gap(byte) {
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
            self.take(used as u64);
            if done {
                return Ok(Some(word));
            }
        }
    }

    /// Undoes gzip from here on.
    pub fn gunzip(self) -> Self {
        self.decompress("gzip", DEFLATE_LIMIT, |reader| {
            Box::new(BufReader::with_capacity(
                BUFFER,
                MultiGzDecoder::new(reader),
            ))
        })
    }

    /// Undoes zlib from here on.
    pub fn inflate(self) -> Self {
        self.decompress("zlib", DEFLATE_LIMIT, |reader| {
            Box::new(BufReader::with_capacity(BUFFER, ZlibDecoder::new(reader)))
        })
    }

    /// Undoes bzip2 from here on.
    pub fn bunzip2(self) -> Self {
        self.decompress("bzip2", BZIP2_LIMIT, |reader| {
            let decoder = MultiBzDecoder::new(reader);
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        })
    }

    /// Decodes what comes next on a thread of its own, where much may come: compressed data of a
    /// file or in memory. Of a pipe, which may go on when everything has been read, nothing is read
    /// ahead.
    pub fn decoded_ahead<'scope>(self, scope: &'scope Scope<'scope, '_>) -> Source<'scope>
    where
        'a: 'scope,
    {
        match (self.encoding, self.left) {
            (Some(_), Left::AtMost(left)) if left > AHEAD => Source {
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
            Left::Exactly(left) | Left::AtMost(left) => Left::AtMost(left.saturating_mul(limit)),
            Left::Unknown => Left::Unknown,
        };
        Self {
            reader: decoder(self.reader),
            positioned: None,
            left,
            position: 0,
            encoding: Some(encoding),
        }
    }

    fn take(&mut self, bytes: u64) {
        self.position += bytes;
        self.left = self.left.after(bytes);
    }

    fn problem(&self, source: io::Error) -> FileProblem {
        let after = self.position;
        // A decoder of this crate has the problem itself.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_takes_nothing() {
        let mut source = Source::from_bytes(b"abc def");
        assert_eq!(source.peek(3).unwrap(), b"abc");
        assert_eq!(source.peek(100).unwrap(), b"abc def");
        assert_eq!((source.position(), source.left()), (0, Left::Exactly(7)));
        assert_eq!(source.word(100).unwrap().unwrap(), b"abc");
        assert_eq!((source.position(), source.left()), (4, Left::Exactly(3)));
        assert_eq!(source.skip(2).unwrap(), 2);
        assert_eq!(source.word(100).unwrap().unwrap(), b"f");
        assert_eq!(source.word(100).unwrap(), None);
    }

    #[test]
    fn lines_end_with_lf_or_cr_lf_and_are_cut_at_the_limit() {
        let mut source = Source::from_bytes(b"one\r\n\ntwo\n0123456789");
        assert_eq!(source.line(100).unwrap().unwrap(), b"one");
        assert_eq!(source.line(100).unwrap().unwrap(), b"");
        assert_eq!(source.line(100).unwrap().unwrap(), b"two");
        assert_eq!(source.line(4).unwrap().unwrap(), b"0123");
        assert_eq!(source.line(100).unwrap().unwrap(), b"456789");
        assert_eq!(source.line(100).unwrap(), None);
    }

    #[test]
    fn decompression_bounds_what_can_come() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        io::Write::write_all(&mut encoder, &vec![0; 1 << 20]).unwrap();
        let packed = encoder.finish().unwrap();
        let mut source = Source::from_bytes(&packed).gunzip();
        let Left::AtMost(bound) = source.left() else {
            panic!("compressed data have a bound")
        };
        assert!(bound >= 1 << 20, "{bound}");
        assert_eq!(source.skip(u64::MAX).unwrap(), 1 << 20);
    }

    #[test]
    fn long_skips_in_a_file_end_where_short_ones_do() {
        let content: Vec<u8> = (0..BUFFER * 3).map(|i| (i / 5) as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, &content).unwrap();
        let mut source = Source::open(&path).unwrap();
        assert_eq!(source.peek(10).unwrap(), content[..10]);
        assert_eq!(source.skip(3).unwrap(), 3);
        let far = BUFFER + 1000;
        assert_eq!(source.skip(far as u64).unwrap(), far as u64);
        assert_eq!(source.position(), far as u64 + 3);
        assert_eq!(source.peek(10).unwrap(), content[far + 3..far + 13]);
        let left = content.len() - far - 3;
        assert_eq!(source.left(), Left::Exactly(left as u64));
        assert_eq!(source.skip(u64::MAX).unwrap(), left as u64);
        assert!(source.peek(1).unwrap().is_empty());
    }
}
