//! Description of a volume file.

use super::{
    Level, ObjectFilter, PipelineError, Problem, VolumeSource, Warning, at,
    error::ObjectError,
    histogram::histogram_in_file,
    mask::StatedGrid,
    outcome::Stages,
    paths::{self, OutputKind},
    source::lacks_component,
};
use crate::{
    device::{Device, start_threads},
    grid::{
        Geometry, Inside, LabelMeasure, LabelMeasureError, LabelMeasures, Mask, RunningSummary,
        Sample, SampleSummary, SampleType, ThresholdRule, Volume, sample_count, with_sample_type,
    },
    io::{Cell, HeaderInfo, Table, VolumeReader, write_table},
    memory::{self, OutOfMemory},
    monitor::Monitor,
};
use std::{collections::BTreeSet, path::PathBuf};

/// Number of bytes of samples that are read at a time.
const STEP: usize = 16 << 20;
/// Percentiles of a distribution.
const PERCENTILES: [f64; 7] = [1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0];
/// Number of bins of a distribution.
const BINS: usize = 64;
/// Maximum number of different samples of a volume that may be a segmentation.
const MAX_LABELS: usize = 4096;
/// Maximum number of labels that are measured on request.
const MAX_MEASURED: usize = 1 << 20;

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

/// Distribution of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleDistribution {
    /// Percentages, and the samples that as many percent do not exceed.
    pub percentiles: Vec<[f64; 2]>,
    /// Otsu's threshold, if there are different samples.
    pub otsu: Option<f64>,
    /// Smallest and largest sample.
    pub ends: [f64; 2],
    /// Number of samples in equal intervals between the ends.
    pub counts: Vec<u64>,
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
    /// Distribution of the samples, if statistics are requested and the file can be read twice.
    pub distribution: Option<SampleDistribution>,
    /// Labels, if statistics are requested and the samples look like a segmentation: integers with
    /// few different values, most of which equal their neighbours.
    pub labels: Option<Vec<LabelMeasure>>,
    /// Measures of the objects, if requested.
    pub objects: Vec<LabelMeasure>,
    /// Isovalue of the object, if it is defined by one.
    pub iso: Option<f64>,
    /// Warnings about the mask.
    pub warnings: Vec<Warning>,
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

    /// Returns the orientation of the axes in a right-anterior-superior world, such as `RAS` or
    /// `LPS`: the letter of the direction closest to each axis.
    pub fn orientation(&self) -> String {
        let axes = self.geometry.axes();
        let mut is_free = [true; 3];
        let mut code = String::new();
        for axis in 0..3 {
            let column = axes.column(axis);
            let free = (0..3).filter(|&world| is_free[world]);
            let closest = free.max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()));
            let world = closest.unwrap_or(axis);
            is_free[world] = false;
            let letters = [['R', 'L'], ['A', 'P'], ['S', 'I']][world];
            code.push(letters[usize::from(column[world] < 0.0)]);
        }
        code
    }

    /// Returns the length of the volume along its axes, in world units.
    pub fn extent(&self) -> [f64; 3] {
        let spacing = self.geometry.spacing();
        [0, 1, 2].map(|axis| self.dims[axis] as f64 * spacing[axis])
    }

    /// Returns a table of the measured objects: voxels, volume, first and end index, and centroid
    /// in world coordinates.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "label",
            "voxels",
            "volume",
            "first_x",
            "first_y",
            "first_z",
            "end_x",
            "end_y",
            "end_z",
            "centroid_x",
            "centroid_y",
            "centroid_z",
        ]);
        for object in &self.objects {
            let numbers = [object.label.into(), object.voxels.into()];
            let box_cells = object.bounds.start.iter().chain(&object.bounds.end);
            let centroid = self.centroid(object);
            table.add(
                numbers
                    .into_iter()
                    .chain([self.volume(object).into()])
                    .chain(box_cells.map(|&index| Cell::from(index)))
                    .chain(centroid.map(Cell::from)),
            );
        }
        table
    }

    /// Returns the volume of an object, in world units.
    pub fn volume(&self, object: &LabelMeasure) -> f64 {
        object.voxels as f64 * self.geometry.determinant().abs()
    }

    /// Returns the centroid of an object, in world coordinates.
    pub fn centroid(&self, object: &LabelMeasure) -> [f64; 3] {
        self.geometry.index_to_world(object.centroid.into()).into()
    }
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
    let mut reader = match source.open() {
        Err(PipelineError::File(error)) if !reads_samples && lacks_component(&error) => {
            source.options.component = Some(0);
            source.open()?
        }
        reader => reader?,
    };
    let header = reader.header().clone();
    let mut warnings = Vec::new();
    let grid = StatedGrid::new(&job.source, &header, reader.dims(), reader.geometry())?;
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

/// Returns the distribution of the samples; `None` if no sample is finite.
fn distribution(
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
fn select_object(
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
        super::level::ResolvedLevel::Iso(iso) => Some(iso),
        super::level::ResolvedLevel::Selection(_) => None,
    };
    Ok((object, iso))
}

/// Reads the samples and measures their labels.
fn measure_labels(
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

fn read_statistics<T: Sample>(
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
