//! Samples that a file stores with z as the fastest axis, in the order of a volume, x fastest.

use std::io::{self, Read};

use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::samples::{SAMPLES, STEP, grow};
use crate::io::{ByteCount, FileProblem, ReadOptions};
use crate::memory;

/// Bytes of the planes that one pass over the file collects, unless a plane has more.
const BUFFER: u64 = 16 << 20;
/// Bytes of the file that are read at a time.
const CHUNK: usize = 1 << 16;

/// Purpose of planes in memory during a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaneBuffer {
    /// A few planes, for reading in parts.
    Bounded,
    /// All planes, where the length of the file shows that they exist: the caller needs as much
    /// memory for the samples.
    Whole,
}

/// Returns an opened volume whose samples are stored with x as the fastest axis: `opened`, or one
/// that reorders its samples. The file is read once per [`BUFFER`] bytes of the volume, and opened
/// again with `reopen`; a pipe, which cannot be opened again, is read into memory.
pub(crate) fn in_volume_order<'a>(
    mut opened: OpenedVolume<'a>,
    mut reopen: impl FnMut() -> Result<OpenedVolume<'a>, FileProblem> + Send + 'a,
    options: &ReadOptions,
    buffer: PlaneBuffer,
) -> Result<OpenedVolume<'a>, FileProblem> {
    if !opened.layout.is_reversed {
        return Ok(opened);
    }
    let layout = opened.layout.clone();
    let [nx, ny, nz] = layout.dims;
    let plane_bytes = (nx * ny * layout.stored.bytes()) as u64;
    let left = opened.source.remaining();
    let buffer = match (buffer, left) {
        (PlaneBuffer::Whole, Remaining::Exactly(_)) => u64::MAX,
        _ => BUFFER,
    };
    let mut planes_per_pass = usize::try_from(buffer / plane_bytes).unwrap_or(usize::MAX);
    let mut first = Some(std::mem::replace(
        &mut opened.source,
        Source::from_bytes(&[]),
    ));
    if left == Remaining::Unknown {
        first = first
            .map(|source| read_all(source, &layout, options))
            .transpose()?;
        planes_per_pass = usize::MAX;
    }
    let volume = opened.volume;
    let allow_trailing_bytes = options.allow_trailing_bytes;
    let expected = layout.clone();
    let open = Box::new(move || {
        if let Some(source) = first.take() {
            return Ok(source);
        }
        let again = reopen()?;
        let is_same = again.layout.dims == expected.dims && again.volume == volume;
        is_same
            .then_some(again.source)
            .ok_or(FileProblem::FileChanged)
    });
    opened.layout.is_reversed = false;
    opened.layout.volumes = 1;
    opened.layout.total_bytes = layout.volume_bytes();
    opened.volume = 0;
    let left = Remaining::AtMost(layout.volume_bytes());
    let reader = ReorderedBytes {
        open,
        layout,
        volume,
        allow_trailing_bytes,
        planes_per_pass: planes_per_pass.clamp(1, nz),
        next_plane: 0,
        planes: Vec::new(),
        consumed: 0,
    };
    opened.source = Source::from_decoder(reader, left);
    Ok(opened)
}

/// Reads all bytes of a pipe. Memory grows as they arrive.
fn read_all<'a>(
    mut source: Source<'a>,
    layout: &Layout,
    options: &ReadOptions,
) -> Result<Source<'a>, FileProblem> {
    let total = usize::try_from(layout.total_bytes).unwrap_or(usize::MAX);
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < total {
        let start = bytes.len();
        grow(&mut bytes, STEP.min(total - start))?;
        let found = source.fill(&mut bytes[start..])?;
        if start + found < bytes.len() {
            let found = ByteCount::Exactly((start + found) as u64);
            return Err(layout.too_short(found));
        }
    }
    check_end(&mut source, layout, options.allow_trailing_bytes)?;
    let left = Remaining::Exactly(layout.total_bytes);
    Ok(Source::from_decoder(io::Cursor::new(bytes), left))
}

/// Fails if bytes follow the last sample. Reaching the end also makes a decompressor verify its
/// checksum.
fn check_end(
    source: &mut Source<'_>,
    layout: &Layout,
    allow_trailing_bytes: bool,
) -> Result<(), FileProblem> {
    if !allow_trailing_bytes && source.skip(1)? > 0 {
        let found = ByteCount::AtLeast(layout.total_bytes + 1);
        return Err(layout.too_long(found));
    }
    Ok(())
}

/// Function that returns the file at the first byte of its first volume, once per pass.
type OpenPass<'a> = Box<dyn FnMut() -> Result<Source<'a>, FileProblem> + Send + 'a>;

/// Bytes of the samples of a volume, x fastest.
struct ReorderedBytes<'a> {
    open: OpenPass<'a>,
    /// Layout in the file: z fastest.
    layout: Layout,
    /// Index of the volume in storage order.
    volume: u64,
    allow_trailing_bytes: bool,
    planes_per_pass: usize,
    /// First plane that has not been collected.
    next_plane: usize,
    /// Bytes of the planes of the last pass.
    planes: Vec<u8>,
    /// Number of bytes of `planes` that have been consumed.
    consumed: usize,
}

impl ReorderedBytes<'_> {
    /// Collects the next planes in one pass over the file.
    fn collect_planes(&mut self) -> Result<(), FileProblem> {
        let mut source = (self.open)()?;
        let [nx, ny, nz] = self.layout.dims;
        let width = self.layout.stored.bytes();
        let z = self.next_plane..nz.min(self.next_plane + self.planes_per_pass);
        let plane = nx * ny;
        let bytes = z.len() * plane * width;
        if self.planes.len() != bytes {
            self.planes = Vec::new();
            self.planes = memory::try_zeroed(SAMPLES, bytes)?;
        }
        let mut position = self.volume * self.layout.volume_bytes();
        skip(&mut source, &self.layout, 0, position)?;
        let column = nz * width;
        let columns_per_read = (CHUNK / column).clamp(1, plane);
        let mut buffer = memory::try_zeroed(SAMPLES, columns_per_read * column)?;
        for first in (0..plane).step_by(columns_per_read) {
            let count = columns_per_read.min(plane - first);
            let buffer = &mut buffer[..count * column];
            let found = source.fill(buffer)?;
            position += found as u64;
            if found < buffer.len() {
                return Err(self.layout.too_short(ByteCount::Exactly(position)));
            }
            for (index, column) in (first..).zip(buffer.chunks_exact(column)) {
                // The column of x and y, with y faster than x.
                let target = index / ny + nx * (index % ny);
                let column = &column[z.start * width..z.end * width];
                match width {
                    1 => scatter::<1>(column, &mut self.planes, target, plane),
                    2 => scatter::<2>(column, &mut self.planes, target, plane),
                    4 => scatter::<4>(column, &mut self.planes, target, plane),
                    _ => scatter::<8>(column, &mut self.planes, target, plane),
                }
            }
        }
        skip(
            &mut source,
            &self.layout,
            position,
            self.layout.total_bytes - position,
        )?;
        check_end(&mut source, &self.layout, self.allow_trailing_bytes)?;
        self.next_plane = z.end;
        self.consumed = 0;
        Ok(())
    }
}

/// Writes the samples of a column, of `N` bytes each, to every `plane`-th sample from `first` on.
fn scatter<const N: usize>(column: &[u8], planes: &mut [u8], first: usize, plane: usize) {
    let (samples, _) = column.as_chunks::<N>();
    let (planes, _) = planes.as_chunks_mut::<N>();
    let targets = planes[first..].iter_mut().step_by(plane);
    for (target, sample) in targets.zip(samples) {
        *target = *sample;
    }
}

/// Skips `count` bytes from byte `position` of the samples on.
fn skip(
    source: &mut Source<'_>,
    layout: &Layout,
    position: u64,
    count: u64,
) -> Result<(), FileProblem> {
    let skipped = source.skip(count)?;
    if skipped < count {
        let found = ByteCount::Exactly(position + skipped);
        return Err(layout.too_short(found));
    }
    Ok(())
}

impl Read for ReorderedBytes<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.consumed == self.planes.len() {
            if self.next_plane == self.layout.dims[2] {
                return Ok(0);
            }
            self.collect_planes().map_err(io::Error::other)?;
        }
        let left = &self.planes[self.consumed..];
        let count = left.len().min(out.len());
        out[..count].copy_from_slice(&left[..count]);
        self.consumed += count;
        Ok(count)
    }
}
