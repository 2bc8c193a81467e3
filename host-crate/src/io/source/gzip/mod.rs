//! Decoding of gzip files by several threads.
//!
//! | module | contents |
//! | --- | --- |
//! | [`bits`], [`huffman`], [`block`] | deflate blocks |
//! | [`symbols`] | their contents as 16-bit symbols: bytes, and markers of unknown bytes |
//! | [`position`], [`search`] | positions at which blocks and members may start |
//! | [`member`] | headers of members |
//! | [`chunk`] | decoding from a position on, known or guessed |
//! | [`wave`] | one chunk per thread, joined and verified |
//! | [`share`] | threads of all decoders |
//!
//! The threads are not those of the program's pools: a thread of a pool that waits for decoded
//! bytes does none of the pool's work, and all of them may wait.
//!
//! Whatever is unexpected is left to the sequential decoder, which starts again and skips what has
//! been decoded: errors and the bytes before them are the same as without threads.

mod bits;
mod block;
mod chunk;
pub(in crate::io) mod fuzz;
mod huffman;
mod member;
mod position;
mod search;
mod share;
mod symbols;
#[cfg(test)]
mod tests;
mod wave;

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use rayon::{ThreadBuilder, ThreadPoolBuilder};

use super::buffered::with_buffer;
use super::members::Members;
use super::random_access::{PositionReader, RandomAccessBytes};
use super::read_ahead::AheadDecoder;
use super::{BUFFER, Reader};
use share::{Decoders, Share};
use wave::{ChunkSizes, WaveDecoder};

pub(super) use wave::CompressedBytes;

/// Smallest number of compressed bytes that several threads decode.
const MIN_BYTES: u64 = 1 << 20;
/// Upper bound on the number of compressed bytes, whose bits are counted in a `usize`.
const MAX_BYTES: u64 = (usize::MAX / 16) as u64;
/// Number of decoded bytes that are held back until more have been decoded. When `flate2` meets
/// damage, it discards what the same call has decoded, up to one buffer. To report the error at the
/// same byte, nothing is returned within that distance of the last decoded byte.
const HELD_BACK: usize = BUFFER;
/// Smallest number of threads that decode in parallel, which takes 1.4 to 1.8 times the processor
/// time of one, while another thread converts the samples.
const MIN_THREADS: usize = 3;
/// Largest number of threads of a decoder. Each has about 10 MiB of buffers, and at most 50 MiB for
/// chunks of the largest size: 18 MiB of symbols, 9 MiB of decoded bytes, twice that for chunks in
/// circulation, and 5 MiB for compressed bytes and spare lists.
const MAX_THREADS: usize = 32;
/// Largest capacity of lists that are reused, in bytes.
const MAX_SPARE: usize = 2 << 20;

/// Decoders of this process.
static DECODERS: Decoders = Decoders::new();

/// Creates the sequential decoder of all members. Its buffer holds what one call of the decoder
/// returns.
pub(super) fn sequential<'a>(reader: impl BufRead + Send + 'a) -> Reader<'a> {
    let members = Members::<GzDecoder<_>>::new(reader);
    Box::new(BufReader::with_capacity(BUFFER, members))
}

/// Decoder of a gzip file on several threads, with output in order.
pub(super) struct ParallelGunzip<'a> {
    compressed: CompressedBytes<'a>,
    state: State<'a>,
    /// Number of decoded bytes before the next one to be returned.
    position: u64,
    /// Largest number of threads.
    threads: usize,
}

enum State<'a> {
    Parallel {
        decoder: Box<WaveDecoder<'a>>,
        share: Share<'a>,
        /// Decoded chunks that have not been returned.
        ready: VecDeque<Vec<u8>>,
        /// Lists to be reused.
        spare: Vec<Vec<u8>>,
        /// Number of bytes of later chunks to be skipped.
        skipped: u64,
    },
    Sequential {
        reader: Reader<'a>,
        /// Number of bytes of the reader to be skipped.
        skipped: u64,
    },
}

impl<'a> ParallelGunzip<'a> {
    /// Creates a decoder that starts after `position` decoded bytes. All decoders together use at
    /// most as many threads as the pool of the caller has. Returns `None` if sequential decoding is
    /// better.
    pub fn new(compressed: CompressedBytes<'a>, position: u64) -> Option<Self> {
        if !(MIN_BYTES..MAX_BYTES).contains(&compressed.len()) {
            return None;
        }
        let share = DECODERS.add(rayon::current_num_threads(), MIN_THREADS)?;
        let sizes = ChunkSizes::DEFAULT;
        Some(Self::with_sizes(compressed, position, share, sizes))
    }

    fn with_sizes(
        compressed: CompressedBytes<'a>,
        position: u64,
        share: Share<'a>,
        sizes: ChunkSizes,
    ) -> Self {
        Self {
            threads: share.threads().min(MAX_THREADS),
            state: State::Parallel {
                decoder: Box::new(WaveDecoder::new(compressed.clone(), sizes)),
                share,
                ready: VecDeque::new(),
                spare: Vec::new(),
                skipped: position,
            },
            compressed,
            position,
        }
    }

    /// Returns the number of chunks that should be in circulation.
    pub fn chunks(&self) -> usize {
        2 * self.threads
    }

    /// Leaves the bytes from the current position on to the sequential decoder, which starts at the
    /// first.
    fn restart_sequentially(&mut self) {
        let CompressedBytes {
            bytes, start, end, ..
        } = &self.compressed;
        let reader = match bytes {
            RandomAccessBytes::Bytes(bytes) => sequential(&bytes[*start as usize..*end as usize]),
            _ => {
                let part = |offset, length| PositionReader {
                    bytes: bytes.clone(),
                    offset,
                    length,
                };
                // The buffers have the same bytes as those of a reader of the file.
                let aligned = start.next_multiple_of(BUFFER as u64).min(*end);
                let parts = part(*start, aligned).chain(part(aligned, *end));
                sequential(BufReader::with_capacity(BUFFER, parts))
            }
        };
        let skipped = self.position;
        self.state = State::Sequential { reader, skipped };
    }
}

/// Every call decodes at most one wave, or one buffer if they are decoded sequentially.
impl AheadDecoder for ParallelGunzip<'_> {
    /// Starts the threads, or leaves everything to the calling one if there can be no others.
    fn with_threads(&mut self, decode: impl FnOnce(&mut Self) + Send) {
        let threads = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|_| "decode gzip".to_owned());
        let mut decode = Some(decode);
        let started = threads.build_scoped(ThreadBuilder::run, |pool| {
            pool.install(|| decode.take().map(|decode| decode(self)))
        });
        if started.is_err()
            && let Some(decode) = decode
        {
            self.restart_sequentially();
            decode(self);
        }
    }

    fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> io::Result<bool> {
        chunk.clear();
        match &mut self.state {
            State::Parallel {
                decoder,
                share,
                ready,
                spare,
                skipped,
            } => {
                let later: usize = ready.iter().skip(1).map(Vec::len).sum();
                if (later >= HELD_BACK || decoder.is_at_end())
                    && let Some(next) = ready.pop_front()
                {
                    let empty = std::mem::replace(chunk, next);
                    if empty.capacity() <= MAX_SPARE {
                        spare.push(empty);
                    }
                    self.position += chunk.len() as u64;
                    return Ok(true);
                }
                if decoder.is_at_end() {
                    return Ok(false);
                }
                let take = |bytes: &mut Vec<u8>| {
                    let skip = (*skipped).min(bytes.len() as u64);
                    *skipped -= skip;
                    bytes.drain(..skip as usize);
                    if !bytes.is_empty() {
                        let empty = spare.pop().unwrap_or_default();
                        ready.push_back(std::mem::replace(bytes, empty));
                    }
                };
                let lanes = share.threads().min(self.threads);
                if decoder.is_futile() || decoder.decode(lanes, take).is_none() {
                    self.restart_sequentially();
                }
                Ok(true)
            }
            State::Sequential { reader, skipped } if *skipped > 0 => {
                let step = with_buffer(reader, |buffer| (*skipped).min(buffer.len() as u64))?;
                reader.consume(step as usize);
                *skipped -= step;
                Ok(step > 0)
            }
            State::Sequential { reader, .. } => reader.next_chunk(chunk),
        }
    }
}
