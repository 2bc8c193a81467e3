//! Tables that decode Huffman codes (RFC 1951, section 3.2.2).

/// Longest code, in bits.
pub(super) const MAX_CODE_BITS: usize = 15;

/// Entry of a decoding table, packed into 32 bits:
///
/// | bits | contents |
/// | --- | --- |
/// | 0–5 | number of bits to consume: the code and its extra bits |
/// | 8–11 | number of bits of the code in this table; for a link, index bits of the subtable |
/// | 12 | end of the block |
/// | 13 | link to a subtable |
/// | 14 | anything but a length, a distance or a literal |
/// | 15 | literal |
/// | 16–31 | literal, base of a length or distance, or index of the subtable |
#[derive(Clone, Copy)]
pub(super) struct Entry(pub u32);

const END: u32 = 1 << 12;
const LINK: u32 = 1 << 13;
const SPECIAL: u32 = 1 << 14;
const LITERAL: u32 = 1 << 15;

impl Entry {
    /// Entry of bit sequences that are no code.
    const INVALID: Self = Self(SPECIAL);

    pub const fn literal(value: u32) -> Self {
        Self(value << 16 | LITERAL)
    }

    pub const fn end_of_block() -> Self {
        Self(SPECIAL | END)
    }

    pub const fn invalid() -> Self {
        Self::INVALID
    }

    /// Length or distance: `base` plus the number in the `extra` bits after the code.
    pub const fn base(base: u32, extra: u32) -> Self {
        Self(base << 16 | extra)
    }

    #[inline(always)]
    pub fn is_literal(self) -> bool {
        self.0 & LITERAL != 0
    }

    #[inline(always)]
    pub fn is_special(self) -> bool {
        self.0 & SPECIAL != 0
    }

    #[inline(always)]
    pub fn is_link(self) -> bool {
        self.0 & LINK != 0
    }

    #[inline(always)]
    pub fn is_end(self) -> bool {
        self.0 & END != 0
    }

    /// Returns the number of bits to consume.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0 & 63
    }

    /// Returns the number of bits of the code, or the index bits of a subtable.
    #[inline(always)]
    pub fn code_bits(self) -> u32 {
        self.0 >> 8 & 15
    }

    #[inline(always)]
    pub fn value(self) -> usize {
        (self.0 >> 16) as usize
    }

    /// Returns the base plus the extra bits, where `bits` starts with the code.
    #[inline(always)]
    pub fn with_extra(self, bits: u64) -> usize {
        let mask = (1_u64 << self.bits()) - 1;
        self.value() + ((bits & mask) >> self.code_bits()) as usize
    }

    /// Adds a code of `bits` bits.
    fn with_code(self, bits: u32) -> Self {
        Self((self.0 + bits) | bits << 8)
    }
}

/// Decoding table of a code: `1 << BITS` = `SIZE` entries that are indexed by the next bits, and
/// subtables of longer codes.
pub(super) struct HuffmanTable<const BITS: u32, const SIZE: usize> {
    entries: Box<[Entry; SIZE]>,
    subtables: Vec<Entry>,
}

impl<const BITS: u32, const SIZE: usize> HuffmanTable<BITS, SIZE> {
    pub fn new() -> Self {
        const { assert!(1 << BITS == SIZE) };
        Self {
            entries: Box::new([Entry::INVALID; SIZE]),
            subtables: Vec::new(),
        }
    }

    /// Returns the entry of the code that `bits` starts with, which may be a link.
    #[inline(always)]
    pub fn entry(&self, bits: u64) -> Entry {
        self.entries[bits as usize % SIZE]
    }

    /// Returns the entry in a subtable, where `bits` starts with the rest of the code.
    #[inline(always)]
    pub fn linked_entry(&self, link: Entry, bits: u64) -> Entry {
        let index = bits & ((1 << link.code_bits()) - 1);
        self.subtables[link.value() + index as usize]
    }

    /// Builds the table of the code with `lengths[symbol]` bits per symbol, where `entry(symbol)`
    /// is the meaning of a symbol. Returns `false` for lengths that are no code: as for zlib, every
    /// bit sequence has to be used, unless there is a single code of one bit or none.
    pub fn build(&mut self, lengths: &[u8], entry: impl Fn(usize) -> Entry) -> bool {
        let mut counts = [0_u32; MAX_CODE_BITS + 1];
        for &length in lengths {
            counts[length as usize] += 1;
        }
        counts[0] = 0;
        let max = (1..=MAX_CODE_BITS).rev().find(|&bits| counts[bits] > 0);
        self.entries.fill(Entry::INVALID);
        self.subtables.clear();
        let Some(max) = max else { return true };
        // Number of codes of the current length that are left.
        let mut unused = 1_u32;
        let mut next_codes = [0_u32; MAX_CODE_BITS + 2];
        for bits in 1..=max {
            next_codes[bits + 1] = (next_codes[bits] + counts[bits]) << 1;
            let Some(left) = (2 * unused).checked_sub(counts[bits]) else {
                return false;
            };
            unused = left;
        }
        if unused > 0 && max > 1 {
            return false;
        }
        for (symbol, &length) in lengths.iter().enumerate() {
            if length > 0 {
                let code = next_codes[length as usize];
                next_codes[length as usize] += 1;
                let reversed = code.reverse_bits() >> (32 - u32::from(length));
                self.insert(reversed as usize, length.into(), max as u32, entry(symbol));
            }
        }
        true
    }

    /// Enters a code of `bits` bits, of which the first is the least significant; `max` is the
    /// length of the longest code.
    fn insert(&mut self, code: usize, bits: u32, max: u32, entry: Entry) {
        if bits <= BITS {
            let entry = entry.with_code(bits);
            let codes = self.entries.iter_mut().skip(code).step_by(1 << bits);
            codes.for_each(|slot| *slot = entry);
            return;
        }
        let (sub_bits, rest) = (max - BITS, bits - BITS);
        let link = &mut self.entries[code % SIZE];
        if !link.is_link() {
            let start = self.subtables.len();
            *link = Entry((start as u32) << 16 | SPECIAL | LINK | sub_bits << 8 | BITS);
            self.subtables
                .resize(start + (1 << sub_bits), Entry::INVALID);
        }
        let start = link.value();
        let entry = entry.with_code(rest);
        let codes = self.subtables[start..start + (1 << sub_bits)].iter_mut();
        let codes = codes.skip(code >> BITS).step_by(1 << rest);
        codes.for_each(|slot| *slot = entry);
    }
}
