//! From bytes to samples: types, byte order, narrowing, scaling.

use rayon::prelude::*;

use super::{ByteOrder, FileProblem, Scaling, StoredType};
use crate::grid::{Sample, SampleType};

/// Bytes that are converted, and by which memory grows, at a time.
pub(crate) const STEP: usize = 4 << 20;

/// Gives the next stored samples, one per element, in the machine's byte order and as a volume has them.
pub(crate) trait StoredSamples {
    /// Fills `out`, whose type is that of [`StoredType::sample_type`]; `first` is the index of its first sample in
    /// the volume.
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem>;
}

/// The type that samples have once they are scaled.
pub(crate) fn value_type(stored: StoredType, scaling: Option<Scaling>) -> SampleType {
    match (scaling, stored) {
        (None, _) => stored.sample_type(),
        (Some(_), StoredType::F64) => SampleType::F64,
        (Some(_), _) => SampleType::F32,
    }
}

/// Fills `out` with values: stored samples, and where there is a scaling that of them. The type of `out` is the
/// [`value_type`].
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
    match stored.sample_type() {
        SampleType::U8 => fill_scaled::<u8, T>(scaling, samples, first, out),
        SampleType::I8 => fill_scaled::<i8, T>(scaling, samples, first, out),
        SampleType::U16 => fill_scaled::<u16, T>(scaling, samples, first, out),
        SampleType::I16 => fill_scaled::<i16, T>(scaling, samples, first, out),
        SampleType::I32 => fill_scaled::<i32, T>(scaling, samples, first, out),
        SampleType::F32 => fill_scaled::<f32, T>(scaling, samples, first, out),
        SampleType::F64 => {
            let values: &mut [f64] = bytemuck::cast_slice_mut(out);
            samples.fill(first, values)?;
            values
                .par_iter_mut()
                .for_each(|value| *value = scaling.apply(*value));
            Ok(())
        }
    }
}

/// Fills `out`, which is of f32, with scaled samples of type `S`, a step at a time.
fn fill_scaled<S: Sample, T: Sample>(
    scaling: Scaling,
    samples: &mut impl StoredSamples,
    first: u64,
    out: &mut [T],
) -> Result<(), FileProblem> {
    let values: &mut [f32] = bytemuck::cast_slice_mut(out);
    let step = STEP / size_of::<S>();
    let mut buffer = Vec::new();
    reserve(&mut buffer, step.min(values.len()))?;
    buffer.resize(step.min(values.len()), S::zeroed());
    for (index, values) in values.chunks_mut(step).enumerate() {
        let buffer = &mut buffer[..values.len()];
        samples.fill(first + (index * step) as u64, buffer)?;
        values
            .par_iter_mut()
            .zip(&*buffer)
            .for_each(|(value, sample)| *value = scaling.apply(sample.to_f64()) as f32);
    }
    Ok(())
}

/// Samples as bytes: `read` fills the buffers that it is given with the file's bytes, in order.
pub(crate) struct Binary<F> {
    pub stored: StoredType,
    pub order: ByteOrder,
    pub read: F,
}

impl<F: FnMut(&mut [u8]) -> Result<(), FileProblem>> StoredSamples for Binary<F> {
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem> {
        let order = self.order;
        match self.stored {
            StoredType::U32 => self.fill_narrowed(first, out, |bytes: [u8; 4]| {
                let value = in_order(order, bytes, u32::from_le_bytes, u32::from_be_bytes);
                i128::from(value)
            }),
            StoredType::U64 => self.fill_narrowed(first, out, |bytes: [u8; 8]| {
                let value = in_order(order, bytes, u64::from_le_bytes, u64::from_be_bytes);
                i128::from(value)
            }),
            StoredType::I64 => self.fill_narrowed(first, out, |bytes: [u8; 8]| {
                let value = in_order(order, bytes, i64::from_le_bytes, i64::from_be_bytes);
                i128::from(value)
            }),
            _ => {
                (self.read)(bytemuck::cast_slice_mut(out))?;
                if order != ByteOrder::NATIVE && size_of::<T>() > 1 {
                    out.par_iter_mut()
                        .for_each(|sample| *sample = sample.swap_bytes());
                }
                Ok(())
            }
        }
    }
}

impl<F: FnMut(&mut [u8]) -> Result<(), FileProblem>> Binary<F> {
    /// Fills `out`, which is of i32, with integers of N bytes each.
    fn fill_narrowed<T: Sample, const N: usize>(
        &mut self,
        first: u64,
        out: &mut [T],
        decode: impl Fn([u8; N]) -> i128,
    ) -> Result<(), FileProblem> {
        let out: &mut [i32] = bytemuck::cast_slice_mut(out);
        let step = STEP / N;
        let mut buffer = vec![0; N * step.min(out.len())];
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

/// A wide integer as i32.
pub(crate) fn narrow(value: i128, index: u64, stored: StoredType) -> Result<i32, FileProblem> {
    i32::try_from(value).map_err(|_| FileProblem::NotRepresentable {
        index,
        value,
        stored,
    })
}

fn in_order<B, T>(order: ByteOrder, bytes: B, little: impl Fn(B) -> T, big: impl Fn(B) -> T) -> T {
    match order {
        ByteOrder::Little => little(bytes),
        ByteOrder::Big => big(bytes),
    }
}

/// Makes room for `more` elements, or fails with the bytes that could not be allocated.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), FileProblem> {
    list.try_reserve(more).map_err(|_| FileProblem::Memory {
        bytes: (list.len() as u64)
            .saturating_add(more as u64)
            .saturating_mul(size_of::<T>() as u64),
    })
}

/// Makes a list `more` elements longer.
pub(crate) fn grow<T: Sample>(list: &mut Vec<T>, more: usize) -> Result<(), FileProblem> {
    reserve(list, more)?;
    list.resize(list.len() + more, T::zeroed());
    Ok(())
}
