//! Sources of planes: random access, or sequential decoding with a window of recent samples.

use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::sample_stream::SampleStream;
use crate::io::volume::samples::{BinarySamples, fill_values};
use crate::io::{FileProblem, ReadOptions, Scaling};
use crate::{
    grid::{AnyVolume, Sample},
    memory::{self, OutOfMemory},
};

/// Default number of planes that are retained for the next range.
const OVERLAP: usize = 4;

/// Source of the planes of a volume.
pub(crate) enum PlaneSource<'a> {
    RandomAccess(RandomAccessPlanes<'a>),
    Sequential(SequentialPlanes<'a>),
    /// A part of the volume that has been read already.
    InMemory(AnyVolume),
}

/// Random access to binary samples. The length of the file has been checked.
pub(crate) struct RandomAccessPlanes<'a> {
    bytes: RandomAccessBytes<'a>,
    /// Offset of the first sample of the selected volume, in bytes.
    offset: u64,
    layout: Layout,
    scaling: Option<Scaling>,
}

impl<'a> RandomAccessPlanes<'a> {
    /// Creates random access to the selected volume.
    pub fn new(bytes: RandomAccessBytes<'a>, opened: OpenedVolume<'a>) -> Self {
        Self {
            bytes,
            offset: opened.source.position() + opened.volume * opened.layout.volume_bytes(),
            layout: opened.layout,
            scaling: opened.header.scaling,
        }
    }

    /// Returns `true` if small ranges cost no more than large ones: nothing is decoded.
    pub fn is_plain(&self) -> bool {
        !matches!(self.bytes, RandomAccessBytes::Decoded(_))
    }

    /// Fills `out` with the samples from `first` on.
    pub fn read<T: Sample>(&self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        let stored = self.layout.stored;
        let mut offset = self.offset + (first * stored.bytes()) as u64;
        let mut read = |buffer: &mut [u8]| {
            if !self.bytes.fill(buffer, offset)? {
                return Err(FileProblem::FileChanged);
            }
            offset += buffer.len() as u64;
            Ok(())
        };
        let mut samples = BinarySamples {
            stored,
            order: self.layout.order,
            read: &mut read,
        };
        fill_values(stored, self.scaling, &mut samples, first as u64, out)
            .map_err(|problem| self.layout.at_voxel(problem))
    }
}

/// Sequential decoding.
pub(crate) struct SequentialPlanes<'a> {
    /// Stream of samples; `None` after an error, when its position is unknown.
    stream: Option<SampleStream<'a>>,
    /// Number of samples per plane.
    plane: usize,
    /// Number of samples of the volume.
    samples: usize,
    /// Number of planes that are retained.
    overlap: usize,
    /// Most recent samples, at most `overlap` planes.
    recent: SampleWindow,
}

impl<'a> SequentialPlanes<'a> {
    /// Starts at the first sample of the selected volume.
    pub fn start(opened: OpenedVolume<'a>, options: &ReadOptions) -> Result<Self, FileProblem> {
        let [nx, ny, _] = opened.layout.dims;
        let samples = opened.layout.samples;
        let mut stream = SampleStream::start(opened, options)?;
        if samples == 0 {
            // No plane will be read, so the end is checked here.
            stream.finish()?;
        }
        Ok(Self {
            stream: Some(stream),
            plane: nx.saturating_mul(ny),
            samples,
            overlap: OVERLAP,
            recent: SampleWindow::default(),
        })
    }

    /// Restarts with the same file, opened again.
    pub fn restart(
        &mut self,
        opened: OpenedVolume<'a>,
        options: &ReadOptions,
    ) -> Result<(), FileProblem> {
        self.recent = SampleWindow::default();
        self.stream = Some(SampleStream::start(opened, options)?);
        Ok(())
    }

    pub fn set_overlap(&mut self, planes: usize) {
        self.overlap = planes;
    }

    /// Returns `true` if sample `first` can no longer be read without a restart.
    pub fn has_passed(&self, first: usize) -> bool {
        self.stream.is_none() || first < self.recent.first
    }

    fn read<T: Sample>(&mut self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        let copied = self.recent.copy(first, out);
        let (first, out) = (first + copied, &mut out[copied..]);
        if out.is_empty() {
            return Ok(());
        }
        // After an error the stream is dropped, since its position is unknown.
        let mut stream = self.stream.take().ok_or(FileProblem::FileChanged)?;
        stream.skip(first.saturating_sub(stream.next()))?;
        stream.read(out)?;
        if stream.next() == self.samples {
            stream.finish()?;
        }
        self.stream = Some(stream);
        Ok(())
    }

    fn retain<T: Sample>(&mut self, first: usize, out: &[T]) -> Result<(), OutOfMemory> {
        let limit = self.overlap.saturating_mul(self.plane);
        self.recent.append(first, out, limit)
    }
}

/// Window of the most recent samples of a stream.
#[derive(Default)]
struct SampleWindow {
    /// Index of the first sample in the window.
    first: usize,
    /// Index after the last sample in the window: the next one of the stream.
    end: usize,
    /// Samples of the window in native byte order.
    bytes: Vec<u8>,
}

impl SampleWindow {
    /// Copies the samples from `first` on that are in the window; returns their number.
    fn copy<T: Sample>(&self, first: usize, out: &mut [T]) -> usize {
        let count = self.end.saturating_sub(first).min(out.len());
        if count > 0 {
            let start = (first - self.first) * size_of::<T>();
            let bytes = &self.bytes[start..start + count * size_of::<T>()];
            bytemuck::cast_slice_mut::<T, u8>(&mut out[..count]).copy_from_slice(bytes);
        }
        count
    }

    /// Appends samples that the stream has just returned and shortens the window to `limit`
    /// samples. Earlier samples stay as far as they are contiguous with the new ones.
    fn append<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        limit: usize,
    ) -> Result<(), OutOfMemory> {
        let end = first + samples.len();
        if end <= self.end {
            return Ok(());
        }
        let width = size_of::<T>();
        let tail = &samples[samples.len().saturating_sub(limit)..];
        let tail_first = end - tail.len();
        if (self.first..=self.end).contains(&tail_first) {
            self.bytes.truncate((tail_first - self.first) * width);
        } else {
            self.bytes.clear();
            self.first = tail_first;
        }
        let tail = bytemuck::cast_slice(tail);
        memory::try_extend("retained planes", &mut self.bytes, tail)?;
        self.end = end;
        let excess = (end - self.first).saturating_sub(limit);
        self.bytes.drain(..excess * width);
        self.first += excess;
        Ok(())
    }
}

impl<'a> PlaneSource<'a> {
    /// Prepares reading from sample `first` on. A sequential decoder that has passed it restarts
    /// with the file that `open` returns.
    pub fn go_to(
        &mut self,
        first: usize,
        options: &ReadOptions,
        open: impl FnOnce() -> Result<OpenedVolume<'a>, FileProblem>,
    ) -> Result<(), FileProblem> {
        match self {
            Self::Sequential(forward) if forward.has_passed(first) => {
                forward.restart(open()?, options)
            }
            _ => Ok(()),
        }
    }

    /// Fills `out` with the samples from `first` on, which must be the ones passed to
    /// [`go_to`](Self::go_to) or follow the ones read last.
    pub fn read<T: Sample>(&mut self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        match self {
            Self::RandomAccess(random) => random.read(first, out),
            Self::Sequential(forward) => forward.read(first, out),
            Self::InMemory(volume) => {
                let samples: &[T] = bytemuck::cast_slice(volume.bytes());
                out.copy_from_slice(&samples[first..first + out.len()]);
                Ok(())
            }
        }
    }

    /// Retains the last of the samples that were read since [`go_to`](Self::go_to).
    pub fn retain<T: Sample>(&mut self, first: usize, samples: &[T]) -> Result<(), FileProblem> {
        if let Self::Sequential(forward) = self {
            forward.retain(first, samples)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_samples_are_contiguous_and_limited() {
        let samples: Vec<u16> = (0..100).collect();
        let mut window = SampleWindow::default();
        let check = |window: &SampleWindow, first: usize, end: usize| {
            assert_eq!((window.first, window.end), (first, end));
            let mut out = vec![0_u16; 100 - first];
            assert_eq!(window.copy(first, &mut out), end - first);
            assert_eq!(out[..end - first], samples[first..end]);
        };
        window.append(0, &samples[..2], 5).unwrap();
        check(&window, 0, 2);
        window.append(2, &samples[2..4], 5).unwrap();
        check(&window, 0, 4);
        window.append(3, &samples[3..8], 5).unwrap();
        check(&window, 3, 8);
        window.append(6, &samples[6..9], 5).unwrap();
        check(&window, 4, 9);
        window.append(5, &samples[5..7], 5).unwrap();
        check(&window, 4, 9);
        window.append(20, &samples[20..22], 5).unwrap();
        check(&window, 20, 22);
        window.append(22, &samples[22..60], 5).unwrap();
        check(&window, 55, 60);
        window.append(60, &samples[60..61], 0).unwrap();
        check(&window, 61, 61);
        assert_eq!(window.copy(61, &mut [0_u16; 3]), 0);
    }
}
