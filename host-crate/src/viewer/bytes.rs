//! Byte streams of a page: little-endian planes, gzip and base64.

use crate::memory::{self, ReserveOrUnwind};
use flate2::{Compression, write::GzEncoder};
use std::io::{self, Write};

/// Alphabet of RFC 4648, section 4.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Level of gzip: beyond it, pages of meshes hardly shrink.
const LEVEL: u32 = 7;

/// Number of bytes that are encoded at a time; a multiple of 3.
const BASE64_CHUNK: usize = 3 << 12;

/// Maps differences to unsigned numbers, small magnitudes to small numbers: 0, −1, 1, −2, 2, …
pub(super) fn zigzag(difference: i16) -> u16 {
    ((difference << 1) ^ (difference >> 15)) as u16
}

/// Appends the lowest `bytes` bytes of all values as planes: first the lowest byte of every value,
/// then the next one.
pub(super) fn append_planes(planes: &mut Vec<u8>, values: &[u32], bytes: usize) {
    planes.reserve_or_unwind(values.len() * bytes);
    for byte in 0..bytes {
        planes.extend(values.iter().map(|value| value.to_le_bytes()[byte]));
    }
}

/// Compresses bytes with gzip (RFC 1952).
pub(super) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(GrowingBytes::default(), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.0)
}

/// Writer into memory whose growth may fail.
#[derive(Default)]
struct GrowingBytes(Vec<u8>);

impl Write for GrowingBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        memory::try_extend("the compressed data of a page", &mut self.0, bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes bytes as base64 (RFC 4648) without line breaks.
pub(super) fn write_base64(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut text = Vec::with_capacity(4 * BASE64_CHUNK.div_ceil(3));
    for chunk in bytes.chunks(BASE64_CHUNK) {
        text.clear();
        for group in chunk.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                text.push(if digit <= group.len() {
                    ALPHABET[(bits >> (18 - 6 * digit) & 63) as usize]
                } else {
                    b'='
                });
            }
        }
        out.write_all(&text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_the_digits_of_the_standard() {
        // RFC 4648, section 10
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut text = Vec::new();
            write_base64(&mut text, bytes.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }

    #[test]
    fn zigzag_orders_by_magnitude() {
        let numbers = [0, -1, 1, -2, 2, i16::MAX, i16::MIN].map(zigzag);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 65534, 65535]);
    }

    #[test]
    fn planes_hold_one_byte_of_every_value() {
        let mut planes = Vec::new();
        append_planes(&mut planes, &[0x010203, 0x0a0b0c], 3);
        assert_eq!(planes, [3, 12, 2, 11, 1, 10]);
    }
}
