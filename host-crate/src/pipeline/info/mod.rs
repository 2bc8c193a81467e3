//! Description of a volume file.

mod measure;
mod outcome;

pub use outcome::{InfoOutcome, SampleDistribution};

use super::{
    Level, ObjectFilter, PipelineError, VolumeSource,
    file_header::lacks_component,
    mask::StatedGrid,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::start_threads,
    grid::{Inside, LabelMeasureError, LabelMeasures, with_sample_type},
    io::write_table,
    memory::OutOfMemory,
    monitor::Monitor,
};
use measure::{distribution, measure_labels, read_statistics, select_object};
use std::path::PathBuf;

/// Maximum number of different samples of a volume that may be a segmentation.
const MAX_LABELS: usize = 4096;

/// A volume file to describe, by [`run`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfoJob {
    /// The file.
    pub source: VolumeSource,
    /// `true` to read the samples for their statistics; `false` to read only the header.
    pub statistics: bool,
    /// Objects to measure.
    pub objects: Option<MeasuredObjects>,
    /// Filter of the objects' voxels. Statistics are of the samples within its mask.
    pub filter: ObjectFilter,
    /// Table of the objects to write: `.csv` or `.json`.
    pub table: Option<PathBuf>,
}

/// Objects to measure.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredObjects {
    /// Every label, or those listed; 0 is the background. They can only be restricted to a mask.
    Labels(Option<Vec<i64>>),
    /// One object, measured as the label 1.
    Level {
        /// Definition of the object.
        level: Level,
        /// Side of an isovalue on which the object is.
        inside: Inside,
    },
}

/// Reads the header and, if requested, the samples of one volume.
///
/// A file of several volumes or components is described without choosing one; statistics are of
/// one. Memory: 16 MiB of samples, however large the file and its planes are, and one byte per
/// sample for a mask; the volume for an object of a level.
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
/// let mut job = InfoJob { source: VolumeSource::new(&path), ..InfoJob::default() };
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
    let mut inputs = vec![job.source.path.as_path()];
    inputs.extend(job.filter.inputs());
    let tables: Vec<_> = job
        .table
        .iter()
        .map(|path| (path.as_path(), OutputKind::Table))
        .collect();
    paths::check(&inputs, &tables)?;
    let asked = job.source.options.volume;
    let component = job.source.options.component;
    let reads_samples = job.statistics || job.objects.is_some();
    let mut source = job.source.clone();
    if !reads_samples {
        // the header is that of all volumes
        source.options.volume = asked.or(Some(0));
    }
    let (mut reader, file_grid) = match source.open_with_file_grid() {
        Err(PipelineError::File(error)) if !reads_samples && lacks_component(&error) => {
            source.options.component = Some(0);
            source.open_with_file_grid()?
        }
        reader => reader?,
    };
    let header = reader.header().clone();
    let mut warnings = Vec::new();
    let grid = StatedGrid::new(&job.source, &header, file_grid)?;
    let mask = job.filter.read_mask(&grid, &mut warnings)?;
    let mut outcome = InfoOutcome {
        is_chosen: asked.is_some() || header.volumes <= 1,
        is_component_chosen: component.is_some() || header.components <= 1,
        header,
        dims: reader.dims(),
        geometry: match source.geometry(reader.geometry())? {
            Some(geometry) => geometry,
            None => *reader.geometry(),
        },
        sample_type: reader.sample_type(),
        statistics: None,
        distribution: None,
        labels: None,
        objects: Vec::new(),
        iso: None,
        warnings,
    };
    if job.statistics {
        let mut labels = Some(LabelMeasures::new(reader.dims(), MAX_LABELS));
        let summary = with_sample_type!(reader.sample_type(), T => {
            read_statistics::<T>(&mut reader, monitor, mask.as_ref(), &mut labels)?
        });
        outcome.statistics = Some(summary);
        outcome.labels = labels
            .filter(LabelMeasures::look_like_labels)
            .map(LabelMeasures::finish);
        if job.source.is_file() {
            outcome.distribution = distribution(job, monitor)?;
        }
    }
    match &job.objects {
        Some(MeasuredObjects::Labels(listed)) => {
            outcome.objects = measure_labels(job, listed.as_deref(), mask.as_ref(), monitor)?;
        }
        &Some(MeasuredObjects::Level { level, inside }) => {
            let mut stages = Stages::begin(monitor);
            let (object, iso) = select_object(job, level, inside, mask.as_ref(), &mut stages)?;
            let indicator = object
                .to_volume()
                .map_err(job.source.error::<OutOfMemory>())?;
            let mut measures = LabelMeasures::new(object.dims(), 1);
            let added = measures.add(0, indicator.samples(), None, |_| true);
            added.map_err(job.source.error::<LabelMeasureError>())?;
            (outcome.objects, outcome.iso) = (measures.finish(), iso);
        }
        None => {}
    }
    if let Some(path) = &job.table {
        write_table(path, &outcome.table())?;
    }
    Ok(outcome)
}
