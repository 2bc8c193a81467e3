//! Files that ship compressed in the library.

use std::{io::Read, sync::OnceLock};

/// A file compressed by zstd, decompressed once in a process.
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

    /// Whether it was decompressed before.
    pub fn is_there(&self) -> bool {
        self.bytes.get().is_some()
    }

    /// What the file holds, when it is decompressed; what is wrong with the file, if something is.
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
