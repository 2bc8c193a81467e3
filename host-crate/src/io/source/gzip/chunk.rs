//! Decoding of a part of a gzip file from any position on.

use super::bits::BitReader;
use super::block::BlockDecoder;
use super::member;
use super::position::Position;
use super::search::{find_start, is_block};
use super::symbols::{MARKER, Symbols, WINDOW};

/// Largest number of positions in a chunk at which a block is decoded.
const MAX_TRIES: usize = 16;
/// Number of symbols that are searched for markers at a time.
const STEP: usize = 64;

/// End of a member within decoded bytes.
pub(super) struct MemberEnd {
    /// Number of bytes of the chunk before the end.
    pub bytes: usize,
    /// Checksum and length modulo 2^32 of the member, as stored.
    pub crc: u32,
    pub len: u32,
}

/// Compressed bytes of a chunk and of what follows it.
pub(super) struct Input<'a> {
    pub bytes: &'a [u8],
    /// `true` if the file ends after `bytes`.
    pub is_last: bool,
}

/// Buffers of a decoder of chunks, and its results.
pub(super) struct Chunk {
    decoder: BlockDecoder,
    symbols: Symbols,
    /// First and last position of what was decoded.
    pub range: Option<(Position, Position)>,
    pub members: Vec<MemberEnd>,
}

impl Chunk {
    /// Creates buffers for chunks of at most about `limit` decoded bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            decoder: BlockDecoder::new(),
            symbols: Symbols::new(limit),
            range: None,
            members: Vec::new(),
        }
    }

    /// Decodes from a known position on, after the bytes `window`, to the first position at or
    /// after bit `stop` that [`find_start`] finds.
    pub fn decode_after(&mut self, input: &Input<'_>, start: Position, window: &[u8], stop: usize) {
        self.range = None;
        if self.symbols.start_after(window).is_some() {
            self.decode(input, start, stop);
        }
    }

    /// Decodes from the first possible position in the first `len` bytes on.
    pub fn decode_anywhere(&mut self, input: &Input<'_>, len: usize) {
        let mut from = 0;
        self.range = None;
        let mut tries = 0;
        while tries < MAX_TRIES {
            let Some(start) = find_start(input.bytes, from, len) else {
                return;
            };
            let is_start = match start {
                Position::Block(bit) => {
                    let mut bits = BitReader::new(input.bytes, bit + 3);
                    self.decoder.read_tables(&mut bits) && self.symbols.start_anywhere().is_some()
                }
                _ => self.symbols.start_after(&[]).is_some(),
            };
            if is_start {
                tries += 1;
                self.decode(input, start, len * 8);
            }
            if self.range.is_some() {
                return;
            }
            from = start.bit() + 1;
        }
    }

    fn decode(&mut self, input: &Input<'_>, start: Position, stop: usize) {
        self.members.clear();
        self.range = None;
        let mut position = start;
        let mut end = self.symbols.end;
        while let Some(next) = self.decode_next(input, position) {
            (position, end) = (next, self.symbols.end);
            self.range = Some((start, position));
            let is_end = match position {
                Position::End(_) => true,
                Position::Member(bit) => bit >= stop,
                Position::Block(bit) => bit >= stop && is_block(input.bytes, bit),
            };
            if is_end {
                break;
            }
        }
        self.symbols.end = end;
    }

    /// Decodes a header or a block. Returns the position after it.
    fn decode_next(&mut self, input: &Input<'_>, position: Position) -> Option<Position> {
        let bit = match position {
            Position::Block(bit) => bit,
            Position::Member(bit) => {
                let header = input.bytes.get(bit / 8..)?;
                self.symbols.first = self.symbols.end;
                return Some(Position::Block(bit + member::header_len(header)? * 8));
            }
            Position::End(_) => return None,
        };
        let mut bits = BitReader::new(input.bytes, bit);
        let is_last = self
            .decoder
            .decode(input.bytes, &mut bits, &mut self.symbols)?;
        if !is_last {
            return Some(Position::Block(bits.position()));
        }
        let start = bits.align();
        let trailer = input.bytes.get(start..)?;
        let &[a, b, c, d, e, f, g, h] = trailer.first_chunk::<{ member::TRAILER }>()?;
        let zeros = trailer[member::TRAILER..]
            .iter()
            .position(|&byte| byte != 0);
        let next = match zeros {
            Some(zeros) => Position::Member((start + member::TRAILER + zeros) * 8),
            None if input.is_last => Position::End(input.bytes.len() * 8),
            None => return None,
        };
        self.members.push(MemberEnd {
            bytes: self.symbols.decoded().len(),
            crc: u32::from_le_bytes([a, b, c, d]),
            len: u32::from_le_bytes([e, f, g, h]),
        });
        Some(next)
    }

    /// Removes the decoded bytes, and frees memory for more than `limit`.
    pub fn shrink_to(&mut self, limit: usize) {
        self.symbols.shrink_to(limit);
    }

    /// Returns the number of decoded bytes.
    pub fn len(&self) -> usize {
        self.symbols.decoded().len()
    }

    /// Writes the bytes before the next chunk to `next`, where `window` are those before this one:
    /// at most [`WINDOW`] bytes of the same member. Returns `false` if the chunk refers to bytes
    /// before the window.
    pub fn next_window(&self, window: &[u8], next: &mut Vec<u8>) -> bool {
        let decoded = self.symbols.decoded();
        // Symbols from the window on that are of the member.
        let first = self.symbols.first.saturating_sub(WINDOW);
        let tail = &decoded[first.max(decoded.len().saturating_sub(WINDOW))..];
        next.clear();
        if self.symbols.first < WINDOW {
            let kept = WINDOW - tail.len();
            next.extend_from_slice(&window[window.len().saturating_sub(kept)..]);
        }
        let start = next.len();
        next.resize(start + tail.len(), 0);
        resolve(tail, window, &mut next[start..])
    }

    /// Writes the decoded bytes, after the bytes `window`, to a list of length
    /// [`len`](Self::len). Returns `false` if the chunk refers to bytes before the window.
    pub fn resolve(&self, window: &[u8], out: &mut [u8]) -> bool {
        resolve(self.symbols.decoded(), window, out)
    }
}

/// Writes symbols as bytes, with the bytes of the window for markers. Returns `false` if there are
/// markers of bytes before the window.
fn resolve(symbols: &[u16], window: &[u8], out: &mut [u8]) -> bool {
    let missing = WINDOW - window.len();
    let is_known = |&symbol: &u16| symbol & MARKER == 0 || usize::from(symbol & !MARKER) >= missing;
    if missing > 0 && !symbols.iter().all(is_known) {
        return false;
    }
    let mut table = [0_u8; 1 << 16];
    for (byte, entry) in (0..=u8::MAX).zip(&mut table) {
        *entry = byte;
    }
    table[usize::from(MARKER) + missing..].copy_from_slice(window);
    for (symbols, out) in symbols.chunks(STEP).zip(out.chunks_mut(STEP)) {
        let any = symbols.iter().fold(0, |any, &symbol| any | symbol);
        if any & MARKER == 0 {
            for (out, &symbol) in out.iter_mut().zip(symbols) {
                *out = symbol as u8;
            }
        } else {
            for (out, &symbol) in out.iter_mut().zip(symbols) {
                *out = table[usize::from(symbol)];
            }
        }
    }
    true
}
