//! Sequential reading of the samples of one volume.

use crate::io::source::Source;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::{Encoding, OpenedVolume};
use crate::io::volume::samples::text::DecimalSamples;
use crate::io::volume::samples::{BinarySamples, SAMPLES, STEP, fill_values, grow};
use crate::io::{ByteCount, FileProblem, ReadOptions, Scaling};
use crate::{grid::Sample, memory};

/// Samples read at a time from a file of known length, in bytes: enough for all threads.
const CHUNK: usize = 256 << 20;

/// Reads the samples of the selected volume from first to last.
pub(crate) struct SampleStream<'a> {
    source: Source<'a>,
    layout: Layout,
    encoding: Encoding,
    scaling: Option<Scaling>,
    allow_trailing_bytes: bool,
    /// Number of samples before the selected volume.
    before: u64,
    /// Index of the next sample in the selected volume.
    next: usize,
}

impl<'a> SampleStream<'a> {
    /// Moves to the first sample of the volume that [`OpenedVolume::check`] selected.
    pub fn start(opened: OpenedVolume<'a>, options: &ReadOptions) -> Result<Self, FileProblem> {
        let mut stream = Self {
            before: opened.volume * opened.layout.samples as u64,
            source: opened.source,
            layout: opened.layout,
            encoding: opened.encoding,
            scaling: opened.header.scaling,
            allow_trailing_bytes: options.allow_trailing_bytes,
            next: 0,
        };
        stream.skip_stored(0, stream.before)?;
        Ok(stream)
    }

    /// Returns the index of the next sample.
    pub fn next(&self) -> usize {
        self.next
    }

    /// Fills `out` with the next samples. Its type must be that of [`Layout::values`].
    pub fn read<T: Sample>(&mut self, out: &mut [T]) -> Result<(), FileProblem> {
        let first = self.next as u64;
        let stored = self.layout.stored;
        match self.encoding {
            Encoding::Binary => {
                let mut consumed = (self.before + first) * stored.bytes() as u64;
                let (source, layout) = (&mut self.source, &self.layout);
                let mut read = |buffer: &mut [u8]| {
                    let found = source.fill(buffer)?;
                    consumed += found as u64;
                    if found < buffer.len() {
                        return Err(layout.too_short(ByteCount::Exactly(consumed)));
                    }
                    Ok(())
                };
                let mut samples = BinarySamples {
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

    /// Reads all remaining samples. Memory grows as they arrive, unless the length of the file
    /// guarantees that they exist.
    pub fn read_rest<T: Sample>(&mut self) -> Result<Vec<T>, FileProblem> {
        let count = self.layout.samples - self.next;
        if self.encoding == Encoding::Binary && self.source.is_length_known() {
            // Each thread touches the pages that it fills first.
            let mut samples = memory::try_zeroed(SAMPLES, count)?;
            for chunk in samples.chunks_mut(CHUNK / size_of::<T>()) {
                self.read(chunk)?;
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

    /// Skips samples of the volume.
    pub fn skip(&mut self, count: usize) -> Result<(), FileProblem> {
        self.skip_stored(self.before + self.next as u64, count as u64)?;
        self.next += count;
        Ok(())
    }

    /// Skips the remaining volumes and checks for trailing bytes. To be called after the last
    /// sample; reaching the end also makes a decompressor verify its checksum.
    pub fn finish(&mut self) -> Result<(), FileProblem> {
        let read = self.before + self.next as u64;
        self.skip_stored(read, self.layout.value_count() - read)?;
        if self.allow_trailing_bytes {
            return Ok(());
        }
        match self.encoding {
            Encoding::Decimal => self.decimal().check_end(),
            Encoding::Binary if self.source.skip(1)? > 0 => {
                let found = ByteCount::AtLeast(self.layout.total_bytes + 1);
                Err(self.layout.too_long(found))
            }
            Encoding::Binary => Ok(()),
        }
    }

    /// Skips `count` stored samples, the first of which has index `first` in the file.
    fn skip_stored(&mut self, first: u64, count: u64) -> Result<(), FileProblem> {
        if self.encoding == Encoding::Decimal {
            return self.decimal().skip(first..first + count);
        }
        let width = self.layout.stored.bytes() as u64;
        let skipped = self.source.skip(count * width)?;
        if skipped < count * width {
            let found = ByteCount::Exactly(first * width + skipped);
            return Err(self.layout.too_short(found));
        }
        Ok(())
    }

    fn decimal(&mut self) -> DecimalSamples<'_, 'a> {
        DecimalSamples {
            source: &mut self.source,
            layout: &self.layout,
            before: self.before,
        }
    }
}
