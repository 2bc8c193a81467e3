//! Files that are shipped in compressed form.

use std::{io::Read, sync::OnceLock};

/// A file compressed by zstd, decompressed once per process.
pub(super) struct Compressed {
    compressed: &'static [u8],
    bytes: OnceLock<Result<Vec<u8>, String>>,
}

impl Compressed {
    pub const fn new(compressed: &'static [u8]) -> Self {
        Self {
            compressed,
            bytes: OnceLock::new(),
        }
    }

    /// Returns `true` if the file has been decompressed.
    pub fn is_decompressed(&self) -> bool {
        self.bytes.get().is_some()
    }

    /// Returns the decompressed contents, or the error of the decompression.
    pub fn bytes(&self) -> Result<&[u8], &str> {
        let bytes = self.bytes.get_or_init(|| {
            let mut compressed = self.compressed;
            let mut bytes = Vec::new();
            ruzstd::decoding::StreamingDecoder::new(&mut compressed)
                .map_err(|error| error.to_string())?
                .read_to_end(&mut bytes)
                .map_err(|error| error.to_string())?;
            Ok(bytes)
        });
        match bytes {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(error),
        }
    }
}
