//! Reading of bits, as deflate packs them: from the least significant bit of each byte on.

/// Reader of bits of a slice. Bits after the end are zero; [`is_overrun`](Self::is_overrun) tells
/// whether any were consumed.
#[derive(Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Index of the first byte that is not in `buffer` completely. It exceeds the length of
    /// `bytes` once zeros after the end have been loaded.
    next: usize,
    /// Next bits, the first in the least significant position.
    buffer: u64,
    /// Number of valid bits in `buffer`.
    count: u32,
}

impl<'a> BitReader<'a> {
    /// Starts at a bit of `bytes`.
    pub fn new(bytes: &'a [u8], bit: usize) -> Self {
        let mut reader = Self {
            bytes,
            next: bit / 8,
            buffer: 0,
            count: 0,
        };
        reader.refill();
        reader.consume((bit % 8) as u32);
        reader
    }

    /// Loads bits until at least 56 are in the buffer.
    #[inline(always)]
    pub fn refill(&mut self) {
        let word = word(self.bytes, self.next);
        // Bits of `buffer` above `count` are bits of the same byte, so that `|` keeps them.
        self.buffer |= word << self.count;
        self.next += ((63 - self.count) >> 3) as usize;
        self.count |= 56;
    }

    /// Returns the bits in the buffer without consuming them.
    #[inline(always)]
    pub fn peek(&self) -> u64 {
        self.buffer
    }

    /// Consumes `count` bits of the buffer, which holds at least that many.
    #[inline(always)]
    pub fn consume(&mut self, count: u32) {
        self.buffer >>= count;
        self.count -= count;
    }

    /// Returns the next `count` bits of the buffer, at most 32.
    #[inline(always)]
    pub fn take(&mut self, count: u32) -> u32 {
        let bits = self.buffer & ((1 << count) - 1);
        self.consume(count);
        bits as u32
    }

    /// Returns the number of bits consumed since the start of the slice.
    pub fn position(&self) -> usize {
        self.next * 8 - self.count as usize
    }

    /// Returns `true` if bits after the end of the slice were consumed or are about to be.
    #[inline(always)]
    pub fn is_overrun(&self) -> bool {
        self.next > self.bytes.len() + 8
    }

    /// Moves to the start of the next byte, unless at one. Returns its index.
    pub fn align(&mut self) -> usize {
        let byte = self.position().div_ceil(8);
        *self = Self::new(self.bytes, byte * 8);
        byte
    }
}

/// Returns the bits of eight bytes from byte `index` on, with zeros after the end.
#[inline(always)]
pub(super) fn word(bytes: &[u8], index: usize) -> u64 {
    match bytes.get(index..).and_then(<[u8]>::first_chunk) {
        Some(word) => u64::from_le_bytes(*word),
        None => last_word(bytes, index),
    }
}

#[cold]
fn last_word(bytes: &[u8], index: usize) -> u64 {
    let rest = bytes.get(index..).unwrap_or(&[]);
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}
