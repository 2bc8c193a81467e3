//! The samples of one volume in the order of the file.

use super::layout::Layout;
use super::opened::{Encoding, Opened};
use super::samples::{Binary, SAMPLES, STEP, fill_values, grow};
use super::source::{Left, Source};
use super::text::Decimal;
use super::{Amount, FileProblem, ReadOptions, Scaling};
use crate::{grid::Sample, memory};

/// Bytes of samples that are read at a time where they are there: enough for all threads.
const PORTION: usize = 256 << 20;

/// Gives the samples of the chosen volume, first to last.
pub(crate) struct SampleStream<'a> {
    source: Source<'a>,
    layout: Layout,
    encoding: Encoding,
    scaling: Option<Scaling>,
    allow_trailing_bytes: bool,
    /// Samples of the volumes before the chosen one.
    before: u64,
    /// Index of the next sample in the chosen volume.
    next: usize,
}

impl<'a> SampleStream<'a> {
    /// Goes to the first sample of the volume that [`Opened::check`] has chosen.
    pub fn start(opened: Opened<'a>, options: &ReadOptions) -> Result<Self, FileProblem> {
        let mut stream = Self {
            before: opened.volume * opened.layout.samples as u64,
            source: opened.source,
            layout: opened.layout,
            encoding: opened.encoding,
            scaling: opened.header.scaling,
            allow_trailing_bytes: options.allow_trailing_bytes,
            next: 0,
        };
        stream.pass_over(0, stream.before)?;
        Ok(stream)
    }

    /// Index of the next sample.
    pub fn next(&self) -> usize {
        self.next
    }

    /// Fills `out`, whose type is the file's [`value_type`](super::samples::value_type), with the
    /// next samples.
    pub fn read<T: Sample>(&mut self, out: &mut [T]) -> Result<(), FileProblem> {
        let first = self.next as u64;
        let stored = self.layout.stored;
        match self.encoding {
            Encoding::Binary => {
                let mut taken = (self.before + first) * stored.bytes() as u64;
                let (source, layout) = (&mut self.source, &self.layout);
                let mut read = |buffer: &mut [u8]| {
                    let found = source.fill(buffer)?;
                    taken += found as u64;
                    if found < buffer.len() {
                        return Err(layout.too_short(Amount::Exactly(taken)));
                    }
                    Ok(())
                };
                let mut samples = Binary {
                    stored,
                    order: self.layout.order,
                    read: &mut read,
                };
                fill_values(stored, self.scaling, &mut samples, first, out)
                    .map_err(|problem| self.layout.at_voxel(problem))?;
            }
            Encoding::Decimal => {
                let scaling = self.scaling;
                fill_values(stored, scaling, &mut self.decimal(), first, out)
                    .map_err(|problem| self.layout.at_voxel(problem))?;
            }
        }
        self.next += out.len();
        Ok(())
    }

    /// All samples that are still to come. Memory grows as they arrive, unless the file's length
    /// shows that they are there.
    pub fn read_rest<T: Sample>(&mut self) -> Result<Vec<T>, FileProblem> {
        let count = self.layout.samples - self.next;
        if self.encoding == Encoding::Binary && matches!(self.source.left(), Left::Exactly(_)) {
            // pages that the threads touch first which read into them
            let mut samples = memory::try_zeroed(SAMPLES, count)?;
            for portion in samples.chunks_mut(PORTION / size_of::<T>()) {
                self.read(portion)?;
            }
            return Ok(samples);
        }
        let mut samples = Vec::new();
        while samples.len() < count {
            let start = samples.len();
            grow(&mut samples, (STEP / size_of::<T>()).min(count - start))?;
            self.read(&mut samples[start..])?;
        }
        Ok(samples)
    }

    /// Passes over samples of the volume.
    pub fn skip(&mut self, count: usize) -> Result<(), FileProblem> {
        self.pass_over(self.before + self.next as u64, count as u64)?;
        self.next += count;
        Ok(())
    }

    /// To be called behind the last sample: passes over the volumes that follow and looks for the
    /// end, which is also what makes a decompressor compare its checksum.
    pub fn finish(&mut self) -> Result<(), FileProblem> {
        let read = self.before + self.next as u64;
        self.pass_over(read, self.layout.numbers() - read)?;
        if self.allow_trailing_bytes {
            return Ok(());
        }
        match self.encoding {
            Encoding::Decimal => self.decimal().check_end(),
            Encoding::Binary if self.source.skip(1)? > 0 => {
                let found = Amount::AtLeast(self.layout.total_bytes + 1);
                Err(self.layout.too_long(found))
            }
            Encoding::Binary => Ok(()),
        }
    }

    /// Passes over `count` samples of the file, the first of which has index `first` in it.
    fn pass_over(&mut self, first: u64, count: u64) -> Result<(), FileProblem> {
        if self.encoding == Encoding::Decimal {
            return self.decimal().skip(first..first + count);
        }
        let width = self.layout.stored.bytes() as u64;
        let skipped = self.source.skip(count * width)?;
        if skipped < count * width {
            let found = Amount::Exactly(first * width + skipped);
            return Err(self.layout.too_short(found));
        }
        Ok(())
    }

    fn decimal(&mut self) -> Decimal<'_, 'a> {
        Decimal {
            source: &mut self.source,
            layout: &self.layout,
            before: self.before,
        }
    }
}
