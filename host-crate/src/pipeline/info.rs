//! What a volume file holds.

use super::{PipelineError, VolumeSource, at};
use crate::{
    device::start_threads,
    grid::{Geometry, RunningSummary, Sample, SampleSummary, SampleType, sample_count},
    io::{FileError, FileProblem, HeaderInfo, VolumeReader},
    memory,
    monitor::Monitor,
};

/// Bytes of samples that are read at a time.
const STEP: usize = 16 << 20;

/// The description of a volume file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfoJob {
    /// The file.
    pub source: VolumeSource,
    /// Whether its samples are read for their range and mean. Otherwise the header alone is.
    pub statistics: bool,
}

/// What a volume file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoOutcome {
    /// What the header states. Its volume means nothing where none [is chosen](Self::is_chosen).
    pub header: HeaderInfo,
    /// Whether this is one volume: the file's only one, or the one that the job names.
    pub is_chosen: bool,
    /// Whether this is one component of each sample: the only one, or the one that the job names.
    pub is_component_chosen: bool,
    /// Samples of one volume along x, y and z.
    pub dims: [usize; 3],
    /// Where its grid lies in the world.
    pub geometry: Geometry,
    /// The type that the samples are read as, scaling applied.
    pub sample_type: SampleType,
    /// Range and mean, if they were asked for.
    pub statistics: Option<SampleSummary>,
}

impl InfoOutcome {
    /// How many samples a volume has.
    pub fn samples(&self) -> usize {
        let all = self
            .dims
            .iter()
            .try_fold(1_usize, |all, &n| all.checked_mul(n));
        // a grid without samples may have dims whose product does not fit
        all.unwrap_or(0)
    }
}

/// Reads the header, and if asked goes through the samples of one volume.
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
/// assert_eq!(run(&job, &Monitor::silent())?.dims, [4, 3, 10]);
/// job.statistics = true;
/// let statistics = run(&job, &Monitor::silent())?.statistics;
/// assert_eq!(statistics.and_then(|it| it.max), Some(9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with the file; for statistics of a file of several volumes, that none is chosen.
pub fn run(job: &InfoJob, monitor: &Monitor<'_>) -> Result<InfoOutcome, PipelineError> {
    start_threads()?;
    let asked = job.source.options.volume;
    let component = job.source.options.component;
    let mut source = job.source.clone();
    if !job.statistics {
        // the header is that of every volume
        source.options.volume = asked.or(Some(0));
    }
    let mut reader = match source.open() {
        Err(PipelineError::File(error)) if !job.statistics && is_of_components(&error) => {
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

/// Whether a file was not opened since no component is chosen. One that is named where there is
/// none means something in npy.
fn is_of_components(error: &FileError) -> bool {
    matches!(error.problem, FileProblem::SeveralComponents { .. })
}

fn statistics(
    reader: &mut VolumeReader<'_>,
    monitor: &Monitor<'_>,
) -> Result<SampleSummary, PipelineError> {
    match reader.sample_type() {
        SampleType::U8 => statistics_of::<u8>(reader, monitor),
        SampleType::I8 => statistics_of::<i8>(reader, monitor),
        SampleType::U16 => statistics_of::<u16>(reader, monitor),
        SampleType::I16 => statistics_of::<i16>(reader, monitor),
        SampleType::I32 => statistics_of::<i32>(reader, monitor),
        SampleType::F32 => statistics_of::<f32>(reader, monitor),
        SampleType::F64 => statistics_of::<f64>(reader, monitor),
    }
}

fn statistics_of<T: Sample>(
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
