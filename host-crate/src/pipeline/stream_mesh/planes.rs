//! Reading of planes from a volume file with a conversion of their samples.
//!
//! Planes are those along z, as they are stored in the file, or those along y: the planes along z
//! of the volume with its axes y and z exchanged, which have one row of every stored plane.

use super::{SampleConversion, SlabAxis, StreamOptions};
use crate::{
    grid::{
        Sample, SamplePredicate, SampleSummary, SampleType, f64_to_f32, i32_to_f32, i64_to_f32,
        subtract_level, with_sample_type,
    },
    io::{FileError, VolumeReader},
    memory::{self, OutOfMemory},
};
use std::ops::Range;

/// Statistics of the samples that have been read.
#[derive(Clone, Copy)]
pub(super) struct ReadStatistics {
    pub summary: SampleSummary,
    /// Number of samples that were rounded.
    pub inexact: usize,
}

impl ReadStatistics {
    /// Statistics of no samples.
    pub(super) const EMPTY: Self = Self {
        summary: SampleSummary {
            count: 0,
            non_finite: 0,
            min: None,
            max: None,
            mean: None,
        },
        inexact: 0,
    };

    fn add<S: Sample>(&mut self, samples: &[S]) {
        self.summary = self.summary.join(SampleSummary::from_samples(samples));
    }
}

/// Creates a reader of planes with a certain conversion of samples.
pub(super) type OpenPlanes<T> =
    for<'r, 'v> fn(&'r mut VolumeReader<'v>, SlabAxis, &StreamOptions) -> Planes<'r, T>;

/// Reads a range of planes into a slice of their length.
pub(super) type Planes<'r, T> = Box<
    dyn FnMut(Range<usize>, &mut [T], &mut ReadStatistics) -> Result<(), FileError> + Send + 'r,
>;

/// Reads samples without a conversion.
pub(super) fn direct<'r, T: Sample>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    _options: &StreamOptions,
) -> Planes<'r, T> {
    if along == SlabAxis::Y {
        return converted::<T, T>(reader, along, |sample| (sample, true));
    }
    // each plane is read once
    reader.set_overlap(0);
    Box::new(move |z, out, statistics| {
        reader.read_planes_into(z, out)?;
        statistics.add(out);
        Ok(())
    })
}

/// Reads samples of `i32` as `f32`.
pub(super) fn from_i32<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, f32> {
    match options.conversion {
        SampleConversion::Subtract(offset) => converted(reader, along, move |sample: i32| {
            subtract_level(sample.into(), offset)
        }),
        _ => converted(reader, along, i32_to_f32),
    }
}

/// Reads samples of `i64` as `f32`.
pub(super) fn from_i64<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, f32> {
    match options.conversion {
        SampleConversion::Subtract(offset) => converted(reader, along, move |sample: i64| {
            subtract_level(sample.to_f64(), offset)
        }),
        _ => converted(reader, along, i64_to_f32),
    }
}

/// Reads samples of `f64` as `f32`.
pub(super) fn from_f64<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, f32> {
    match options.conversion {
        SampleConversion::Subtract(offset) => {
            converted(reader, along, move |sample| subtract_level(sample, offset))
        }
        _ => converted(reader, along, f64_to_f32),
    }
}

/// Reads samples with a conversion, one stored plane at a time. `convert` also returns `true` if
/// the conversion is exact.
fn converted<'r, S: Sample, T: Sample>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    convert: impl Fn(S) -> (T, bool) + Send + 'r,
) -> Planes<'r, T> {
    let mut stored: Vec<S> = Vec::new();
    reader.set_overlap(0);
    Box::new(move |planes, out, statistics| {
        let [nx, ny, nz] = reader.dims();
        if nx == 0 || ny == 0 || nz == 0 {
            return Ok(());
        }
        // returns the number of rounded samples
        let convert_all = |out: &mut [T], stored: &[S]| -> usize {
            let pairs = out.iter_mut().zip(stored);
            let inexact = pairs.map(|(out, &sample)| {
                let (value, exact) = convert(sample);
                *out = value;
                usize::from(!exact)
            });
            inexact.sum()
        };
        match along {
            SlabAxis::Z => {
                for (z, out) in planes.zip(out.chunks_exact_mut(nx * ny)) {
                    resize(&mut stored, nx * ny)
                        .map_err(|error| FileError::new(reader.path(), error.into()))?;
                    reader.read_planes_into(z..z + 1, &mut stored)?;
                    statistics.inexact += convert_all(out, &stored);
                    statistics.add(&stored);
                }
            }
            SlabAxis::Y => {
                resize(&mut stored, planes.len() * nx)
                    .map_err(|error| FileError::new(reader.path(), error.into()))?;
                for z in 0..nz {
                    reader.read_samples_into((z * ny + planes.start) * nx, &mut stored)?;
                    statistics.add(&stored);
                    let rows = out.chunks_exact_mut(nx).skip(z).step_by(nz);
                    for (out, row) in rows.zip(stored.chunks_exact(nx)) {
                        statistics.inexact += convert_all(out, row);
                    }
                }
            }
        }
        Ok(())
    })
}

/// Reads samples of any type as the indicator function of the selection of the options.
pub(super) fn indicator<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, u8> {
    match options.conversion {
        SampleConversion::Indicator(selection) => binary(reader, along, selection.predicate()),
        _ => binary(reader, along, |sample: f64| sample != 0.0),
    }
}

/// Reads a mask of samples of any type as 0 or 1; `u8` is read as it is.
pub(super) fn mask<'r>(reader: &'r mut VolumeReader<'_>, along: SlabAxis) -> Planes<'r, u8> {
    match reader.sample_type() {
        SampleType::U8 => direct(reader, along, &StreamOptions::default()),
        _ => binary(reader, along, |sample: f64| sample != 0.0),
    }
}

/// Reads samples of any type as 1 if they have a property, else as 0.
fn binary<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    predicate: impl SamplePredicate + Copy + Send + 'r,
) -> Planes<'r, u8> {
    fn to_bit<S: Sample>(predicate: impl SamplePredicate) -> impl Fn(S) -> (u8, bool) {
        move |sample| (u8::from(predicate.accepts(sample)), true)
    }
    with_sample_type!(reader.sample_type(), T => converted(reader, along, to_bit::<T>(predicate)))
}

/// Purpose of the memory of slabs, quoted in errors.
pub(super) const PURPOSE: &str = "a slab of the volume";

/// Sets the length of a list.
pub(super) fn resize<T: Sample>(list: &mut Vec<T>, len: usize) -> Result<(), OutOfMemory> {
    memory::try_reserve(PURPOSE, list, len.saturating_sub(list.len()))?;
    list.resize(len, T::zeroed());
    Ok(())
}
