//! The isovalue that the samples themselves suggest.

use super::MeshJob;
use crate::{
    grid::{
        AnyVolume, Histogram, OtsuError, OtsuRange, Sample, SampleType, Volume, otsu_threshold,
        sample_count, with_volume,
    },
    io::{FileError, VolumeReader},
    memory,
    monitor::Monitor,
    pipeline::{
        PipelineError, at,
        mask::{StatedGrid, open_mask},
    },
};

/// Samples that are read at a time.
const STEP: usize = 1 << 22;

/// The level of a volume that is there.
pub(super) fn level_of(
    job: &MeshJob,
    volume: &AnyVolume,
    mask: Option<&Volume<u8>>,
) -> Result<f64, PipelineError> {
    let mask = mask.map(Volume::samples);
    with_volume!(volume, volume => otsu_threshold(volume.samples(), mask))
        .map_err(at::<OtsuError>(&job.volume.path))
}

/// The same of a job whose volume is read in parts: once, or where samples have more than 16 bits
/// twice, since their range is not known before.
pub(super) fn level_of_file(job: &MeshJob, monitor: &Monitor<'_>) -> Result<f64, PipelineError> {
    let of = job.volume.open()?.sample_type();
    let path = &job.volume.path;
    let mut histogram = if Histogram::is_by_value(of) {
        Histogram::by_value(of).map_err(at(path))?
    } else {
        let mut range = OtsuRange::NONE;
        pass(job, monitor, &mut |samples, mask| {
            range = range.and(samples.range(mask));
            Ok(())
        })?;
        Histogram::of_range(range).map_err(at(path))?
    };
    pass(job, monitor, &mut |samples, mask| {
        samples.count(&mut histogram, mask)
    })?;
    histogram.threshold().map_err(at(path))
}

/// Samples of some type, and what is done with them.
trait Portion {
    fn range(&self, mask: &[u8]) -> OtsuRange;
    fn count(&self, histogram: &mut Histogram, mask: &[u8]) -> Result<(), OtsuError>;
}

impl<T: Sample> Portion for &[T] {
    fn range(&self, mask: &[u8]) -> OtsuRange {
        OtsuRange::within(self, mask)
    }

    fn count(&self, histogram: &mut Histogram, mask: &[u8]) -> Result<(), OtsuError> {
        Ok(histogram.add(self, Some(mask))?)
    }
}

/// What looks at samples and at 1 for each that counts.
type Look<'l> = dyn FnMut(&dyn Portion, &[u8]) -> Result<(), OtsuError> + 'l;

/// Runs an expression with the type that samples have.
macro_rules! with_type {
    ($type:expr, $T:ident => $body:expr) => {
        match $type {
            SampleType::U8 => {
                type $T = u8;
                $body
            }
            SampleType::I8 => {
                type $T = i8;
                $body
            }
            SampleType::U16 => {
                type $T = u16;
                $body
            }
            SampleType::I16 => {
                type $T = i16;
                $body
            }
            SampleType::I32 => {
                type $T = i32;
                $body
            }
            SampleType::F32 => {
                type $T = f32;
                $body
            }
            SampleType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}

/// One pass over all samples.
fn pass(job: &MeshJob, monitor: &Monitor<'_>, look: &mut Look<'_>) -> Result<(), PipelineError> {
    let mut volume = job.volume.open()?;
    let mut mask = match &job.mask {
        Some(mask) => {
            let grid = StatedGrid::of(
                &job.volume,
                volume.header(),
                volume.dims(),
                volume.geometry(),
            )?;
            // what there is to be said of it is said when the surface is made
            Some(open_mask(mask, &grid, &mut Vec::new())?)
        }
        None => None,
    };
    volume.set_overlap(0);
    with_type!(volume.sample_type(), T => pass_of::<T>(job, &mut volume, mask.as_mut(), monitor, look))
}

fn pass_of<T: Sample>(
    job: &MeshJob,
    volume: &mut VolumeReader<'_>,
    mut mask: Option<&mut VolumeReader<'_>>,
    monitor: &Monitor<'_>,
    look: &mut Look<'_>,
) -> Result<(), PipelineError> {
    let path = &job.volume.path;
    let all = sample_count(volume.dims()).map_err(at(path))?;
    let counter = monitor.counter("threshold", all as u64);
    let step = STEP.min(all);
    let mut samples = memory::try_zeroed::<T>("samples", step).map_err(at(path))?;
    let mut counting = memory::try_filled("samples", step, 1u8).map_err(at(path))?;
    let mut first = 0;
    while first < all {
        let len = step.min(all - first);
        volume.read_samples_into(first, &mut samples[..len])?;
        if let Some(mask) = &mut mask {
            read_mask_into(mask, first, &mut counting[..len])?;
        }
        look(&&samples[..len], &counting[..len]).map_err(at(path))?;
        counter.add(len as u64)?;
        first += len;
    }
    Ok(())
}

/// 1 where a mask's samples are not 0.
fn read_mask_into(
    mask: &mut VolumeReader<'_>,
    first: usize,
    out: &mut [u8],
) -> Result<(), FileError> {
    mask.set_overlap(0);
    with_type!(mask.sample_type(), T => {
        const PORTION: usize = 1 << 16;
        let mut samples = vec![T::default(); PORTION.min(out.len())];
        for (portion, out) in out.chunks_mut(PORTION).enumerate() {
            let samples = &mut samples[..out.len()];
            mask.read_samples_into(first + portion * PORTION, samples)?;
            for (out, sample) in out.iter_mut().zip(samples) {
                *out = u8::from(*sample != T::default());
            }
        }
        Ok(())
    })
}
