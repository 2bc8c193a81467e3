//! Random access to bytes, by several threads at once.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use crate::io::FileProblem;
use crate::io::source::decoded::DecodedPlanes;
use crate::parallel;

/// Number of bytes that a thread reads at a time.
const CHUNK: usize = 1 << 20;

/// A regular file, memory or decoded planes with random access.
#[derive(Clone)]
pub(crate) enum RandomAccessBytes<'a> {
    File(Arc<File>),
    Bytes(&'a [u8]),
    Decoded(Arc<DecodedPlanes<'a>>),
}

impl RandomAccessBytes<'_> {
    /// Fills `buffer` with the bytes from `offset` on. Returns `false` if there are fewer. Large
    /// buffers are filled by several threads.
    ///
    /// Files are read, not mapped into memory: if another program truncates a mapped file, an
    /// access terminates the process, whereas a read returns an error. Pages of the file cache also
    /// do not count as memory of the process.
    pub fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<bool, FileProblem> {
        match self {
            Self::Bytes(bytes) => {
                let found = usize::try_from(offset)
                    .ok()
                    .and_then(|offset| bytes.get(offset..)?.get(..buffer.len()));
                if let Some(found) = found {
                    buffer.copy_from_slice(found);
                }
                Ok(found.is_some())
            }
            Self::Decoded(planes) => planes.fill(buffer, offset),
            Self::File(file) => {
                // `true` while all bytes exist, or the first error, after which no more is read.
                let filled = Mutex::new(Ok(true));
                let lock = || filled.lock().unwrap_or_else(PoisonError::into_inner);
                parallel::for_each_chunk_mut(buffer, CHUNK, |first, chunk| {
                    if !matches!(*lock(), Ok(true)) {
                        return;
                    }
                    let chunk = fill_at(file, chunk, offset + first as u64);
                    if !matches!(chunk, Ok(true)) {
                        let mut filled = lock();
                        if filled.is_ok() {
                            *filled = chunk;
                        }
                    }
                });
                let filled = filled.into_inner().unwrap_or_else(PoisonError::into_inner);
                filled.map_err(|error| FileProblem::from_io("read", error))
            }
        }
    }
}

/// Sequential reader of bytes with random access.
pub(super) struct PositionReader<'a> {
    pub bytes: RandomAccessBytes<'a>,
    /// Offset of the next byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

impl Read for PositionReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.offset);
        let count = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let filled = self.bytes.fill(&mut out[..count], self.offset);
        if !filled.map_err(io::Error::other)? {
            return Err(io::Error::other(FileProblem::FileChanged));
        }
        self.offset += count as u64;
        Ok(count)
    }
}

/// Fills a buffer from an offset in a file. Returns `false` if the file ends before.
fn fill_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<bool> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Ok(false),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn buffers_larger_than_a_chunk_are_filled_up_to_the_end() {
        let content: Vec<u8> = (0..CHUNK + 1000).map(|i| (i * 31 / 8) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        for bytes in [
            RandomAccessBytes::File(Arc::new(file)),
            RandomAccessBytes::Bytes(&content),
        ] {
            let mut buffer = vec![0; CHUNK + 990];
            assert!(bytes.fill(&mut buffer, 10).unwrap());
            assert!(buffer == content[10..]);
            assert!(!bytes.fill(&mut buffer, 11).unwrap());
            assert!(!bytes.fill(&mut buffer[..1], 1 << 40).unwrap());
            assert!(bytes.fill(&mut [], 5).unwrap());
        }
    }
}
