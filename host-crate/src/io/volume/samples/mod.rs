//! Conversion of bytes to samples: types, byte order, narrowing and scaling.

pub(in crate::io) mod component;
mod scaling;
pub(in crate::io) mod text;

use bytemuck::cast_slice_mut;

use crate::io::{ByteOrder, FileProblem, SampleProblem, Scaling, StoredType};
use crate::{
    grid::{Sample, SampleType, with_kernel_sample_type},
    memory, parallel,
};
use scaling::ScaledSample;

/// Size of the steps in which samples are converted and memory grows, in bytes.
pub(crate) const STEP: usize = 4 << 20;

/// Supplier of consecutive stored samples, in native byte order.
pub(crate) trait StoredSamples {
    /// Fills `out` with samples, the first of which has index `first` in the volume. The type of
    /// `out` is [`StoredType::sample_type`], or `f64` or `i64` for integers of 32 and 64 bits.
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem>;
}

/// Fills `out` with samples, scaled if there is a scaling. The type of `out` is that of
/// [`Layout::values`](crate::io::volume::layout::Layout::values).
pub(crate) fn fill_values<T: Sample>(
    stored: StoredType,
    scaling: Option<Scaling>,
    samples: &mut impl StoredSamples,
    first: u64,
    out: &mut [T],
) -> Result<(), FileProblem> {
    let Some(scaling) = scaling else {
        return samples.fill(first, out);
    };
    with_kernel_sample_type!(
        stored.sample_type(),
        S => fill_scaled_from::<S, T>(scaling, samples, first, out),
        _ => fill_scaled_from::<f64, T>(scaling, samples, first, out)
    )
}

/// Fills `out`, of type `f32` or `f64`, with scaled samples that are decoded as type `S`.
fn fill_scaled_from<S: Sample, T: Sample>(
    scaling: Scaling,
    samples: &mut impl StoredSamples,
    first: u64,
    out: &mut [T],
) -> Result<(), FileProblem> {
    if T::TYPE == SampleType::F64 {
        fill_scaled::<S, f64>(scaling, samples, first, cast_slice_mut(out))
    } else {
        fill_scaled::<S, f32>(scaling, samples, first, cast_slice_mut(out))
    }
}

/// Fills `values` with scaled samples that are decoded as type `S`, [`STEP`] bytes at a time.
fn fill_scaled<S: Sample, V: ScaledSample>(
    scaling: Scaling,
    samples: &mut impl StoredSamples,
    first: u64,
    values: &mut [V],
) -> Result<(), FileProblem> {
    let step = STEP / size_of::<S>();
    let mut buffer = memory::try_filled(SAMPLES, step.min(values.len()), S::zeroed())?;
    for (index, values) in values.chunks_mut(step).enumerate() {
        let buffer = &mut buffer[..values.len()];
        let first = first + (index * step) as u64;
        samples.fill(first, buffer)?;
        scaling.scale(first, buffer, values)?;
    }
    Ok(())
}

fn swap_bytes<T: Sample>(samples: &mut [T]) {
    parallel::for_each_chunk_mut(samples, parallel::CHUNK_LEN, |_, samples| {
        for sample in samples {
            *sample = sample.swap_bytes();
        }
    });
}

/// Samples that are stored as binary numbers.
pub(crate) struct BinarySamples<'a> {
    pub stored: StoredType,
    pub order: ByteOrder,
    /// Fills a buffer with the next bytes of the file.
    pub read: &'a mut dyn FnMut(&mut [u8]) -> Result<(), FileProblem>,
}

impl StoredSamples for BinarySamples<'_> {
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem> {
        match self.stored {
            StoredType::U32 | StoredType::U64 | StoredType::I64 | StoredType::I32
                if T::TYPE == SampleType::F64 =>
            {
                self.fill_integers::<f64>(first, cast_slice_mut(out))
            }
            StoredType::U32 | StoredType::U64 | StoredType::I64 | StoredType::I32
                if T::TYPE == SampleType::I64 =>
            {
                self.fill_integers::<i64>(first, cast_slice_mut(out))
            }
            StoredType::U32 | StoredType::U64 | StoredType::I64 => {
                self.fill_integers::<i32>(first, cast_slice_mut(out))
            }
            _ => {
                (self.read)(cast_slice_mut(out))?;
                if self.order != ByteOrder::NATIVE && size_of::<T>() > 1 {
                    swap_bytes(out);
                }
                Ok(())
            }
        }
    }
}

impl BinarySamples<'_> {
    /// Fills `out` with integers of another width or signedness.
    fn fill_integers<S: FromInteger>(
        &mut self,
        first: u64,
        out: &mut [S],
    ) -> Result<(), FileProblem> {
        let order = self.order;
        match self.stored {
            StoredType::U32 => self.fill_decoded(first, out, |bytes: [u8; 4]| {
                let value = in_order(order, bytes, u32::from_le_bytes, u32::from_be_bytes);
                i128::from(value)
            }),
            StoredType::I32 => self.fill_decoded(first, out, |bytes: [u8; 4]| {
                let value = in_order(order, bytes, i32::from_le_bytes, i32::from_be_bytes);
                i128::from(value)
            }),
            StoredType::U64 => self.fill_decoded(first, out, |bytes: [u8; 8]| {
                let value = in_order(order, bytes, u64::from_le_bytes, u64::from_be_bytes);
                i128::from(value)
            }),
            _ => self.fill_decoded(first, out, |bytes: [u8; 8]| {
                let value = in_order(order, bytes, i64::from_le_bytes, i64::from_be_bytes);
                i128::from(value)
            }),
        }
    }

    /// Fills `out` with integers of `N` bytes each.
    fn fill_decoded<const N: usize, S: FromInteger>(
        &mut self,
        first: u64,
        out: &mut [S],
        decode: impl Fn([u8; N]) -> i128,
    ) -> Result<(), FileProblem> {
        let step = STEP / N;
        let mut buffer = memory::try_filled(SAMPLES, N * step.min(out.len()), 0)?;
        for (index, samples) in out.chunks_mut(step).enumerate() {
            let bytes = &mut buffer[..N * samples.len()];
            (self.read)(bytes)?;
            let (wide, _) = bytes.as_chunks::<N>();
            let first = first + (index * step) as u64;
            for ((sample, &bytes), index) in samples.iter_mut().zip(wide).zip(first..) {
                *sample = narrow(decode(bytes), index, self.stored)?;
            }
        }
        Ok(())
    }
}

/// Sample type that integers of files are converted to: `i32`, `i64` or `f64`.
pub(crate) trait FromInteger: Sample {
    /// Returns the integer if this type represents it exactly.
    fn from_integer(value: i128) -> Option<Self>;
}

impl FromInteger for i32 {
    fn from_integer(value: i128) -> Option<Self> {
        value.try_into().ok()
    }
}

impl FromInteger for i64 {
    fn from_integer(value: i128) -> Option<Self> {
        value.try_into().ok()
    }
}

impl FromInteger for f64 {
    fn from_integer(value: i128) -> Option<Self> {
        let rounded = value as Self;
        (rounded as i128 == value).then_some(rounded)
    }
}

/// Converts a wide integer to a sample of a volume.
pub(crate) fn narrow<S: FromInteger>(
    value: i128,
    index: u64,
    stored: StoredType,
) -> Result<S, FileProblem> {
    S::from_integer(value).ok_or_else(|| {
        let problem = SampleProblem::NotRepresentable {
            index,
            // `Layout::at_voxel` fills this in.
            voxel: [0; 3],
            value: value.to_string(),
            stored,
        };
        problem.into()
    })
}

fn in_order<B, T>(order: ByteOrder, bytes: B, little: impl Fn(B) -> T, big: impl Fn(B) -> T) -> T {
    match order {
        ByteOrder::Little => little(bytes),
        ByteOrder::Big => big(bytes),
    }
}

/// Purpose of the allocations, quoted in the error.
pub(crate) const SAMPLES: &str = "samples";

/// Appends `more` zero samples to a list.
pub(crate) fn grow<T: Sample>(list: &mut Vec<T>, more: usize) -> Result<(), FileProblem> {
    memory::try_reserve_amortized(SAMPLES, list, more)?;
    list.resize(list.len() + more, T::zeroed());
    Ok(())
}
