//! Replacement of the crate `bzip2` in programs without the feature `bzip2`: decoders that only
//! return an error.

use std::io::{self, Read};

/// Decoder that returns an error when it is read.
pub struct BzDecoder<R>(R);

/// Decoder of several members, which returns an error when it is read.
pub type MultiBzDecoder<R> = BzDecoder<R>;

impl<R> BzDecoder<R> {
    /// Creates a decoder.
    pub fn new(reader: R) -> Self {
        Self(reader)
    }

    /// Returns the reader.
    pub fn into_inner(self) -> R {
        self.0
    }
}

impl<R> Read for BzDecoder<R> {
    fn read(&mut self, _out: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this program was built without the feature `bzip2` of ferrovox; decompress the file first",
        ))
    }
}
