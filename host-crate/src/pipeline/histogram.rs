//! Histogram of a volume file that is read in parts.

use super::{
    PipelineError, VolumeSource, at,
    mask::{StatedGrid, open_mask},
};
use crate::{
    grid::{Histogram, OtsuError, Sample, SampleRange, sample_count, with_sample_type},
    io::{FileError, VolumeReader},
    memory,
    monitor::Monitor,
};

/// Number of samples that are read at a time.
const CHUNK_LEN: usize = 1 << 22;

/// Counts the samples of a volume that is read in parts, and within the mask if there is one.
/// Samples of up to 16 bits take one pass over the file, others two: the first determines their
/// range. The inner error states why there is no histogram.
pub(crate) fn histogram_in_file(
    source: &VolumeSource,
    mask: Option<&VolumeSource>,
    monitor: &Monitor<'_>,
) -> Result<Result<Histogram, OtsuError>, PipelineError> {
    let sample_type = source.shape()?.1;
    let created = if Histogram::is_by_value(sample_type) {
        Histogram::by_value(sample_type).map_err(OtsuError::from)
    } else {
        let mut range = SampleRange::NONE;
        visit_samples(source, mask, monitor, &mut |samples, mask| {
            range = range.and(samples.range(mask));
            Ok(())
        })?;
        Histogram::with_range(range)
    };
    let mut histogram = match created {
        Ok(histogram) => histogram,
        Err(reason) => return Ok(Err(reason)),
    };
    visit_samples(source, mask, monitor, &mut |samples, mask| {
        samples.count(&mut histogram, mask)
    })?;
    Ok(Ok(histogram))
}

/// A chunk of samples of any type.
trait SampleChunk {
    fn range(&self, mask: &[u8]) -> SampleRange;
    fn count(&self, histogram: &mut Histogram, mask: &[u8]) -> Result<(), OtsuError>;
}

impl<T: Sample> SampleChunk for &[T] {
    fn range(&self, mask: &[u8]) -> SampleRange {
        SampleRange::within(self, mask)
    }

    fn count(&self, histogram: &mut Histogram, mask: &[u8]) -> Result<(), OtsuError> {
        Ok(histogram.add(self, Some(mask))?)
    }
}

/// Callback for a chunk of samples and its mask: 1 for each sample that counts.
type Visitor<'l> = dyn FnMut(&dyn SampleChunk, &[u8]) -> Result<(), OtsuError> + 'l;

/// Reads all samples once and passes them to `visit` in chunks.
fn visit_samples(
    source: &VolumeSource,
    mask: Option<&VolumeSource>,
    monitor: &Monitor<'_>,
    visit: &mut Visitor<'_>,
) -> Result<(), PipelineError> {
    let (mut volume, file_grid) = source.open_with_file_grid()?;
    let mut mask = match mask {
        Some(mask) => {
            let grid = StatedGrid::new(source, volume.header(), file_grid)?;
            // warnings about the mask are reported when the surface is extracted
            Some(open_mask(mask, &grid, &mut Vec::new())?)
        }
        None => None,
    };
    volume.set_overlap(0);
    with_sample_type!(volume.sample_type(), T => visit_typed::<T>(source, &mut volume, mask.as_mut(), monitor, visit))
}

fn visit_typed<T: Sample>(
    source: &VolumeSource,
    volume: &mut VolumeReader<'_>,
    mut mask: Option<&mut VolumeReader<'_>>,
    monitor: &Monitor<'_>,
    visit: &mut Visitor<'_>,
) -> Result<(), PipelineError> {
    let path = &source.path;
    let total = sample_count(volume.dims()).map_err(at(path))?;
    let counter = monitor.counter("threshold", total as u64);
    let chunk_len = CHUNK_LEN.min(total);
    let mut samples = memory::try_zeroed::<T>("samples", chunk_len).map_err(at(path))?;
    let mut included = memory::try_filled("samples", chunk_len, 1u8).map_err(at(path))?;
    let mut first = 0;
    while first < total {
        let len = chunk_len.min(total - first);
        volume.read_samples_into(first, &mut samples[..len])?;
        if let Some(mask) = &mut mask {
            read_mask_into(mask, first, &mut included[..len])?;
        }
        visit(&&samples[..len], &included[..len]).map_err(at(path))?;
        counter.add(len as u64)?;
        first += len;
    }
    Ok(())
}

/// Reads a mask: writes 1 for samples that are not zero, and 0 for others.
fn read_mask_into(
    mask: &mut VolumeReader<'_>,
    first: usize,
    out: &mut [u8],
) -> Result<(), FileError> {
    mask.set_overlap(0);
    with_sample_type!(mask.sample_type(), T => {
        const CHUNK_LEN: usize = 1 << 16;
        let mut samples = vec![T::default(); CHUNK_LEN.min(out.len())];
        for (chunk, out) in out.chunks_mut(CHUNK_LEN).enumerate() {
            let samples = &mut samples[..out.len()];
            mask.read_samples_into(first + chunk * CHUNK_LEN, samples)?;
            for (out, sample) in out.iter_mut().zip(samples) {
                *out = u8::from(*sample != T::default());
            }
        }
        Ok(())
    })
}
