//! Search for positions at which decoding can start.

use super::bits;
use super::member::SIGNATURE;
use super::position::Position;

/// Number of bytes that are searched for members at a time.
const STEP: usize = 1 << 12;
/// Number of positions that are compared at a time: a word of 57 bits holds the start of a block at
/// each of them.
const POSITIONS: usize = 40;
/// Number of bit sequences of 7 bits that the codes of four lengths use, which are packed into 12
/// bits.
const USED: [u16; 1 << 12] = {
    let mut table = [0; 1 << 12];
    let mut lengths = 0;
    while lengths < table.len() {
        let mut field = 0;
        while field < 4 {
            // A code of length n uses 1 / 2^n of the sequences; a length of 0 is no code.
            table[lengths] += (128 >> (lengths >> (3 * field) & 7)) & 127;
            field += 1;
        }
        lengths += 1;
    }
    table
};

/// Returns the first position at or after bit `from` at which a member, or a dynamic block that is
/// not the last of its member, may start: a bit of `bytes` before byte `end`.
///
/// Other data can look like a start, too: a position counts only if the chunk before it ends there.
pub(super) fn find_start(bytes: &[u8], mut from: usize, end: usize) -> Option<Position> {
    let end = end.min(bytes.len());
    while from < end * 8 {
        let byte = from.div_ceil(8);
        let step_end = end.min(byte + STEP);
        // A signature may continue after the step.
        let step = &bytes[byte..(step_end + SIGNATURE.len() - 1).min(bytes.len())];
        let member = memchr::memmem::find(step, &SIGNATURE).map(|index| (byte + index) * 8);
        let block = find_block(bytes, from, member.unwrap_or(step_end * 8));
        let start = block.map(Position::Block);
        if let Some(start) = start.or(member.map(Position::Member)) {
            return Some(start);
        }
        from = step_end * 8;
    }
    None
}

/// Returns the first bit in `from..end` that may be the start of a dynamic block that is not the
/// last of its member.
fn find_block(bytes: &[u8], mut from: usize, end: usize) -> Option<usize> {
    while from < end {
        let word = word(bytes, from);
        // Bit i is set if three bits from i on are those of the kind of block, and the numbers of
        // codes after them are less than 30.
        let kinds = !word & !(word >> 1) & (word >> 2);
        let too_many =
            |at: u32| word >> at & word >> (at + 1) & word >> (at + 2) & word >> (at + 3);
        let mut candidates = kinds & !too_many(4) & !too_many(9) & ((1 << POSITIONS) - 1);
        while candidates != 0 {
            let bit = from + candidates.trailing_zeros() as usize;
            if bit >= end {
                return None;
            }
            if has_complete_code(bytes, bit) {
                return Some(bit);
            }
            candidates &= candidates - 1;
        }
        from += POSITIONS;
    }
    None
}

/// Returns `true` if [`find_start`] accepts `bit` as the start of a block.
pub(super) fn is_block(bytes: &[u8], bit: usize) -> bool {
    find_block(bytes, bit, bit + 1).is_some()
}

/// Returns `true` if the lengths in the header of a dynamic block at `bit` are those of a code that
/// uses all bit sequences.
fn has_complete_code(bytes: &[u8], bit: usize) -> bool {
    let count = (word(bytes, bit + 13) & 15) + 4;
    let mut lengths = word(bytes, bit + 17) & ((1 << (3 * count)) - 1);
    let mut used = 0;
    while lengths != 0 {
        used += USED[lengths as usize % USED.len()];
        lengths >>= 12;
    }
    used == 128
}

/// Returns at least 57 bits from `bit` on, with zeros after the end.
#[inline(always)]
fn word(bytes: &[u8], bit: usize) -> u64 {
    bits::word(bytes, bit / 8) >> (bit % 8)
}
