//! Random access to planes that are decoded on demand.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::io::FileProblem;
use crate::{memory, parallel};

/// Bytes of the planes that are decoded together, unless a plane has more.
pub(in crate::io) const WINDOW_BYTES: usize = 8 << 20;
/// Purpose of decoded planes in errors about memory.
const PLANES: &str = "decoded planes";

/// Decoder of the planes of a file, of which any can be decoded at any time.
pub(in crate::io) trait DecodePlanes: Send + Sync {
    /// Decodes consecutive planes into `out`, which has their size.
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem>;

    /// Returns the plane after the last one that should be decoded together with plane `first`, if
    /// a window holds `count` planes.
    fn window_end(&self, first: u64, count: u64) -> u64 {
        first + count
    }
}

/// Bytes of all planes, of which a window of [`WINDOW_BYTES`] is kept in memory.
pub(in crate::io) struct DecodedPlanes<'a> {
    decoder: Box<dyn DecodePlanes + 'a>,
    plane_bytes: usize,
    planes: u64,
    window: Mutex<Window>,
}

/// Planes that were decoded last.
#[derive(Default)]
struct Window {
    first: u64,
    bytes: Vec<u8>,
}

impl<'a> DecodedPlanes<'a> {
    /// Provides the bytes of `planes` planes of `plane_bytes` bytes, which must not be 0.
    pub fn new(decoder: impl DecodePlanes + 'a, plane_bytes: usize, planes: u64) -> Self {
        Self {
            decoder: Box::new(decoder),
            plane_bytes: plane_bytes.max(1),
            planes,
            window: Mutex::default(),
        }
    }

    /// Returns the size of all planes, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.planes.saturating_mul(self.plane_bytes as u64)
    }

    /// Fills `buffer` with the bytes from `offset` on. Returns `false` if there are fewer. Whole
    /// windows are decoded into the buffer directly.
    pub fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<bool, FileProblem> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.total_bytes()) {
            return Ok(false);
        }
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut rest, mut offset) = (buffer, offset);
        while !rest.is_empty() {
            let plane = offset / self.plane_bytes as u64;
            let skipped = (offset % self.plane_bytes as u64) as usize;
            let held = (window.bytes.len() / self.plane_bytes) as u64;
            if !(window.first..window.first + held).contains(&plane) {
                let planes = self.window_at(plane);
                let bytes = self.range_bytes(&planes);
                if skipped == 0 && rest.len() >= bytes {
                    let (filled, after) = rest.split_at_mut(bytes);
                    self.decoder.decode(planes, filled)?;
                    (rest, offset) = (after, offset + bytes as u64);
                    continue;
                }
                // Planes after the requested one may be damaged, which must not matter here.
                let is_single = planes.end - planes.start == 1;
                let moved = self.move_window(&mut window, planes);
                if moved.is_err() && !is_single {
                    self.move_window(&mut window, plane..plane + 1)?;
                } else {
                    moved?;
                }
            }
            let start = (plane - window.first) as usize * self.plane_bytes + skipped;
            let count = rest.len().min(window.bytes.len() - start);
            let (filled, after) = rest.split_at_mut(count);
            filled.copy_from_slice(&window.bytes[start..start + count]);
            (rest, offset) = (after, offset + count as u64);
        }
        Ok(true)
    }

    /// Returns the planes that are decoded together with plane `first`.
    fn window_at(&self, first: u64) -> Range<u64> {
        let count = (WINDOW_BYTES / self.plane_bytes).max(1) as u64;
        let end = self.decoder.window_end(first, count).max(first + 1);
        first..end.min(first + count).min(self.planes)
    }

    /// Returns the size of these planes, in bytes.
    fn range_bytes(&self, planes: &Range<u64>) -> usize {
        (planes.end - planes.start) as usize * self.plane_bytes
    }

    fn move_window(&self, window: &mut Window, planes: Range<u64>) -> Result<(), FileProblem> {
        let bytes = self.range_bytes(&planes);
        let mut decoded = std::mem::take(&mut window.bytes);
        if decoded.len() != bytes {
            drop(decoded);
            decoded = memory::try_zeroed(PLANES, bytes)?;
        }
        self.decoder.decode(planes.clone(), &mut decoded)?;
        *window = Window {
            first: planes.start,
            bytes: decoded,
        };
        Ok(())
    }
}

/// Calls `decode(index, chunk)` for every chunk of `out` on all threads. After an error no further
/// chunks are started.
///
/// # Errors
/// An error of a chunk.
pub(in crate::io) fn decode_chunks(
    out: &mut [u8],
    chunk_bytes: usize,
    decode: impl Fn(u64, &mut [u8]) -> Result<(), FileProblem> + Sync,
) -> Result<(), FileProblem> {
    let failure: Mutex<Option<(u64, FileProblem)>> = Mutex::new(None);
    let lock = || failure.lock().unwrap_or_else(PoisonError::into_inner);
    parallel::for_each_chunk_mut(out, chunk_bytes.max(1), |first, chunk| {
        let index = (first / chunk_bytes.max(1)) as u64;
        // The error with the smallest index is reported, whatever the order of the threads.
        if lock().as_ref().is_some_and(|(failed, _)| *failed < index) {
            return;
        }
        if let Err(problem) = decode(index, chunk) {
            let mut failure = lock();
            if failure.as_ref().is_none_or(|(failed, _)| index < *failed) {
                *failure = Some((index, problem));
            }
        }
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(()), |(_, problem)| Err(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::source::Source;

    /// Planes of 5 bytes whose bytes are their offsets.
    struct Offsets;

    impl DecodePlanes for Offsets {
        fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
            for (byte, offset) in out.iter_mut().zip(planes.start * 5..) {
                *byte = offset as u8;
            }
            Ok(())
        }

        fn window_end(&self, first: u64, _: u64) -> u64 {
            (first / 3 + 1) * 3
        }
    }

    #[test]
    fn any_range_is_filled_from_windows() {
        let planes = DecodedPlanes::new(Offsets, 5, 10);
        for start in 0..50_usize {
            for end in start..=50 {
                let mut buffer = vec![0; end - start];
                assert!(planes.fill(&mut buffer, start as u64).unwrap());
                let expected: Vec<u8> = (start as u8..end as u8).collect();
                assert_eq!(buffer, expected);
            }
        }
        assert!(!planes.fill(&mut [0], 50).unwrap());
        assert!(!planes.fill(&mut [0; 2], u64::MAX).unwrap());
    }

    /// Planes of which those from 3 on are damaged.
    struct Damaged;

    impl DecodePlanes for Damaged {
        fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
            out.fill(1);
            if planes.end > 3 {
                return Err(FileProblem::FileChanged);
            }
            Ok(())
        }
    }

    #[test]
    fn damaged_planes_do_not_affect_earlier_ones() {
        let planes = DecodedPlanes::new(Damaged, 5, 10);
        assert!(planes.fill(&mut [0; 4], 10).unwrap());
        assert!(planes.fill(&mut [0; 4], 15).is_err());
        assert!(planes.fill(&mut [0; 15], 0).unwrap());
        let mut source = Source::from_planes(DecodedPlanes::new(Damaged, 5, 10), true);
        assert_eq!(source.fill(&mut [0; 13]).unwrap(), 13);
        assert_eq!(source.skip(36).unwrap(), 36);
        assert!(source.fill(&mut [0; 1]).is_err());
        assert_eq!((source.position(), source.skip(9).unwrap()), (49, 1));
    }
}
