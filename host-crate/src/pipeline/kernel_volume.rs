//! Conversion of volumes to the sample types that kernels read: `i32` and `f64` become `f32`.
//!
//! Samples of `f64` are rounded. Integers are converted exactly: if `f32` cannot represent all of
//! them, the isovalue is subtracted from every sample first, and differences that `f32` cannot
//! represent either are an error, unless the job permits rounding.

use super::{PipelineError, VolumeSource, WideSamples};
use crate::{
    grid::{AnyVolume, Sample, SampleType, Volume, f64_to_f32, subtract_level, with_volume},
    io::{HeaderInfo, StoredType, VolumeReader},
    memory::{self, OutOfMemory},
    parallel,
};
use std::ops::Range;

/// A volume of a sample type that kernels read.
pub(crate) struct KernelVolume {
    pub volume: AnyVolume,
    /// Isovalue that the converted samples are compared with.
    pub iso: f32,
    /// Number of samples that were rounded.
    pub inexact: usize,
}

/// Counts of integers that `f32` cannot represent, over the samples examined so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct InexactCounts {
    /// Number of samples that `f32` cannot represent.
    stored: u64,
    /// Number of samples whose difference from the isovalue `f32` cannot represent.
    offset: u64,
    /// Linear index and value of the first sample that `f32` cannot represent.
    first: Option<(u64, f64)>,
}

impl InexactCounts {
    /// Counts the samples of a chunk that begins at linear index `start`.
    fn from_samples<T: Sample>(samples: &[T], start: u64, iso: f64) -> Self {
        let count_range = |range: Range<usize>| {
            let mut counts = Self::default();
            for (index, sample) in range.clone().zip(&samples[range]) {
                let sample = sample.to_f64();
                if !f64_to_f32(sample).1 {
                    counts.stored += 1;
                    let index = start + index as u64;
                    counts.first = counts.first.or(Some((index, sample)));
                }
                counts.offset += u64::from(!subtract_level(sample, iso).1);
            }
            counts
        };
        let counts = parallel::reduce(samples.len(), parallel::CHUNK_LEN, count_range, Self::plus);
        counts.unwrap_or_default()
    }

    fn plus(self, later: Self) -> Self {
        Self {
            stored: self.stored + later.stored,
            offset: self.offset + later.offset,
            first: self.first.or(later.first),
        }
    }

    /// Returns the value to subtract from all samples so that none is rounded, or `None` if they
    /// are converted as they are.
    ///
    /// # Errors
    /// [`WideSamples`] if samples would be rounded either way and `may_round` is `false`.
    fn offset(
        self,
        iso: f64,
        dims: [usize; 3],
        may_round: bool,
    ) -> Result<Option<f64>, WideSamples> {
        let Some((index, value)) = self.first else {
            return Ok(None);
        };
        let [nx, ny, _] = dims.map(|n| n as u64);
        match self.offset {
            0 => Ok(Some(iso)),
            _ if may_round => Ok(None),
            _ => Err(WideSamples {
                count: self.stored,
                level: iso,
                voxel: [index % nx, index / nx % ny, index / (nx * ny)].map(|n| n as usize),
                value,
            }),
        }
    }
}

/// Converts a volume for kernels. Samples of `f64` are rounded. Integers are not, unless the source
/// permits it: if `f32` cannot represent them, `iso` is subtracted from every sample, and the
/// isovalue becomes 0.
pub(crate) fn kernel_volume(
    source: &VolumeSource,
    header: &HeaderInfo,
    volume: AnyVolume,
    iso: f64,
) -> Result<KernelVolume, PipelineError> {
    if is_wide(header, volume.sample_type()) {
        let count =
            with_volume!(&volume, volume => InexactCounts::from_samples(volume.samples(), 0, iso));
        let offset = count.offset(iso, volume.dims(), source.round_samples);
        if let Some(offset) = offset.map_err(source.error())? {
            let differences = with_volume!(&volume, volume => subtract(volume, offset));
            return Ok(KernelVolume {
                volume: differences.map_err(source.error::<OutOfMemory>())?.into(),
                iso: 0.0,
                inexact: 0,
            });
        }
    }
    let converted = volume.try_into_kernel_type();
    let (volume, inexact) = converted.map_err(source.error::<OutOfMemory>())?;
    Ok(KernelVolume {
        volume,
        iso: iso as f32,
        inexact,
    })
}

fn subtract<T: Sample>(volume: &Volume<T>, offset: f64) -> Result<Volume<f32>, OutOfMemory> {
    let from = volume.samples();
    let mut samples = memory::try_zeroed("samples of another type", from.len())?;
    parallel::for_each_chunk_mut(&mut samples, parallel::CHUNK_LEN, |first, to| {
        for (to, from) in to.iter_mut().zip(&from[first..]) {
            *to = subtract_level(from.to_f64(), offset).0;
        }
    });
    Ok(volume.with_samples(samples))
}

/// Returns the value to subtract from the samples of a volume that is read in parts, or `None` if
/// they are converted as they are. Determining the value takes a pass over the file if the samples
/// are integers of 32 bits or more.
pub(crate) fn offset_in_file(
    source: &VolumeSource,
    iso: f64,
) -> Result<Option<f64>, PipelineError> {
    let mut reader = source.open()?;
    let count = match reader.sample_type() {
        wide if !is_wide(reader.header(), wide) => return Ok(None),
        SampleType::I32 => count_in_file::<i32>(source, &mut reader, iso)?,
        SampleType::I64 => count_in_file::<i64>(source, &mut reader, iso)?,
        _ => count_in_file::<f64>(source, &mut reader, iso)?,
    };
    count
        .offset(iso, reader.dims(), source.round_samples)
        .map_err(source.error())
}

fn count_in_file<T: Sample>(
    source: &VolumeSource,
    reader: &mut VolumeReader<'_>,
    iso: f64,
) -> Result<InexactCounts, PipelineError> {
    const CHUNK_LEN: usize = 1 << 21;
    reader.set_overlap(0);
    let all: usize = reader.dims().iter().product();
    let list = memory::try_zeroed::<T>("samples", all.min(CHUNK_LEN));
    let mut list = list.map_err(source.error::<OutOfMemory>())?;
    let mut count = InexactCounts::default();
    for first in (0..all).step_by(CHUNK_LEN) {
        let samples = &mut list[..CHUNK_LEN.min(all - first)];
        reader.read_samples_into(first, samples)?;
        count = count.plus(InexactCounts::from_samples(samples, first as u64, iso));
    }
    Ok(count)
}

/// Returns `true` if samples are integers that `f32` may not represent: of 32 bits, or of 64 bits
/// or scaled and read as `f64`.
pub(crate) fn is_wide(header: &HeaderInfo, samples: SampleType) -> bool {
    let stored = header.stored_type;
    let is_integral = match header.scaling {
        Some(scaling) => scaling.keeps_integers(stored),
        None => !matches!(stored, StoredType::F32 | StoredType::F64),
    };
    match samples {
        SampleType::I32 | SampleType::I64 => true,
        SampleType::F64 => is_integral,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        io::{ByteOrder, VolumeFormat},
    };

    const BIG: i32 = 1 << 30;

    fn volume(samples: &[i32]) -> AnyVolume {
        let dims = [samples.len(), 1, 1];
        Volume::new(samples.to_vec(), dims, Geometry::default())
            .unwrap()
            .into()
    }

    fn header(stored: StoredType) -> HeaderInfo {
        HeaderInfo::new(VolumeFormat::Npy, stored, ByteOrder::Little)
    }

    fn convert(
        samples: &[i32],
        level: f64,
        round_samples: bool,
    ) -> Result<(Vec<f32>, f32), String> {
        let source = VolumeSource {
            round_samples,
            ..VolumeSource::new("a.npy")
        };
        let converted = kernel_volume(&source, &header(StoredType::I32), volume(samples), level)
            .map_err(|it| it.to_string())?;
        match converted.volume {
            AnyVolume::F32(volume) => Ok((volume.into_samples(), converted.iso)),
            other => panic!("{:?}", other.sample_type()),
        }
    }

    #[test]
    fn integers_that_f32_represents_are_converted_directly() {
        assert_eq!(convert(&[3, -7], 0.1, false), Ok((vec![3.0, -7.0], 0.1)));
    }

    #[test]
    fn large_integers_become_differences_from_the_isovalue() {
        let level = f64::from(BIG) + 1.0;
        assert_eq!(
            convert(&[BIG, BIG + 3], level, false),
            Ok((vec![-1.0, 2.0], 0.0))
        );
    }

    #[test]
    fn stored_type_decides_which_samples_are_integers() {
        let is_wide = |stored, samples| is_wide(&header(stored), samples);
        assert!(is_wide(StoredType::I64, SampleType::F64));
        assert!(is_wide(StoredType::U32, SampleType::I32));
        assert!(!is_wide(StoredType::F64, SampleType::F64));
        assert!(!is_wide(StoredType::I16, SampleType::I16));
    }

    #[test]
    fn inexact_integers_are_an_error_unless_rounding_is_permitted() {
        let samples = [0, 5, BIG + 1, BIG + 3];
        let text = convert(&samples, 0.5, false).unwrap_err();
        assert!(text.starts_with("a.npy: 2 integers"), "{text}");
        assert!(text.contains("1073741825 at voxel (2, 0, 0)"), "{text}");
        let rounded = samples.map(|sample| sample as f32).to_vec();
        assert_eq!(convert(&samples, 0.5, true), Ok((rounded, 0.5)));
    }
}
