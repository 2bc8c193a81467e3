//! A stream of bytes, plain or compressed, with a bound on its length.
//!
//! All readers work on a [`Source`], so that files, bytes in memory and decompressed streams share
//! one code path. The bound on the length protects against wrong headers: sizes are compared with
//! it before memory is allocated.

mod buffered;
mod compression;
pub(super) mod decoded;
pub(super) mod gzip;
mod members;
#[cfg(not(feature = "bzip2"))]
mod no_bzip2;
pub(super) mod random_access;
mod read_ahead;
mod reading;
mod remaining;
#[cfg(test)]
mod tests;
mod words;

#[cfg(feature = "bzip2")]
pub(super) use bzip2::{bufread::BzDecoder, read::MultiBzDecoder};
pub(super) use compression::DEFLATE_LIMIT;
#[cfg(not(feature = "bzip2"))]
pub(super) use no_bzip2::{BzDecoder, MultiBzDecoder};
pub(crate) use remaining::Remaining;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use crate::io::FileProblem;
use crate::io::source::decoded::DecodedPlanes;
use crate::io::source::gzip::CompressedBytes;
use crate::io::source::random_access::{PositionReader, RandomAccessBytes};

/// Buffer size of a source over a file, in bytes.
const BUFFER: usize = 1 << 18;
/// Buffer size of a source over decoded planes, in bytes.
const PLANE_BUFFER: usize = 64;

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
    /// Compression that is being decoded: `gzip`, `zlib`, `deflate` or `bzip2`.
    encoding: Option<&'static str>,
    /// `true` if the bytes that a header states have been counted by decoding them.
    is_counted: bool,
    /// Compressed bytes of a gzip file whose contents this source reads.
    gzip: Option<CompressedBytes<'a>>,
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
            gzip: None,
        }
    }

    /// Ends the source after `count` more bytes.
    pub fn limited(self, count: u64) -> Self {
        let left = match self.left {
            Remaining::Exactly(left) => Remaining::Exactly(left.min(count)),
            Remaining::AtMost(left) => Remaining::AtMost(left.min(count)),
            Remaining::Unknown => Remaining::Unknown,
        };
        Self {
            reader: Box::new(self.reader.take(count)),
            left,
            gzip: self.gzip.map(|gzip| CompressedBytes {
                decoded: gzip.decoded.min(self.position + count),
                ..gzip
            }),
            ..self
        }
    }

    /// Returns the number of remaining bytes, as far as it is known.
    pub fn remaining(&self) -> Remaining {
        self.left
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

    /// Counts consumed bytes.
    fn advance(&mut self, bytes: u64) {
        self.position += bytes;
        self.left = self.left.after_consuming(bytes);
    }

    /// Converts an error of the reader.
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
