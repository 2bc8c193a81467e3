//! Seeded mutations of the bytes of a file.

/// Applies one to four mutations: a flipped byte, a boundary value, a truncation, a part of another
/// file, a duplicated part.
pub fn mutate(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [u64; 8] = [0, 1, 0x7F, 0x80, 0xFFFF, 0x7FFF_FFFF, u64::MAX, 1 << 63];
    let mut mutated = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(mutated.len() + 1);
        match random.below(6) {
            0 | 1 if at < mutated.len() => mutated[at] ^= 1 << random.below(8),
            2 => {
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let width = 1 << random.below(4);
                for (byte, value) in mutated.iter_mut().skip(at).zip(&number[..width]) {
                    *byte = *value;
                }
            }
            3 => mutated.truncate(at),
            4 if !other.is_empty() => {
                let from = random.below(other.len());
                let length = random.below(other.len() - from + 1).min(4096);
                mutated.splice(at..at, other[from..from + length].iter().copied());
            }
            5 => {
                let end = (at + random.below(64)).min(mutated.len());
                let piece = mutated[at..end].to_vec();
                mutated.splice(at..at, piece);
            }
            _ => mutated.push(random.next() as u8),
        }
    }
    mutated
}

/// SplitMix64, with the same sequence on all machines.
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
