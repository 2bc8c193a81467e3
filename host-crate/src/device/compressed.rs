//! Files that are shipped in compressed form.

use ruzstd::decoding::StreamingDecoder;
use std::{
    io::{self, Read},
    sync::OnceLock,
};

/// A file compressed by zstd, decompressed once per process.
pub(super) struct Compressed {
    compressed: &'static [u8],
    /// File that the compressor knew (`zstd --patch-from`).
    reference: Option<&'static Compressed>,
    bytes: OnceLock<Result<Vec<u8>, String>>,
}

impl Compressed {
    pub const fn new(compressed: &'static [u8]) -> Self {
        Self {
            compressed,
            reference: None,
            bytes: OnceLock::new(),
        }
    }

    /// Creates a file that was compressed as a difference from `reference`.
    pub const fn difference(compressed: &'static [u8], reference: &'static Compressed) -> Self {
        Self {
            compressed,
            reference: Some(reference),
            bytes: OnceLock::new(),
        }
    }

    /// Returns `true` if the file has been decompressed.
    pub fn is_decompressed(&self) -> bool {
        self.bytes.get().is_some()
    }

    /// Returns the decompressed contents, or the error of the decompression.
    pub fn bytes(&self) -> Result<&[u8], &str> {
        match self.bytes.get_or_init(|| self.decompress()) {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(error),
        }
    }

    fn decompress(&self) -> Result<Vec<u8>, String> {
        let Some(reference) = self.reference else {
            return decompress(self.compressed, 0);
        };
        let reference = reference.decompress()?;
        let blocks = blocks(self.compressed).ok_or("the header is incomplete")?;
        decompress(&*frame(&reference, blocks), reference.len())
    }
}

/// Decompresses a frame, and returns its contents without the first `skipped` bytes.
fn decompress(frame: impl Read, skipped: usize) -> Result<Vec<u8>, String> {
    let mut decoder = StreamingDecoder::new(frame).map_err(|error| error.to_string())?;
    let mut read = || {
        io::copy(&mut decoder.by_ref().take(skipped as u64), &mut io::sink())?;
        let mut bytes = Vec::new();
        decoder.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: io::Error| error.to_string())
}

/// Returns the blocks of a frame, after its header (RFC 8878, section 3.1.1.1), or `None` if it
/// is incomplete.
fn blocks(frame: &[u8]) -> Option<&[u8]> {
    let descriptor = *frame.get(4)?;
    let is_single_segment = descriptor >> 5 & 1 == 1;
    let window_bytes = usize::from(!is_single_segment);
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        code => 1 << code,
    };
    frame.get(5 + window_bytes + dictionary_bytes + size_bytes..)
}

/// Header of a frame with a window of 2^25 bytes, as of `cargo xtask ptx`, without a size and a
/// checksum.
const HEADER: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0, (25 - 10) << 3];
/// Maximum number of bytes per block.
const MAX_BLOCK: usize = 128 << 10;

/// Creates a frame of uncompressed blocks with the `reference`, and of the blocks of a difference
/// from it. The decoder has no raw dictionaries, but a block may refer to all blocks before it.
fn frame(reference: &[u8], blocks: &[u8]) -> Vec<u8> {
    let mut frame = HEADER.to_vec();
    for chunk in reference.chunks(MAX_BLOCK) {
        let header = (chunk.len() as u32) << 3;
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(chunk);
    }
    frame.extend_from_slice(blocks);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_files_are_errors() {
        assert!(blocks(&[0x28, 0xb5, 0x2f, 0xfd]).is_none());
        assert_eq!(
            blocks(&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 7, 1]),
            Some(&[1][..])
        );
        assert!(decompress(&HEADER[..5], 0).is_err());
    }

    #[test]
    fn contents_follow_the_reference() {
        let reference: Vec<u8> = (0..300_000_u32)
            .map(|it| (it.wrapping_mul(it) >> 7) as u8)
            .collect();
        // one raw block, the last one
        let blocks = [0b0010_1001, 0, 0, 1, 2, 3, 4, 5];
        let frame = frame(&reference, &blocks);
        assert_eq!(decompress(&*frame, 0).unwrap().len(), 300_005);
        assert_eq!(decompress(&*frame, 300_000).unwrap(), [1, 2, 3, 4, 5]);
    }
}
