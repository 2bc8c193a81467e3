//! Samples written as text: decimal numbers, or hexadecimal bytes.

use std::str::FromStr;

use super::layout::Layout;
use super::samples::{narrow, read_samples, reserve, too_short};
use super::source::Source;
use super::{FileProblem, HeaderInfo, ReadOptions, StoredType};
use crate::volume::{AnyVolume, Geometry, Sample, Volume};

/// Longer numbers are not numbers.
const WORD: usize = 512;
/// Elements by which memory grows.
const STEP: usize = 1 << 16;

/// Reads one volume of decimal numbers, separated by white space or commas.
pub(crate) fn read_decimal(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    options: &ReadOptions,
    header: &mut HeaderInfo,
) -> Result<AnyVolume, FileProblem> {
    header.volumes = layout.volumes;
    header.volume = layout.choose(options)?;
    // A number takes a digit, and a separator but for the last.
    let total = layout.total_bytes / layout.stored.bytes() as u64;
    if source
        .left()
        .fewer_than((2 * total).saturating_sub(1))
        .is_some()
    {
        return Err(too_short(layout, 0));
    }
    let skipped = header.volume * layout.samples as u64;
    for index in 0..skipped {
        next_word(source, layout, index)?;
    }
    let volume = match layout.stored {
        StoredType::U8 => read_as::<u8>(source, layout, geometry, skipped)?,
        StoredType::I8 => read_as::<i8>(source, layout, geometry, skipped)?,
        StoredType::U16 => read_as::<u16>(source, layout, geometry, skipped)?,
        StoredType::I16 => read_as::<i16>(source, layout, geometry, skipped)?,
        StoredType::I32 => read_as::<i32>(source, layout, geometry, skipped)?,
        StoredType::F32 => read_as::<f32>(source, layout, geometry, skipped)?,
        StoredType::F64 => read_as::<f64>(source, layout, geometry, skipped)?,
        StoredType::U32 | StoredType::U64 | StoredType::I64 => {
            let samples = collect(source, layout, skipped, |index, text| {
                narrow(parse::<i128>(index, text, layout)?, index, layout.stored)
            })?;
            Volume::new(samples, layout.dims, geometry)?.into()
        }
    };
    for index in skipped + layout.samples as u64..total {
        next_word(source, layout, index)?;
    }
    if !options.allow_trailing_bytes
        && let Some(word) = source.word(WORD)?
    {
        return Err(not_a_number(total, &word, layout));
    }
    Ok(volume)
}

fn read_as<T: Sample + FromStr>(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    skipped: u64,
) -> Result<AnyVolume, FileProblem> {
    let samples = collect(source, layout, skipped, |index, text| {
        parse::<T>(index, text, layout)
    })?;
    Ok(Volume::new(samples, layout.dims, geometry)?.into())
}

fn collect<T>(
    source: &mut Source<'_>,
    layout: &Layout,
    skipped: u64,
    parse: impl Fn(u64, &[u8]) -> Result<T, FileProblem>,
) -> Result<Vec<T>, FileProblem> {
    let mut samples = Vec::new();
    while samples.len() < layout.samples {
        if samples.len() == samples.capacity() {
            let room = STEP.min(layout.samples - samples.len());
            reserve(&mut samples, room)?;
        }
        let index = skipped + samples.len() as u64;
        let word = next_word(source, layout, index)?;
        samples.push(parse(index, &word)?);
    }
    Ok(samples)
}

fn next_word(source: &mut Source<'_>, layout: &Layout, index: u64) -> Result<Vec<u8>, FileProblem> {
    source
        .word(WORD)?
        .ok_or_else(|| too_short(layout, index * layout.stored.bytes() as u64))
}

fn parse<T: FromStr>(index: u64, word: &[u8], layout: &Layout) -> Result<T, FileProblem> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.trim_start_matches('+').parse().ok())
        .ok_or_else(|| not_a_number(index, word, layout))
}

fn not_a_number(index: u64, word: &[u8], layout: &Layout) -> FileProblem {
    let text = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
    FileProblem::NotANumber {
        index,
        text,
        stored: layout.stored,
    }
}

/// Reads one volume whose bytes are written as two hexadecimal digits each.
pub(crate) fn read_hexadecimal(
    source: &mut Source<'_>,
    layout: &Layout,
    geometry: Geometry,
    options: &ReadOptions,
    header: &mut HeaderInfo,
) -> Result<AnyVolume, FileProblem> {
    if source
        .left()
        .fewer_than(layout.total_bytes.saturating_mul(2))
        .is_some()
    {
        return Err(too_short(layout, 0));
    }
    let mut bytes = Vec::new();
    let mut high = None;
    while let Some(word) = source.word(WORD)? {
        reserve(&mut bytes, word.len())?;
        for &digit in &word {
            let value = (digit as char).to_digit(16).ok_or_else(|| {
                not_a_number((bytes.len() / layout.stored.bytes()) as u64, &word, layout)
            })? as u8;
            match high.take() {
                None => high = Some(value << 4),
                Some(high) => bytes.push(high | value),
            }
        }
    }
    read_samples(
        &mut Source::from_bytes(&bytes),
        layout,
        geometry,
        options,
        header,
    )
}
