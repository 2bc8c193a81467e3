//! Decoding of deflate blocks (RFC 1951) to 16-bit symbols.

use super::bits::BitReader;
use super::huffman::{Entry, HuffmanTable};
use super::symbols::{MAX_MATCH, SLACK, Symbols, copy_match};

/// Order in which the lengths of the code of code lengths are stored.
const LENGTH_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// Decoder of blocks, with the tables of the current one.
pub(super) struct BlockDecoder {
    literals: HuffmanTable<11, 2048>,
    distances: HuffmanTable<9, 512>,
    code_lengths: HuffmanTable<7, 128>,
}

impl BlockDecoder {
    pub fn new() -> Self {
        Self {
            literals: HuffmanTable::new(),
            distances: HuffmanTable::new(),
            code_lengths: HuffmanTable::new(),
        }
    }

    /// Decodes one block of `input`, which `bits` reads. Returns `true` for the last block of a
    /// member, and `None` for damaged or incomplete data and beyond the limit of `out`.
    pub fn decode<'a>(
        &mut self,
        input: &'a [u8],
        bits: &mut BitReader<'a>,
        out: &mut Symbols,
    ) -> Option<bool> {
        bits.refill();
        let is_last = bits.take(1) == 1;
        match bits.take(2) {
            0 => {
                let start = bits.align();
                let header = input.get(start..).and_then(<[u8]>::first_chunk::<4>);
                let &[a, b, c, d] = header?;
                let length = u16::from_le_bytes([a, b]);
                if length != !u16::from_le_bytes([c, d]) {
                    return None;
                }
                let (start, end) = (start + 4, start + 4 + usize::from(length));
                out.push_bytes(input.get(start..end)?)?;
                *bits = BitReader::new(input, end * 8);
                return Some(is_last);
            }
            1 => self.set_fixed(),
            2 => {
                if !self.read_tables(bits) {
                    return None;
                }
            }
            _ => return None,
        }
        self.decode_symbols(bits, out)?;
        if bits.position() > input.len() * 8 {
            return None;
        }
        Some(is_last)
    }

    /// Sets the fixed codes (section 3.2.6).
    fn set_fixed(&mut self) {
        let mut lengths = [8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.literals.build(&lengths, literal_entry);
        self.distances.build(&[5; 32], distance_entry);
    }

    /// Reads the codes of a dynamic block (section 3.2.7). Returns `false` if there are none.
    pub fn read_tables(&mut self, bits: &mut BitReader<'_>) -> bool {
        bits.refill();
        let literals = bits.take(5) as usize + 257;
        let distances = bits.take(5) as usize + 1;
        let count = bits.take(4) as usize + 4;
        if literals > 286 || distances > 30 {
            return false;
        }
        let mut lengths = [0; 19];
        for &index in &LENGTH_ORDER[..count] {
            bits.refill();
            lengths[index] = bits.take(3) as u8;
        }
        // One bit sequence per symbol is needed, as for zlib.
        let space: u32 = lengths
            .iter()
            .filter(|&&length| length > 0)
            .map(|&length| 128 >> length)
            .sum();
        let entry = |symbol| Entry::literal(symbol as u32);
        if space != 128 || !self.code_lengths.build(&lengths, entry) {
            return false;
        }
        let mut lengths = [0_u8; 286 + 30];
        let (mut filled, count) = (0, literals + distances);
        while filled < count {
            bits.refill();
            let entry = self.code_lengths.entry(bits.peek());
            bits.consume(entry.bits());
            let (value, repeat) = match entry.value() {
                16 if filled == 0 => return false,
                16 => (lengths[filled - 1], 3 + bits.take(2)),
                17 => (0, 3 + bits.take(3)),
                18 => (0, 11 + bits.take(7)),
                length => (length as u8, 1),
            };
            let end = filled + repeat as usize;
            if end > count {
                return false;
            }
            lengths[filled..end].fill(value);
            filled = end;
        }
        lengths[256] > 0
            && !bits.is_overrun()
            && self.literals.build(&lengths[..literals], literal_entry)
            && self
                .distances
                .build(&lengths[literals..count], distance_entry)
    }

    /// Decodes the symbols of a block up to its end.
    fn decode_symbols(&self, reader: &mut BitReader<'_>, out: &mut Symbols) -> Option<()> {
        let table = &self.literals;
        // A copy stays in registers.
        let mut bits = *reader;
        loop {
            while out.end + SLACK > out.list.len() {
                out.grow()?;
            }
            let list = &mut out.list[..];
            let mut end = out.end;
            let is_end = loop {
                if end + SLACK > list.len() {
                    break false;
                }
                bits.refill();
                if bits.is_overrun() {
                    return None;
                }
                let mut entry = table.entry(bits.peek());
                if entry.is_literal() {
                    list[end] = entry.value() as u16;
                    bits.consume(entry.bits());
                    end += 1;
                    entry = table.entry(bits.peek());
                    if entry.is_literal() {
                        list[end] = entry.value() as u16;
                        bits.consume(entry.bits());
                        end += 1;
                        entry = table.entry(bits.peek());
                        if entry.is_literal() {
                            list[end] = entry.value() as u16;
                            bits.consume(entry.bits());
                            end += 1;
                            continue;
                        }
                    }
                }
                if entry.is_special() {
                    if entry.is_link() {
                        bits.consume(entry.bits());
                        entry = table.linked_entry(entry, bits.peek());
                    }
                    if entry.is_literal() {
                        list[end] = entry.value() as u16;
                        bits.consume(entry.bits());
                        end += 1;
                        continue;
                    }
                    if entry.is_special() {
                        bits.consume(entry.bits());
                        if entry.is_end() {
                            break true;
                        }
                        return None;
                    }
                }
                let length = entry.with_extra(bits.peek());
                bits.consume(entry.bits());
                bits.refill();
                let mut entry = self.distances.entry(bits.peek());
                if entry.is_special() {
                    if entry.is_link() {
                        bits.consume(entry.bits());
                        entry = self.distances.linked_entry(entry, bits.peek());
                    }
                    if entry.is_special() {
                        return None;
                    }
                }
                let distance = entry.with_extra(bits.peek());
                bits.consume(entry.bits());
                if distance > end - out.first {
                    return None;
                }
                copy_match(list, end, distance, length);
                end += length;
            };
            out.end = end;
            if is_end {
                *reader = bits;
                return Some(());
            }
        }
    }
}

fn literal_entry(symbol: usize) -> Entry {
    match symbol as u32 {
        symbol @ 0..256 => Entry::literal(symbol),
        256 => Entry::end_of_block(),
        symbol @ 257..265 => Entry::base(symbol - 254, 0),
        symbol @ 265..285 => {
            let extra = (symbol - 261) / 4;
            Entry::base(3 + ((4 + (symbol - 257) % 4) << extra), extra)
        }
        285 => Entry::base(MAX_MATCH as u32, 0),
        _ => Entry::invalid(),
    }
}

fn distance_entry(symbol: usize) -> Entry {
    match symbol as u32 {
        symbol @ 0..4 => Entry::base(symbol + 1, 0),
        symbol @ 4..30 => {
            let extra = symbol / 2 - 1;
            Entry::base(1 + ((2 + symbol % 2) << extra), extra)
        }
        _ => Entry::invalid(),
    }
}
