//! Decompression of the remaining bytes of a source.

use std::io::{BufReader, Read};
use std::thread::Scope;

use flate2::bufread::{DeflateDecoder, ZlibDecoder};

use super::{BUFFER, BzDecoder, Reader, Source};
use crate::io::source::gzip::{self, CompressedBytes, ParallelGunzip};
use crate::io::source::members::Members;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::source::read_ahead::{CHUNKS, read_ahead};
use crate::io::source::remaining::Remaining;

/// Largest ratio of decompressed to compressed bytes in deflate.
pub(in crate::io) const DEFLATE_LIMIT: u64 = 1032;
/// Upper bound on the ratio of decompressed to compressed bytes in bzip2: about 40 bytes encode a
/// block of 900 kB, in which each run of 5 bytes stands for at most 259.
const BZIP2_LIMIT: u64 = 1 << 21;
/// Name of bzip2 in errors.
const BZIP2: &str = "bzip2";
/// Smallest bound on the decompressed length for which decoding ahead is worthwhile, in bytes.
const READ_AHEAD_BYTES: u64 = DEFLATE_LIMIT << 16;

impl<'a> Source<'a> {
    /// Decompresses the remaining bytes with gzip.
    pub fn gunzip(self) -> Self {
        let compressed = match (&self.positioned, self.left) {
            (
                Some(bytes @ (RandomAccessBytes::File(_) | RandomAccessBytes::Bytes(_))),
                Remaining::Exactly(left),
            ) => Some(CompressedBytes {
                bytes: bytes.clone(),
                start: self.position,
                end: self.position + left,
                decoded: u64::MAX,
            }),
            _ => None,
        };
        Self {
            gzip: compressed,
            ..self.decompress("gzip", DEFLATE_LIMIT, |reader| gzip::sequential(reader))
        }
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

    /// Decompresses the remaining bytes with bzip2.
    pub fn bunzip2(self) -> Self {
        self.decompress(BZIP2, BZIP2_LIMIT, |reader| {
            let members = Members::<BzDecoder<_>>::new(reader);
            Box::new(BufReader::with_capacity(BUFFER, members))
        })
    }

    /// Decodes the remaining bytes ahead in a separate thread if there may be many, and large gzip
    /// files in as many threads as the pool of the caller has. None of them belongs to that pool,
    /// whose threads may all be waiting for decoded bytes. Pipes are not read ahead: a pipe may
    /// stay open after the last needed byte.
    pub fn decoded_ahead<'scope>(self, scope: &'scope Scope<'scope, '_>) -> Source<'scope>
    where
        'a: 'scope,
    {
        match (self.encoding, self.left) {
            (Some(_), Remaining::AtMost(left)) if left > READ_AHEAD_BYTES => {
                let reader = self.reader;
                let parallel = self.gzip.clone().and_then(|gzip| {
                    let limit = gzip.decoded - self.position;
                    let decoder = ParallelGunzip::new(gzip, self.position)?;
                    let chunks = decoder.chunks();
                    let reader = read_ahead(decoder, chunks, scope).ok()?;
                    Some(Box::new(reader.take(limit)) as Reader<'_>)
                });
                let reader = parallel.unwrap_or_else(|| {
                    read_ahead(reader, CHUNKS, scope).unwrap_or_else(|reader| reader)
                });
                Source { reader, ..self }
            }
            _ => self,
        }
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
            gzip: None,
        }
    }
}
