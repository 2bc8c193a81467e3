//! Compression of the blocks of TIFF files.

use std::io::Read;

use crate::io::FileProblem;
use crate::io::source::DEFLATE_LIMIT;
use crate::io::volume::pack_bits::unpack;
use crate::io::volume::tiff::{damaged, unsupported};

/// Largest expansion of zstd: four bytes repeat a byte for a block of 128 KiB.
const MAX_ZSTD_EXPANSION: u64 = 1 << 15;
/// Largest expansion of LZW: a code of 12 bits stands for at most 3,837 bytes.
const MAX_LZW_EXPANSION: u64 = 2558;
/// Longest code of LZW, in bits.
const MAX_LZW_BITS: u32 = 12;

/// Compression of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockCompression {
    None,
    Lzw,
    Deflate,
    PackBits,
    Zstd,
}

impl BlockCompression {
    /// Returns the compression with this code.
    ///
    /// # Errors
    /// For a compression that is not read, with its name.
    pub fn from_code(code: u64) -> Result<Self, FileProblem> {
        let name = match code {
            1 => return Ok(Self::None),
            5 => return Ok(Self::Lzw),
            8 | 32946 => return Ok(Self::Deflate),
            32773 => return Ok(Self::PackBits),
            50000 => return Ok(Self::Zstd),
            2..=4 => "fax",
            6 | 7 => "JPEG",
            34712 | 33003..=33005 => "JPEG 2000",
            34887 => "LERC",
            34925 => "LZMA",
            50001 => "WebP",
            50002 => "JPEG XL",
            code => return Err(unsupported(format!("TIFF with the compression {code}"))),
        };
        Err(unsupported(format!("TIFF with {name} compression")))
    }

    /// Returns the name for messages; `None` for uncompressed blocks.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Lzw => Some("LZW"),
            Self::Deflate => Some("deflate"),
            Self::PackBits => Some("PackBits"),
            Self::Zstd => Some("zstd"),
        }
    }

    /// Returns the largest ratio of decompressed to stored bytes.
    pub fn max_expansion(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Zstd => MAX_ZSTD_EXPANSION,
            Self::Lzw => MAX_LZW_EXPANSION,
            Self::Deflate | Self::PackBits => DEFLATE_LIMIT,
        }
    }

    /// Decompresses a block into `out`. Returns the number of bytes, which is less than the length
    /// of `out` if the block ends early.
    pub fn decompress(self, bytes: &[u8], out: &mut [u8]) -> Result<usize, FileProblem> {
        match self {
            Self::None => {
                let count = bytes.len().min(out.len());
                out[..count].copy_from_slice(&bytes[..count]);
                Ok(count)
            }
            Self::Lzw => decompress_lzw(bytes, out),
            Self::Deflate => fill(&mut flate2::read::ZlibDecoder::new(bytes), out, "deflate"),
            Self::PackBits => {
                let length = out.len();
                unpack(bytes, out.iter_mut())
                    .map(|()| length)
                    .ok_or_else(|| damaged("a PackBits block ends early".to_owned()))
            }
            Self::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
                let mut decoder =
                    decoder.map_err(|error| damaged(format!("a zstd block: {error}")))?;
                fill(&mut decoder, out, "zstd")
            }
        }
    }
}

/// Reads until `out` is full or the decoder ends.
fn fill(decoder: &mut dyn Read, out: &mut [u8], name: &str) -> Result<usize, FileProblem> {
    let mut filled = 0;
    while filled < out.len() {
        match decoder.read(&mut out[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => return Err(damaged(format!("a {name} block: {error}"))),
        }
    }
    Ok(filled)
}

/// Decompresses LZW as in the TIFF specification: codes of 9 to 12 bits, most significant bit
/// first, whose width grows one code early.
fn decompress_lzw(bytes: &[u8], out: &mut [u8]) -> Result<usize, FileProblem> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let invalid = || damaged("an LZW block has an invalid code".to_owned());
    // Every string of the table is a range of the output.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(1 << MAX_LZW_BITS);
    let mut written = 0;
    let mut previous: Option<(usize, usize)> = None;
    let (mut buffer, mut available, mut width) = (0_u32, 0, 9);
    let mut input = bytes.iter();
    while written < out.len() {
        while available < width {
            let Some(&byte) = input.next() else {
                return Ok(written);
            };
            buffer = buffer << 8 | u32::from(byte);
            available += 8;
        }
        available -= width;
        let code = (buffer >> available) as usize & ((1 << width) - 1);
        match code {
            END => break,
            CLEAR => {
                table.clear();
                (previous, width) = (None, 9);
                continue;
            }
            _ => {}
        }
        let start = written;
        // The string of a code is the previous one and the first byte of the current one.
        let next = previous.map(|(start, length)| (start, length + 1));
        let length = match code {
            0..256 => {
                out[written] = code as u8;
                1
            }
            _ => {
                let index = code - 258;
                let (from, length) = match table.get(index) {
                    Some(string) => *string,
                    None if index == table.len() => next.ok_or_else(invalid)?,
                    None => return Err(invalid()),
                };
                let count = length.min(out.len() - written);
                // The ranges overlap if the string is the one that is being defined.
                for offset in 0..count {
                    out[written + offset] = out[from + offset];
                }
                count
            }
        };
        written += length;
        if let Some(string) = next
            && table.len() + 258 < 1 << MAX_LZW_BITS
        {
            table.push(string);
        }
        previous = Some((start, length));
        // One code early: the entry of the current code is added by the next one.
        width = match table.len() + 258 + 1 {
            ..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_is_decompressed() {
        // 7 7 7 8 8 7 7 6 6 as codes of 9 bits: clear, 7, 258, 8, 8, 258, 6, 6, end.
        let codes = [256, 7, 258, 8, 8, 258, 6, 6, 257];
        let bits: Vec<u8> = codes
            .iter()
            .flat_map(|code| (0..9).rev().map(move |bit| (code >> bit & 1) as u8))
            .collect();
        let bytes: Vec<u8> = bits
            .chunks(8)
            .map(|bits| bits.iter().enumerate().map(|(k, bit)| bit << (7 - k)).sum())
            .collect();
        let mut out = [0; 20];
        assert_eq!(decompress_lzw(&bytes, &mut out).unwrap(), 9);
        assert_eq!(out[..9], [7, 7, 7, 8, 8, 7, 7, 6, 6]);
    }
}
