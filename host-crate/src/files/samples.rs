//! From bytes to samples: types, byte order, narrowing, checks of the length.

use rayon::prelude::*;

use super::layout::Layout;
use super::source::{Left, Source};
use super::{Amount, ByteOrder, FileProblem, HeaderInfo, ReadOptions, StoredType};
use crate::volume::{AnyVolume, Geometry, Sample, Volume};

/// Bytes that are read, and by which memory grows, at a time.
const STEP: usize = 4 << 20;

/// Reads one volume of binary samples from a source that stands at the first of them, and notes
/// in `header` which one it was.
pub(crate) fn read_samples(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    options: &ReadOptions,
    header: &mut HeaderInfo,
) -> Result<AnyVolume, FileProblem> {
    header.volumes = layout.volumes;
    header.volume = layout.choose(options)?;
    check_length(source.left(), layout, options)?;
    let before = header.volume * layout.volume_bytes();
    let skipped = source.skip(before)?;
    if skipped < before {
        return Err(too_short(layout, skipped));
    }
    let volume = match layout.stored {
        StoredType::U8 => read_as::<u8>(source, layout, geometry, before)?,
        StoredType::I8 => read_as::<i8>(source, layout, geometry, before)?,
        StoredType::U16 => read_as::<u16>(source, layout, geometry, before)?,
        StoredType::I16 => read_as::<i16>(source, layout, geometry, before)?,
        StoredType::I32 => read_as::<i32>(source, layout, geometry, before)?,
        StoredType::F32 => read_as::<f32>(source, layout, geometry, before)?,
        StoredType::F64 => read_as::<f64>(source, layout, geometry, before)?,
        StoredType::U32 => read_narrowed::<4>(source, layout, geometry, before, |bytes, order| {
            i128::from(in_order(
                order,
                bytes,
                u32::from_le_bytes,
                u32::from_be_bytes,
            ))
        })?,
        StoredType::U64 => read_narrowed::<8>(source, layout, geometry, before, |bytes, order| {
            i128::from(in_order(
                order,
                bytes,
                u64::from_le_bytes,
                u64::from_be_bytes,
            ))
        })?,
        StoredType::I64 => read_narrowed::<8>(source, layout, geometry, before, |bytes, order| {
            i128::from(in_order(
                order,
                bytes,
                i64::from_le_bytes,
                i64::from_be_bytes,
            ))
        })?,
    };
    finish(source, layout, options, before + layout.volume_bytes())?;
    Ok(volume)
}

/// Compares the sizes with what is known of the source's length, before memory is asked for.
fn check_length(left: Left, layout: &Layout, options: &ReadOptions) -> Result<(), FileProblem> {
    let expected = layout.total_bytes;
    if let Some(found) = left.fewer_than(expected) {
        return Err(FileProblem::TooShort {
            sizes: layout.sizes.clone(),
            stored: layout.stored,
            expected,
            found,
        });
    }
    match left {
        Left::Exactly(found) if found > expected && !options.allow_trailing_bytes => {
            Err(too_long(layout, Amount::Exactly(found)))
        }
        _ => Ok(()),
    }
}

/// Passes over the volumes after the one that was read and looks for the end, which is also what
/// makes a decompressor compare its checksum.
fn finish(
    source: &mut Source<'_>,
    layout: &Layout,
    options: &ReadOptions,
    read: u64,
) -> Result<(), FileProblem> {
    let rest = layout.total_bytes - read;
    let skipped = source.skip(rest)?;
    if skipped < rest {
        return Err(too_short(layout, read + skipped));
    }
    if !options.allow_trailing_bytes && source.skip(1)? > 0 {
        return Err(too_long(layout, Amount::AtLeast(layout.total_bytes + 1)));
    }
    Ok(())
}

pub(crate) fn too_short(layout: &Layout, found: u64) -> FileProblem {
    FileProblem::TooShort {
        sizes: layout.sizes.clone(),
        stored: layout.stored,
        expected: layout.total_bytes,
        found: Amount::Exactly(found),
    }
}

fn too_long(layout: &Layout, found: Amount) -> FileProblem {
    FileProblem::TooLong {
        sizes: layout.sizes.clone(),
        stored: layout.stored,
        expected: layout.total_bytes,
        found,
    }
}

/// Reads samples of a type that volumes have. `before` bytes have been read already.
fn read_as<T: Sample>(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    before: u64,
) -> Result<AnyVolume, FileProblem> {
    let mut samples: Vec<T> = Vec::new();
    if matches!(source.left(), Left::Exactly(_)) {
        // The length has been checked, so this is no more than the file has.
        reserve(&mut samples, layout.samples)?;
    }
    while samples.len() < layout.samples {
        let start = samples.len();
        let count = (STEP / size_of::<T>()).min(layout.samples - start);
        reserve(&mut samples, count)?;
        samples.resize(start + count, T::zeroed());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut samples[start..]);
        let wanted = bytes.len();
        let found = source.fill(bytes)?;
        if found < wanted {
            return Err(too_short(
                layout,
                before + (start * size_of::<T>() + found) as u64,
            ));
        }
    }
    if layout.order != ByteOrder::NATIVE && size_of::<T>() > 1 {
        samples
            .par_iter_mut()
            .for_each(|sample| *sample = sample.swap_bytes());
    }
    Ok(Volume::new(samples, layout.dims, geometry)?.into())
}

/// Reads integers that are wider than a volume's widest, N bytes each, as i32.
fn read_narrowed<const N: usize>(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    before: u64,
    decode: impl Fn([u8; N], ByteOrder) -> i128,
) -> Result<AnyVolume, FileProblem> {
    let mut samples: Vec<i32> = Vec::new();
    let mut buffer = vec![0; STEP.min(layout.samples.saturating_mul(N))];
    while samples.len() < layout.samples {
        let start = samples.len();
        let count = (STEP / N).min(layout.samples - start);
        reserve(&mut samples, count)?;
        let bytes = &mut buffer[..count * N];
        let found = source.fill(bytes)?;
        if found < count * N {
            return Err(too_short(layout, before + (start * N + found) as u64));
        }
        let (wide, _) = bytes.as_chunks::<N>();
        for (offset, &bytes) in wide.iter().enumerate() {
            let value = decode(bytes, layout.order);
            samples.push(narrow(value, (start + offset) as u64, layout.stored)?);
        }
    }
    Ok(Volume::new(samples, layout.dims, geometry)?.into())
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

/// Makes room for `more` elements, or says how many bytes could not be had.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), FileProblem> {
    list.try_reserve(more).map_err(|_| FileProblem::Memory {
        bytes: (list.len() as u64)
            .saturating_add(more as u64)
            .saturating_mul(size_of::<T>() as u64),
    })
}
