//! Floats of 16 bits (IEEE 754 binary16).

use std::io::{self, Read};

use crate::io::ByteOrder;
use crate::io::source::{Remaining, Source};

/// Number of halves that are converted at a time.
const STEP: usize = 1 << 15;

/// Returns a source of the values as `f32`, little-endian.
pub(in crate::io) fn widen_halves(source: Source<'_>, order: ByteOrder) -> Source<'_> {
    let left = match source.remaining() {
        Remaining::Exactly(left) => Remaining::Exactly(left.saturating_mul(2)),
        Remaining::AtMost(left) => Remaining::AtMost(left.saturating_mul(2)),
        Remaining::Unknown => Remaining::Unknown,
    };
    let decoder = HalfDecoder {
        source,
        order,
        halves: vec![0; 2 * STEP],
        ready: Vec::new(),
        next: 0,
    };
    Source::from_decoder(decoder, left)
}

/// Reader that converts halves.
struct HalfDecoder<'a> {
    source: Source<'a>,
    order: ByteOrder,
    /// Buffer of stored bytes.
    halves: Vec<u8>,
    /// Converted bytes, and the index of the next one.
    ready: Vec<u8>,
    next: usize,
}

impl Read for HalfDecoder<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.next == self.ready.len() {
            let found = self.source.fill(&mut self.halves);
            let found = found.map_err(io::Error::other)?;
            // Half a number at the end is left out, so that the length is too short.
            let halves = self.halves[..found].chunks_exact(2);
            let order = self.order;
            let values = halves.map(|half| half_to_f32(order.unsigned(half) as u16));
            self.ready.clear();
            self.ready.extend(values.flat_map(f32::to_le_bytes));
            self.next = 0;
        }
        let count = out.len().min(self.ready.len() - self.next);
        out[..count].copy_from_slice(&self.ready[self.next..self.next + count]);
        self.next += count;
        Ok(count)
    }
}

/// Returns the value of the bits of a 16-bit float, exactly.
pub(in crate::io) fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1F);
    let fraction = u32::from(half & 0x3FF);
    match exponent {
        0 => {
            let size = fraction as f32 / (1 << 24) as f32;
            f32::from_bits(size.to_bits() | sign)
        }
        0x1F => f32::from_bits(sign | 0x7F80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_f32;

    #[test]
    fn halves_are_converted_exactly() {
        for (half, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_5e-8),
            (0x03FF, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3C00, 1.0),
            (0x3555, 0.333_251_95),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x7C00, f32::INFINITY),
            (0xFC00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f32(half), value, "{half:#06x}");
        }
        assert!(half_to_f32(0x7E00).is_nan());
        assert!(half_to_f32(0x8000).is_sign_negative());
    }
}
