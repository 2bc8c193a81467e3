//! The two ways to a plane: at its place in the file, or behind everything before it.

use super::layout::Layout;
use super::opened::Opened;
use super::positioned::Positioned;
use super::sample_stream::SampleStream;
use super::samples::{Binary, fill_values};
use super::{FileProblem, ReadOptions, Scaling};
use crate::{
    grid::Sample,
    memory::{self, OutOfMemory},
};

/// Planes that are kept for the next range, by default.
const OVERLAP: usize = 4;

pub(crate) enum Planes<'a> {
    Random(Random<'a>),
    Forward(Forward<'a>),
}

/// Samples that are read at their place. The file's length has been compared with the sizes.
pub(crate) struct Random<'a> {
    bytes: Positioned<'a>,
    /// Of the chosen volume's first sample.
    offset: u64,
    layout: Layout,
    scaling: Option<Scaling>,
}

impl<'a> Random<'a> {
    pub fn new(bytes: Positioned<'a>, opened: Opened<'a>) -> Self {
        Self {
            bytes,
            offset: opened.source.position() + opened.volume * opened.layout.volume_bytes(),
            layout: opened.layout,
            scaling: opened.header.scaling,
        }
    }

    fn take<T: Sample>(&self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        let stored = self.layout.stored;
        let mut place = self.offset + (first * stored.bytes()) as u64;
        let mut read = |buffer: &mut [u8]| {
            if !self.bytes.fill(buffer, place)? {
                return Err(FileProblem::Changed);
            }
            place += buffer.len() as u64;
            Ok(())
        };
        let mut samples = Binary {
            stored,
            order: self.layout.order,
            read: &mut read,
        };
        fill_values(stored, self.scaling, &mut samples, first as u64, out)
            .map_err(|problem| self.layout.at_voxel(problem))
    }
}

/// Samples that are decoded from the front.
pub(crate) struct Forward<'a> {
    /// `None` after an error: what comes next is not known.
    stream: Option<SampleStream<'a>>,
    /// Samples of a plane.
    plane: usize,
    /// Samples of the volume.
    samples: usize,
    /// Planes that are kept.
    overlap: usize,
    /// The samples that came last, those of at most `overlap` planes.
    kept: Kept,
}

impl<'a> Forward<'a> {
    pub fn start(opened: Opened<'a>, options: &ReadOptions) -> Result<Self, FileProblem> {
        let [nx, ny, _] = opened.layout.dims;
        let samples = opened.layout.samples;
        let mut stream = SampleStream::start(opened, options)?;
        if samples == 0 {
            // No plane will be read that could find the end.
            stream.finish()?;
        }
        Ok(Self {
            stream: Some(stream),
            plane: nx.saturating_mul(ny),
            samples,
            overlap: OVERLAP,
            kept: Kept::default(),
        })
    }

    /// Decodes another opening of the same file.
    pub fn start_again(
        &mut self,
        opened: Opened<'a>,
        options: &ReadOptions,
    ) -> Result<(), FileProblem> {
        self.kept = Kept::default();
        self.stream = Some(SampleStream::start(opened, options)?);
        Ok(())
    }

    pub fn set_overlap(&mut self, planes: usize) {
        self.overlap = planes;
    }

    /// True when the sample of that index has passed.
    pub fn has_passed(&self, first: usize) -> bool {
        self.stream.is_none() || first < self.kept.first
    }

    fn take<T: Sample>(&mut self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        let copied = self.kept.copy(first, out);
        let (first, out) = (first + copied, &mut out[copied..]);
        if out.is_empty() {
            return Ok(());
        }
        // The stream comes back when nothing went wrong.
        let mut stream = self.stream.take().ok_or(FileProblem::Changed)?;
        stream.skip(first.saturating_sub(stream.next()))?;
        stream.read(out)?;
        if stream.next() == self.samples {
            stream.finish()?;
        }
        self.stream = Some(stream);
        Ok(())
    }

    fn keep<T: Sample>(&mut self, first: usize, out: &[T]) -> Result<(), OutOfMemory> {
        let limit = self.overlap.saturating_mul(self.plane);
        self.kept.keep(first, out, limit)
    }
}

/// The samples that a stream gave last.
#[derive(Default)]
struct Kept {
    /// Index of the first of them.
    first: usize,
    /// Index behind the last of them: the next that the stream gives.
    end: usize,
    /// Their bytes as they lie in memory.
    bytes: Vec<u8>,
}

impl Kept {
    /// Copies the samples from `first` on as far as they are kept; returns how many.
    fn copy<T: Sample>(&self, first: usize, out: &mut [T]) -> usize {
        let count = self.end.saturating_sub(first).min(out.len());
        if count > 0 {
            let start = (first - self.first) * size_of::<T>();
            let bytes = &self.bytes[start..start + count * size_of::<T>()];
            bytemuck::cast_slice_mut::<T, u8>(&mut out[..count]).copy_from_slice(bytes);
        }
        count
    }

    /// Keeps the last of these samples, which the stream has just given, together with what was
    /// kept before as far as it joins them: `limit` in all.
    fn keep<T: Sample>(
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
        memory::try_extend("planes that are kept", &mut self.bytes, tail)?;
        self.end = end;
        let excess = (end - self.first).saturating_sub(limit);
        self.bytes.drain(..excess * width);
        self.first += excess;
        Ok(())
    }
}

impl<'a> Planes<'a> {
    /// Makes the sample of that index the next to come; `open` opens the file once more.
    pub fn go_to(
        &mut self,
        first: usize,
        options: &ReadOptions,
        open: impl FnOnce() -> Result<Opened<'a>, FileProblem>,
    ) -> Result<(), FileProblem> {
        match self {
            Self::Forward(forward) if forward.has_passed(first) => {
                forward.start_again(open()?, options)
            }
            _ => Ok(()),
        }
    }

    /// Fills `out` with the samples from `first` on: those that [`go_to`](Self::go_to) was called
    /// for, or that follow the ones taken last.
    pub fn take<T: Sample>(&mut self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        match self {
            Self::Random(random) => random.take(first, out),
            Self::Forward(forward) => forward.take(first, out),
        }
    }

    /// To be called with everything that was taken since [`go_to`](Self::go_to).
    pub fn keep<T: Sample>(&mut self, first: usize, samples: &[T]) -> Result<(), FileProblem> {
        if let Self::Forward(forward) = self {
            forward.keep(first, samples)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_joins_up_to_the_limit() {
        let samples: Vec<u16> = (0..100).collect();
        let mut kept = Kept::default();
        let check = |kept: &Kept, first: usize, end: usize| {
            assert_eq!((kept.first, kept.end), (first, end));
            let mut out = vec![0_u16; 100 - first];
            assert_eq!(kept.copy(first, &mut out), end - first);
            assert_eq!(out[..end - first], samples[first..end]);
        };
        kept.keep(0, &samples[..2], 5).unwrap();
        check(&kept, 0, 2);
        kept.keep(2, &samples[2..4], 5).unwrap();
        check(&kept, 0, 4);
        kept.keep(3, &samples[3..8], 5).unwrap();
        check(&kept, 3, 8);
        kept.keep(6, &samples[6..9], 5).unwrap();
        check(&kept, 4, 9);
        kept.keep(5, &samples[5..7], 5).unwrap();
        check(&kept, 4, 9);
        kept.keep(20, &samples[20..22], 5).unwrap();
        check(&kept, 20, 22);
        kept.keep(22, &samples[22..60], 5).unwrap();
        check(&kept, 55, 60);
        kept.keep(60, &samples[60..61], 0).unwrap();
        check(&kept, 61, 61);
        assert_eq!(kept.copy(61, &mut [0_u16; 3]), 0);
    }
}
