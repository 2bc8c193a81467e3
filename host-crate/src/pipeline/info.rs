//! Description of a volume file.

use super::{PipelineError, VolumeSource, at, source::lacks_component};
use crate::{
    device::start_threads,
    grid::{
        Geometry, RunningSummary, Sample, SampleSummary, SampleType, sample_count, with_sample_type,
    },
    io::{HeaderInfo, VolumeReader},
    memory,
    monitor::Monitor,
};

/// Number of bytes of samples that are read at a time.
const STEP: usize = 16 << 20;

/// A volume file to describe, by [`run`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfoJob {
    /// The file.
    pub source: VolumeSource,
    /// `true` to read the samples for their statistics; `false` to read only the header.
    pub statistics: bool,
}

/// Description of a volume file.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoOutcome {
    /// Contents of the header. Its volume index is meaningless unless one [is
    /// chosen](Self::is_chosen).
    pub header: HeaderInfo,
    /// `true` if one volume is described: the only one of the file, or the one that the job
    /// selects.
    pub is_chosen: bool,
    /// `true` if one component of each sample is described: the only one, or the one that the job
    /// selects.
    pub is_component_chosen: bool,
    /// Samples of one volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the grid in the world.
    pub geometry: Geometry,
    /// Type that the samples are read as, after scaling.
    pub sample_type: SampleType,
    /// Statistics of the samples, if requested.
    pub statistics: Option<SampleSummary>,
}

impl InfoOutcome {
    /// Returns the number of samples of one volume.
    pub fn samples(&self) -> usize {
        let all = self
            .dims
            .iter()
            .try_fold(1_usize, |all, &n| all.checked_mul(n));
        // a grid without samples may have dims whose product overflows
        all.unwrap_or(0)
    }
}

/// Reads the header and, if requested, the samples of one volume.
///
/// A file of several volumes or components is described without choosing one; statistics are of
/// one. Memory: 16 MiB of samples, however large the file and its planes are.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{VolumeSource, info::{InfoJob, run}};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ramp.nrrd");
/// let ramp = Volume::from_fn([4, 3, 10], Geometry::default(), |_, _, z| z as u8)?;
/// write_volume(&path, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let mut job = InfoJob { source: VolumeSource::new(&path), statistics: false };
/// assert_eq!(run(&job, &Monitor::new())?.dims, [4, 3, 10]);
/// job.statistics = true;
/// let statistics = run(&job, &Monitor::new())?.statistics;
/// assert_eq!(statistics.and_then(|it| it.max), Some(9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of the file; for statistics, an error if the file has several volumes and none is
/// selected.
pub fn run(job: &InfoJob, monitor: &Monitor<'_>) -> Result<InfoOutcome, PipelineError> {
    start_threads()?;
    let asked = job.source.options.volume;
    let component = job.source.options.component;
    let mut source = job.source.clone();
    if !job.statistics {
        // the header is that of all volumes
        source.options.volume = asked.or(Some(0));
    }
    let mut reader = match source.open() {
        Err(PipelineError::File(error)) if !job.statistics && lacks_component(&error) => {
            source.options.component = Some(0);
            source.open()?
        }
        reader => reader?,
    };
    let header = reader.header().clone();
    Ok(InfoOutcome {
        is_chosen: asked.is_some() || header.volumes <= 1,
        is_component_chosen: component.is_some() || header.components <= 1,
        header,
        dims: reader.dims(),
        geometry: match source.geometry(reader.geometry())? {
            Some(geometry) => geometry,
            None => *reader.geometry(),
        },
        sample_type: reader.sample_type(),
        statistics: if job.statistics {
            Some(statistics(&mut reader, monitor)?)
        } else {
            None
        },
    })
}

fn statistics(
    reader: &mut VolumeReader<'_>,
    monitor: &Monitor<'_>,
) -> Result<SampleSummary, PipelineError> {
    with_sample_type!(reader.sample_type(), T => read_statistics::<T>(reader, monitor))
}

fn read_statistics<T: Sample>(
    reader: &mut VolumeReader<'_>,
    monitor: &Monitor<'_>,
) -> Result<SampleSummary, PipelineError> {
    reader.set_overlap(0);
    let all = sample_count(reader.dims()).map_err(at(reader.path()))?;
    let counter = monitor.counter("statistics", all as u64);
    let step = (STEP / size_of::<T>()).min(all);
    let mut samples = memory::try_zeroed::<T>("samples", step).map_err(at(reader.path()))?;
    let mut summary = RunningSummary::<T>::new();
    let mut first = 0;
    while first < all {
        let samples = &mut samples[..step.min(all - first)];
        reader.read_samples_into(first, samples)?;
        summary.add(samples).map_err(at(reader.path()))?;
        counter.add(samples.len() as u64)?;
        first += samples.len();
    }
    Ok(summary.finish())
}
