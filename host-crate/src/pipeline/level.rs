//! The level of a job: which samples form the object, or where its surface lies.
//!
//! Every job that derives a surface or an object from samples has one [`Level`], which is resolved
//! once, when the samples are available. Two cases remain then: an isovalue that samples are
//! compared with, or a [`Selection`] of samples, whose indicator function (1 and 0) has its
//! surface at 0.5.
//!
//! | sample type | comparison with [`Level::Iso`] |
//! | --- | --- |
//! | `u8`, `i8`, `u16`, `i16`, `f32` | as `f32`; the isovalue is rounded to `f32` |
//! | `i32`, integers of 64 bits | exact: see [`kernel_volume`](super::kernel_volume) |
//! | `f64` | rounded to `f32`, with a warning |

use super::{
    PipelineError, VolumeSource, at,
    histogram::histogram_in_file,
    kernel_volume::{KernelVolume, kernel_volume, offset_in_file},
    outcome::Stages,
    stream_mesh::SampleConversion,
    warning::EmptyReason,
};
use crate::{
    grid::{
        AnyVolume, GridError, Histogram, Inside, OtsuError, SampleSummary, Selection,
        ThresholdRule, Volume, with_volume,
    },
    io::HeaderInfo,
    memory::OutOfMemory,
    monitor::Monitor,
};

/// Isovalue of the surface of an indicator function.
const INDICATOR_ISO: f64 = 0.5;

/// Definition of an object in a volume: an isovalue, or a selection of samples.
///
/// ```
/// use ferrovox::pipeline::Level;
///
/// // a CT volume at 300 Hounsfield units
/// let bone = Level::Iso(300.0);
/// // label 17 of a segmentation
/// let kidney = Level::Label(17.0);
/// assert_ne!(bone, kidney);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// An isovalue or threshold. Which side of it is inside is a parameter of the job.
    Iso(f64),
    /// The threshold that best separates the samples into two classes
    /// ([`otsu_threshold`](crate::grid::otsu_threshold)); with a mask, the samples within it.
    Otsu,
    /// The smallest sample that at least this percentage of the samples do not exceed
    /// ([`percentile`](crate::grid::percentile)); with a mask, of the samples within it.
    Percentile(f64),
    /// The samples that equal this label exactly, as they are stored in the file.
    Label(f64),
    /// The integers that equal this label exactly, which `f64` need not represent.
    WideLabel(i64),
    /// The samples from the first value to the second, both included.
    Range([f64; 2]),
    /// The samples that are not zero: a binary mask.
    NonZero,
}

impl Level {
    /// Checks that samples can be compared with the values of the level.
    ///
    /// # Errors
    /// [`GridError::Threshold`] and [`GridError::Label`] for numbers that are not finite as `f32`,
    /// [`GridError::Percentile`] for a percentage that is not from 0 to 100. The value of
    /// [`Level::Iso`] is checked where it is used.
    pub fn check(self) -> Result<(), GridError> {
        match self {
            Self::Label(label) => Selection::Label(label).check(),
            Self::Range(ends) => Selection::Range(ends).check(),
            Self::Percentile(found) if !(0.0..=100.0).contains(&found) => {
                Err(GridError::Percentile { found })
            }
            Self::Iso(_)
            | Self::Otsu
            | Self::Percentile(_)
            | Self::WideLabel(_)
            | Self::NonZero => Ok(()),
        }
    }

    /// Checks that voxels can be selected by the level: as [`check`](Self::check), and the value of
    /// [`Level::Iso`] is finite as `f32`.
    pub(crate) fn check_selection(self) -> Result<(), GridError> {
        match self {
            Self::Iso(threshold) => Selection::AtLeast(threshold).check(),
            level => level.check(),
        }
    }

    /// Returns `true` if the level is an isovalue, whether it is given or derived from the samples.
    pub(crate) fn is_isovalue(self) -> bool {
        matches!(self, Self::Iso(_) | Self::Otsu | Self::Percentile(_))
    }

    /// Returns `true` if kernels are given an indicator function of one byte per sample.
    pub(crate) fn is_selection(self) -> bool {
        !self.is_isovalue()
    }

    /// Determines the isovalue or the selection for a volume in memory. Thresholds that are derived
    /// from the samples are the stage `threshold`.
    pub(crate) fn resolve(
        self,
        stages: &mut Stages<'_>,
        source: &VolumeSource,
        volume: &AnyVolume,
        mask: Option<&Volume<u8>>,
    ) -> Result<ResolvedLevel, PipelineError> {
        self.resolve_with(|rule| {
            stages.run("threshold", || {
                let mask = mask.map(Volume::samples);
                let histogram =
                    with_volume!(volume, volume => Histogram::from_samples(volume.samples(), mask));
                rule.threshold(histogram)
                    .map_err(at::<OtsuError>(&source.path))
            })
        })
    }

    /// Determines the isovalue or the selection for a volume that is read in parts. Thresholds that
    /// are derived from the samples take one or two passes over the file, as the stage `threshold`.
    pub(crate) fn resolve_in_file(
        self,
        stages: &mut Stages<'_>,
        source: &VolumeSource,
        mask: Option<&VolumeSource>,
        monitor: &Monitor<'_>,
    ) -> Result<ResolvedLevel, PipelineError> {
        self.resolve_with(|rule| {
            stages.run("threshold", || {
                let histogram = histogram_in_file(source, mask, monitor)?;
                rule.threshold(histogram)
                    .map_err(at::<OtsuError>(&source.path))
            })
        })
    }

    fn resolve_with(
        self,
        threshold: impl FnOnce(ThresholdRule) -> Result<f64, PipelineError>,
    ) -> Result<ResolvedLevel, PipelineError> {
        Ok(match self {
            Self::Iso(iso) => ResolvedLevel::Iso(iso),
            Self::Otsu => ResolvedLevel::Iso(threshold(ThresholdRule::Otsu)?),
            Self::Percentile(percent) => {
                ResolvedLevel::Iso(threshold(ThresholdRule::Percentile(percent))?)
            }
            Self::Label(label) => ResolvedLevel::Selection(Selection::Label(label)),
            Self::WideLabel(label) => ResolvedLevel::Selection(Selection::WideLabel(label)),
            Self::Range(ends) => ResolvedLevel::Selection(Selection::Range(ends)),
            Self::NonZero => ResolvedLevel::Selection(Selection::NotZero),
        })
    }
}

/// A level whose value is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ResolvedLevel {
    /// The surface where samples take this value.
    Iso(f64),
    /// The surface of the selected samples.
    Selection(Selection),
}

impl ResolvedLevel {
    /// Isovalue that outcomes report: 0.5 for a selection.
    pub fn isovalue(self) -> f64 {
        match self {
            Self::Iso(iso) => iso,
            Self::Selection(_) => INDICATOR_ISO,
        }
    }

    /// Returns the selection of the samples inside the level. `inside` is the side of an isovalue.
    pub fn selection(self, inside: Inside) -> Selection {
        match (self, inside) {
            (Self::Iso(threshold), Inside::Above) => Selection::AtLeast(threshold),
            (Self::Iso(threshold), Inside::Below) => Selection::Below(threshold),
            (Self::Selection(selection), _) => selection,
        }
    }

    /// Converts a volume to samples that kernels read, and the isovalue accordingly.
    ///
    /// # Errors
    /// [`WideSamples`](super::WideSamples) if integers would be rounded, and a lack of memory.
    pub fn kernel_volume(
        self,
        source: &VolumeSource,
        header: &HeaderInfo,
        volume: AnyVolume,
    ) -> Result<KernelVolume, PipelineError> {
        let selection = match self {
            Self::Iso(iso) => return kernel_volume(source, header, volume, iso),
            Self::Selection(selection) => selection,
        };
        let indicator = volume.try_where(selection.predicate());
        Ok(KernelVolume {
            volume: indicator.map_err(source.error::<OutOfMemory>())?.into(),
            iso: INDICATOR_ISO as f32,
            inexact: 0,
        })
    }

    /// Returns the conversion of samples that are streamed, and the isovalue that the converted
    /// samples are compared with. Determining them takes a pass over the file if the samples are
    /// integers of 32 bits or more.
    ///
    /// # Errors
    /// [`WideSamples`](super::WideSamples) if integers would be rounded, and errors of the file.
    pub fn sample_conversion(
        self,
        source: &VolumeSource,
    ) -> Result<(SampleConversion, f32), PipelineError> {
        Ok(match self {
            Self::Selection(selection) => {
                (SampleConversion::Indicator(selection), INDICATOR_ISO as f32)
            }
            Self::Iso(iso) => match offset_in_file(source, iso)? {
                Some(offset) => (SampleConversion::Subtract(offset), 0.0),
                None => (SampleConversion::AsStored, iso as f32),
            },
        })
    }

    /// Returns the reason why there is no surface in a volume with these samples.
    pub fn empty_reason(self, samples: &SampleSummary, dims: [usize; 3]) -> EmptyReason {
        match self {
            Self::Selection(Selection::Label(label)) => EmptyReason::Label { label },
            Self::Selection(Selection::WideLabel(label)) => EmptyReason::WideLabel { label },
            level => EmptyReason::from_samples(samples, dims, level.isovalue() as f32),
        }
    }
}
