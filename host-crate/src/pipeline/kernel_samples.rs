//! Samples as kernels read them: those of i32 and f64 become f32, integers exactly, or as the job
//! allows.

use super::{PipelineError, VolumeSource, WideSamples};
use crate::{
    grid::{AnyVolume, Sample, SampleType, Volume, f64_to_f32, less_level, with_volume},
    io::{HeaderInfo, StoredType, VolumeReader},
    memory::{self, OutOfMemory},
    parallel,
};
use std::ops::Range;

/// What kernels are given for a volume.
pub(crate) struct ForKernels {
    pub volume: AnyVolume,
    /// What its samples are compared with.
    pub iso: f32,
    /// How many of them are rounded.
    pub inexact: usize,
}

/// How integers can be given to kernels, as far as they have been looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WideCount {
    /// Samples that f32 does not hold.
    plain: u64,
    /// Samples whose differences from the level it does not hold.
    shifted: u64,
    /// The number and the value of the first that it does not hold.
    first: Option<(u64, f64)>,
}

impl WideCount {
    /// Of samples, the first of which has a number.
    fn of<T: Sample>(samples: &[T], number: u64, level: f64) -> Self {
        let of_range = |range: Range<usize>| {
            let mut counted = Self::default();
            for (at, sample) in range.clone().zip(&samples[range]) {
                let sample = sample.to_f64();
                if !f64_to_f32(sample).1 {
                    counted.plain += 1;
                    let number = number + at as u64;
                    counted.first = counted.first.or(Some((number, sample)));
                }
                counted.shifted += u64::from(!less_level(sample, level).1);
            }
            counted
        };
        let counted = parallel::reduce(samples.len(), parallel::CHUNK_LEN, of_range, Self::joined);
        counted.unwrap_or_default()
    }

    fn joined(self, later: Self) -> Self {
        Self {
            plain: self.plain + later.plain,
            shifted: self.shifted + later.shifted,
            first: self.first.or(later.first),
        }
    }

    /// What is subtracted from the samples, if anything, so that none is rounded; or that they are.
    fn decide(
        self,
        level: f64,
        dims: [usize; 3],
        may_round: bool,
    ) -> Result<Option<f64>, WideSamples> {
        let Some((number, value)) = self.first else {
            return Ok(None);
        };
        let [nx, ny, _] = dims.map(|n| n as u64);
        match self.shifted {
            0 => Ok(Some(level)),
            _ if may_round => Ok(None),
            _ => Err(WideSamples {
                count: self.plain,
                level,
                voxel: [number % nx, number / nx % ny, number / (nx * ny)].map(|n| n as usize),
                value,
            }),
        }
    }
}

/// The volume for kernels, and the isovalue for its samples. Those of f64 are rounded; integers are
/// not, unless the source says so: where f32 does not hold them, the isovalue is subtracted from
/// all, and is 0 then.
pub(crate) fn for_kernels(
    source: &VolumeSource,
    header: &HeaderInfo,
    volume: AnyVolume,
    level: f64,
) -> Result<ForKernels, PipelineError> {
    if is_wide(header, volume.sample_type()) {
        let count = with_volume!(&volume, volume => WideCount::of(volume.samples(), 0, level));
        let shift = count.decide(level, volume.dims(), source.round_samples);
        if let Some(level) = shift.map_err(source.error())? {
            let less = with_volume!(&volume, volume => less(volume, level));
            return Ok(ForKernels {
                volume: less.map_err(source.error::<OutOfMemory>())?.into(),
                iso: 0.0,
                inexact: 0,
            });
        }
    }
    let converted = volume.try_into_kernel_type();
    let (volume, inexact) = converted.map_err(source.error::<OutOfMemory>())?;
    Ok(ForKernels {
        volume,
        iso: level as f32,
        inexact,
    })
}

fn less<T: Sample>(volume: &Volume<T>, level: f64) -> Result<Volume<f32>, OutOfMemory> {
    let from = volume.samples();
    let mut samples = memory::try_zeroed("samples of another type", from.len())?;
    parallel::for_each_chunk_mut(&mut samples, parallel::CHUNK_LEN, |first, to| {
        for (to, from) in to.iter_mut().zip(&from[first..]) {
            *to = less_level(from.to_f64(), level).0;
        }
    });
    Ok(volume.with_samples(samples))
}

/// The same for a volume that is read in parts: what is to be subtracted from its samples. Integers
/// of 32 bits and more are read for that, once.
pub(crate) fn shift_of_file(
    source: &VolumeSource,
    level: f64,
) -> Result<Option<f64>, PipelineError> {
    let mut reader = source.open()?;
    let count = match reader.sample_type() {
        wide if !is_wide(reader.header(), wide) => return Ok(None),
        SampleType::I32 => count_in_file::<i32>(source, &mut reader, level)?,
        _ => count_in_file::<f64>(source, &mut reader, level)?,
    };
    count
        .decide(level, reader.dims(), source.round_samples)
        .map_err(source.error())
}

fn count_in_file<T: Sample>(
    source: &VolumeSource,
    reader: &mut VolumeReader<'_>,
    level: f64,
) -> Result<WideCount, PipelineError> {
    const STEP: usize = 1 << 21;
    reader.set_overlap(0);
    let all: usize = reader.dims().iter().product();
    let list = memory::try_zeroed::<T>("samples", all.min(STEP));
    let mut list = list.map_err(source.error::<OutOfMemory>())?;
    let mut count = WideCount::default();
    for first in (0..all).step_by(STEP) {
        let samples = &mut list[..STEP.min(all - first)];
        reader.read_samples_into(first, samples)?;
        count = count.joined(WideCount::of(samples, first as u64, level));
    }
    Ok(count)
}

/// Whether samples are integers that f32 may not hold: of 32 bits, or of more and held as f64.
pub(crate) fn is_wide(header: &HeaderInfo, samples: SampleType) -> bool {
    let is_float = matches!(header.stored_type, StoredType::F32 | StoredType::F64);
    match samples {
        SampleType::I32 => true,
        SampleType::F64 => !is_float && header.scaling.is_none(),
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

    fn made(samples: &[i32], level: f64, round_samples: bool) -> Result<(Vec<f32>, f32), String> {
        let source = VolumeSource {
            round_samples,
            ..VolumeSource::new("a.npy")
        };
        let made = for_kernels(&source, &header(StoredType::I32), volume(samples), level)
            .map_err(|it| it.to_string())?;
        match made.volume {
            AnyVolume::F32(volume) => Ok((volume.into_samples(), made.iso)),
            other => panic!("{:?}", other.sample_type()),
        }
    }

    #[test]
    fn samples_are_as_they_are_where_f32_holds_them() {
        assert_eq!(made(&[3, -7], 0.1, false), Ok((vec![3.0, -7.0], 0.1)));
    }

    #[test]
    fn others_are_less_the_isovalue() {
        let level = f64::from(BIG) + 1.0;
        assert_eq!(
            made(&[BIG, BIG + 3], level, false),
            Ok((vec![-1.0, 2.0], 0.0))
        );
    }

    #[test]
    fn longer_integers_are_no_floats() {
        let is_wide = |stored, samples| is_wide(&header(stored), samples);
        assert!(is_wide(StoredType::I64, SampleType::F64));
        assert!(is_wide(StoredType::U32, SampleType::I32));
        assert!(!is_wide(StoredType::F64, SampleType::F64));
        assert!(!is_wide(StoredType::I16, SampleType::I16));
    }

    #[test]
    fn what_is_not_exact_is_refused_or_rounded() {
        let samples = [0, 5, BIG + 1, BIG + 3];
        let text = made(&samples, 0.5, false).unwrap_err();
        assert!(text.starts_with("a.npy: 2 integers"), "{text}");
        assert!(text.contains("1073741825 at voxel (2, 0, 0)"), "{text}");
        let rounded = samples.map(|sample| sample as f32).to_vec();
        assert_eq!(made(&samples, 0.5, true), Ok((rounded, 0.5)));
    }
}
