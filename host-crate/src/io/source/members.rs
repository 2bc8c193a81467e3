//! Decoding of compressed data that consist of several members, like those of `gzip` and `bzip2`.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::BzDecoder;
use super::buffered::with_buffer;

/// Decoder of one member, which leaves its reader at the first byte after the member.
pub(super) trait MemberDecoder<R>: Read {
    /// Creates a decoder of the member at the start of `reader`.
    fn start(reader: R) -> Self;

    /// Returns the reader, after the member if all of it has been decoded.
    fn into_reader(self) -> R;
}

impl<R: BufRead> MemberDecoder<R> for GzDecoder<R> {
    fn start(reader: R) -> Self {
        Self::new(reader)
    }

    fn into_reader(self) -> R {
        self.into_inner()
    }
}

impl<R: BufRead> MemberDecoder<R> for BzDecoder<R> {
    fn start(reader: R) -> Self {
        Self::new(reader)
    }

    fn into_reader(self) -> R {
        self.into_inner()
    }
}

/// Concatenated contents of all members. Zeros after a member are padding, as for the programs
/// `gzip` and `bzip2`; any other bytes there have to be a member.
pub(super) struct Members<D> {
    /// Decoder of the current member; `None` after the last.
    decoder: Option<D>,
}

impl<D> Members<D> {
    /// Starts at the first member, which has to exist.
    pub fn new<R>(reader: R) -> Self
    where
        D: MemberDecoder<R>,
    {
        Self {
            decoder: Some(D::start(reader)),
        }
    }

    /// Reads from the members. The reader's type is a parameter because a decoder's type does not
    /// determine it.
    fn read_members<R: BufRead>(&mut self, out: &mut [u8]) -> io::Result<usize>
    where
        D: MemberDecoder<R>,
    {
        if out.is_empty() {
            return Ok(0);
        }
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(out)?;
            if read > 0 {
                return Ok(read);
            }
            let reader = self.decoder.take().map(D::into_reader);
            if let Some(mut reader) = reader
                && skip_zeros(&mut reader)?
            {
                self.decoder = Some(D::start(reader));
            }
        }
        Ok(0)
    }
}

impl<R: BufRead> Read for Members<GzDecoder<R>> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_members(out)
    }
}

impl<R: BufRead> Read for Members<BzDecoder<R>> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_members(out)
    }
}

/// Skips zeros. Returns `false` if nothing follows them.
fn skip_zeros(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let (found, zeros) = with_buffer(reader, |buffer| {
            let zeros = buffer.iter().take_while(|&&byte| byte == 0);
            (buffer.len(), zeros.count())
        })?;
        reader.consume(zeros);
        let is_member = zeros < found;
        if found == 0 || is_member {
            return Ok(is_member);
        }
    }
}
