//! Codecs of chunks.

use std::io::Read;

use serde_json::Value;

use crate::io::FileProblem;
use crate::io::lz4;
use crate::io::source::MultiBzDecoder;
use crate::io::volume::zarr::blosc;
use crate::io::volume::zarr::{damaged, unsupported};

/// Transformation of the bytes of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Zlib,
    Zstd,
    Bzip2,
    Blosc,
    /// An LZ4 block after its size.
    Lz4,
    /// A checksum at the end.
    Crc32c,
}

impl Codec {
    /// Returns the codec with this name; an error for one that is not read.
    pub fn from_name(name: &str) -> Result<Self, FileProblem> {
        Ok(match name {
            "gzip" => Self::Gzip,
            "zlib" | "numcodecs.zlib" => Self::Zlib,
            "zstd" | "numcodecs.zstd" => Self::Zstd,
            "bz2" | "numcodecs.bz2" => Self::Bzip2,
            "blosc" | "numcodecs.blosc" => Self::Blosc,
            "lz4" | "numcodecs.lz4" => Self::Lz4,
            "crc32c" => Self::Crc32c,
            name => return Err(unsupported(format!("Zarr with the codec {name}"))),
        })
    }

    /// Returns the name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bz2",
            Self::Blosc => "blosc",
            Self::Lz4 => "lz4",
            Self::Crc32c => "crc32c",
        }
    }

    /// Decodes bytes, of which at most `limit` are produced.
    fn decode(self, bytes: &[u8], limit: usize) -> Result<Vec<u8>, FileProblem> {
        let failed = |error: String| {
            damaged(format!(
                "a chunk cannot be decoded ({}): {error}",
                self.name()
            ))
        };
        // One byte more shows that the chunk is too long.
        let read = |decoder: &mut dyn Read| {
            let mut out = Vec::new();
            let read = decoder.take(limit as u64 + 1).read_to_end(&mut out);
            read.map(|_| out).map_err(|error| failed(error.to_string()))
        };
        match self {
            Self::Gzip => read(&mut flate2::read::MultiGzDecoder::new(bytes)),
            Self::Zlib => read(&mut flate2::read::ZlibDecoder::new(bytes)),
            Self::Bzip2 => read(&mut MultiBzDecoder::new(bytes)),
            Self::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
                read(&mut decoder.map_err(|error| failed(error.to_string()))?)
            }
            Self::Blosc => blosc::decompress(bytes, limit).map_err(failed),
            Self::Lz4 => {
                let (_, block) = bytes
                    .split_first_chunk::<4>()
                    .ok_or_else(|| failed("it ends early".to_owned()))?;
                let mut out = Vec::new();
                lz4::decompress(block, limit, &mut out).map_err(failed)?;
                Ok(out)
            }
            Self::Crc32c => {
                let (content, sum) = bytes
                    .split_last_chunk::<4>()
                    .ok_or_else(|| failed("it ends early".to_owned()))?;
                if crc32c(content) != u32::from_le_bytes(*sum) {
                    return Err(failed("the checksum is wrong".to_owned()));
                }
                Ok(content.to_vec())
            }
        }
    }
}

/// Decodes a chunk of `size` bytes with codecs in the order of encoding.
pub(super) fn decode_all(
    codecs: &[Codec],
    bytes: Vec<u8>,
    size: usize,
) -> Result<Vec<u8>, FileProblem> {
    let mut bytes = bytes;
    for (index, codec) in codecs.iter().enumerate().rev() {
        // An inner codec may add a checksum.
        let inner = codecs[..index].iter().filter(|it| **it == Codec::Crc32c);
        bytes = codec.decode(&bytes, size + 4 * inner.count())?;
    }
    if bytes.len() != size {
        return Err(damaged(format!(
            "a chunk has {} bytes instead of {size}",
            bytes.len()
        )));
    }
    Ok(bytes)
}

/// Returns the name and the configuration of a codec of version 3.
pub(super) fn named(value: &Value) -> (&str, &Value) {
    match value {
        Value::String(name) => (name, &Value::Null),
        value => (
            value["name"].as_str().unwrap_or_default(),
            &value["configuration"],
        ),
    }
}

/// Returns the checksum CRC-32C (RFC 3720).
fn crc32c(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82F6_3B78;
    let mut table = [0_u32; 256];
    for (index, entry) in table.iter_mut().enumerate() {
        let mut value = index as u32;
        for _ in 0..8 {
            let feedback = if value & 1 == 1 { POLYNOMIAL } else { 0 };
            value = value >> 1 ^ feedback;
        }
        *entry = value;
    }
    let step = |sum: u32, byte: &u8| table[usize::from(sum as u8 ^ byte)] ^ sum >> 8;
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn the_checksum_of_the_standard_is_computed() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    }
}
