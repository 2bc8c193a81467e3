//! Decoding of consecutive chunks of a gzip file by all threads.

use flate2::Crc;

use super::chunk::{Chunk, Input};
use super::position::Position;
use super::symbols::WINDOW;
use crate::io::source::random_access::RandomAccessBytes;
use crate::memory;
use crate::parallel;

/// Sizes of chunks, in bytes.
pub(super) struct ChunkSizes {
    /// Smallest, first and largest distance of chunks in the compressed data.
    pub min: usize,
    pub first: usize,
    pub max: usize,
    /// Number of decoded bytes that a chunk should have. Buffers for more than four times as many
    /// are freed after a wave.
    pub decoded: usize,
    /// Upper bound on the decoded bytes of a chunk. Blocks of other programs than `gzip` may be
    /// longer; those of `gzip` have at most 8.5 MiB.
    pub max_decoded: usize,
}

impl ChunkSizes {
    /// Sizes whose buffers fit the caches of common processors.
    pub const DEFAULT: Self = Self {
        min: 1 << 14,
        first: 1 << 17,
        max: 1 << 19,
        decoded: 1 << 20,
        max_decoded: 9 << 20,
    };
}

/// Compressed bytes of a file or in memory.
#[derive(Clone)]
pub(in crate::io::source) struct CompressedBytes<'a> {
    pub bytes: RandomAccessBytes<'a>,
    /// Offset of the first and of the byte after the last.
    pub start: u64,
    pub end: u64,
    /// Number of decoded bytes that may be read.
    pub decoded: u64,
}

impl CompressedBytes<'_> {
    pub fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// Decoder that cuts a gzip file into waves of chunks, one per thread.
///
/// The first chunk of a wave starts at a known position, after known bytes. Every other one starts
/// at the first position in its part of the file that looks like the start of a block or a member,
/// with markers for the unknown 32 KiB before it (Kerbiriou and Chikhi, "Parallel decompression of
/// gzip-compressed files and random access to DNA sequences", 2019; Knespel and Brunst,
/// "Rapidgzip", 2023). It counts only if a chunk before it ends at the same position, so that wrong
/// guesses cost time but never change the result.
pub(super) struct WaveDecoder<'a> {
    compressed: CompressedBytes<'a>,
    lanes: Vec<Lane>,
    /// Next position, from the start of the compressed bytes on.
    position: Position,
    /// Last bytes of the current member, at most [`WINDOW`].
    window: Vec<u8>,
    sizes: ChunkSizes,
    /// Distance of the chunks of the next wave, in bytes.
    chunk: usize,
    /// Checksum of the current member so far.
    crc: Crc,
    /// Numbers of chunks that were started, and that counted.
    started: u64,
    counted: u64,
}

/// Buffers of one chunk.
struct Lane {
    chunk: Chunk,
    input: Vec<u8>,
    /// Bytes before the chunk.
    window: Vec<u8>,
    /// `true` if the chunk continues those before it.
    counts: bool,
    decoded: Vec<u8>,
    /// Checksums of the parts of members in `decoded`.
    crcs: Vec<Crc>,
    is_resolved: bool,
}

impl<'a> WaveDecoder<'a> {
    pub fn new(compressed: CompressedBytes<'a>, sizes: ChunkSizes) -> Self {
        Self {
            compressed,
            lanes: Vec::new(),
            position: Position::Member(0),
            window: Vec::new(),
            chunk: sizes.first,
            sizes,
            crc: Crc::new(),
            started: 0,
            counted: 0,
        }
    }

    /// Returns `true` after the last byte.
    pub fn is_at_end(&self) -> bool {
        matches!(self.position, Position::End(_))
    }

    /// Returns `true` if most chunks were decoded in vain.
    pub fn is_futile(&self) -> bool {
        self.started > 64 && self.counted * 4 < self.started + 64
    }

    /// Decodes the next chunks, one per lane, and passes their bytes on in order; `take` may
    /// replace the list by one to be reused. Returns `None`, without any of them, if anything is
    /// unexpected: damage, blocks of unusual size, a lack of memory, an error of the file.
    pub fn decode(&mut self, lanes: usize, mut take: impl FnMut(&mut Vec<u8>)) -> Option<()> {
        let max_decoded = self.sizes.max_decoded;
        self.lanes.resize_with(lanes, || Lane::new(max_decoded));
        let base = self.position.bit() / 8;
        self.decode_lanes(base);
        let position = self.position;
        self.chain(base)?;
        parallel::for_each_mut(&mut self.lanes, |_, lane| lane.resolve());
        self.verify()?;
        let (mut bytes, mut count) = (0, 0);
        for lane in self.lanes.iter_mut().filter(|lane| lane.counts) {
            (bytes, count) = (bytes + lane.decoded.len(), count + 1);
            take(&mut lane.decoded);
        }
        for lane in &mut self.lanes {
            lane.chunk.shrink_to(4 * self.sizes.decoded);
        }
        self.started += self.lanes.len() as u64;
        self.counted += count as u64;
        // About the distance that gives the desired number of decoded bytes.
        let consumed = (self.position.bit() - position.bit()) / 8 + 1;
        let ideal = (consumed as u64 * self.sizes.decoded as u64 / (bytes as u64 + 1)) as usize;
        self.chunk = ideal
            .min(2 * self.chunk)
            .clamp(self.sizes.min, self.sizes.max);
        Some(())
    }

    /// Decodes one chunk per lane; `base` is the index of the byte with the current position.
    fn decode_lanes(&mut self, base: usize) {
        let Self {
            compressed,
            position,
            window,
            chunk,
            ..
        } = self;
        let (total, chunk) = (compressed.len(), *chunk);
        parallel::for_each_mut(&mut self.lanes, |index, lane| {
            lane.chunk.range = None;
            let start = (base + index * chunk) as u64;
            let length = (2 * chunk as u64).min(total.saturating_sub(start)) as usize;
            let missing = length.saturating_sub(lane.input.len());
            if memory::try_reserve("compressed bytes", &mut lane.input, missing).is_err() {
                return;
            }
            lane.input.resize(length, 0);
            let offset = compressed.start + start;
            if !matches!(compressed.bytes.fill(&mut lane.input, offset), Ok(true)) {
                return;
            }
            let input = Input {
                bytes: &lane.input,
                is_last: start + length as u64 == total,
            };
            if index == 0 {
                let position = position.before(base * 8);
                lane.chunk.decode_after(&input, position, window, chunk * 8);
            } else {
                lane.chunk.decode_anywhere(&input, chunk);
            }
        });
    }

    /// Marks the chunks that join up without a gap, and moves the position and the window past
    /// them. Returns `None` if there are none.
    fn chain(&mut self, base: usize) -> Option<()> {
        let start = self.position;
        let mut next = Vec::with_capacity(WINDOW);
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.counts = false;
            let offset = (base + index * self.chunk) * 8;
            let Some((first, last)) = lane.chunk.range else {
                continue;
            };
            if first.after(offset) != self.position {
                continue;
            }
            if !lane.chunk.next_window(&self.window, &mut next) {
                return None;
            }
            lane.counts = true;
            std::mem::swap(&mut lane.window, &mut self.window);
            std::mem::swap(&mut self.window, &mut next);
            self.position = last.after(offset);
        }
        (self.position != start).then_some(())
    }

    /// Compares the checksums and lengths of the members that end in the wave.
    fn verify(&mut self) -> Option<()> {
        for lane in self.lanes.iter().filter(|lane| lane.counts) {
            if !lane.is_resolved {
                return None;
            }
            for (index, crc) in lane.crcs.iter().enumerate() {
                self.crc.combine(crc);
                if let Some(member) = lane.chunk.members.get(index) {
                    if (self.crc.sum(), self.crc.amount()) != (member.crc, member.len) {
                        return None;
                    }
                    self.crc.reset();
                }
            }
        }
        Some(())
    }
}

impl Lane {
    fn new(max_decoded: usize) -> Self {
        Self {
            chunk: Chunk::new(max_decoded),
            input: Vec::new(),
            window: Vec::new(),
            counts: false,
            decoded: Vec::new(),
            crcs: Vec::new(),
            is_resolved: false,
        }
    }

    /// Replaces the markers of the chunk and computes checksums.
    fn resolve(&mut self) {
        self.is_resolved = false;
        self.decoded.clear();
        self.crcs.clear();
        if !self.counts {
            return;
        }
        let length = self.chunk.len();
        if memory::try_reserve("decoded bytes", &mut self.decoded, length).is_err() {
            return;
        }
        self.decoded.resize(length, 0);
        self.is_resolved = self.chunk.resolve(&self.window, &mut self.decoded);
        let mut start = 0;
        let ends = self.chunk.members.iter().map(|member| member.bytes);
        for end in ends.chain([length]) {
            let mut crc = Crc::new();
            crc.update(&self.decoded[start..end]);
            self.crcs.push(crc);
            start = end;
        }
    }
}
