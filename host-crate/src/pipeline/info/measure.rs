//! Statistics of samples, and measures of objects.

use super::{InfoJob, SampleDistribution};
use crate::{
    device::Device,
    grid::{
        Inside, LabelMeasure, LabelMeasures, Mask, RunningSummary, Sample, SampleSummary,
        ThresholdRule, Volume, sample_count, with_sample_type,
    },
    io::VolumeReader,
    memory,
    monitor::Monitor,
    pipeline::{
        Level, PipelineError, Problem, at, error::ObjectError, histogram::histogram_in_file,
        level::ResolvedLevel, outcome::Stages,
    },
};
use std::collections::BTreeSet;

/// Number of bytes of samples that are read at a time.
const STEP: usize = 16 << 20;
/// Percentiles of a distribution.
const PERCENTILES: [f64; 7] = [1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0];
/// Number of bins of a distribution.
const BINS: usize = 64;
/// Maximum number of labels that are measured on request.
const MAX_MEASURED: usize = 1 << 20;

/// Returns the distribution of the samples; `None` if no sample is finite.
pub(super) fn distribution(
    job: &InfoJob,
    monitor: &Monitor<'_>,
) -> Result<Option<SampleDistribution>, PipelineError> {
    let mask = job.filter.mask.as_ref();
    let Ok(histogram) = histogram_in_file(&job.source, mask, monitor)? else {
        return Ok(None);
    };
    let percentile = |percent| Some([percent, histogram.percentile(percent)?]);
    let percentiles = PERCENTILES.into_iter().filter_map(percentile).collect();
    let Some((ends, counts)) = histogram.rebinned(BINS) else {
        return Ok(None);
    };
    Ok(Some(SampleDistribution {
        percentiles,
        otsu: ThresholdRule::Otsu.threshold(Ok(histogram)).ok(),
        ends,
        counts,
    }))
}

/// Reads a volume, and selects and filters the object of a level. Returns it with its isovalue, if
/// it has one.
pub(super) fn select_object(
    job: &InfoJob,
    level: Level,
    inside: Inside,
    mask: Option<&Volume<u8>>,
    stages: &mut Stages<'_>,
) -> Result<(Mask, Option<f64>), PipelineError> {
    level.check_selection().map_err(job.source.error())?;
    let volume = job.source.read()?.volume;
    let level = level.resolve(stages, &job.source, &volume, mask)?;
    let selection = level.selection(inside);
    let object = Mask::select(&volume, selection).map_err(job.source.error())?;
    let path = &job.source.path;
    let object = job.filter.apply(object, mask, &Device::cpu(), path)?;
    let iso = match level {
        ResolvedLevel::Iso(iso) => Some(iso),
        ResolvedLevel::Selection(_) => None,
    };
    Ok((object, iso))
}

/// Reads the samples and measures their labels.
pub(super) fn measure_labels(
    job: &InfoJob,
    listed: Option<&[i64]>,
    mask: Option<&Volume<u8>>,
    monitor: &Monitor<'_>,
) -> Result<Vec<LabelMeasure>, PipelineError> {
    if job.filter.largest || job.filter.fill_cavities {
        return Err(job.source.error()(ObjectError::LabelFilter));
    }
    let listed: Option<BTreeSet<i64>> = listed.map(|labels| labels.iter().copied().collect());
    let is_selected = |label: i64| listed.as_ref().is_none_or(|labels| labels.contains(&label));
    let mut reader = job.source.open()?;
    let mut measures = LabelMeasures::new(reader.dims(), MAX_MEASURED);
    with_sample_type!(reader.sample_type(), T => {
        visit::<T>(&mut reader, monitor, "labels", |first, samples| {
            let mask = mask.map(|mask| &mask.samples()[first..first + samples.len()]);
            Ok(measures.add(first, samples, mask, is_selected)?)
        })?
    });
    Ok(measures.finish())
}

pub(super) fn read_statistics<T: Sample>(
    reader: &mut VolumeReader<'_>,
    monitor: &Monitor<'_>,
    mask: Option<&Volume<u8>>,
    labels: &mut Option<LabelMeasures>,
) -> Result<SampleSummary, PipelineError> {
    let mut summary = RunningSummary::<T>::new();
    let mut kept = Vec::new();
    visit::<T>(reader, monitor, "statistics", |first, samples| {
        let mask = mask.map(|mask| &mask.samples()[first..first + samples.len()]);
        if let Some(measures) = labels
            && measures.add(first, samples, mask, |_| true).is_err()
        {
            *labels = None;
        }
        let Some(mask) = mask else {
            return Ok(summary.add(samples)?);
        };
        kept.clear();
        memory::try_reserve("samples within the mask", &mut kept, samples.len())?;
        let within = samples.iter().zip(mask).filter(|(_, mask)| **mask != 0);
        kept.extend(within.map(|(sample, _)| *sample));
        Ok(summary.add(&kept)?)
    })?;
    Ok(summary.finish())
}

/// Reads all samples once, and passes them to `body` in parts, each with the index of its first
/// sample.
fn visit<T: Sample>(
    reader: &mut VolumeReader<'_>,
    monitor: &Monitor<'_>,
    stage: &'static str,
    mut body: impl FnMut(usize, &[T]) -> Result<(), Problem>,
) -> Result<(), PipelineError> {
    reader.set_overlap(0);
    let all = sample_count(reader.dims()).map_err(at(reader.path()))?;
    let counter = monitor.counter(stage, all as u64);
    let step = (STEP / size_of::<T>()).min(all);
    let mut samples = memory::try_zeroed::<T>("samples", step).map_err(at(reader.path()))?;
    let mut first = 0;
    while first < all {
        let samples = &mut samples[..step.min(all - first)];
        reader.read_samples_into(first, samples)?;
        body(first, samples).map_err(at(reader.path()))?;
        counter.add(samples.len() as u64)?;
        first += samples.len();
    }
    Ok(())
}
